//! Phase 1: what the scenario does now.

use std::collections::BTreeSet;

use crate::model::{
    Action, Event, LossAmount, Origin, OriginKind, PoolId, Scenario, Surged, ZoneId,
};

use super::instances::{Process, flag};
use super::log::Happening;
use super::scale::{dismiss, free_places, launch, launches_are_refused};
use super::settings::change_settings;
use super::world::{Modifiers, World};

/// How far an event is.
#[derive(Debug, Default)]
pub struct EventState {
    /// How much of it is in force, 0 to 1.
    pub(super) intensity: f64,
    has_begun: bool,
    has_ended: bool,
    /// Instances that it will kill: boundary, pool, instance; the latest first.
    doomed: Vec<(u32, u32, usize)>,
    /// Instances that it holds dead: pool, instance.
    victims: Vec<(u32, usize)>,
    /// Instances that it has added.
    pub(super) added: Vec<usize>,
}

impl EventState {
    /// Has it begun, and not been undone?
    #[must_use]
    pub const fn is_in_force(&self) -> bool {
        self.has_begun && !self.has_ended
    }
}

/// Begins, ramps and undoes events; kills and revives instances.
pub fn events(world: &mut World<'_>) {
    let mut has_changed = false;
    for index in 0..world.events.len() {
        let event = &world.scenario.events[index];
        if world.step >= world.boundary_at(event.at.get()) && !world.events[index].has_begun {
            world.events[index].has_begun = true;
            has_changed = true;
            begin(world, index);
        }
        kill_doomed(world, index);
        if let Some(until) = event.until
            && world.step >= world.boundary_at(until.get())
            && !world.events[index].has_ended
        {
            world.events[index].has_ended = true;
            has_changed = true;
            end(world, index);
        }
        let intensity = intensity(event, &world.events[index], world.time_s());
        has_changed |= intensity != world.events[index].intensity;
        world.events[index].intensity = intensity;
    }
    if has_changed {
        modify_pools(world);
        surge(world);
        change_settings(world);
    }
}

/// Is an outage of the zone in force?
fn holds_dead(world: &World<'_>, index: usize, zone: ZoneId) -> bool {
    let state = &world.events[index];
    let action = &world.scenario.events[index].action;
    state.is_in_force() && *action == Action::ZoneOutage { zone }
}

/// Is a pool's zone held by an outage?
#[must_use]
pub fn is_dark(world: &World<'_>, pool: usize) -> bool {
    let zone = world.scenario.pools[pool].zone;
    (0..world.events.len()).any(|index| holds_dead(world, index, zone))
}

/// Nothing starts in a dark zone: the outages that hold an instance's zone also hold it.
pub fn hold_if_dark(world: &mut World<'_>, pool: usize, i: usize) -> bool {
    let zone = world.scenario.pools[pool].zone;
    let dark: Vec<usize> =
        (0..world.events.len()).filter(|&index| holds_dead(world, index, zone)).collect();
    for &index in &dark {
        kill(world, index, pool, i);
    }
    !dark.is_empty()
}

fn intensity(event: &Event, state: &EventState, time_s: f64) -> f64 {
    if !state.is_in_force() {
        0.0
    } else if event.over.get() > 0.0 {
        ((time_s - event.at.get()) / event.over.get()).clamp(0.0, 1.0)
    } else {
        1.0
    }
}

fn begin(world: &mut World<'_>, index: usize) {
    let scenario = world.scenario;
    let (zone, pool) = subject(scenario, &scenario.events[index].action);
    let what = Happening::EventBegan { event: index as u32, zone, pool };
    world.note(world.step, what);
    match scenario.events[index].action {
        Action::ZoneOutage { zone } => {
            for pool in scenario.pools_in(zone) {
                let all = world.pools[pool.index()].instances();
                doom(world, index, pool, all);
            }
        }
        Action::InstanceLoss { pool, amount } => {
            let at_start = f64::from(scenario.pools[pool.index()].instances);
            let count = match amount {
                LossAmount::Count(count) => count as usize,
                LossAmount::Share(share) => (share.get() * at_start).round() as usize,
            };
            doom_some(world, index, pool, count);
        }
        Action::AddInstances { pool, count } => add(world, index, pool, count),
        _ => {}
    }
    // Popped from the end, so the earliest comes last; of one moment, the first pool and instance.
    world.events[index].doomed.sort_unstable_by(|a, b| b.cmp(a));
}

