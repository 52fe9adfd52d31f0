//! zonefall simulates what a failover does to a fleet.

#[cfg(feature = "app")]
pub mod cli;
#[cfg(feature = "app")]
pub mod config;
#[cfg(feature = "app")]
pub mod diagnostic;
pub mod engine;
#[cfg(feature = "app")]
pub mod experiment;
pub mod metric;
pub mod model;
pub mod policy;
pub mod queueing;
#[cfg(feature = "app")]
pub mod report;
pub mod units;
