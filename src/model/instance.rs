//! What one instance can do, and how it is checked.

use super::resource::{Resource, WhenFull};
use crate::units::{Ratio, Seconds};

/// A kind of instance: every instance of a pool is of one kind.
#[derive(Debug, Clone, PartialEq)]
pub struct InstanceKind {
    /// Its name in the file.
    pub name: String,
    /// Parallel workers, at least 1; none for what only passes requests on or holds them.
    pub workers: Option<u32>,
    /// Mean service time of a request on an unloaded instance; over 0, but for instances that only
    /// make calls.
    pub service_time: Seconds,
    /// How service times vary.
    pub service_distribution: ServiceDistribution,
    /// What else a request needs, by name.
    pub resources: Vec<Resource>,
    /// Does a request keep its worker while it waits for the pools that it calls?
    pub workers_held_during_calls: bool,
    /// Requests that may wait; unbounded without one.
    pub queue_limit: Option<u64>,
    /// Instances' speeds are evenly spaced over 1 ± this; below 1.
    pub speed_spread: Ratio,
    /// From a launch until the process is up.
    pub startup_time: Seconds,
    /// From a kill by the health check, or a crash, until the process is up again.
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

/// How service times vary around their mean.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub enum ServiceDistribution {
    /// Memoryless.
    #[default]
    Exponential,
    /// All the same.
    Deterministic,
    /// Lognormal with this coefficient of variation, over 0.
    Lognormal {
        /// Standard deviation ÷ mean.
        cv: f64,
    },
}

impl InstanceKind {
    /// Requests that are served at a time, c: the smallest of `workers` and ⌊limit ÷ held⌋ over
    /// held resources. Workers count unless the instance makes calls and frees them meanwhile. None
    /// without any limit.
    #[must_use]
    pub fn servers(&self, makes_calls: bool) -> Option<u32> {
        let workers = self.workers.filter(|_| self.holds_workers(makes_calls));
        let room = self.resources.iter().filter_map(Resource::room).min();
        let room = room.map(|room| u32::try_from(room).unwrap_or(u32::MAX).max(1));
        workers.into_iter().chain(room).min()
    }

    /// Most requests inside, K: servers and queue, and no more than any resource that rejects has
    /// room for. None when unbounded; `queue_limit` in it counts as it is now.
    #[must_use]
    pub fn places(&self, makes_calls: bool) -> Option<u64> {
        let servers = self.servers(makes_calls);
        let queue = self.queue_limit.zip(servers).map(|(queue, c)| queue + u64::from(c));
        let rejecting = self.resources.iter().filter(|r| r.when_full() == Some(WhenFull::Reject));
        queue.into_iter().chain(rejecting.filter_map(Resource::room)).min()
    }

    /// The speed of the slowest of so many instances of a pool: 1 − `speed_spread`, but for one
    /// that is alone.
    #[must_use]
    pub fn slowest_speed(&self, instances: u32) -> f64 {
        if instances > 1 { 1.0 - self.speed_spread.get() } else { 1.0 }
    }

    /// Does a request hold a worker for as long as it is served, calls included?
    #[must_use]
    pub const fn holds_workers(&self, makes_calls: bool) -> bool {
        !makes_calls || self.workers_held_during_calls
    }

    /// The most requests a second that consumed resources allow, and workers where calls free them;
    /// infinite without any.
    #[must_use]
    pub fn consumed_rps(&self, makes_calls: bool) -> f64 {
        let consumed = self.resources.iter().filter_map(Resource::rate_rps);
        let freed = self.workers.filter(|_| !self.holds_workers(makes_calls));
        let by_workers = freed.map(|workers| f64::from(workers) / self.service_time.get());
        consumed.chain(by_workers).fold(f64::INFINITY, f64::min)
    }

    /// Requests a second that one instance of speed 1 sustains at unloaded latencies: the smallest
    /// of its limits (MODEL §1, *capacity*). `calls_s` is the unloaded latency of its calls; none
    /// for an instance that makes none. Infinite without any limit.
    #[must_use]
    pub fn capacity_rps(&self, calls_s: Option<f64>) -> f64 {
        let makes_calls = calls_s.is_some();
        let held_s = self.service_time.get() + calls_s.unwrap_or(0.0);
        let served = self.servers(makes_calls).filter(|_| held_s > 0.0);
        let served_rps = served.map_or(f64::INFINITY, |c| f64::from(c) / held_s);
        let inside = self.resources.iter().filter_map(Resource::room).min();
        let inside = inside.filter(|_| held_s > 0.0);
        let inside_rps = inside.map_or(f64::INFINITY, |room| room as f64 / held_s);
        served_rps.min(inside_rps).min(self.consumed_rps(makes_calls))
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
    /// No instance is taken out of rotation while this share of its pool is out or would be; in
    /// [0, 1].
    pub max_out_of_rotation: Ratio,
}

impl HealthCheck {
    /// Requests' work that an instance's probes are, a second: none where they are shallow.
    #[must_use]
    pub fn work_rps(&self) -> f64 {
        match self.kind {
            ProbeKind::Deep => 1.0 / self.interval.get(),
            ProbeKind::Shallow => 0.0,
        }
    }
}
