//! Phase 7: autoscalers decide; launched and restarted instances come up, dismissed ones end.

use std::cmp::Reverse;

use crate::model::{Action, PoolId, Scenario};
use crate::units::Seconds;

use super::autoscale::{Member, scale_pools};
use super::events::hold_if_dark;
use super::instances::{LONG_AGO, NEVER, Process, flag};
use super::log::Happening;
use super::world::World;

/// Ends what has finished, lets autoscalers decide, and brings up what has started by the end of
/// the step; it then has to pass its health checks.
pub fn scale(world: &mut World<'_>) {
    let boundary = world.step + 1;
    for pool in 0..world.pools.len() {
        if world.pools[pool].finishing > 0 {
            end_finished(world, pool);
        }
    }
    scale_pools(world);
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

/// Does an event refuse a pool's launches at a boundary? A region out of capacity starts nothing
/// new; what has a machine already (it starts, or restarts) goes on.
#[must_use]
pub fn launches_are_refused(scenario: &Scenario, pool: usize, boundary: u32) -> bool {
    let id = PoolId::from_index(pool);
    let boundary_at = |time: Seconds| scenario.simulation.boundary_at(time.get());
    scenario.events.iter().any(|event| match &event.action {
        Action::LaunchesRefused { pools } => {
            let has_ended = event.until.is_some_and(|until| boundary >= boundary_at(until));
            pools.contains(&id) && boundary >= boundary_at(event.at) && !has_ended
        }
        _ => false,
    })
}

/// Places for up to `wanted` more instances of a pool: those of dismissed ones that have ended and
/// that no event holds dead, then new ones.
#[must_use]
pub fn free_places(world: &World<'_>, pool: usize, wanted: u32) -> Vec<usize> {
    let state = &world.pools[pool];
    let instances = &world.instances;
    let is_free = |i: &usize| {
        let has_ended = matches!(instances.process[*i], Process::Absent | Process::Dead);
        instances.has(*i, flag::DISMISSED) && has_ended && instances.deaths[*i] == 0
    };
    let used_again = state.instances().filter(is_free);
    let new = state.first + state.launched..state.first + state.room;
    used_again.chain(new).take(wanted as usize).collect()
}

/// Launches an instance in a place from [`free_places`], in their order: it comes up at a time.
pub fn launch(world: &mut World<'_>, pool: usize, i: usize, up_s: f64) {
    let state = &mut world.pools[pool];
    // A draw that nobody in this place had before.
    let mut draw = 0;
    if i < state.first + state.launched {
        state.dismissed -= 1;
        draw = up_s.to_bits();
    } else {
        state.launched += 1;
    }
    let instances = &mut world.instances;
    instances.process[i] = Process::Absent;
    instances.flags[i] = 0;
    instances.streak[i] = 0;
    instances.speed[i] = 1.0;
    instances.rotation_since[i] = LONG_AGO;
    world.start_later(pool, i, up_s);
    world.instances.luck[i] = world.member_stream(pool, i).normal(draw) as f32;
}

/// Launches up to so many instances of a pool at the end of the step; returns how many there was a
/// place for. Ideal ones are up, warm and in rotation at once.
pub fn launch_some(world: &mut World<'_>, pool: usize, wanted: u32, is_ideal: bool) -> u32 {
    let boundary = world.step + 1;
    let places = free_places(world, pool, wanted);
    let startup_s = if is_ideal { 0.0 } else { world.kind(pool).startup_time.get() };
    for &i in &places {
        launch(world, pool, i, world.boundary_s(boundary) + startup_s);
        if is_ideal {
            come_up(world, pool, i, boundary);
            world.pass_health_check(pool, i);
            world.instances.up_at[i] = LONG_AGO;
            world.instances.rotation_since[i] = LONG_AGO;
        }
    }
    places.len() as u32
}

/// A pool's members in the order in which it can do without them: those starting, those up that are
/// not in rotation, then the others; the newest first.
#[must_use]
pub fn newest_first(world: &World<'_>, pool: usize) -> Vec<usize> {
    let instances = &world.instances;
    let is_member = |i: &usize| Member::of(world, *i).is_some();
    let mut members: Vec<usize> = world.pools[pool].instances().filter(is_member).collect();
    members.sort_by_key(|&i| {
        let is_starting = instances.process[i] == Process::Starting;
        let is_idle = !instances.has(i, flag::IN_ROTATION);
        Reverse((is_starting, is_idle, instances.up_at[i], i))
    });
    members
}

/// Takes instances away: they leave rotation at once, are no longer expected there, and end when
/// they have finished what they have.
pub fn dismiss(world: &mut World<'_>, pool: usize, instances: &[usize]) {
    for event in &mut world.events {
        // Their places may be used again: the end of the event that added them is none of theirs.
        event.added.retain(|i| !instances.contains(i));
    }
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
