//! Failover policies: where a pool's traffic goes when the pool cannot take it.
//!
//! A policy reads a [`View`], which holds what a load balancer knows, and fills in a [`Plan`]. Only
//! the engine changes the world. A new policy is one file and one line in [`KINDS`].

mod capacity_aware;
mod case;
mod kind;
mod mitigation;
mod none;
mod plan;
mod rate_limited;
mod targets;
mod unconditional;
mod view;

pub use case::Case;
pub use kind::{PolicyKind, PolicySetting, PolicySpec, SettingUnit};
pub use mitigation::{Breaker, BreakerAction, Fallback, Mitigations, Shed, Trip};
pub use plan::{Notice, Plan, Redirect};
pub use view::{PoolView, View};

/// A failover policy.
pub trait Policy: Send {
    /// Decides where the demand of every pool goes during one step.
    fn route(&mut self, view: &View<'_>, plan: &mut Plan);
}

/// Every policy, in the order in which they are compared by default.
pub const KINDS: &[PolicyKind] =
    &[none::KIND, unconditional::KIND, rate_limited::KIND, capacity_aware::KIND];

/// The kind of that name.
#[must_use]
pub fn kind(name: &str) -> Option<&'static PolicyKind> {
    KINDS.iter().find(|kind| kind.name == name)
}
