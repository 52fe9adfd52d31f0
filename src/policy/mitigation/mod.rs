//! What goes with any policy: load shedding with a fallback, and the cascade circuit breaker. One
//! file each. (Admission, slow start and retry budgets are settings of instances and clients.)

mod breaker;
mod guard;
mod shed;
mod shedding;
mod stopped;

pub use breaker::{Breaker, BreakerAction, Trip};
pub use shed::{Fallback, Shed};

use super::Policy;
use guard::Guarded;
use shedding::Shedding;

/// What goes with a policy.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Mitigations {
    /// Load shedding.
    pub shed: Option<Shed>,
    /// The cascade circuit breaker.
    pub breaker: Option<Breaker>,
}

impl Mitigations {
    /// Puts what goes with a policy around it: the breaker decides what is moved, then pools refuse
    /// what is too much. `renew` makes the policy, without memory.
    pub(super) fn around(
        &self,
        renew: impl Fn() -> Box<dyn Policy> + Send + 'static,
    ) -> Box<dyn Policy> {
        let policy = match self.breaker {
            Some(breaker) => Box::new(Guarded::new(breaker, Box::new(renew))),
            None => renew(),
        };
        match self.shed {
            Some(Shed { above: Some(above), fallback }) => Box::new(Shedding {
                above: above.get(),
                has_fallback: fallback.is_some(),
                policy,
                work_rps: Vec::new(),
            }),
            _ => policy,
        }
    }

    /// The fallback, if there is one.
    #[must_use]
    pub fn fallback(&self) -> Option<Fallback> {
        self.shed.and_then(|shed| shed.fallback)
    }

    /// Does a breaker go by how long queues wait?
    #[must_use]
    pub fn watches_waits(&self) -> bool {
        self.breaker.is_some_and(|breaker| breaker.max_wait.is_some())
    }
}
