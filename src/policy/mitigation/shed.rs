//! Load shedding: what would take a pool over a utilization is refused at the edge.

use crate::units::{Ratio, Rps, Seconds};

/// Load shedding.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Shed {
    /// The utilization above which a pool's traffic is refused; none refuses nothing more than the
    /// policy does.
    pub above: Option<Ratio>,
    /// What answers refused tries.
    pub fallback: Option<Fallback>,
}

/// What answers users' tries that were refused: a smaller model, or a deferred reply. All pools of
/// a fleet share it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Fallback {
    /// Answers a second.
    pub capacity: Rps,
    /// From the refusal, or from the end of the wait, to the answer.
    pub latency: Seconds,
    /// Tries that may wait for it, their reply deferred; 0 where clients wait themselves, infinite
    /// without a limit.
    pub queue_limit: f64,
}
