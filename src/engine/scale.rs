//! Phase 7: launched and restarted instances come up, dismissed ones end.

use crate::model::PoolId;

use super::events::hold_if_dark;
use super::instances::{NEVER, Process, flag};
use super::log::Happening;
use super::world::World;

/// Brings up what has started by the end of the step; it then has to pass its health checks.
pub fn scale(world: &mut World<'_>) {
    let boundary = world.step + 1;
    for pool in 0..world.pools.len() {
        if world.pools[pool].finishing > 0 {
            end_finished(world, pool);
        }
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

/// Takes instances away: they leave rotation at once, are no longer expected there, and end when
/// they have finished what they have.
pub fn dismiss(world: &mut World<'_>, pool: usize, instances: &[usize]) {
    for &i in instances {
        let state = &mut world.pools[pool];
        state.dismissed += 1;
        state.out.in_rotation -= u32::from(world.instances.has(i, flag::IN_ROTATION));
        state.out.expected -= u32::from(world.instances.has(i, flag::EXPECTED));
        match world.instances.process[i] {
            Process::Up => state.finishing += 1,
            Process::Starting => state.starting -= 1,
            Process::Dead | Process::Absent => {}
        }
        if !world.instances.is_up(i) {
            world.instances.process[i] = Process::Absent;
        }
        // Removed as well: its probes end.
        world.instances.flags[i] = flag::DISMISSED | flag::REMOVED;
        world.instances.probe_step[i] = NEVER;
        world.instances.answer_step[i] = NEVER;
    }
    world.pools[pool].is_stale = true;
    world.pools[pool].calm = None;
}

/// Less than this in the system is nothing.
const FINISHED: f64 = 1e-6;

fn end_finished(world: &mut World<'_>, pool: usize) {
    for i in world.pools[pool].instances() {
        let is_leaving = world.instances.has(i, flag::DISMISSED) && world.instances.is_up(i);
        if is_leaving && world.instances.mean[i] < FINISHED {
            world.stop(pool, i);
            world.instances.process[i] = Process::Absent;
            world.pools[pool].finishing -= 1;
        }
    }
}
