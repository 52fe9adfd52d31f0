//! Where a pool's traffic ought to go, whatever the load there: what `unconditional` does at once
//! and `rate-limited` works towards.

use crate::model::{PoolId, Target};

use super::View;

/// A pool and its share of a flow; shares add up to at most 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Share {
    /// Who takes it.
    pub to: PoolId,
    /// How much of the flow.
    pub share: f64,
}

/// May redirected traffic be sent to this pool?
#[must_use]
pub fn accepts(view: &View<'_>, pool: PoolId) -> bool {
    let pool = view.pool(pool);
    // Nobody moves traffic to a pool that is being emptied altogether.
    pool.is_healthy && pool.serves() && pool.drain_share < 1.0
}

/// The part of `home`'s demand that ought to be elsewhere: everything when it is unhealthy, the
/// drained share when it is not.
#[must_use]
pub fn share_to_move(view: &View<'_>, home: PoolId) -> f64 {
    let pool = view.pool(home);
    if pool.is_healthy { pool.drain_share } else { 1.0 }
}

/// How the moved part of `home`'s demand is to be shared out: among the healthy targets of the best
/// priority that has one, by weight. Without a healthy target, an unhealthy home shares with every
/// target that has anything in rotation (its own share, of weight 1, stays), and a healthy one
/// keeps everything.
pub fn shares(view: &View<'_>, home: PoolId, shares: &mut Vec<Share>) {
    shares.clear();
    let best = view
        .graph
        .targets(home)
        .filter(|target| accepts(view, target.pool))
        .map(|target| target.priority)
        .min();
    if let Some(best) = best {
        let chosen = |target: &Target| target.priority == best && accepts(view, target.pool);
        by_weight(view, home, chosen, 0.0, shares);
    } else if !view.pool(home).is_healthy {
        let home_weight = f64::from(u8::from(view.pool(home).serves()));
        by_weight(view, home, |target| view.pool(target.pool).serves(), home_weight, shares);
    }
}

fn by_weight(
    view: &View<'_>,
    home: PoolId,
    chosen: impl Fn(&Target) -> bool,
    home_weight: f64,
    shares: &mut Vec<Share>,
) {
    let targets = || view.graph.targets(home).filter(|target| chosen(target));
    let total = home_weight + targets().map(|target| target.weight).sum::<f64>();
    shares.extend(targets().map(|t| Share { to: t.pool, share: t.weight / total }));
}
