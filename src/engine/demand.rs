//! Phase 2: first tries and retries that fall due, per pool.

use crate::model::Plane;

use super::instances::flag;
use super::origins::{UsersTries, demand_rps};
use super::world::World;

/// Works out the demand of every origin and pool in this step, and what pools report of it.
pub fn demand(world: &mut World<'_>, report_interval_s: f64) {
    for pool in &mut world.pools {
        pool.demand_rps = 0.0;
        pool.out.first_tries = 0.0;
        pool.out.retries = 0.0;
    }
    world.users_tries = UsersTries::default();
    for origin in 0..world.origins.len() {
        let demand_rps = demand_rps(world, origin);
        let state = &mut world.origins[origin];
        if let Some(demand_rps) = demand_rps {
            state.first_rps = demand_rps * state.surge;
        }
        let (first_rps, retry_rps) = (state.first_rps, state.retry_rps);
        if !world.scenario.origins[origin].is_call() {
            world.users_tries.first += first_rps * world.step_s;
            world.users_tries.retries += retry_rps * world.step_s;
        }
        let pool = &mut world.pools[world.scenario.origins[origin].to.index()];
        pool.demand_rps += first_rps + retry_rps;
        pool.out.first_tries += first_rps * world.step_s;
        pool.out.retries += retry_rps * world.step_s;
    }
    let reports = report_interval_s <= world.step_s
        || world.step.is_multiple_of((report_interval_s / world.step_s).round() as u32);
    if reports {
        for pool in 0..world.pools.len() {
            world.pools[pool].reported_demand_rps = world.pools[pool].demand_rps;
            if world.watches_waits {
                world.pools[pool].reported_wait_s = mean_wait_s(world, pool);
            }
        }
    }
}

/// How long the queues of the instances of a pool that are in rotation and up take, on average, at
/// their actual capacity, s. Who is out of rotation keeps nobody waiting who comes now.
fn mean_wait_s(world: &World<'_>, pool: usize) -> f64 {
    let capacity_rps = world.pools[pool].out.healthy_capacity_rps;
    let serves =
        |i: &usize| world.instances.is_up(*i) && world.instances.has(*i, flag::IN_ROTATION);
    let queue: f64 =
        world.pools[pool].instances().filter(serves).map(|i| queue(world, pool, i)).sum();
    if queue > 0.0 && capacity_rps > 0.0 { queue / capacity_rps } else { 0.0 }
}

/// What waits at an instance.
fn queue(world: &World<'_>, pool: usize, i: usize) -> f64 {
    let inside = world.instances.mean[i];
    let busy = match world.scenario.simulation.plane {
        Plane::Requests => {
            let servers = world.kind(pool).servers(world.calls_s[pool].is_some());
            servers.map_or(inside, |servers| inside.min(f64::from(servers)))
        }
        Plane::Fluid => {
            let table = world.tables.get(world.instances.table[i]);
            table.closure(inside, world.instances.variance[i]).busy
        }
    };
    (inside - busy).max(0.0)
}
