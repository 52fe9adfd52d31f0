//! A setting that takes another value during a run, as a typed change of a model value.

use super::id::{AutoscalerId, ClientId, KindId, PoolId, SourceId};

/// One setting and its new value. Values are in the setting's base unit (seconds, rps, shares,
/// counts); `None` removes an optional limit.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Change {
    /// A setting of an instance kind.
    Instance {
        /// Whose.
        kind: KindId,
        /// Which.
        setting: InstanceSetting,
        /// To what.
        value: Option<f64>,
    },
    /// A setting of a pool.
    Pool {
        /// Whose.
        pool: PoolId,
        /// Which.
        setting: PoolSetting,
        /// To what.
        value: f64,
    },
    /// A setting of a client.
    Client {
        /// Whose.
        client: ClientId,
        /// Which.
        setting: ClientSetting,
        /// To what.
        value: Option<f64>,
    },
    /// What an instance kind has of a resource.
    ResourceLimit {
        /// Whose.
        kind: KindId,
        /// Which of its resources.
        resource: u32,
        /// To what.
        value: f64,
    },
    /// First tries a second of a source.
    SourceDemand {
        /// Whose.
        source: SourceId,
        /// To what, rps.
        value: f64,
    },
    /// A setting of an autoscaler.
    Autoscaler {
        /// Whose.
        autoscaler: AutoscalerId,
        /// Which.
        setting: AutoscalerSetting,
        /// To what.
        value: f64,
    },
}

/// Settings of an instance kind that may change in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InstanceSetting {
    /// Parallel workers.
    Workers,
    /// Mean service time, s.
    ServiceTime,
    /// Requests that may wait.
    QueueLimit,
    /// Longest expected wait that is admitted, s.
    MaxWait,
    /// Work of a redirected try.
    RedirectCost,
    /// Ramp of a new instance's speed, s.
    WarmUp,
    /// Ramp of a new instance's share, s.
    SlowStart,
    /// From launch to up, s.
    StartupTime,
    /// From a kill to up, s.
    RestartTime,
    /// Probe time-out, s; at most the interval.
    ProbeTimeout,
    /// Failures in a row.
    UnhealthyThreshold,
    /// Successes in a row.
    HealthyThreshold,
}

/// Settings of a pool that may change in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PoolSetting {
    /// First tries a second.
    Demand,
    /// Share in rotation below which it is unhealthy.
    FailoverThreshold,
    /// Share in rotation below which all instances get traffic.
    PanicThreshold,
}

/// Settings of a client that may change in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClientSetting {
    /// When it gives up, s.
    Timeout,
    /// Tries in all; only of a client that retries.
    MaxAttempts,
    /// Share of first tries that it may retry; only of a client that retries.
    BudgetRatio,
}

/// Settings of an autoscaler that may change in a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AutoscalerSetting {
    /// Fewest instances.
    Min,
    /// Most instances; at most what the file says.
    Max,
    /// The value of one of its targets.
    Target(u32),
}
