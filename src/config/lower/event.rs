//! `[event.*]` to model values.

use super::change;
use super::context::Context;
use super::get::Table;
use super::instance::{optional_seconds, seconds};
use super::pool::{NamedPool, reference};
use crate::config::document::Entity;
use crate::config::problems::{Problems, list, or_list};
use crate::config::registry::{EVENT_COMMON, EVENT_KINDS, EventKind};
use crate::config::setting::Section;
use crate::diagnostic::Problem;
use crate::model::{
    Action, Autoscaler, Client, Event, InstanceKind, LossAmount, PoolId, Simulation, Source,
    SourceId, Surged, ZoneId,
};
use crate::units::Ratio;

/// The tables of a file, by name, each lowered if it is right.
pub(super) struct Parts {
    pub(super) kinds: Vec<Option<InstanceKind>>,
    pub(super) clients: Vec<Option<Client>>,
    pub(super) pools: Vec<Option<NamedPool>>,
    pub(super) sources: Vec<Option<Source>>,
    pub(super) autoscalers: Vec<Option<Autoscaler>>,
}

/// What events can be about.
pub(super) struct World<'a> {
    pub(super) context: &'a Context<'a>,
    pub(super) simulation: Option<Simulation>,
    pub(super) parts: &'a Parts,
    /// Capacity of each pool at the start, rps; none when pools are wrong.
    pub(super) capacity_rps: Option<&'a [f64]>,
}

/// Lowers all events, by time and name; none when one of them is wrong.
pub(super) fn events(world: &World<'_>, problems: &mut Problems) -> Option<Vec<Event>> {
    let table = world.context.document.table(Section::Event);
    let events: Vec<_> = table.values().map(|entity| event(world, entity, problems)).collect();
    let mut events = events.into_iter().collect::<Option<Vec<_>>>()?;
    events.sort_by(|a, b| a.at.get().total_cmp(&b.at.get()).then_with(|| a.name.cmp(&b.name)));
    Some(events)
}

fn event(world: &World<'_>, entity: &Entity, problems: &mut Problems) -> Option<Event> {
    let table = Table::of(Section::Event, entity);
    let at_s = table.number("at", problems);
    let over_s = table.number("over", problems);
    let until_s = table.optional_number("until", problems);
    let cause = table.optional_text("cause", problems);
    check_times(world, &table, at_s, over_s, until_s.flatten(), problems);
    let word = table.text("kind", problems)?;
    let kind = EVENT_KINDS.iter().find(|kind| kind.word == word)?;
    check_acts(world, &table, &word, at_s, until_s.flatten(), problems);
    let has_its_keys = check_keys(kind, &table, problems);
    let action = has_its_keys.then(|| action(world, &table, &word, problems)).flatten();
    Some(Event {
        name: entity.name.clone(),
        at: seconds(at_s)?,
        over: seconds(over_s)?,
        until: optional_seconds(until_s)?,
        cause: cause?,
        action: action?,
    })
}

fn check_times(
    world: &World<'_>,
    table: &Table<'_>,
    at_s: Option<f64>,
    over_s: Option<f64>,
    until_s: Option<f64>,
    problems: &mut Problems,
) {
    let (Some(at_s), Some(over_s)) = (at_s, over_s) else { return };
    if let Some(simulation) = world.simulation
        && simulation.boundary_at(at_s) >= simulation.steps()
    {
        let (end_s, step_s) = (simulation.duration.get(), simulation.step.get());
        let title = if at_s < end_s {
            format!("{} begins after the last step of the run has begun", table.title())
        } else {
            format!("{} begins after the end of the run", table.title())
        };
        problems.push(Problem::error("event-after-end", table.place("at"), title).help(format!(
            "the run ends at {end_s} s: begin at {} s or before, or lengthen `duration`",
            f64::from(simulation.steps() - 1) * step_s
        )));
    }
    if until_s.is_some_and(|until_s| until_s <= at_s + over_s) {
        let title = format!("{} is undone before it is done", table.title());
        problems.push(
            Problem::error("until-too-early", table.place("until"), title)
                .help(format!("`until` must be after `at` + `over`, which is {} s", at_s + over_s)),
        );
    }
}

/// An event that begins and ends at one step boundary is never in force during a step.
fn check_acts(
    world: &World<'_>,
    table: &Table<'_>,
    kind: &str,
    at_s: Option<f64>,
    until_s: Option<f64>,
    problems: &mut Problems,
) {
    // What dies has died, and has to start again.
    let kills = ["zone-outage", "instance-loss"].contains(&kind);
    let (Some(simulation), Some(at_s), Some(until_s), false) =
        (world.simulation, at_s, until_s, kills)
    else {
        return;
    };
    let (boundary, step_s) = (simulation.boundary_at(at_s), simulation.step.get());
    if until_s > at_s && simulation.boundary_at(until_s) == boundary {
        let title = format!("{} begins and ends between two steps: it does nothing", table.title());
        let both_s = f64::from(boundary) * step_s;
        problems.push(
            Problem::warning("event-between-steps", table.place("until"), title)
                .secondary(table.place("at"), "its beginning")
                .help(format!("both take effect at the next boundary of a step, at {both_s} s"))
                .help(format!("end it {step_s} s later, or shorten `step`")),
        );
    }
}

