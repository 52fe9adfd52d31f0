//! The stepped simulation: the world's state and the step that changes it.

mod log;

mod rng;

pub use log::{Happening, LogEntry};
