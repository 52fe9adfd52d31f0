//! The world as plain values, already valid: what a topology file describes once it is read.

mod change;
mod event;
mod graph;
mod id;
mod instance;
mod pool;
mod scenario;

pub use change::{Change, ClientSetting, InstanceSetting, PoolSetting};
pub use event::{Action, Event, LossAmount};
pub use graph::{Edge, FailoverEdge, Node, PoolFailover, Target, TopologyGraph};
pub use id::{ClientId, KindId, PoolId, ServiceId, ZoneId};
pub use instance::{HealthCheck, InstanceKind, OnUnhealthy, ProbeKind};
pub use pool::{Balancing, Client, Pool, Zone};
pub use scenario::{Scenario, Simulation};
