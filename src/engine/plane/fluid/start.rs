//! The steady state that a run starts from (MODEL §4.3, *Start*).

use crate::engine::demand::demand;
use crate::engine::instances::flag;
use crate::engine::route::sort_by_client;
use crate::engine::world::World;
use crate::model::Balancing;
use crate::policy::Plan;
use crate::queueing::{Load, response};

use super::fallback::Fallback;
use super::instance;
use super::lanes::{Lanes, PoolFlow};
use super::leaving::Leaving;
use super::pool::serve_pool;

/// Fills every instance with the steady state of the demand.
pub fn start(world: &mut World<'_>) {
    let pools = world.pools.len();
    world.fallback = world.fallback_spec.map(|spec| Fallback::new(spec, pools));
    match world.lanes.take() {
        None => fill(world),
        Some(mut lanes) => {
            find_flows(world, &mut lanes);
            world.lanes = Some(lanes);
        }
    }
    for pool in 0..world.pools.len() {
        if world.settings[pool].balancing != Balancing::Random {
            settle(world, pool);
        }
    }
    if let Some(mut lanes) = world.lanes.take() {
        fill_lanes(world, &mut lanes);
        world.lanes = Some(lanes);
    }
}

fn fill(world: &mut World<'_>) {
    for pool in &mut world.pools {
        pool.kept_rps = pool.demand_rps;
        pool.out.in_flight = 0.0;
    }
    sort_by_client(world, &Plan::default());
    for pool in 0..world.pools.len() {
        let share = world.pools[pool].demand_rps / f64::from(world.pools[pool].out.in_rotation);
        for i in world.pools[pool].instances() {
            debug_assert!(world.instances.has(i, flag::IN_ROTATION));
            instance::start(world, pool, i, share);
        }
    }
}

/// The fixed point of flows, callers before those that they call, and of latencies, the other way
/// round. Retries begin with the run.
fn find_flows(world: &mut World<'_>, lanes: &mut Lanes) {
    const MOST_ROUNDS: u32 = 400;
    const STRAIGHT_ROUNDS: u32 = 40;
    for round in 0..MOST_ROUNDS {
        demand(world, 0.0);
        for pool in 0..world.pools.len() {
            for i in world.pools[pool].instances() {
                world.choose_table(pool, i);
            }
        }
        fill(world);
        for pool in 0..world.pools.len() {
            lanes.flows[pool] = steady_flow(world, lanes, pool);
        }
        let before = state_of(world);
        super::settle::call(world, lanes);
        let mut after = state_of(world);
        let gap =
            |(a, b): (&f64, &f64)| if a == b { 0.0 } else { (a - b).abs() / (a.abs() + 1e-9) };
        let moved = before.iter().zip(&after).map(gap).fold(0.0, f64::max);
        if moved < 1e-12 {
            break;
        }
        if round > STRAIGHT_ROUNDS {
            // What overshoots each time is met half-way.
            for (after, before) in after.iter_mut().zip(&before) {
                let middle = 0.5 * (*after + *before);
                *after = if middle.is_finite() { middle } else { *after };
            }
            set_state(world, &after);
        }
    }
}

/// What the fixed point is of.
fn state_of(world: &World<'_>) -> Vec<f64> {
    let pools = world.pools.iter().flat_map(|pool| [pool.calls_s, pool.call_failure]);
    pools.chain(world.origins.iter().map(|origin| origin.first_rps)).collect()
}

fn set_state(world: &mut World<'_>, values: &[f64]) {
    let mut values = values.iter().copied();
    for pool in &mut world.pools {
        pool.calls_s = values.next().unwrap_or_default();
        pool.call_failure = values.next().unwrap_or_default();
    }
    for origin in &mut world.origins {
        origin.first_rps = values.next().unwrap_or_default();
    }
}

/// The flow of one step of a pool in its steady state.
fn steady_flow(world: &World<'_>, lanes: &Lanes, pool: usize) -> PoolFlow {
    let timeouts_s = lanes.timeouts_s(world, pool);
    let step_s = world.step_s;
    let incoming = world.pools[pool].demand_rps * step_s;
    let share_rps = world.pools[pool].demand_rps / f64::from(world.pools[pool].out.in_rotation);
    let errors = world.pools[pool].modifiers.error_share;
    let tries_rps = share_rps * (1.0 - errors);
    let mut flow = PoolFlow { incoming, lost: incoming * errors, ..PoolFlow::default() };
    let mut leaving = Leaving::default();
    for i in world.pools[pool].instances() {
        let rate = world.rate(pool, i);
        let table = world.tables.get(world.instances.table[i]);
        let load = Load { mean: world.instances.mean[i], variance: world.instances.variance[i] };
        let state = instance::steady_state(world, pool, i, share_rps);
        let block = state.map_or(0.0, |state| state.block);
        let admitted = tries_rps * (1.0 - block) * step_s;
        // Without a steady state what leaves is what can.
        let most = rate * table.servers() * step_s;
        let left = if state.is_none() { admitted.min(most) } else { admitted };
        leaving.add(admitted, left, &response(table, &load, rate), &timeouts_s);
        leaving.entered += left;
        flow.rejected += tries_rps * step_s - admitted;
    }
    flow.leaving = leaving;
    flow
}

/// Everybody's tries inside, and those admitted over the last time-out.
fn fill_lanes(world: &World<'_>, lanes: &mut Lanes) {
    lanes.requests.open = 0.0;
    for (o, origin) in world.scenario.origins.iter().enumerate() {
        let home = origin.to.index();
        let demand_rps = world.pools[home].demand_rps;
        let share = if demand_rps > 0.0 { world.origins[o].first_rps / demand_rps } else { 0.0 };
        let inside = share * world.pools[home].out.in_flight;
        let timeout = world.clients[origin.client.index()].timeout;
        let steps = timeout.map_or(0.0, |timeout| (timeout.get() / world.step_s).ceil() + 1.0);
        let [admitted, ..] = lanes.flows[home].shares(true);
        let admitted = admitted * world.origins[o].first_rps * world.step_s;
        // Before the run there may have been less than a long time-out.
        let steps = steps.min(100_000.0) as usize;
        lanes.senders[o].is_call = origin.is_call();
        if let Some(lane) = lanes.senders[o].lanes.iter_mut().find(|lane| lane.to == home) {
            lane.fill(inside, if inside > 0.0 { admitted } else { 0.0 }, steps);
        }
        if !origin.is_call() {
            lanes.requests.open += inside;
        }
    }
}

/// Steps a pool alone until it no longer changes: other balancing than `random` has other steady
/// states than the tabulated one.
fn settle(world: &mut World<'_>, pool: usize) {
    const MOST_STEPS: u32 = 5_000;
    let mut shares = Vec::new();
    for _ in 0..MOST_STEPS {
        let before = world.pools[pool].out.in_flight;
        serve_pool(world, pool, false, &mut shares);
        let after = world.pools[pool].out.in_flight;
        if (after - before).abs() <= 1e-10 * after {
            break;
        }
    }
}
