//! What becomes of a plan while a breaker is open: nothing more is moved.
//!
//! What stays at a home is what a policy lets it keep. What may not go elsewhere stays with a home
//! that was emptied for no other reason, and what a drain would move stays while the home serves;
//! the rest is shed, for nobody would serve it.

use crate::policy::{Plan, Redirect, View};

/// What was moved stays where it is, up to what would be moved now; nothing else is moved.
pub fn hold(moved: &[Redirect], view: &View<'_>, plan: &mut Plan) {
    let then_rps = by_home(moved, view);
    let mut wanted_rps = stop(view, plan);
    for flow in moved {
        let home = flow.from.index();
        // A home that is unfit had all of this moved, whatever else its policy does by now.
        let there_rps = match view.pools[home].is_healthy {
            true => wanted_rps[home],
            false => wanted_rps[home] + plan.kept_rps[home] + plan.shed_rps[home],
        };
        let rps = flow.rps * (there_rps / then_rps[home]).min(1.0);
        if rps > 0.0 {
            take(rps, home, &mut wanted_rps, plan);
            plan.redirects.push(Redirect { rps, ..*flow });
        }
    }
    place(&wanted_rps, |_| false, view, plan);
}

/// What was moved of an unfit home is shed; nothing is moved.
pub fn retract(moved: &[Redirect], view: &View<'_>, plan: &mut Plan) {
    let then_rps = by_home(moved, view);
    let wanted_rps = stop(view, plan);
    for (home, then_rps) in then_rps.iter().enumerate() {
        if !view.pools[home].is_healthy {
            let more_rps = (then_rps - wanted_rps[home]).clamp(0.0, plan.kept_rps[home]);
            plan.kept_rps[home] -= more_rps;
            plan.shed_rps[home] += more_rps;
        }
    }
    place(&wanted_rps, |home| then_rps[home] > 0.0, view, plan);
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
