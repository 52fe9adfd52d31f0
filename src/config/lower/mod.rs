//! A document to a valid scenario and its policies.

mod change;
mod context;
mod event;
mod get;
mod instance;
mod policy;
mod pool;
mod scenario;

pub(super) use get::fragment;
pub(super) use instance::DEFAULT_PROBE_TIMEOUT_S;
pub(super) use policy::{NamedPolicy, policies};
pub(super) use scenario::scenario;
