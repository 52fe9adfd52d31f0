//! Users' requests as they end, step by step.

use crate::engine::Snapshot;
use crate::model::Scenario;

use super::shares::book_from;

/// From the start of the run, and what is inside then.
const ALWAYS_S: f64 = f64::NEG_INFINITY;

/// Requests that ended.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Ended {
    /// In time.
    pub completed: f64,
    /// In whatever way.
    pub all: f64,
}

/// Follows users' requests. Where no try is repeated and no pool calls another, a try that ends
/// anywhere is a request that ends, and the pools' sums tell; else a book of the whole run is kept.
pub struct Users {
    by_book: bool,
    so_far: Ended,
}

impl Users {
    /// Those of a scenario.
    pub fn new(scenario: &Scenario) -> Self {
        let retries = scenario.clients.iter().any(|client| client.retry.is_some());
        Self { by_book: retries || scenario.has_calls(), so_far: Ended::default() }
    }

    /// The moment from which it needs a book; none when it needs none.
    pub fn mark_s(&self) -> Option<f64> {
        self.by_book.then_some(ALWAYS_S)
    }

    /// Those that completed in this step; instead of [`Self::step`], where that is all it takes.
    pub fn completed(&mut self, snapshot: &Snapshot<'_>) -> f64 {
        if self.by_book {
            return self.step(snapshot).completed;
        }
        snapshot.pools.iter().map(|pool| pool.completed).sum()
    }

    /// Those that ended in this step.
    pub fn step(&mut self, snapshot: &Snapshot<'_>) -> Ended {
        if !self.by_book {
            return by_pool(snapshot);
        }
        let book = book_from(snapshot, ALWAYS_S);
        let ended = book.late + book.degraded + book.shed + book.rejected + book.lost;
        let now = Ended { completed: book.completed, all: book.completed + ended };
        let before = std::mem::replace(&mut self.so_far, now);
        Ended { completed: now.completed - before.completed, all: now.all - before.all }
    }
}

fn by_pool(snapshot: &Snapshot<'_>) -> Ended {
    let mut ended = Ended::default();
    for pool in snapshot.pools {
        ended.completed += pool.completed;
        let served = pool.completed + pool.late + pool.degraded;
        ended.all += served + pool.shed + pool.rejected + pool.lost;
    }
    ended
}
