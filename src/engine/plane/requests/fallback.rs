//! The fallback that answers users' tries that were refused, try by try.

use std::collections::VecDeque;

use super::clock::{Nanos, nanos, seconds};
use crate::policy;

/// A fallback under way.
#[derive(Debug)]
pub struct Fallback {
    capacity_rps: f64,
    latency: Nanos,
    queue_limit: f64,
    /// Answers that may be begun at once, where nobody waits: at most a second's worth.
    tokens: f64,
    refilled_at: Nanos,
    /// When the fallback has worked off what waits, where tries wait.
    free_at: Nanos,
    /// When those that wait are begun.
    begins: VecDeque<Nanos>,
    /// What will be answered.
    pub pending: VecDeque<Pending>,
}

/// A try that will be answered.
#[derive(Debug, Clone, Copy)]
pub struct Pending {
    pub at: Nanos,
    /// The pool whose try it was.
    pub home: u32,
    /// When its request was born.
    pub born: Nanos,
}

impl Fallback {
    /// One that is idle.
    #[must_use]
    pub fn new(spec: &policy::Fallback) -> Self {
        let capacity_rps = spec.capacity.get();
        Self {
            capacity_rps,
            latency: nanos(spec.latency.get()),
            queue_limit: spec.queue_limit,
            tokens: most_tokens(capacity_rps),
            refilled_at: 0,
            free_at: 0,
            begins: VecDeque::new(),
            pending: VecDeque::new(),
        }
    }

    /// Takes a refused try, if it can.
    pub fn take(&mut self, now: Nanos, home: u32, born: Nanos) -> bool {
        let begun_at = if self.queue_limit > 0.0 { self.queue(now) } else { self.at_once(now) };
        let Some(begun_at) = begun_at else { return false };
        self.pending.push_back(Pending { at: begun_at.saturating_add(self.latency), home, born });
        true
    }

    /// The next answer before a time.
    pub fn answer_before(&mut self, end: Nanos) -> Option<Pending> {
        self.pending.pop_front_if(|pending| pending.at < end)
    }

    fn queue(&mut self, now: Nanos) -> Option<Nanos> {
        while self.begins.front().is_some_and(|begin| *begin <= now) {
            self.begins.pop_front();
        }
        if self.begins.len() as f64 >= self.queue_limit {
            return None;
        }
        let begin = self.free_at.max(now);
        self.free_at = begin.saturating_add(nanos(1.0 / self.capacity_rps).max(1));
        if begin > now {
            self.begins.push_back(begin);
        }
        Some(begin)
    }

    fn at_once(&mut self, now: Nanos) -> Option<Nanos> {
        let passed_s = seconds(now.saturating_sub(self.refilled_at));
        self.refilled_at = now;
        let most = most_tokens(self.capacity_rps);
        self.tokens = (self.tokens + passed_s * self.capacity_rps).min(most);
        let has_one = self.tokens >= 1.0;
        if has_one {
            self.tokens -= 1.0;
        }
        has_one.then_some(now)
    }
}

/// A second's worth, and room for one.
fn most_tokens(capacity_rps: f64) -> f64 {
    capacity_rps.max(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units::{Rps, Seconds};

    fn fallback(capacity_rps: f64, latency_s: f64, queue_limit: f64) -> Fallback {
        Fallback::new(&policy::Fallback {
            capacity: Rps::new(capacity_rps).expect("a rate"),
            latency: Seconds::new(latency_s).expect("a time"),
            queue_limit,
        })
    }

    #[test]
    fn a_smaller_model_takes_its_capacity_and_no_more() {
        let mut model = fallback(10.0, 0.3, 0.0);
        let taken = (0..1000).filter(|n| model.take(nanos(f64::from(*n) * 0.01), 0, 0)).count();
        // 100 tries a second for 10 s: ten seconds' worth, and the second's that it begins with.
        assert_eq!(taken, 10 + 99);
        assert_eq!(model.pending[0].at, nanos(0.3));
    }

    #[test]
    fn deferred_replies_are_worked_off_in_turn_and_the_queue_has_an_end() {
        let mut replies = fallback(2.0, 1.0, 3.0);
        let taken: Vec<bool> = (0..6).map(|_| replies.take(0, 0, 0)).collect();
        assert_eq!(taken, [true, true, true, true, false, false]);
        let at: Vec<f64> = replies.pending.iter().map(|one| seconds(one.at)).collect();
        assert_eq!(at, [1.0, 1.5, 2.0, 2.5]);
        assert!(replies.take(nanos(0.5), 0, 0), "one has begun");
        assert_eq!(replies.answer_before(nanos(1.0)).map(|one| one.at), None);
        assert_eq!(replies.answer_before(nanos(1.5)).map(|one| one.at), Some(nanos(1.0)));
    }
}
