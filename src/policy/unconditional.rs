//! What load balancers do by default: an unhealthy pool's traffic goes to its healthy targets, all
//! of it, at once, whatever their load.

use crate::model::PoolId;

use super::targets::{Share, share_to_move, shares};
use super::{Plan, Policy, PolicyKind, View};

/// The registry's entry.
pub const KIND: PolicyKind = PolicyKind {
    name: "unconditional",
    summary: "all of an unhealthy pool's traffic goes to its healthy targets at once, \
              whatever their load",
    settings: &[],
    reads_load: false,
    build: |_| Box::new(Unconditional::default()),
};

#[derive(Default)]
struct Unconditional {
    shares: Vec<Share>,
}

impl Policy for Unconditional {
    fn route(&mut self, view: &View<'_>, plan: &mut Plan) {
        for home in (0..view.pools.len()).map(PoolId::from_index) {
            let moved_rps = share_to_move(view, home) * view.pool(home).demand_rps;
            if moved_rps > 0.0 {
                shares(view, home, &mut self.shares);
                for share in &self.shares {
                    plan.redirect(home, share.to, moved_rps * share.share);
                }
            }
        }
    }
}
