//! The cascade circuit breaker: it stops redirecting when a failover brings down who receives it.

use crate::model::PoolId;
use crate::units::{Ratio, Seconds};

/// When redirecting stops, and what becomes of what was moved.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Breaker {
    /// Trips when more receivers than this became unhealthy within `window` of a shift.
    pub max_pools: Option<u32>,
    /// How long after a shift a receiver's loss is put down to it.
    pub window: Seconds,
    /// Trips when more than this share of a receiver's instances is out of rotation.
    pub max_instances_out: Option<Ratio>,
    /// Trips when a receiver's mean queue wait is over this.
    pub max_wait: Option<Seconds>,
    /// Trips at the first boundary at or after this time, if anything is redirected then: a person.
    pub by_hand_at: Option<Seconds>,
    /// What becomes of what was moved.
    pub action: BreakerAction,
    /// The same where a person trips it.
    pub by_hand_action: BreakerAction,
    /// After this time redirecting is tried again; never without it, as long as the shift lasts.
    pub retry_after: Option<Seconds>,
}

/// What a tripped breaker does with what was moved.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BreakerAction {
    /// It stays where it is.
    Hold,
    /// It is taken back and shed.
    Retract,
}

impl BreakerAction {
    /// The word in the file.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Hold => "hold",
            Self::Retract => "retract",
        }
    }
}

/// Why a breaker tripped.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Trip {
    /// So many receivers became unhealthy.
    Pools {
        /// How many.
        count: u32,
    },
    /// This share of a receiver's instances is out of rotation.
    InstancesOut {
        /// Whose.
        pool: PoolId,
        /// The share.
        share: f64,
    },
    /// A receiver's mean queue wait is this long.
    Wait {
        /// Whose.
        pool: PoolId,
        /// How long.
        wait_s: f64,
    },
    /// A person did it.
    ByHand,
}
