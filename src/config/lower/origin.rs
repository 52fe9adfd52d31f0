//! Where tries come from: `[source.*]`, arrivals and calls to model values.

use super::context::Context;
use super::get::Table;
use super::pool::{named, reference};
use crate::config::document::Entity;
use crate::config::problems::Problems;
use crate::config::setting::Section;
use crate::diagnostic::Problem;
use crate::model::{Arrivals, Call, ClientId, PoolId, Source};
use crate::units::{Rps, Seconds};

/// How first tries are spread in time, and the demand where that fixes it.
pub(super) struct Spread {
    pub(super) arrivals: Arrivals,
    pub(super) demand_rps: Option<f64>,
}

/// Lowers one source.
pub(super) fn source(
    context: &Context<'_>,
    entity: &Entity,
    problems: &mut Problems,
) -> Option<Source> {
    let table = Table::of(Section::Source, entity);
    let to = table
        .text("to", problems)
        .and_then(|to| named(context, Section::Pool, &to, table.place("to"), problems));
    let client = table
        .text("client", problems)
        .and_then(|client| reference(context, &table, Section::Client, &client, problems));
    let given = table.optional_number("demand_rps", problems);
    let fixes = table.has("demand_rps").then_some("demand_rps");
    let spread = arrivals(&table, fixes, problems);
    let (given, spread) = (given?, spread?);
    let demand = given.or(spread.demand_rps);
    if demand.is_none() {
        let problem = table.missing("`demand_rps`");
        problems.push(problem.help("add `demand_rps = 100`: its first tries a second"));
    }
    Some(Source {
        name: entity.name.clone(),
        to: PoolId::from_index(to?),
        demand: Rps::new(demand?).ok()?,
        arrivals: spread.arrivals,
        client: ClientId::from_index(client?),
    })
}

/// Lowers `arrivals`; `fixes` is the key that fixes the demand, if there is one.
pub(super) fn arrivals(
    table: &Table<'_>,
    fixes: Option<&str>,
    problems: &mut Problems,
) -> Option<Spread> {
    let kind = table.text("arrivals.kind", problems);
    let every = table.optional_number("arrivals.every", problems);
    let size = table.optional_count("arrivals.size", problems);
    let (kind, every_s, size) = (kind?, every?, size?);
    let keys = ["arrivals.every", "arrivals.size"];
    let given = keys.into_iter().find_map(|key| table.entity.get(key));
    let spread = |arrivals, demand_rps| Some(Spread { arrivals, demand_rps });
    if kind != "batch" {
        if let Some(entry) = given {
            let title = format!("`{kind}` arrivals have no batches");
            let problem = Problem::error("field-of-other-kind", entry.key, title);
            problems.push(problem.help("write `kind = \"batch\"`, or leave it out"));
            return None;
        }
        let is_uniform = kind == "uniform";
        return spread(if is_uniform { Arrivals::Uniform } else { Arrivals::Poisson }, None);
    }
    match (every_s, size, fixes) {
        (Some(_), Some(_), Some(key)) => {
            let title = format!("`{key}`, `every` and `size`: any two of them fix the third");
            let at = table.place("arrivals.size");
            problems.push(
                Problem::error("conflicting-keys", at, title)
                    .secondary(table.place("arrivals.every"), "the time between batches")
                    .secondary(table.place(key), "the demand")
                    .help("leave one of them out"),
            );
            None
        }
        (Some(every_s), Some(size), None) => {
            spread(Arrivals::BatchEvery(Seconds::new(every_s).ok()?), Some(size as f64 / every_s))
        }
        (Some(every_s), None, _) => spread(Arrivals::BatchEvery(Seconds::new(every_s).ok()?), None),
        (None, Some(size), _) => spread(Arrivals::BatchOf(u32::try_from(size).ok()?), None),
        (None, None, _) => {
            let title = format!("{} has batches of no size", table.title());
            problems.push(
                Problem::error("missing-key", table.place("arrivals.kind"), title)
                    .help("add `size = 10`, or `every = \"10ms\"`"),
            );
            None
        }
    }
}

/// Lowers the calls that a pool's requests make, by pool; none when one of them is wrong.
pub(super) fn calls(
    context: &Context<'_>,
    table: &Table<'_>,
    problems: &mut Problems,
) -> Option<Vec<Call>> {
    let mut calls = vec![];
    let mut is_whole = true;
    for (target, at) in table.entity.names_below("calls") {
        let to = named(context, Section::Pool, &target, at, problems);
        let per_request = table.number(&format!("calls.{target}.per_request"), problems);
        let key = format!("calls.{target}.client");
        let at = table.entity.get(&key).map_or(at, |entry| entry.at);
        let client = table
            .text(&key, problems)
            .and_then(|client| named(context, Section::Client, &client, at, problems));
        match (to, per_request, client) {
            (Some(to), Some(per_request), Some(client)) => {
                let (to, client) = (PoolId::from_index(to), ClientId::from_index(client));
                calls.push(Call { to, per_request, client });
            }
            _ => is_whole = false,
        }
    }
    calls.sort_by_key(|call| call.to);
    is_whole.then_some(calls)
}
