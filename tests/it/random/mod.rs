//! Claims that hold in any topology, tried on random ones.

mod bound;
mod ceiling;
pub mod conservation;
mod ejection_limit;
pub mod fleet;
mod plain;
mod plans;
mod rate_limit;
pub mod sketch;
pub mod strategy;
pub mod trial;
mod views;
