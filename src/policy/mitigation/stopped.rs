//! What becomes of a plan while a breaker is open: nothing more is moved.
//!
//! What stays at a home is what a policy lets it keep. What may not go elsewhere stays with a home
//! that was emptied for no other reason, and what a drain would move stays while the home serves;
//! the rest is shed, for nobody would serve it.

use crate::model::PoolId;
use crate::policy::targets::{share_to_move, shares};
use crate::policy::{Plan, Redirect, View};

/// What was moved stays where it is, up to what ought to be moved now; nothing else is moved.
pub fn hold(moved: &[Redirect], view: &View<'_>, plan: &mut Plan) {
    let then_rps = by_home(moved, view);
    let mut wanted_rps = stop(view, plan);
    let mut there_rps = wanted_rps.clone();
    for (home, there_rps) in there_rps.iter_mut().enumerate().filter(|(h, _)| then_rps[*h] > 0.0) {
        // A ramp that begins anew wants less than that.
        *there_rps = there_rps.max(ought_rps(view, PoolId::from_index(home)));
    }
    for flow in moved {
        let home = flow.from.index();
        let rps = flow.rps * (there_rps[home] / then_rps[home]).min(1.0);
        if rps > 0.0 {
            take(rps, home, &mut wanted_rps, plan);
            plan.redirects.push(Redirect { rps, ..*flow });
        }
    }
    place(&wanted_rps, |_| false, view, plan);
}

/// What would be moved of a home that had something moved is shed; nothing is moved.
pub fn retract(moved: &[Redirect], view: &View<'_>, plan: &mut Plan) {
    let then_rps = by_home(moved, view);
    let wanted_rps = stop(view, plan);
    place(&wanted_rps, |home| then_rps[home] > 0.0, view, plan);
}

/// What of a home's demand ought to be elsewhere, whatever the load there.
fn ought_rps(view: &View<'_>, home: PoolId) -> f64 {
    let mut found = Vec::new();
    shares(view, home, &mut found);
    let moved_rps = share_to_move(view, home) * view.pool(home).demand_rps;
    moved_rps * found.iter().map(|share| share.share).sum::<f64>()
}

fn by_home(flows: &[Redirect], view: &View<'_>) -> Vec<f64> {
    let mut rps = vec![0.0; view.pools.len()];
    for flow in flows {
        rps[flow.from.index()] += flow.rps;
    }
    rps
}

/// Takes all redirects out of a plan; returns how much they are, by home.
fn stop(view: &View<'_>, plan: &mut Plan) -> Vec<f64> {
    let redirects = std::mem::take(&mut plan.redirects);
    by_home(&redirects, view)
}

/// Takes a flow of what a home would move, then of what it would keep, then of what it would shed.
fn take(rps: f64, home: usize, wanted_rps: &mut [f64], plan: &mut Plan) {
    let mut left_rps = rps;
    for part in [&mut wanted_rps[home], &mut plan.kept_rps[home], &mut plan.shed_rps[home]] {
        let taken_rps = left_rps.min(*part);
        *part -= taken_rps;
        left_rps -= taken_rps;
    }
}

/// Finds a place for what may not be moved.
fn place(
    wanted_rps: &[f64],
    is_taken_back: impl Fn(usize) -> bool,
    view: &View<'_>,
    plan: &mut Plan,
) {
    for (home, &wanted_rps) in wanted_rps.iter().enumerate().filter(|(_, rps)| **rps > 0.0) {
        let pool = &view.pools[home];
        let kept_rps = match (pool.serves(), pool.is_healthy) {
            (false, _) => 0.0,
            // What is more than drained is more than the policy lets it take.
            (true, true) => wanted_rps.min(pool.drain_share * pool.demand_rps),
            (true, false) if plan.kept_rps[home] == 0.0 && !is_taken_back(home) => wanted_rps,
            (true, false) => 0.0,
        };
        plan.kept_rps[home] += kept_rps;
        plan.shed_rps[home] += wanted_rps - kept_rps;
    }
}
