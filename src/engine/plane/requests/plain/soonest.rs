//! Work under way, of which the one that is done first is always at hand: a binary heap, whose
//! first is often replaced in place by the work of whoever was next in the queue.

use super::lane::Work;

/// Work under way. Of those that are done at the same time, either may come first.
#[derive(Debug, Default)]
pub struct Soonest {
    /// None is done before its parent, at half its place.
    heap: Vec<Work>,
}

impl Soonest {
    /// What is done first.
    #[must_use]
    #[inline]
    pub fn first(&self) -> Option<&Work> {
        self.heap.first()
    }

    /// All of it.
    pub fn iter(&self) -> std::slice::Iter<'_, Work> {
        self.heap.iter()
    }

    /// Adds work.
    #[inline]
    pub fn push(&mut self, work: Work) {
        let mut place = self.heap.len();
        self.heap.push(work);
        while place > 0 {
            let parent = (place - 1) / 2;
            if self.heap[parent].done_at <= work.done_at {
                break;
            }
            self.heap[place] = self.heap[parent];
            place = parent;
        }
        self.heap[place] = work;
    }

    /// Puts other work in the place of what is done first.
    #[inline]
    pub fn replace_first(&mut self, work: Work) {
        let heap = self.heap.as_mut_slice();
        let mut place = 0;
        // The way down: the sooner of two children moves up, until one is later than the new.
        while let Some([left, right]) = heap.get(2 * place + 1..2 * place + 3) {
            // Either is as likely: an index, not a branch, tells which.
            let child = 2 * place + 1 + usize::from(right.done_at < left.done_at);
            let soonest = heap[child];
            if work.done_at <= soonest.done_at {
                heap[place] = work;
                return;
            }
            heap[place] = soonest;
            place = child;
        }
        if let Some(only) = heap.get(2 * place + 1).copied()
            && only.done_at < work.done_at
        {
            heap[place] = only;
            place = 2 * place + 1;
        }
        if let Some(there) = heap.get_mut(place) {
            *there = work;
        }
    }

    /// Takes away what is done first.
    #[inline]
    pub fn remove_first(&mut self) {
        if let Some(last) = self.heap.pop() {
            self.replace_first(last);
        }
    }

    /// Keeps some of it.
    pub fn retain(&mut self, stays: impl FnMut(&Work) -> bool) {
        self.heap.retain(stays);
        self.sort();
    }

    /// Changes all of it.
    pub fn change(&mut self, how: impl FnMut(&mut Work)) {
        self.heap.iter_mut().for_each(how);
        self.sort();
    }

    /// What is sorted is a heap.
    fn sort(&mut self) {
        self.heap.sort_unstable_by_key(|work| work.done_at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn work(done_at: u64) -> Work {
        Work { done_at, sent: 0, left: 1.0, station: 0, origin: 0, redirected: false }
    }

    #[test]
    fn what_is_done_first_comes_first() {
        let mut soonest = Soonest::default();
        let mut expected = std::collections::BTreeSet::new();
        let mut number = 1_u64;
        for turn in 0..10_000 {
            number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let at = number >> 20;
            match (turn / 50 + number as usize % 7) % 4 {
                0 | 1 => {
                    soonest.push(work(at));
                    expected.insert(at);
                }
                2 if expected.pop_first().is_some() => {
                    soonest.replace_first(work(at));
                    expected.insert(at);
                }
                2 => {}
                _ => {
                    soonest.remove_first();
                    expected.pop_first();
                }
            }
            assert_eq!(soonest.first().map(|work| work.done_at), expected.first().copied());
            assert_eq!(soonest.iter().count(), expected.len());
        }
        soonest.retain(|work| work.done_at % 2 == 0);
        soonest.change(|work| work.done_at = u64::MAX - work.done_at);
        let last = expected.iter().filter(|at| **at % 2 == 0).max();
        assert_eq!(soonest.first().map(|work| u64::MAX - work.done_at), last.copied());
    }
}
