//! What happens to the fleet, and when.

use super::change::Change;
use super::id::{PoolId, SourceId, ZoneId};
use crate::units::{Ratio, Seconds};

/// One entry of the scenario's plan.
#[derive(Debug, Clone, PartialEq)]
pub struct Event {
    /// Its name in the file.
    pub name: String,
    /// When it begins.
    pub at: Seconds,
    /// Spread or ramped over this time.
    pub over: Seconds,
    /// When it is undone; never without one. After `at`.
    pub until: Option<Seconds>,
    /// Free text for charts and logs.
    pub cause: Option<String>,
    /// What it does.
    pub action: Action,
}

/// How many instances are lost.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LossAmount {
    /// So many.
    Count(u32),
    /// This share of the pool's instances at the start, rounded to the nearest.
    Share(Ratio),
}

/// Whose first tries are multiplied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Surged {
    /// A pool's own demand.
    Pool(PoolId),
    /// A source's.
    Source(SourceId),
}

/// What an event does.
#[derive(Debug, Clone, PartialEq)]
pub enum Action {
    /// The instances of a zone die.
    ZoneOutage {
        /// The zone.
        zone: ZoneId,
    },
    /// Some instances of a pool die.
    InstanceLoss {
        /// The pool.
        pool: PoolId,
        /// How many.
        amount: LossAmount,
    },
    /// A share of pools' demand is to be moved away while they still serve.
    Drain {
        /// The pools, in order.
        pools: Vec<PoolId>,
        /// The share of their demand, in (0, 1].
        share: Ratio,
    },
    /// Instances run at this multiple of their speed; 0 is a stall that keeps the queue.
    Slow {
        /// The pools, in order.
        pools: Vec<PoolId>,
        /// The multiple.
        speed: Ratio,
    },
    /// So many tries fail at once while probes pass.
    Errors {
        /// The pools, in order.
        pools: Vec<PoolId>,
        /// The share of tries, in (0, 1].
        share: Ratio,
    },
    /// First tries are multiplied.
    Surge {
        /// Whose.
        of: Surged,
        /// The multiple, 0 or more.
        factor: Ratio,
    },
    /// A person adds instances: they serve after `startup_time` and their health checks.
    AddInstances {
        /// The pool.
        pool: PoolId,
        /// How many; at least 1.
        count: u32,
    },
    /// Nothing new can start in these pools.
    LaunchesRefused {
        /// The pools, in order.
        pools: Vec<PoolId>,
    },
    /// Settings take other values.
    Set {
        /// Each setting and its value, in the file's order.
        changes: Vec<Change>,
    },
}

impl Action {
    /// The kind's word in the file.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::ZoneOutage { .. } => "zone-outage",
            Self::InstanceLoss { .. } => "instance-loss",
            Self::Drain { .. } => "drain",
            Self::Slow { .. } => "slow",
            Self::Errors { .. } => "errors",
            Self::Surge { .. } => "surge",
            Self::AddInstances { .. } => "add-instances",
            Self::LaunchesRefused { .. } => "launches-refused",
            Self::Set { .. } => "set",
        }
    }
}
