//! Phase 7: launched and restarted instances come up.

use crate::model::PoolId;

use super::events::hold_if_dark;
use super::instances::{NEVER, Process};
use super::log::Happening;
use super::world::World;

/// Brings up what has started by the end of the step; it then has to pass its health checks.
pub fn scale(world: &mut World<'_>) {
    let boundary = world.step + 1;
    for pool in 0..world.pools.len() {
        if world.pools[pool].starting == 0 {
            continue;
        }
        for i in world.pools[pool].instances() {
            let is_due = world.instances.process[i] == Process::Starting
                && world.instances.up_at[i] <= boundary as i32;
            if is_due && !hold_if_dark(world, pool, i) {
                come_up(world, pool, i, boundary);
            }
        }
    }
}

fn come_up(world: &mut World<'_>, pool: usize, i: usize, boundary: u32) {
    world.instances.process[i] = Process::Up;
    world.instances.up_at[i] = boundary as i32;
    world.instances.streak[i] = 0;
    world.choose_table(pool, i);
    let state = &mut world.pools[pool];
    state.starting -= 1;
    state.out.up += 1;
    state.is_stale = true;
    state.calm = None;
    let instance = (i - state.first) as u32;
    if world.instances.probe_step[i] == NEVER {
        world.schedule_probe(pool, i, world.boundary_s(boundary));
    }
    let pool = PoolId::from_index(pool);
    world.note(boundary, Happening::InstanceStarted { pool, instance });
}
