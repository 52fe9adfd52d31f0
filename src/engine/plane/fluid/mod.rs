//! The fluid plane: each instance is one M/M/c/K station with mean and variance (MODEL §4.1).

mod instance;
mod pool;

pub use instance::given_up_share;
pub use pool::{serve, start};
