//! Autoscalers: the rule of the Kubernetes horizontal pod autoscaler (MODEL §7).
//!
//! `recommend`, `limits` and `stabilize` are pure functions, each one step of the rule; `signal`
//! reads what a target watches, `members` counts a pool's instances as the rule sees them, and
//! `scaler` puts them together.

mod limits;
mod members;
mod recommend;
mod scaler;
mod signal;
mod stabilize;

pub use members::Member;
pub use scaler::{PoolScaler, scale_pools};