fn end(world: &mut World<'_>, index: usize) {
    let scenario = world.scenario;
    let (zone, pool) = subject(scenario, &scenario.events[index].action);
    world.note(world.step, Happening::EventEnded { event: index as u32, zone, pool });
    world.events[index].doomed.clear();
    for (pool, i) in std::mem::take(&mut world.events[index].victims) {
        let pool = pool as usize;
        world.instances.deaths[i] -= 1;
        if world.instances.deaths[i] > 0 || world.instances.has(i, flag::DISMISSED) {
            continue;
        }
        // Whoever mends the fault also registers the instance again.
        world.instances.mark(i, flag::REMOVED, false);
        world.pools[pool].calm = None;
        let up_s = world.time_s() + world.kind(pool).startup_time.get();
        world.start_later(pool, i, up_s);
    }
    if let (Action::AddInstances { .. }, Some(pool)) = (&scenario.events[index].action, pool) {
        let added = std::mem::take(&mut world.events[index].added);
        dismiss(world, pool.index(), &added);
    }
}

/// The zone and the pool that an event is about.
fn subject(scenario: &Scenario, action: &Action) -> (Option<ZoneId>, Option<PoolId>) {
    let of_pool = |pool: PoolId| (Some(scenario.pools[pool.index()].zone), Some(pool));
    match action {
        Action::ZoneOutage { zone } => (Some(*zone), None),
        Action::InstanceLoss { pool, .. }
        | Action::Surge { of: Surged::Pool(pool), .. }
        | Action::AddInstances { pool, .. } => of_pool(*pool),
        Action::Drain { pools, .. }
        | Action::Slow { pools, .. }
        | Action::Errors { pools, .. }
        | Action::LaunchesRefused { pools } => match pools.as_slice() {
            [pool] => of_pool(*pool),
            [first, ..] => (Some(scenario.pools[first.index()].zone), None),
            [] => (None, None),
        },
        Action::Surge { of: Surged::Source(source), .. } => {
            of_pool(scenario.sources[source.index()].to)
        }
        Action::Set { .. } => (None, None),
    }
}

/// Plans the deaths of up to `count` instances of a pool that neither are dead nor about to die.
fn doom_some(world: &mut World<'_>, index: usize, pool: PoolId, count: usize) {
    let about_to_die = world.events.iter().flat_map(|event| &event.doomed);
    let about_to_die: BTreeSet<usize> = about_to_die.map(|&(_, _, i)| i).collect();
    let is_there = |i: &usize| {
        let is_going = about_to_die.contains(i) || world.instances.has(*i, flag::DISMISSED);
        world.instances.process[*i] != Process::Dead && !is_going
    };
    let instances = world.pools[pool.index()].instances();
    let victims: Vec<usize> = instances.filter(is_there).take(count).collect();
    doom(world, index, pool, victims.into_iter());
}

/// Plans the deaths of instances of a pool, spread over the event's `over`.
fn doom(
    world: &mut World<'_>,
    index: usize,
    pool: PoolId,
    victims: impl ExactSizeIterator<Item = usize>,
) {
    let event = &world.scenario.events[index];
    let total = victims.len() as f64;
    for (place, i) in victims.enumerate() {
        let at_s = event.at.get() + event.over.get() * amid(place as f64, total);
        let boundary = world.boundary_at(at_s);
        world.events[index].doomed.push((boundary, pool.0, i));
    }
}

/// Where the `place`-th of `total` lies when they are evenly spread: each amid its own part, so
/// that on average they come at half of the time, however many there are.
fn amid(place: f64, total: f64) -> f64 {
    (place + 0.5) / total
}

fn kill_doomed(world: &mut World<'_>, index: usize) {
    while let Some(&(boundary, pool, i)) = world.events[index].doomed.last() {
        if boundary > world.step {
            break;
        }
        world.events[index].doomed.pop();
        kill(world, index, pool as usize, i);
    }
}

