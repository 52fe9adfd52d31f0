//! Phase 3: the policy turns demand, and what the load balancer knows, into flows.

use crate::model::PoolId;
use crate::policy::{Notice, Plan, Policy, PoolView, View};

use super::instances::flag;
use super::log::Happening;
use super::world::World;

/// Asks the policy where every pool's demand goes, and hands it out.
pub fn route(world: &mut World<'_>, policy: &mut dyn Policy, views: &mut Vec<PoolView>) {
    views.clear();
    views.extend((0..world.pools.len()).map(|pool| view(world, pool)));
    let mut plan = std::mem::take(&mut world.plan);
    plan.reset(views.iter().map(|view| view.demand_rps));
    let view = View {
        time_s: world.time_s(),
        step_s: world.step_s,
        graph: &world.scenario.graph,
        pools: views,
    };
    policy.route(&view, &mut plan);
    let step_s = world.step_s;
    for (index, pool) in world.pools.iter_mut().enumerate() {
        pool.kept_rps = plan.kept_rps[index];
        pool.redirected_rps = 0.0;
        pool.out.shed = plan.shed_rps[index] * step_s;
        pool.out.routed_capacity_rps = views[index].capacity_rps;
        pool.out.is_draining = pool.modifiers.drain_share > 0.0;
    }
    sort_by_client(world, &plan);
    let mut out_rps = vec![0.0; world.pools.len()];
    for redirect in &plan.redirects {
        out_rps[redirect.from.index()] += redirect.rps;
        world.pools[redirect.to.index()].redirected_rps += redirect.rps;
    }
    for (index, &out_rps) in out_rps.iter().enumerate() {
        let cost = views[index].redirect_cost;
        let pool = &mut world.pools[index];
        pool.out.redirected_in = pool.redirected_rps * step_s;
        pool.out.redirected_out = out_rps * step_s;
        pool.out.work = (pool.kept_rps + pool.redirected_rps * cost) * step_s;
        note_changes(world, index, out_rps, plan.shed_rps[index]);
    }
    tell(world, &plan);
    world.plan = plan;
}

/// Notes what the policy tells of itself.
fn tell(world: &mut World<'_>, plan: &Plan) {
    let boundary = world.step;
    for notice in &plan.notices {
        let what = match *notice {
            Notice::BreakerOpen { trip, action } => Happening::BreakerOpen { trip, action },
            Notice::BreakerHalfOpen => Happening::BreakerHalfOpen,
            Notice::BreakerClosed => Happening::BreakerClosed,
        };
        world.note(boundary, what);
    }
}

/// Adds up what each pool is sent by whose clients send it, where they differ: wherever a pool's
/// demand goes, it is the same mix.
pub fn sort_by_client(world: &mut World<'_>, plan: &Plan) {
    if world.pools.first().is_none_or(|pool| pool.incoming_by_client.is_empty()) {
        return;
    }
    for pool in &mut world.pools {
        pool.incoming_by_client.fill(0.0);
    }
    for (origin, state) in world.scenario.origins.iter().zip(&world.origins) {
        let home = &mut world.pools[origin.to.index()];
        if home.demand_rps > 0.0 {
            let share = state.tries_rps() / home.demand_rps;
            home.incoming_by_client[origin.client.index()] += home.kept_rps * share;
        }
    }
    if plan.redirects.is_empty() {
        return;
    }
    let mut mixes = vec![Vec::new(); world.pools.len()];
    for (origin, state) in world.scenario.origins.iter().zip(&world.origins) {
        mixes[origin.to.index()].push((origin.client.index(), state.tries_rps()));
    }
    for redirect in &plan.redirects {
        let home_rps = world.pools[redirect.from.index()].demand_rps;
        let to = &mut world.pools[redirect.to.index()];
        for &(client, tries_rps) in &mixes[redirect.from.index()] {
            to.incoming_by_client[client] += redirect.rps * tries_rps / home_rps.max(1e-300);
        }
    }
}

fn view(world: &World<'_>, pool: usize) -> PoolView {
    let state = &world.pools[pool];
    let is_panicking = is_panicking(world, pool);
    PoolView {
        demand_rps: state.demand_rps,
        reported_demand_rps: state.reported_demand_rps,
        reported_wait_s: state.reported_wait_s,
        // All of them take traffic then, up or not.
        capacity_rps: match is_panicking {
            true => f64::from(state.there()) * world.nominal_rps(pool),
            false => state.out.capacity_rps,
        },
        in_rotation: if is_panicking { state.there() } else { state.out.in_rotation },
        share_in_rotation: state.share_in_rotation(),
        is_healthy: state.out.is_healthy,
        drain_share: state.modifiers.drain_share,
        redirect_cost: world.kind(pool).redirect_cost,
    }
}

/// Does the pool's traffic go to all its instances, up or not?
#[must_use]
pub fn is_panicking(world: &World<'_>, pool: usize) -> bool {
    let threshold = world.settings[pool].panic_threshold.get();
    threshold > 0.0 && world.pools[pool].share_in_rotation() < threshold
}

/// Is an instance sent traffic?
#[must_use]
pub fn receives(world: &World<'_>, i: usize, is_panicking: bool) -> bool {
    let instances = &world.instances;
    instances.has(i, flag::IN_ROTATION) || is_panicking && !instances.has(i, flag::DISMISSED)
}

fn note_changes(world: &mut World<'_>, index: usize, out_rps: f64, shed_rps: f64) {
    let pool = PoolId::from_index(index);
    let (redirects, sheds) = (out_rps > 0.0, shed_rps > 0.0);
    let state = &mut world.pools[index];
    let had = (state.redirects, state.sheds);
    (state.redirects, state.sheds) = (redirects, sheds);
    let boundary = world.step;
    match (had.0, redirects) {
        (false, true) => world.note(boundary, Happening::RedirectStart { pool, rps: out_rps }),
        (true, false) => world.note(boundary, Happening::RedirectEnd { pool }),
        _ => {}
    }
    match (had.1, sheds) {
        (false, true) => world.note(boundary, Happening::ShedStart { pool, rps: shed_rps }),
        (true, false) => world.note(boundary, Happening::ShedEnd { pool }),
        _ => {}
    }
}
