//! The books of the requests that arrive from some moment on.
//!
//! A fluid does not know which of its requests arrived when. What was in the system at the moment
//! is followed as a well-mixed share of what leaves each pool; everything else that ends arrived
//! later. The books balance exactly: arrived = completed + late + shed + rejected + lost +
//! unfinished.

use crate::engine::{PoolStep, Snapshot};

/// Requests that arrived from `from_s` on, and how they ended.
#[derive(Debug, Clone, Default)]
pub struct Account {
    from_s: f64,
    is_open: bool,
    before: Vec<f64>,
    /// Tries in the system at the end of the last step, by pool.
    in_flight: Vec<f64>,
    /// First tries that arrived.
    pub arrived: f64,
    /// Completed in time.
    pub completed: f64,
    /// Late.
    pub late: f64,
    /// Shed.
    pub shed: f64,
    /// Rejected.
    pub rejected: f64,
    /// Lost.
    pub lost: f64,
    /// Still in the system.
    pub unfinished: f64,
    /// Of those, whose client has given up; counted in the last step.
    pub given_up: f64,
}

impl Account {
    /// Books that open at a time.
    #[must_use]
    pub fn new(from_s: f64) -> Self {
        Self { from_s, ..Self::default() }
    }

    /// The fleet before the first step.
    pub fn start(&mut self, snapshot: &Snapshot<'_>) {
        self.in_flight = snapshot.pools.iter().map(|pool| pool.in_flight).collect();
    }

    /// Books a step.
    pub fn step(&mut self, snapshot: &Snapshot<'_>) {
        if !self.is_open && snapshot.began_at_or_after(self.from_s) {
            self.is_open = true;
            self.before.clone_from(&self.in_flight);
        }
        if self.is_open {
            self.unfinished = 0.0;
            self.given_up = 0.0;
            for (pool, before) in snapshot.pools.iter().zip(&mut self.before) {
                let was_before = leave(pool, before);
                self.arrived += pool.first_tries;
                self.completed += pool.completed * (1.0 - was_before);
                self.late += pool.late * (1.0 - was_before);
                self.lost += pool.lost - pool.died_inside * was_before;
                self.shed += pool.shed;
                self.rejected += pool.rejected;
                self.unfinished += pool.in_flight - *before;
                let since = if pool.in_flight > 0.0 { 1.0 - *before / pool.in_flight } else { 0.0 };
                self.given_up += pool.given_up * since;
            }
        }
        for (before, pool) in self.in_flight.iter_mut().zip(snapshot.pools) {
            *before = pool.in_flight;
        }
    }

    /// A count as a share of what arrived; 0 of nothing.
    #[must_use]
    pub fn share(&self, count: f64) -> f64 {
        if self.arrived > 0.0 { count / self.arrived } else { 0.0 }
    }
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
