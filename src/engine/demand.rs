//! Phase 2: first tries per pool. (Clients do not retry yet, so nothing falls due.)

use super::world::World;

/// Works out the demand of every pool in this step, and what pools report of it.
pub fn demand(world: &mut World<'_>, report_interval_s: f64) {
    let reports = report_interval_s <= world.step_s
        || world.step.is_multiple_of((report_interval_s / world.step_s).round() as u32);
    for (pool, settings) in world.pools.iter_mut().zip(&world.settings) {
        pool.demand_rps = settings.demand.get() * pool.modifiers.surge;
        pool.out.first_tries = pool.demand_rps * world.step_s;
        if reports {
            pool.reported_demand_rps = pool.demand_rps;
        }
    }
}
