//! All tables of a document together.

use std::sync::Arc;

use super::context::Context;
use super::event::{Parts, World};
use super::fleet::{self, Fleet};
use super::{alert, autoscaler, client, event, instance, origin, pool, simulation, survive};
use crate::config::document::{Document, Entity, Value};
use crate::config::problems::Problems;
use crate::config::read;
use crate::config::setting::Section;
use crate::diagnostic::Problem;
use crate::model::{
    Action, Alert, Event, Phase, Pool, PoolId, Scenario, Simulation, Source, Zone, ZoneId, origins,
};

/// Most zones.
const MOST_ZONES: usize = 10_000;
/// Most pools.
const MOST_POOLS: usize = 100_000;
/// Most events: the engine counts those that hold an instance dead in 16 bits.
const MOST_EVENTS: usize = u16::MAX as usize;
/// Most alerts: each is looked at in every step.
const MOST_ALERTS: usize = 1_000;
/// Most instances in all pools.
pub(super) const MOST_INSTANCES: u64 = 10_000_000;

/// Lowers a document; every problem is reported, and with an error there is no scenario.
pub(in crate::config) fn scenario(
    document: &Document,
    fallback_name: &str,
    problems: &mut Problems,
) -> Option<Scenario> {
    let context = Context::new(document);
    let name = root(document, fallback_name, problems);
    check_sizes(document, problems);
    let simulation = simulation::simulation(document, problems);
    let parts = Parts {
        kinds: lowered(document, Section::Instance, |e| instance::instance(e, problems)),
        clients: lowered(document, Section::Client, |e| client::client(e, problems)),
        pools: lowered(document, Section::Pool, |e| pool::pool(&context, e, problems)),
        sources: lowered(document, Section::Source, |e| origin::source(&context, e, problems)),
        autoscalers: lowered(document, Section::Autoscaler, |e| {
            autoscaler::autoscaler(&context, e, problems)
        }),
    };
    let Parts { kinds, pools, autoscalers, .. } = &parts;
    let failover = lowered(document, Section::Pool, |e| pool::failover(&context, e, problems));
    autoscaler::check(&context, autoscalers, kinds, pools, problems);
    let fleet = fleet::fleet(&context, kinds, pools, &failover, problems);
    let capacity_rps = fleet.as_ref().map(|fleet| fleet.capacity_rps.as_slice());
    let world = World { context: &context, simulation, parts: &parts, capacity_rps };
    let events = event::events(&world, problems);
    let phases = simulation::phases(document, simulation, problems);
    let alerts = alert::alerts(document, problems);
    check_instances(document, &parts, events.as_deref().unwrap_or_default(), problems);
    if problems.has_errors() {
        return None;
    }
    let watched = Watched { phases: phases?, alerts: alerts? };
    let scenario = whole(&context, name, simulation?, parts, fleet?, events?, watched)?;
    survive::raised(document, scenario, problems)
}

fn lowered<T>(
    document: &Document,
    section: Section,
    lower: impl FnMut(&Entity) -> Option<T>,
) -> Vec<Option<T>> {
    document.table(section).values().map(Arc::as_ref).map(lower).collect()
}

/// What is measured and noticed.
struct Watched {
    phases: Vec<Phase>,
    alerts: Vec<Alert>,
}

fn whole(
    context: &Context<'_>,
    name: String,
    simulation: Simulation,
    parts: Parts,
    fleet: Fleet,
    events: Vec<Event>,
    watched: Watched,
) -> Option<Scenario> {
    let zones: Vec<_> =
        context.names(Section::Zone).iter().map(|name| Zone { name: name.clone() }).collect();
    let rows = |section| -> Vec<usize> {
        let in_order = context.document.in_order(section).into_iter();
        in_order.filter_map(|entity| context.position(section, &entity.name)).collect()
    };
    let Fleet { services, pools, graph, call_order, .. } = fleet;
    let sources: Vec<Source> = parts.sources.into_iter().collect::<Option<_>>()?;
    Some(Scenario {
        name,
        simulation,
        kinds: parts.kinds.into_iter().collect::<Option<_>>()?,
        clients: parts.clients.into_iter().collect::<Option<_>>()?,
        services,
        graph,
        events,
        origins: origins(&pools, &sources),
        sources,
        autoscalers: parts.autoscalers.into_iter().collect::<Option<_>>()?,
        phases: watched.phases,
        alerts: watched.alerts,
        call_order,
        pool_rows: rows(Section::Pool).into_iter().map(PoolId::from_index).collect(),
        zone_rows: rows(Section::Zone).into_iter().map(ZoneId::from_index).collect(),
        zones,
        pools,
    })
}

/// The file's name for itself, else its file's.
fn root(document: &Document, fallback_name: &str, problems: &mut Problems) -> String {
    if document.root.get("schema_version").is_none() {
        let title = "`schema_version` is missing";
        let problem = Problem::error("missing-key", document.root.at, title);
        problems.push(problem.help("write `schema_version = 1` at the top"));
    }
    match document.root.get("name").map(|entry| &entry.value) {
        Some(Value::Text(name)) => {
            if !read::is_name(name) {
                problems.push(read::invalid_name_text(name, document.root.place("name")));
            }
            name.clone()
        }
        _ => fallback_name.to_owned(),
    }
}

fn check_sizes(document: &Document, problems: &mut Problems) {
    for (section, id, example) in [
        (Section::Zone, "no-zones", "[zone.a]"),
        (Section::Instance, "no-instances", "[instance.planner]"),
        (Section::Pool, "no-pools", "[pool.planner-a]"),
    ] {
        if document.table(section).is_empty() {
            let word = section.word();
            let title = format!("there is no `[{word}.NAME]`: nothing to simulate");
            problems.push(
                Problem::error(id, document.root.at, title)
                    .help(format!("add `{example}`, or begin with `zonefall init`")),
            );
        }
    }
    for (section, most) in [
        (Section::Zone, MOST_ZONES),
        (Section::Instance, MOST_POOLS),
        (Section::Pool, MOST_POOLS),
        (Section::Source, MOST_POOLS),
        (Section::Event, MOST_EVENTS),
        (Section::Alert, MOST_ALERTS),
    ] {
        let (word, count) = (section.word(), document.table(section).len());
        if count > most {
            let title = format!("a file has at most {most} `[{word}.NAME]`, not {count}");
            let at = document.in_order(section)[most].at;
            problems.push(Problem::error("too-many-tables", at, title));
        }
    }
}

/// All instances that a run can have: those at the start, or the most that an autoscaler wants, and
/// those that events add.
fn check_instances(document: &Document, parts: &Parts, events: &[Event], problems: &mut Problems) {
    let most = |pool: &Pool| {
        let autoscaler = parts.autoscalers.get(pool.autoscaler?.index())?.as_ref();
        autoscaler.map(|autoscaler| autoscaler.max)
    };
    let pools = parts.pools.iter().flatten().map(|named| &named.pool);
    let at_start = pools.map(|pool| u64::from(pool.instances.max(most(pool).unwrap_or(0))));
    let added = events.iter().map(|event| match event.action {
        Action::AddInstances { count, .. } => u64::from(count),
        _ => 0,
    });
    let total: u64 = at_start.chain(added).sum();
    if total > MOST_INSTANCES {
        let title = format!("a run has at most {MOST_INSTANCES} instances, not {total}");
        let problem = Problem::error("too-many-instances", document.root.at, title);
        problems.push(problem.help(
            "give pools fewer `instances`, autoscalers a smaller `max`, events a smaller `count`",
        ));
    }
}