fn kill(world: &mut World<'_>, index: usize, pool: usize, i: usize) {
    world.instances.deaths[i] += 1;
    world.events[index].victims.push((pool as u32, i));
    match world.instances.process[i] {
        Process::Up => {
            world.stop(pool, i);
            let is_leaving = world.instances.has(i, flag::DISMISSED);
            world.pools[pool].finishing -= u32::from(is_leaving);
            let instance = (i - world.pools[pool].first) as u32;
            let pool = PoolId::from_index(pool);
            world.note(world.step, Happening::InstanceDied { pool, instance });
        }
        Process::Starting => world.pools[pool].starting -= 1,
        Process::Dead | Process::Absent => {}
    }
    world.instances.process[i] = Process::Dead;
}

/// Launches instances, spread over the event's `over`. Those whose moment a refusal covers never
/// come; in a dark zone they start when it is bright again, as the person who adds them would see
/// to.
fn add(world: &mut World<'_>, index: usize, pool: PoolId, count: u32) {
    let event = &world.scenario.events[index];
    let (id, pool) = (pool, pool.index());
    let startup_s = world.kind(pool).startup_time.get();
    let mut places = free_places(world, pool, count).into_iter();
    let mut refused = 0;
    for place in 0..count {
        let spread_s = event.over.get() * amid(f64::from(place), f64::from(count));
        let at_s = event.at.get() + spread_s;
        let is_refused = launches_are_refused(world.scenario, pool, world.boundary_at(at_s));
        let Some(i) = (if is_refused { None } else { places.next() }) else {
            refused += 1;
            continue;
        };
        world.events[index].added.push(i);
        launch(world, pool, i, at_s + startup_s);
    }
    if refused > 0 {
        world.note(world.step, Happening::LaunchRefused { pool: id, wanted: refused });
    }
}

/// Works out by how much each origin's first tries are multiplied.
fn surge(world: &mut World<'_>) {
    for origin in &mut world.origins {
        origin.surge = 1.0;
    }
    for (event, state) in world.scenario.events.iter().zip(&world.events) {
        if let Action::Surge { of, factor } = &event.action {
            let surged = |origin: &&Origin| match *of {
                Surged::Pool(pool) => origin.kind == OriginKind::Demand && origin.to == pool,
                Surged::Source(source) => origin.kind == OriginKind::Source(source),
            };
            let at = world.scenario.origins.iter().position(|origin| surged(&origin));
            if let Some(at) = at {
                world.origins[at].surge *= 1.0 + state.intensity * (factor.get() - 1.0);
            }
        }
    }
}

/// Works out every pool's modifiers from the events in force.
fn modify_pools(world: &mut World<'_>) {
    let mut modifiers = vec![Modifiers::NONE; world.pools.len()];
    for (event, state) in world.scenario.events.iter().zip(&world.events) {
        let part = state.intensity;
        match &event.action {
            Action::Slow { pools, speed } => {
                for pool in pools {
                    let factor = 1.0 + part * (speed.get() - 1.0);
                    modifiers[pool.index()].speed *= factor;
                    modifiers[pool.index()].speed_up *= factor.max(1.0);
                }
            }
            Action::Errors { pools, share } => {
                for pool in pools {
                    let errors = &mut modifiers[pool.index()].error_share;
                    *errors = 1.0 - (1.0 - *errors) * (1.0 - part * share.get());
                }
            }
            Action::Drain { pools, share } => {
                for pool in pools {
                    let drained = &mut modifiers[pool.index()].drain_share;
                    *drained = drained.max(part * share.get());
                }
            }
            _ => {}
        }
    }
    for (pool, modifiers) in modifiers.into_iter().enumerate() {
        let old = world.pools[pool].modifiers;
        let has_new_speed = old.speed != modifiers.speed || old.speed_up != modifiers.speed_up;
        world.pools[pool].is_stale |= has_new_speed;
        world.pools[pool].modifiers = modifiers;
        if has_new_speed && world.kind(pool).max_wait.is_some() {
            for i in world.pools[pool].instances() {
                world.choose_table(pool, i);
            }
        }
    }
}
