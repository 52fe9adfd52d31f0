//! All tables of a document together.

use super::context::Context;
use super::pool::NamedPool;
use super::{event, instance, pool};
use crate::config::document::{Document, Value};
use crate::config::problems::Problems;
use crate::config::read;
use crate::config::setting::Section;
use crate::diagnostic::Problem;
use crate::model::{
    Action, Client, Event, InstanceKind, Pool, PoolFailover, PoolId, Scenario, ServiceId,
    TopologyGraph, Zone, ZoneId, origins,
};

/// Most zones.
const MOST_ZONES: usize = 10_000;
/// Most pools.
const MOST_POOLS: usize = 100_000;
/// Most events: the engine counts those that hold an instance dead in 16 bits.
const MOST_EVENTS: usize = u16::MAX as usize;
/// Most instances in all pools.
const MOST_INSTANCES: u64 = 10_000_000;

/// Lowers a document; every problem is reported, and with an error there is no scenario.
pub(in crate::config) fn scenario(
    document: &Document,
    fallback_name: &str,
    problems: &mut Problems,
) -> Option<Scenario> {
    let context = Context::new(document);
    let name = root(document, fallback_name, problems);
    check_sizes(document, problems);
    let simulation = instance::simulation(document, problems);
    let kinds: Vec<Option<InstanceKind>> = document
        .table(Section::Instance)
        .values()
        .map(|entity| instance::instance(entity, problems))
        .collect();
    let clients: Vec<Option<Client>> = document
        .table(Section::Client)
        .values()
        .map(|entity| instance::client(entity, problems))
        .collect();
    let named: Vec<Option<NamedPool>> = document
        .table(Section::Pool)
        .values()
        .map(|entity| pool::pool(&context, &kinds, entity, problems))
        .collect();
    let failover: Vec<Option<PoolFailover>> = document
        .table(Section::Pool)
        .values()
        .map(|entity| pool::failover(&context, entity, problems))
        .collect();
    let events = event::events(&context, simulation, &kinds, &named, problems);
    check_instances(document, &named, events.as_deref().unwrap_or_default(), problems);
    if problems.has_errors() {
        return None;
    }
    let (services, pools) = with_services(named.into_iter().collect::<Option<Vec<_>>>()?);
    let failover: Vec<_> = failover.into_iter().collect::<Option<_>>()?;
    let zones: Vec<_> =
        context.names(Section::Zone).iter().map(|name| Zone { name: name.clone() }).collect();
    let graph = TopologyGraph::new(zones.len(), services.len(), &pools, &failover);
    let call_order = graph.call_order().ok()?;
    let rows = |section| -> Vec<usize> {
        let in_order = document.in_order(section).into_iter();
        in_order.filter_map(|entity| context.position(section, &entity.name)).collect()
    };
    Some(Scenario {
        name,
        simulation: simulation?,
        kinds: kinds.into_iter().collect::<Option<_>>()?,
        clients: clients.into_iter().collect::<Option<_>>()?,
        services,
        graph,
        events: events?,
        origins: origins(&pools, &[]),
        sources: Vec::new(),
        autoscalers: Vec::new(),
        phases: Vec::new(),
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
        (Section::Event, MOST_EVENTS),
    ] {
        let (word, count) = (section.word(), document.table(section).len());
        if count > most {
            let title = format!("a file has at most {most} `[{word}.NAME]`, not {count}");
            let at = document.in_order(section)[most].at;
            problems.push(Problem::error("too-many-tables", at, title));
        }
    }
}

/// All instances that a run can have: those at the start and those that events add.
fn check_instances(
    document: &Document,
    pools: &[Option<NamedPool>],
    events: &[Event],
    problems: &mut Problems,
) {
    let at_start = pools.iter().flatten().map(|named| u64::from(named.pool.instances));
    let added = events.iter().map(|event| match event.action {
        Action::AddInstances { count, .. } => u64::from(count),
        _ => 0,
    });
    let total: u64 = at_start.chain(added).sum();
    if total > MOST_INSTANCES {
        let title = format!("a run has at most {MOST_INSTANCES} instances, not {total}");
        let problem = Problem::error("too-many-instances", document.root.at, title);
        problems.push(problem.help("give pools fewer `instances`, and events a smaller `count`"));
    }
}

/// Numbers the services by name.
fn with_services(named: Vec<NamedPool>) -> (Vec<String>, Vec<Pool>) {
    let mut services: Vec<_> = named.iter().map(|named| named.service.clone()).collect();
    services.sort_unstable();
    services.dedup();
    let pools = named
        .into_iter()
        .map(|NamedPool { mut pool, service }| {
            let index = services.partition_point(|known| *known < service);
            pool.service = ServiceId::from_index(index);
            pool
        })
        .collect();
    (services, pools)
}
