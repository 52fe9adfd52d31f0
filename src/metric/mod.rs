//! Folds of events and snapshots into series, totals and the outcome.

mod result;

pub use result::{FleetRow, Outcome, PoolRow, PoolState, RunResult, Summary};

/// TEMPORARY until the engine lands.
#[must_use]
pub fn simulate(_case: &crate::policy::Case, _row_steps: u32) -> RunResult {
    unimplemented!()
}
