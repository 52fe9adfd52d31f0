//! What one instance can do, and how it is checked.

use crate::units::{Ratio, Seconds};

/// A kind of instance: every instance of a pool is of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct InstanceKind {
    /// Its name in the file.
    pub name: String,
    /// Parallel workers, `c`; at least 1.
    pub workers: u32,
    /// Mean service time of a request on an unloaded instance, `s`; over 0.
    pub service_time: Seconds,
    /// Requests that may wait; unbounded without one.
    pub queue_limit: Option<u64>,
    /// Instances' speeds are evenly spaced over 1 ± this; below 1.
    pub speed_spread: Ratio,
    /// From a launch until the process is up.
    pub startup_time: Seconds,
    /// From a kill by the health check until the process is up again.
    pub restart_time: Seconds,
    /// A try whose expected wait would exceed this is rejected (deadline-aware admission).
    pub max_wait: Option<Seconds>,
    /// A new or restarted instance's speed ramps up over this time.
    pub warm_up: Seconds,
    /// The share of traffic of an instance that enters rotation ramps up over this time.
    pub slow_start: Seconds,
    /// A redirected try costs that many times the work; at least 1.
    pub redirect_cost: f64,
    /// How it is probed.
    pub health_check: HealthCheck,
}

impl InstanceKind {
    /// Nominal capacity of one instance in requests a second: `workers ÷ service_time`.
    #[must_use]
    pub fn capacity_rps(&self) -> f64 {
        f64::from(self.workers) / self.service_time.get()
    }
}

/// What a probe does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProbeKind {
    /// One request's work: waits in the queue like any other.
    Deep,
    /// Answered at once while the process is up; costs nothing.
    Shallow,
}

/// What becomes of an instance that fails its health check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnUnhealthy {
    /// Traffic stops until it passes again.
    Eject,
    /// As `Eject`, and the process is killed and comes back after `restart_time`.
    Restart,
    /// It never comes back by itself.
    Remove,
}

/// A health check. MODEL: each instance is probed every `interval`.
#[derive(Debug, Clone, PartialEq)]
pub struct HealthCheck {
    /// What a probe does.
    pub kind: ProbeKind,
    /// Between two probes of one instance; over 0.
    pub interval: Seconds,
    /// A probe that takes longer has failed; over 0, at most `interval`.
    pub timeout: Seconds,
    /// Failures in a row that take an instance out of rotation; at least 1.
    pub unhealthy_threshold: u32,
    /// Successes in a row that bring it back; at least 1.
    pub healthy_threshold: u32,
    /// What becomes of an unhealthy instance.
    pub on_unhealthy: OnUnhealthy,
    /// When the first probe is sent, below `interval`, the same for all; drawn from the seed
    /// without one.
    pub phase: Option<Seconds>,
}
