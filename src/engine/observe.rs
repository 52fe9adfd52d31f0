//! Phase 8: levels at the end of the step, pools' health, and what observers are shown.

use crate::model::PoolId;

use super::log::Happening;
use super::plane::fluid::{given_up_share, share_older};
use super::plane::requests;
use super::snapshot::{Observer, PoolStep, Snapshot};
use super::world::World;

/// Settles the step's levels and tells the observer.
pub fn observe(
    world: &mut World<'_>,
    observer: &mut dyn Observer,
    shown: &mut Vec<PoolStep>,
    is_row: bool,
) {
    judge_pools(world, world.step + 1);
    world.add_up_capacities();
    let is_fluid = world.requests.is_none();
    requests::close(world);
    if is_fluid && world.step + 1 == world.scenario.simulation.steps() {
        count_given_up(world);
    }
    tell(world, observer);
    shown.clear();
    shown.extend(world.pools.iter().map(|pool| pool.out));
    let step = world.step + 1;
    let (time_s, step_s) = (world.boundary_s(step), world.step_s);
    if is_fluid {
        book_requests(world, shown);
    }
    observer.step(&Snapshot {
        step,
        time_s,
        step_s,
        is_row,
        pools: shown,
        resources: &world.resources,
        resource_starts: &world.resource_starts,
        first_tries: world.users_tries.first,
        retries: world.users_tries.retries,
        books: &world.books.shown,
    });
}

fn book_requests(world: &mut World<'_>, shown: &[PoolStep]) {
    match &mut world.lanes {
        None => world.books.step(shown.iter()),
        Some(lanes) => {
            lanes.requests.degraded = shown.iter().map(|pool| pool.degraded).sum();
            lanes.requests.close();
            world.books.step_requests(&lanes.requests);
            lanes.requests.begin();
        }
    }
}

/// Hands over what has happened.
pub fn tell(world: &mut World<'_>, observer: &mut dyn Observer) {
    for entry in world.log.drain(..) {
        observer.happened(&entry);
    }
    for failure in world.probe_failures.iter_mut().flat_map(|failures| failures.drain(..)) {
        observer.probe_failed(&failure);
    }
}

/// A pool is healthy while its share in rotation is at or over its threshold.
pub fn judge_pools(world: &mut World<'_>, boundary: u32) {
    for index in 0..world.pools.len() {
        let threshold = world.settings[index].failover_threshold.get();
        let state = &mut world.pools[index];
        // 2 of 3 is at a threshold of two thirds, however that is written.
        let is_healthy = state.out.in_rotation > 0 && state.share_in_rotation() >= threshold - 1e-9;
        if is_healthy == state.out.is_healthy {
            continue;
        }
        state.out.is_healthy = is_healthy;
        let pool = PoolId::from_index(index);
        let (in_rotation, expected) = (state.out.in_rotation, state.out.expected);
        let what = if is_healthy {
            Happening::PoolHealthy { pool, in_rotation, expected }
        } else {
            Happening::PoolUnhealthy { pool, in_rotation, expected }
        };
        world.note(boundary, what);
    }
}

/// Counts the tries left in the system whose client has given up, or, where clients never do, that
/// have been there for over ten mean service times.
fn count_given_up(world: &mut World<'_>) {
    let mut lanes = world.lanes.take();
    for pool in 0..world.pools.len() {
        let patience_s = 10.0 * world.kind(pool).service_time.get();
        let instances = world.pools[pool].instances();
        let given_up = match &mut lanes {
            None => instances
                .map(|i| {
                    given_up_share(world, pool, i, Some(patience_s)) * world.instances.tries[i]
                })
                .sum(),
            Some(lanes) => {
                let patience_s = patience_s.max(10.0 * world.held_s(pool));
                let older = |i| share_older(world, pool, i, patience_s) * world.instances.tries[i];
                lanes.count_given_up(world, pool, instances.map(older).sum())
            }
        };
        world.pools[pool].out.given_up = given_up;
        if let Some(lanes) = &mut lanes {
            // A deferred reply can no longer be an answer in time.
            lanes.requests.given_up += world.pools[pool].out.deferred;
        }
    }
    world.lanes = lanes;
}