/// Does an event have what its kind needs, and nothing else?
fn check_keys(kind: &EventKind, table: &Table<'_>, problems: &mut Problems) -> bool {
    let mut is_right = true;
    for group in kind.needs {
        let given: Vec<_> = group.iter().filter(|key| table.has(key)).collect();
        match given.as_slice() {
            [_] => {}
            [] => {
                is_right = false;
                let problem = table.missing(&or_list(group.iter().copied()));
                problems.push(problem.help(format!("events of kind `{}` need it", kind.word)));
            }
            [first, second, ..] => {
                is_right = false;
                let title = format!("{} has both `{first}` and `{second}`", table.title());
                let key = |key| table.entity.get(key).map_or(table.entity.at, |entry| entry.key);
                problems.push(
                    Problem::error("conflicting-keys", key(second), title)
                        .secondary(key(first), "and here")
                        .help("keep one of them"),
                );
            }
        }
    }
    let known: Vec<&str> = kind.needs.iter().copied().flatten().chain(kind.may).copied().collect();
    for (key, entry) in &table.entity.values {
        if !EVENT_COMMON.contains(&key.as_str()) && !known.contains(&key.as_str()) {
            is_right = false;
            let title = format!("events of kind `{}` have no `{key}`", kind.word);
            problems.push(Problem::error("field-of-other-kind", entry.key, title).help(format!(
                "their keys are {}",
                list(EVENT_COMMON.iter().chain(&known).copied())
            )));
        }
    }
    is_right
}

fn action(
    world: &World<'_>,
    table: &Table<'_>,
    kind: &str,
    problems: &mut Problems,
) -> Option<Action> {
    let ratio = |key, problems: &mut Problems| {
        Ratio::new(table.optional_number(key, problems)?.unwrap_or(1.0)).ok()
    };
    Some(match kind {
        "zone-outage" => Action::ZoneOutage { zone: zone(world, table, problems)? },
        "instance-loss" => {
            let pool = pool(world, table, problems);
            let amount = loss(world, table, pool, problems);
            Action::InstanceLoss { pool: pool?, amount: amount? }
        }
        "drain" => {
            let (pools, share) = (pools(world, table, problems), ratio("share", problems));
            Action::Drain { pools: pools?, share: share? }
        }
        "slow" => {
            let (pools, speed) = (pools(world, table, problems), ratio("speed", problems));
            Action::Slow { pools: pools?, speed: speed? }
        }
        "errors" => {
            let (pools, share) = (pools(world, table, problems), ratio("share", problems));
            Action::Errors { pools: pools?, share: share? }
        }
        "surge" => {
            let (of, factor) = (surged(world, table, problems), ratio("factor", problems));
            Action::Surge { of: of?, factor: factor? }
        }
        "add-instances" => {
            let pool = pool(world, table, problems);
            let count = table.small_count("count", problems);
            Action::AddInstances { pool: pool?, count: count? }
        }
        "launches-refused" => Action::LaunchesRefused { pools: pools(world, table, problems)? },
        _ => Action::Set { changes: change::changes(world, table, problems)? },
    })
}

fn zone(world: &World<'_>, table: &Table<'_>, problems: &mut Problems) -> Option<ZoneId> {
    let name = table.text("zone", problems)?;
    reference(world.context, table, Section::Zone, &name, problems).map(ZoneId::from_index)
}

fn pool(world: &World<'_>, table: &Table<'_>, problems: &mut Problems) -> Option<PoolId> {
    let name = table.text("pool", problems)?;
    reference(world.context, table, Section::Pool, &name, problems).map(PoolId::from_index)
}

/// Whose demand is multiplied.
fn surged(world: &World<'_>, table: &Table<'_>, problems: &mut Problems) -> Option<Surged> {
    if table.has("source") {
        let name = table.text("source", problems)?;
        let index = reference(world.context, table, Section::Source, &name, problems)?;
        return Some(Surged::Source(SourceId::from_index(index)));
    }
    let pool = pool(world, table, problems)?;
    let named = world.parts.pools.get(pool.index())?.as_ref()?;
    if !named.pool.has_demand {
        let title = format!("pool `{}` has no demand of its own to multiply", named.pool.name);
        let problem = Problem::error("no-own-demand", table.place("pool"), title);
        problems.push(problem.help("name a `source` instead, or the pool that calls it"));
        return None;
    }
    Some(Surged::Pool(pool))
}

/// The pool, or the pools of the zone.
fn pools(world: &World<'_>, table: &Table<'_>, problems: &mut Problems) -> Option<Vec<PoolId>> {
    if table.has("pool") {
        return Some(vec![pool(world, table, problems)?]);
    }
    let zone = zone(world, table, problems)?;
    let in_zone = |(index, named): (usize, &Option<NamedPool>)| match named {
        Some(named) if named.pool.zone != zone => None,
        _ => Some(PoolId::from_index(index)),
    };
    let pools: Vec<_> = world.parts.pools.iter().enumerate().filter_map(in_zone).collect();
    if pools.is_empty() {
        let title = format!("{} is about a zone without pools", table.title());
        let problem = Problem::error("zone-without-pools", table.place("zone"), title);
        problems.push(problem.help("name a zone that has pools"));
    }
    Some(pools)
}

fn loss(
    world: &World<'_>,
    table: &Table<'_>,
    pool: Option<PoolId>,
    problems: &mut Problems,
) -> Option<LossAmount> {
    if !table.has("count") {
        let share = table.number("share", problems)?;
        return Some(LossAmount::Share(Ratio::new(share).ok()?));
    }
    let count = table.small_count("count", problems)?;
    let pool = world.parts.pools.get(pool?.index())?.as_ref()?;
    if count > pool.pool.instances {
        let title = format!("pool `{}` has only {} instances", pool.pool.name, pool.pool.instances);
        problems.push(
            Problem::error("loss-over-pool", table.place("count"), title)
                .help("lose at most so many, or a `share` of them"),
        );
    }
    Some(LossAmount::Count(count))
}
