//! `[pool.*]` to model values.

use super::context::Context;
use super::demand::{self, Demand};
use super::get::Table;
use super::origin;
use crate::config::document::Entity;
use crate::config::overrides::unknown_name;
use crate::config::problems::{Problems, or_list};
use crate::config::read;
use crate::config::setting::Section;
use crate::diagnostic::{Problem, Span};
use crate::model::{
    AutoscalerId, Balancing, CallMode, ClientId, FailoverEdge, KindId, Pool, PoolFailover, PoolId,
    ServiceId, ZoneId,
};
use crate::units::{Ratio, Rps};

/// A pool whose service is still a name, and whose demand may wait for its capacity.
pub(super) struct NamedPool {
    pub(super) pool: Pool,
    pub(super) service: String,
    pub(super) demand: Demand,
}

/// Lowers one pool.
pub(super) fn pool(
    context: &Context<'_>,
    entity: &Entity,
    problems: &mut Problems,
) -> Option<NamedPool> {
    let table = Table::of(Section::Pool, entity);
    let zone = zone(context, &table, problems);
    let kind_name = table.text("instance", problems);
    let kind = kind_name
        .as_deref()
        .and_then(|name| reference(context, &table, Section::Instance, name, problems));
    let service = service(&table, kind_name.as_deref(), problems);
    let client = client(context, &table, problems);
    let instances = table.small_count("instances", problems);
    let failover_threshold = table.number("failover_threshold", problems);
    let panic_threshold = table.number("panic_threshold", problems);
    let balancing = balancing(&table, problems);
    let calls = origin::calls(context, &table, problems);
    let call_mode = table.text("call_mode", problems);
    let autoscaler = autoscaler(context, &table, problems);
    let demand = demand::demand(&table, context.is_sent_to(&entity.name), problems);
    let pool = Pool {
        name: entity.name.clone(),
        zone: ZoneId::from_index(zone?),
        kind: KindId::from_index(kind?),
        service: ServiceId(0),
        client: ClientId::from_index(client?),
        instances: instances?,
        demand: Rps::ZERO,
        has_demand: !matches!(demand.as_ref()?.0, Demand::None),
        arrivals: demand.as_ref()?.1,
        calls: calls?,
        call_mode: match call_mode?.as_str() {
            "parallel" => CallMode::Parallel,
            _ => CallMode::Sequence,
        },
        autoscaler: autoscaler?,
        failover_threshold: Ratio::new(failover_threshold?).ok()?,
        panic_threshold: Ratio::new(panic_threshold?).ok()?,
        balancing: balancing?,
    };
    Some(NamedPool { pool, service: service?, demand: demand?.0 })
}

fn autoscaler(
    context: &Context<'_>,
    table: &Table<'_>,
    problems: &mut Problems,
) -> Option<Option<AutoscalerId>> {
    match table.optional_text("autoscaler", problems)? {
        Some(name) => reference(context, table, Section::Autoscaler, &name, problems)
            .map(|index| Some(AutoscalerId::from_index(index))),
        None => Some(None),
    }
}

/// The position of a named table among the tables of its section, by name.
pub(super) fn reference(
    context: &Context<'_>,
    table: &Table<'_>,
    section: Section,
    name: &str,
    problems: &mut Problems,
) -> Option<usize> {
    named(context, section, name, table.place(section.word()), problems)
}

/// The position of a table by its name; a name that there is not is reported.
pub(super) fn named(
    context: &Context<'_>,
    section: Section,
    name: &str,
    at: Span,
    problems: &mut Problems,
) -> Option<usize> {
    if let Some(position) = context.position(section, name) {
        return Some(position);
    }
    let document = context.document;
    let is_needed = [Section::Instance, Section::Zone, Section::Pool].contains(&section);
    if is_needed && document.table(section).is_empty() {
        // That there is none at all is said once.
        return None;
    }
    let problem = unknown_name(section, name, document.table(section), at, problems);
    problems.push(match document.templates.get(name) {
        Some(pools) if section == Section::Pool => {
            let pools = or_list(pools.iter().map(String::as_str));
            problem.help(format!("`{name}` stands for a pool in each of its zones: name {pools}"))
        }
        _ => problem,
    });
    None
}

fn zone(context: &Context<'_>, table: &Table<'_>, problems: &mut Problems) -> Option<usize> {
    match table.optional_text("zone", problems)? {
        Some(name) => reference(context, table, Section::Zone, &name, problems),
        // An invalid `zones` has been reported.
        None if table.has("zones") => None,
        None => {
            let problem = table.missing("`zone`");
            problems.push(problem.help("write `zone = \"a\"`, or `zones = [\"a\", \"b\"]`"));
            None
        }
    }
}

fn service(table: &Table<'_>, kind: Option<&str>, problems: &mut Problems) -> Option<String> {
    let service = table.optional_text("service", problems)?;
    match service {
        Some(name) if !read::is_name(&name) => {
            problems.push(read::invalid_name_text(&name, table.place("service")));
            None
        }
        Some(name) => Some(name),
        None => kind.map(str::to_owned),
    }
}

fn client(context: &Context<'_>, table: &Table<'_>, problems: &mut Problems) -> Option<usize> {
    let name = table.text("client", problems)?;
    reference(context, table, Section::Client, &name, problems)
}

fn balancing(table: &Table<'_>, problems: &mut Problems) -> Option<Balancing> {
    let word = table.text("balancing", problems);
    let choices = table.optional_count("choices", problems);
    let word = word?;
    if word != "least-request" && table.has("choices") {
        let title = format!("`choices` means nothing to `{word}` balancing");
        let problem = Problem::error("field-of-other-kind", table.place("choices"), title);
        problems.push(problem.help("write `balancing = \"least-request\"`, or leave it out"));
        return None;
    }
    Some(match word.as_str() {
        "round-robin" => Balancing::RoundRobin,
        "least-request" => Balancing::LeastRequest {
            choices: choices?.and_then(|choices| u32::try_from(choices).ok()),
        },
        _ => Balancing::Random,
    })
}

/// How a pool fails over.
pub(super) fn failover(
    context: &Context<'_>,
    entity: &Entity,
    problems: &mut Problems,
) -> Option<PoolFailover> {
    if !entity.tables.contains_key("failover") {
        return Some(PoolFailover::Service);
    }
    let table = Table::of(Section::Pool, entity);
    let mut edges = vec![];
    let mut is_whole = true;
    for (target, at) in entity.names_below("failover") {
        if target == entity.name {
            let title = format!("pool `{target}` cannot fail over to itself");
            let problem = Problem::error("failover-to-itself", at, title);
            problems.push(problem.help("name another pool, or leave it out"));
            is_whole = false;
            continue;
        }
        let to = named(context, Section::Pool, &target, at, problems);
        let weight = table.number(&format!("failover.{target}.weight"), problems);
        let priority = table.small_count(&format!("failover.{target}.priority"), problems);
        match (to, weight, priority) {
            (Some(to), Some(weight), Some(priority)) => {
                edges.push((PoolId::from_index(to), FailoverEdge { weight, priority }));
            }
            _ => is_whole = false,
        }
    }
    is_whole.then_some(PoolFailover::Explicit(edges))
}
