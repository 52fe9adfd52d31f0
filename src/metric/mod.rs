//! Folds of events and snapshots into series, totals and the outcome. A metric is one file and one
//! line in [`simulate()`]'s registry.

#[cfg(test)]
mod alert_tests;
mod alerts;
mod amplification;
mod bound;
mod capacity;
mod cascade;
#[cfg(test)]
pub(crate) mod fixture;
mod hit;
mod outcome;
mod own_share;
mod past;
mod phases;
mod recovery;
mod resources;
mod result;
mod series;
mod shares;
mod signals;
mod simulate;
#[cfg(test)]
mod tests;
mod users;

pub use bound::{bound_rps, reach, short_nodes};
pub use hit::hit_pools;
pub use own_share::own_share;
pub use result::{
    FiredAlert, FleetRow, Outcome, PhaseRow, PoolRow, PoolState, ResourceRow, RunResult, Summary,
};
pub use signals::RATE_S;
pub use simulate::simulate;

use crate::engine::{LogEntry, Snapshot};

/// A fold over a run that ends in some fields of the summary.
trait Metric {
    /// A moment from which it wants users' requests told apart.
    fn mark_s(&self) -> Option<f64> {
        None
    }
    /// The fleet before the first step.
    fn start(&mut self, _snapshot: &Snapshot<'_>) {}
    /// Something happened.
    fn happened(&mut self, _entry: &LogEntry) {}
    /// A step is over.
    fn step(&mut self, _snapshot: &Snapshot<'_>) {}
    /// The run is over.
    fn finish(&mut self, summary: &mut Summary);
}
