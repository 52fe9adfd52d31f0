//! Every policy of a file, on common random numbers.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicBool, Ordering};

use rayon::prelude::*;

use super::rank::rank;
use crate::metric::RunResult;
use crate::policy::Case;

/// How many runs go on at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Jobs {
    /// As many as the machine has processors.
    #[default]
    Auto,
    /// At most so many.
    AtMost(NonZeroUsize),
}

impl Jobs {
    fn threads(self, cases: usize) -> usize {
        let most = match self {
            Self::Auto => std::thread::available_parallelism().map_or(1, NonZeroUsize::get),
            Self::AtMost(jobs) => jobs.get(),
        };
        most.min(cases)
    }
}

/// What looks on while runs go on.
#[derive(Clone, Copy)]
pub struct Watch<'a> {
    /// Called after each run, on the thread that made it.
    pub on_done: &'a (dyn Fn() + Sync),
    /// Once it is set, no further run starts.
    pub cancel: &'a AtomicBool,
}

/// Runs each case and ranks them, with a row of the timeline every `row_steps` steps. The results
/// are in the order of `cases` and do not depend on the number of threads. None when cancelled.
#[must_use]
pub fn compare(
    cases: &[Case],
    row_steps: u32,
    jobs: Jobs,
    watch: Watch<'_>,
) -> Option<Vec<RunResult>> {
    let run = |case: &Case| crate::metric::simulate(case, row_steps);
    let mut results = in_order(cases, jobs, watch, run)?;
    rank(&mut results);
    Some(results)
}

/// Runs something on every item. The results are in the order of `items` whatever the number of
/// threads; none when cancelled.
pub(super) fn in_order<Item: Sync, Result: Send>(
    items: &[Item],
    jobs: Jobs,
    watch: Watch<'_>,
    run: impl Fn(&Item) -> Result + Sync,
) -> Option<Vec<Result>> {
    let watched = |item: &Item| {
        if watch.cancel.load(Ordering::Relaxed) {
            return None;
        }
        let result = run(item);
        (watch.on_done)();
        Some(result)
    };
    let threads = jobs.threads(items.len());
    let pool = match threads {
        0 | 1 => None,
        // Without threads, as in a full container, one after the other gives the same results.
        _ => rayon::ThreadPoolBuilder::new().num_threads(threads).build().ok(),
    };
    match pool {
        None => items.iter().map(watched).collect(),
        // One a task: runs of one file can differ a hundredfold in time.
        Some(pool) => pool.install(|| items.par_iter().with_max_len(1).map(watched).collect()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    fn squares(jobs: Jobs, cancel: bool) -> (Option<Vec<u64>>, usize) {
        let done = AtomicUsize::new(0);
        let on_done = || {
            done.fetch_add(1, Ordering::Relaxed);
        };
        let cancel = AtomicBool::new(cancel);
        let watch = Watch { on_done: &on_done, cancel: &cancel };
        let items: Vec<u64> = (0..100).collect();
        let results = in_order(&items, jobs, watch, |item| item * item);
        (results, done.load(Ordering::Relaxed))
    }

    #[test]
    fn results_come_in_order_on_any_number_of_threads() {
        let expected: Vec<u64> = (0..100).map(|item| item * item).collect();
        for jobs in [1, 2, 7] {
            let jobs = NonZeroUsize::new(jobs).map_or(Jobs::Auto, Jobs::AtMost);
            assert_eq!(squares(jobs, false), (Some(expected.clone()), 100));
        }
    }

    #[test]
    fn nothing_starts_once_cancelled() {
        assert_eq!(squares(Jobs::Auto, true), (None, 0));
    }
}
