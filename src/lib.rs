//! zonefall simulates what a failover does to a fleet: whether it saves it or finishes it.
//!
//! A topology file describes **zones** (what fails together) and **pools** (identical instances in
//! one zone that serve one service), how instances are health-checked, what fails and when, and the
//! **policies** to compare. The simulation steps through the failure: the balancer redirects what a
//! pool can no longer take, receivers slow down, slow probes fail, failed probes take instances out
//! of rotation, and what is left gets the rest of the load.
//!
//! ```
//! use zonefall::{config, metric};
//!
//! let file = r#"
//!     schema_version = 1
//!     zone = { a = {}, b = {}, c = {} }
//!     instance.web = { workers = 10, service_time = "100ms" }
//!     event.zone-a-fails = { at = "60s", kind = "zone-outage", zone = "a" }
//!     [pool.web]
//!     zones = ["a", "b", "c"]
//!     instance = "web"
//!     instances = 4
//!     demand_rps = 280
//! "#;
//! let loaded = config::load("fleet.toml", file.as_bytes(), &["simulation.seed=3".to_owned()])?;
//! for case in &loaded.cases {
//!     let result = metric::simulate(case, 1);
//!     println!("{}: {:.1} %", result.policy, 100.0 * result.summary.goodput_ratio);
//! }
//! # Ok::<(), config::Rejected>(())
//! ```
//!
//! # The map
//!
//! Data flows one way, and a module uses only what stands before it:
//!
//! | module | holds |
//! | --- | --- |
//! | [`units`], [`queueing`] | checked quantities; the mathematics of one M/M/c/K station |
//! | [`model`] | the world as plain values, already valid, and its one graph |
//! | [`policy`] | where traffic goes when a pool cannot take it; one file a policy |
//! | [`engine`] | the world's state and the step, one file a phase |
//! | [`metric`] | folds of what the engine shows into series, totals and the outcome |
//! | [`experiment`] | many runs; the only user of threads |
//! | [`diagnostic`], [`config`] | problems as values; text to scenario through one registry of settings |
//! | [`report`] | results to bytes: CSV, JSON, tables, charts; the one writer of files |
//! | [`cli`] | arguments, exit codes, one file a subcommand |
//!
//! Without the default feature `app` the library is the pure simulation: no files, clocks, threads,
//! or text formats.

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
