//! What goes with any policy: load shedding with a fallback, and the cascade circuit breaker. One
//! file each. (Admission, slow start and retry budgets are settings of instances and clients.)

mod breaker;
mod shed;

pub use breaker::{Breaker, BreakerAction, Trip};
pub use shed::{Fallback, Shed};

/// What goes with a policy.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Mitigations {
    /// Load shedding.
    pub shed: Option<Shed>,
    /// The cascade circuit breaker.
    pub breaker: Option<Breaker>,
}
