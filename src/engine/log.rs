//! What happens in a run, as values given to observers.

use crate::model::{PoolId, ZoneId};
use crate::policy::{BreakerAction, Trip};

/// One thing that happened.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct LogEntry {
    /// Simulation time at which it took effect.
    pub time_s: f64,
    /// What.
    pub what: Happening,
}

/// A health check's probe that failed at an instance whose process was up.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ProbeFailure {
    /// Simulation time at which it was sent.
    pub sent_s: f64,
    /// Simulation time at which the failure took effect.
    pub time_s: f64,
    /// The instance's pool.
    pub pool: PoolId,
    /// Which one.
    pub instance: u32,
    /// How long its queue had a probe wait then, s; infinite in a stall, none where the queue was
    /// full and the probe refused. In the `requests` plane what stood before it ÷ the instance's
    /// pace, in `fluid` the quantile of the wait at the instance's luck.
    pub wait_s: Option<f64>,
    /// The health check's time-out then, s.
    pub timeout_s: f64,
}

/// What can happen. `event` is an index into the scenario's events, `instance` counts from 0 within
/// its pool.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Happening {
    /// An event of the file began.
    EventBegan {
        /// Which event.
        event: u32,
        /// The zone it is about.
        zone: Option<ZoneId>,
        /// The pool it is about.
        pool: Option<PoolId>,
    },
    /// An event of the file was undone.
    EventEnded {
        /// Which event.
        event: u32,
        /// The zone it is about.
        zone: Option<ZoneId>,
        /// The pool it is about.
        pool: Option<PoolId>,
    },
    /// An instance's process died by an event.
    InstanceDied {
        /// Its pool.
        pool: PoolId,
        /// Which one.
        instance: u32,
    },
    /// An instance was killed by its health check, to start again.
    InstanceRestarted {
        /// Its pool.
        pool: PoolId,
        /// Which one.
        instance: u32,
    },
    /// An instance's process came up.
    InstanceStarted {
        /// Its pool.
        pool: PoolId,
        /// Which one.
        instance: u32,
    },
    /// The health check took an instance out of rotation.
    InstanceUnhealthy {
        /// Its pool.
        pool: PoolId,
        /// Which one.
        instance: u32,
    },
    /// The health check brought an instance into rotation.
    InstanceHealthy {
        /// Its pool.
        pool: PoolId,
        /// Which one.
        instance: u32,
    },
    /// A pool's share in rotation fell below its threshold: the pool is lost.
    PoolUnhealthy {
        /// Which pool.
        pool: PoolId,
        /// Instances in rotation.
        in_rotation: u32,
        /// Instances that it ought to have.
        expected: u32,
    },
    /// A pool's share in rotation is back at its threshold.
    PoolHealthy {
        /// Which pool.
        pool: PoolId,
        /// Instances in rotation.
        in_rotation: u32,
        /// Instances that it ought to have.
        expected: u32,
    },
    /// Traffic of a pool began to go elsewhere.
    RedirectStart {
        /// Whose traffic.
        pool: PoolId,
        /// How much, at first.
        rps: f64,
    },
    /// No traffic of a pool goes elsewhere any more.
    RedirectEnd {
        /// Whose traffic.
        pool: PoolId,
    },
    /// Traffic of a pool began to be refused on purpose.
    ShedStart {
        /// Whose traffic.
        pool: PoolId,
        /// How much, at first.
        rps: f64,
    },
    /// No traffic of a pool is refused on purpose any more.
    ShedEnd {
        /// Whose traffic.
        pool: PoolId,
    },
    /// An instance ran out of a resource and died, to start again.
    InstanceCrashed {
        /// Its pool.
        pool: PoolId,
        /// Which one.
        instance: u32,
        /// The resource's place among its kind's.
        resource: u32,
    },
    /// An autoscaler launched instances.
    ScaleUp {
        /// Of which pool.
        pool: PoolId,
        /// Instances before.
        from: u32,
        /// Instances after.
        to: u32,
    },
    /// An autoscaler took instances away.
    ScaleDown {
        /// Of which pool.
        pool: PoolId,
        /// Instances before.
        from: u32,
        /// Instances after.
        to: u32,
    },
    /// The cascade circuit breaker tripped: redirecting stops.
    BreakerOpen {
        /// Why.
        trip: Trip,
        /// What becomes of what was moved.
        action: BreakerAction,
    },
    /// Redirecting is tried again.
    BreakerHalfOpen,
    /// The breaker is closed again.
    BreakerClosed,
    /// Instances could not be launched.
    LaunchRefused {
        /// Of which pool.
        pool: PoolId,
        /// How many.
        wanted: u32,
    },
}

impl Happening {
    /// The word in the `kind` column of `events.csv`.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::EventBegan { .. } => "fault",
            Self::EventEnded { .. } => "fault_end",
            Self::InstanceDied { .. } => "instance_died",
            Self::InstanceRestarted { .. } => "instance_restarted",
            Self::InstanceStarted { .. } => "instance_started",
            Self::InstanceUnhealthy { .. } => "instance_unhealthy",
            Self::InstanceHealthy { .. } => "instance_healthy",
            Self::PoolUnhealthy { .. } => "pool_unhealthy",
            Self::PoolHealthy { .. } => "pool_healthy",
            Self::RedirectStart { .. } => "redirect_start",
            Self::RedirectEnd { .. } => "redirect_end",
            Self::ShedStart { .. } => "shed_start",
            Self::ShedEnd { .. } => "shed_end",
            Self::InstanceCrashed { .. } => "instance_crashed",
            Self::ScaleUp { .. } => "scale_up",
            Self::ScaleDown { .. } => "scale_down",
            Self::BreakerOpen { .. } => "breaker_open",
            Self::BreakerHalfOpen => "breaker_half_open",
            Self::BreakerClosed => "breaker_closed",
            Self::LaunchRefused { .. } => "launch_refused",
        }
    }
}
