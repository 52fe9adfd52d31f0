//! What sizes a pool in a run: the Kubernetes horizontal pod autoscaler's rule (MODEL §7).

use super::id::PoolId;
use crate::units::Seconds;

/// A rule by which pools are sized; each pool that names it runs its own.
#[derive(Debug, Clone, PartialEq)]
pub struct Autoscaler {
    /// Its name in the file.
    pub name: String,
    /// What it watches, by name; the largest desired size wins. At least one.
    pub targets: Vec<ScaleTarget>,
    /// Fewest instances; at least 1.
    pub min: u32,
    /// Most instances.
    pub max: u32,
    /// Time between two decisions; over 0.
    pub sync_period: Seconds,
    /// A ratio of metric to target within 1 ± this changes nothing.
    pub tolerance: f64,
    /// How fast it may grow.
    pub scale_up: ScaleRules,
    /// How fast it may shrink.
    pub scale_down: ScaleRules,
    /// Instances serve at once, and there is no stabilization, tolerance or limit of speed.
    pub ideal: bool,
}

/// A signal and the value that it is kept at.
#[derive(Debug, Clone, PartialEq)]
pub struct ScaleTarget {
    /// What is watched.
    pub signal: Signal,
    /// Its value: a utilization, or so much an instance; over 0.
    pub value: f64,
}

/// What an autoscaler watches.
#[derive(Debug, Clone, PartialEq)]
pub struct Signal {
    /// Of which pool; the one that is sized without one.
    pub pool: Option<PoolId>,
    /// What of it.
    pub metric: ScaleMetric,
}

/// What of a pool is watched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ScaleMetric {
    /// Utilization of a resource, by name; `workers` is one of them.
    Resource(String),
    /// Tries a second and instance.
    Rps,
    /// Tries in flight, an instance.
    InFlight,
}

/// How fast a pool may grow or shrink.
#[derive(Debug, Clone, PartialEq)]
pub struct ScaleRules {
    /// Limits; without any, there is none.
    pub policies: Vec<ScalePolicy>,
    /// Which of the limits holds.
    pub select: ScaleSelect,
    /// Growing takes the smallest, shrinking the largest recommendation of this time.
    pub stabilization: Seconds,
}

/// One limit of speed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ScalePolicy {
    /// How much may change.
    pub amount: ScaleAmount,
    /// Within this time.
    pub period: Seconds,
}

/// An amount of change.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ScaleAmount {
    /// So many instances.
    Pods(u32),
    /// This share of the instances at the start of the period.
    Percent(f64),
}

/// Which limit holds where there are several.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ScaleSelect {
    /// The one that lets most change.
    Max,
    /// The one that lets least change.
    Min,
    /// No change at all.
    Disabled,
}

impl ScaleRules {
    /// The Kubernetes default for growing: the larger of 4 pods and 100 % per 15 s, at once.
    #[must_use]
    pub fn default_up() -> Self {
        let period = Seconds::new(15.0).unwrap_or_default();
        let policy = |amount| ScalePolicy { amount, period };
        Self {
            policies: vec![policy(ScaleAmount::Pods(4)), policy(ScaleAmount::Percent(1.0))],
            select: ScaleSelect::Max,
            stabilization: Seconds::ZERO,
        }
    }

    /// The Kubernetes default for shrinking: 100 % per 15 s, after 5 min.
    #[must_use]
    pub fn default_down() -> Self {
        let period = Seconds::new(15.0).unwrap_or_default();
        Self {
            policies: vec![ScalePolicy { amount: ScaleAmount::Percent(1.0), period }],
            select: ScaleSelect::Max,
            stabilization: Seconds::new(300.0).unwrap_or_default(),
        }
    }
}
