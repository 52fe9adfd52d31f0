//! zonefall simulates what a failover does to a fleet.

pub mod engine;
#[cfg(feature = "app")]
pub mod experiment;
pub mod metric;
pub mod model;
pub mod policy;
#[cfg(feature = "app")]
pub mod report;
pub mod units;
