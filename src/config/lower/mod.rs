//! A document to a valid scenario and its policies.

mod alert;
mod autoscaler;
mod change;
mod client;
mod context;
mod demand;
mod event;
mod fleet;
mod get;
mod instance;
mod limits;
mod mitigation;
mod origin;
mod policy;
mod pool;
mod resource;
mod scenario;
mod simulation;
mod survive;

pub(super) use alert::{alerts, by_signal, counts_pools};
pub(super) use autoscaler::targets;
pub(super) use get::fragment;
pub(super) use instance::DEFAULT_PROBE_TIMEOUT_S;
pub(super) use mitigation::{check_fallback, check_idle};
pub(super) use policy::{NamedPolicy, policies};
pub(super) use resource::is_consumed;
pub(super) use scenario::scenario;
