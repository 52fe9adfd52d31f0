//! The world as plain values, already valid: what a topology file describes once it is read.

mod alert;
mod autoscaler;
mod change;
mod client;
pub mod contingency;
mod event;
mod graph;
mod id;
mod instance;
mod origin;
mod pool;
mod resource;
mod scenario;

pub use alert::{Alert, AlertOutage, AlertSet, AlertSeverity, AlertSignal, AlertThreshold};
pub use autoscaler::{
    Autoscaler, ScaleAmount, ScaleMetric, ScalePolicy, ScaleRules, ScaleSelect, ScaleTarget, Signal,
};
pub use change::{AutoscalerSetting, Change, ClientSetting, InstanceSetting, PoolSetting};
pub use client::{Backoff, Budget, Client, Jitter, MOST_ATTEMPTS, Retry};
pub use event::{Action, Event, LossAmount, Surged};
pub use graph::{Edge, FailoverEdge, Node, PoolFailover, Target, TopologyGraph};
pub use id::{AutoscalerId, ClientId, KindId, OriginId, PoolId, ServiceId, SourceId, ZoneId};
pub use instance::{HealthCheck, InstanceKind, OnUnhealthy, ProbeKind, ServiceDistribution};
pub use origin::{Arrivals, Call, CallMode, Origin, OriginKind, Source, origins, origins_where};
pub use pool::{Balancing, Pool, Zone};
pub use resource::{Resource, ResourceUse, WhenFull};
pub use scenario::{Phase, Plane, Scenario, Simulation, WORKERS, unloaded_calls_s};
