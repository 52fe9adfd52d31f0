//! The stepped simulation: the world's state and the step that changes it.

mod demand;
mod events;
mod instances;
mod log;
mod observe;
mod plane;
mod probe;
mod rng;
mod route;
mod scale;
mod serve;
mod snapshot;
mod step;
mod world;

pub use log::{Happening, LogEntry};
pub use snapshot::{Observer, PoolStep, Snapshot};
pub use step::run;
