//! Phase 2: first tries and retries that fall due, per pool.

use super::origins::{UsersTries, demand_rps};
use super::snapshot::PoolStep;
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
        for pool in &mut world.pools {
            pool.reported_demand_rps = pool.demand_rps;
            if world.watches_waits {
                pool.reported_wait_s = mean_wait_s(&pool.out);
            }
        }
    }
}

/// How long the queue of a pool takes that serves at its actual capacity, s.
fn mean_wait_s(pool: &PoolStep) -> f64 {
    match (pool.queue > 0.0, pool.healthy_capacity_rps > 0.0) {
        (false, _) => 0.0,
        (true, true) => pool.queue / pool.healthy_capacity_rps,
        (true, false) => f64::INFINITY,
    }
}
