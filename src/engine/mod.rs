//! The stepped simulation: the world's state and the step that changes it.

mod autoscale;
mod books;
mod capacity;
mod demand;
mod events;
mod instances;
mod lifecycle;
mod log;
mod observe;
mod origins;
mod pace;
mod plane;
mod probe;
mod retry;
mod rng;
mod route;
mod scale;
mod serve;
mod settings;
mod snapshot;
mod step;
mod tables;
mod world;

pub use log::{Happening, LogEntry, ProbeFailure};
pub use snapshot::{Latency, Observer, PoolStep, RequestBook, ResourceStep, Snapshot};
pub use step::run;
