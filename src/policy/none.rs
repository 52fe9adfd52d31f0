//! No failover: a pool's traffic stays with it, and is lost with it. The baseline to beat.

use super::{Plan, Policy, PolicyKind, View};

/// The registry's entry.
pub const KIND: PolicyKind = PolicyKind {
    name: "none",
    summary: "no failover: a pool's traffic stays with it, and is lost with it",
    settings: &[],
    reads_load: false,
    build: |_| Box::new(None),
};

struct None;

impl Policy for None {
    fn route(&mut self, _view: &View<'_>, _plan: &mut Plan) {}
}
