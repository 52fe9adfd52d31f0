//! The books of the requests that arrive from some moment on.
//!
//! A fluid does not know which of its requests arrived when. What was in the system at the moment
//! is followed as a well-mixed share of what leaves each pool; everything else that ends arrived
//! later. The books balance exactly.

use super::plane::fluid::RequestFlows;
use super::snapshot::{PoolStep, RequestBook};

/// Books of a fluid.
#[derive(Debug, Clone, Default)]
pub struct FluidBooks {
    pages: Vec<Page>,
    /// What is shown of the pages.
    pub shown: Vec<RequestBook>,
}

#[derive(Debug, Clone, Default)]
struct Page {
    is_open: bool,
    /// What was in the system at the moment and still is, by pool.
    before: Vec<f64>,
    /// The same of what the fallback has yet to answer; empty where requests are followed.
    deferred: Vec<f64>,
}

impl FluidBooks {
    /// Books that open at these moments.
    #[must_use]
    pub fn new(marks_s: &[f64]) -> Self {
        Self {
            pages: vec![Page::default(); marks_s.len()],
            shown: marks_s
                .iter()
                .map(|&from_s| RequestBook { from_s, ..Default::default() })
                .collect(),
        }
    }

    /// Opens the pages whose moment has come, at the beginning of a step.
    pub fn open<'p>(
        &mut self,
        time_s: f64,
        step_s: f64,
        pools: impl Iterator<Item = &'p PoolStep> + Clone,
    ) {
        for (page, book) in self.pages.iter_mut().zip(&mut self.shown) {
            if !page.is_open && time_s >= book.from_s - 1e-9 * step_s {
                page.is_open = true;
                let inside = pools.clone().map(|pool| pool.in_flight);
                page.deferred = pools.clone().map(|pool| pool.deferred).collect();
                if book.from_s == f64::NEG_INFINITY {
                    // What is inside at the start has arrived since then, too.
                    book.arrived = inside.clone().sum();
                    page.before = inside.map(|_| 0.0).collect();
                } else {
                    page.before = inside.collect();
                }
            }
        }
    }

    /// Opens the pages whose moment has come where requests are followed: `open` of them have not
    /// ended.
    pub fn open_requests(&mut self, time_s: f64, step_s: f64, open: f64) {
        for (page, book) in self.pages.iter_mut().zip(&self.shown) {
            if !page.is_open && time_s >= book.from_s - 1e-9 * step_s {
                page.is_open = true;
                page.before = vec![open];
            }
        }
    }

    /// Books what became of requests in a step.
    pub fn step_requests(&mut self, flows: &RequestFlows) {
        for (page, book) in self.pages.iter_mut().zip(&mut self.shown) {
            if page.is_open {
                for before in &mut page.before {
                    enter_requests(book, flows, before);
                }
            }
        }
    }

    /// Books a step.
    pub fn step<'p>(&mut self, pools: impl Iterator<Item = &'p PoolStep> + Clone) {
        for (page, book) in self.pages.iter_mut().zip(&mut self.shown) {
            if page.is_open {
                book.unfinished = 0.0;
                book.given_up = 0.0;
                let before = page.before.iter_mut().zip(&mut page.deferred);
                for (pool, (before, deferred)) in pools.clone().zip(before) {
                    enter(book, pool, before);
                    enter_deferred(book, pool, deferred);
                }
            }
        }
    }
}

fn enter(book: &mut RequestBook, pool: &PoolStep, before: &mut f64) {
    let was_before = leave(pool, before);
    book.arrived += pool.first_tries;
    book.completed += pool.completed * (1.0 - was_before);
    book.late += pool.late * (1.0 - was_before);
    book.lost += pool.lost - pool.died_inside * was_before;
    book.shed += pool.shed;
    book.rejected += pool.rejected;
    book.unfinished += pool.in_flight - *before;
    let since = if pool.in_flight > 0.0 { 1.0 - *before / pool.in_flight } else { 0.0 };
    book.given_up += pool.given_up * since;
}

/// What the fallback has answered and has yet to; this can no longer be an answer in time.
fn enter_deferred(book: &mut RequestBook, pool: &PoolStep, before: &mut f64) {
    let there = pool.deferred + pool.degraded;
    let was_before = if there > 0.0 { (*before / there).clamp(0.0, 1.0) } else { 0.0 };
    *before = (*before - was_before * pool.degraded).clamp(0.0, pool.deferred);
    book.degraded += pool.degraded * (1.0 - was_before);
    book.unfinished += pool.deferred - *before;
    book.given_up += pool.deferred - *before;
}

/// Who was there at the moment is a well-mixed share of the requests that end, but for those that
/// end as soon as they arrive.
fn enter_requests(book: &mut RequestBook, flows: &RequestFlows, before: &mut f64) {
    let (all, fresh) = (&flows.failed, &flows.failed_at_once);
    let left = flows.completed + flows.late + flows.degraded + all.total() - fresh.total();
    let there = flows.open + left;
    let was_before = if there > 0.0 { (*before / there).clamp(0.0, 1.0) } else { 0.0 };
    let since = |ends: f64, at_once: f64| ends - (ends - at_once) * was_before;
    *before = (*before - was_before * left).max(0.0);
    book.arrived += flows.arrived;
    book.completed += since(flows.completed, 0.0);
    book.late += since(flows.late, 0.0);
    book.degraded += since(flows.degraded, 0.0);
    book.shed += since(all.shed, fresh.shed);
    book.rejected += since(all.rejected, fresh.rejected);
    book.lost += since(all.lost, fresh.lost);
    book.unfinished = flows.open - *before;
    let since = if flows.open > 0.0 { 1.0 - *before / flows.open } else { 0.0 };
    book.given_up = flows.given_up * since;
}

/// The share of what left a pool's system that was there before; it is taken off `before`.
fn leave(pool: &PoolStep, before: &mut f64) -> f64 {
    let left = pool.completed + pool.late + pool.died_inside;
    let there = pool.in_flight + left;
    if there <= 0.0 {
        return 0.0;
    }
    let share = (*before / there).clamp(0.0, 1.0);
    *before = (*before - share * left).clamp(0.0, pool.in_flight);
    share
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_book_of_the_whole_run_has_what_is_inside_at_the_start() {
        let mut books = FluidBooks::new(&[f64::NEG_INFINITY, 0.0]);
        let mut pool = PoolStep { in_flight: 8.0, ..PoolStep::default() };
        books.open(0.0, 1.0, [pool].iter());
        for _ in 0..3 {
            pool.first_tries = 10.0;
            pool.completed = 9.0;
            pool.rejected = 2.0;
            pool.in_flight -= 1.0;
            books.step([pool].iter());
        }
        let [whole, from_0] = books.shown[..] else { panic!("two books") };
        assert_eq!((whole.arrived, whole.completed, whole.rejected), (38.0, 27.0, 6.0));
        assert_eq!(whole.unfinished, 5.0);
        assert_eq!(from_0.arrived, 30.0);
        assert!(from_0.completed < 27.0 && from_0.completed > 19.0, "{from_0:?}");
    }
}
