//! Folds of events and snapshots into series, totals and the outcome.

mod result;

pub use result::{FleetRow, Outcome, PoolRow, PoolState, RunResult, Summary};
