//! What a file says, and nothing ever reads.

use std::collections::BTreeSet;

use super::document::{Assignment, Document, Entity, Entry, Value};
use super::lint::to_thousandths;
use super::problems::Problems;
use super::raw::Raw;
use super::setting::Section;
use crate::diagnostic::Problem;
use crate::model::{Budget, Client, ScaleMetric, Scenario};

/// Tables that no other names.
pub(super) fn unused(document: &Document, problems: &mut Problems) {
    let used = |sections: &[Section], key: &str| -> BTreeSet<String> {
        let entities = sections.iter().flat_map(|section| document.table(*section).values());
        let values = entities.flat_map(|entity| &entity.values);
        let of_key = values.filter(|(path, _)| {
            // Calls name clients too, below the name of a pool.
            *path == key || path.starts_with("calls.") && path.rsplit('.').next() == Some(key)
        });
        let name = |(_, entry): (&String, &Entry)| match &entry.value {
            Value::Text(name) => Some(name.clone()),
            _ => None,
        };
        of_key.filter_map(name).chain(named_by_sets(document, sections, key)).collect()
    };
    let (pool, callers) = ([Section::Pool], [Section::Pool, Section::Source]);
    for (section, id, used) in [
        (Section::Instance, "unused-instance", used(&pool, "instance")),
        (Section::Client, "unused-client", used(&callers, "client")),
        (Section::Autoscaler, "unused-autoscaler", used(&pool, "autoscaler")),
        (Section::Zone, "unused-zone", used(&[Section::Pool, Section::Event], "zone")),
    ] {
        for entity in document.table(section).values() {
            let is_default = section == Section::Client && entity.name == "default";
            if !is_default && !used.contains(&entity.name) {
                let title = format!("{} `{}` is used nowhere", section.word(), entity.name);
                let problem = Problem::warning(id, entity.at, title);
                problems.push(problem.help("use it, or leave it out"));
            }
        }
    }
}

/// What policies and events `set` a key of such tables to.
fn named_by_sets<'d>(
    document: &'d Document,
    sections: &'d [Section],
    key: &'d str,
) -> impl Iterator<Item = String> + 'd {
    assignments(document).filter_map(move |assignment| match &assignment.raw {
        Raw::Text(name) if is_of(assignment, sections, &[key]) => Some(name.clone()),
        _ => None,
    })
}

/// All that policies and events `set`.
fn assignments(document: &Document) -> impl Iterator<Item = &Assignment> {
    let setters = [Section::Policy, Section::Event, Section::Mitigation];
    let entities = setters.into_iter().flat_map(|section| document.table(section).values());
    entities.flat_map(|entity| match entity.get("set").map(|set| &set.value) {
        Some(Value::Assignments(assignments)) => assignments.as_slice(),
        _ => &[],
    })
}

/// Whether it sets one of these keys, the last of its path, in such a table.
fn is_of(assignment: &Assignment, sections: &[Section], keys: &[&str]) -> bool {
    let mut parts = assignment.path.split('.');
    let section = parts.next();
    sections.iter().any(|one| section == Some(one.word()))
        && parts.next_back().is_some_and(|last| keys.contains(&last))
}

/// Keys that do nothing beside the others. What a policy or an event gives a meaning has one.
pub(super) fn means_nothing(document: &Document, scenario: &Scenario, problems: &mut Problems) {
    let is_set = |section: Section, keys: &[&str]| {
        assignments(document).any(|assignment| is_of(assignment, &[section], keys))
    };
    for client in &scenario.clients {
        let Some(entity) = document.table(Section::Client).get(&client.name) else { continue };
        if client.cancel && client.timeout.is_none() && !is_set(Section::Client, &["timeout"]) {
            let title = format!("client `{}` cancels what it never gives up", client.name);
            let problem = Problem::warning("cancel-without-timeout", entity.place("cancel"), title);
            problems.push(problem.help("add `timeout = \"2s\"`, or leave `cancel` out"));
        }
        if !is_set(Section::Client, &["max_attempts", "budget", "budget_rps", "retry"]) {
            never_retries(entity, client, problems);
        }
    }
    if !is_set(Section::Pool, &["demand_rps", "headroom"]) {
        clients_without_demand(document, problems);
    }
    out_of_reach(document, scenario, problems);
    late_batches(document, scenario, problems);
}

fn never_retries(entity: &Entity, client: &Client, problems: &mut Problems) {
    let Some(retry) = &client.retry else { return };
    let nothing = match retry.budget {
        Some(Budget::Ratio(share)) => share.get() == 0.0,
        Some(Budget::Bucket { .. }) | None => false,
    };
    let (key, why) = match (retry.max_attempts, nothing) {
        (1, _) => ("retry.max_attempts", "one try in all is the first"),
        (_, true) => ("retry.budget", "a budget of nothing allows none"),
        _ => return,
    };
    let title = format!("client `{}` never retries, though it says how", client.name);
    let problem = Problem::warning("never-retries", entity.place(key), title);
    problems.push(problem.label(why).help("allow more, or leave `retry` out"));
}

/// A pool's `client` is that of its own demand: not of sources that send to it, nor of its calls.
fn clients_without_demand(document: &Document, problems: &mut Problems) {
    let mut said = BTreeSet::new();
    for entity in document.in_order(Section::Pool) {
        let has_demand = ["demand_rps", "headroom"].iter().any(|key| entity.get(key).is_some());
        let Some(client) = entity.get("client").filter(|_| !has_demand) else { continue };
        if said.insert(&entity.shown) {
            let title = format!("pool `{}` has a `client` but no demand of its own", entity.shown);
            problems.push(
                Problem::warning("client-without-demand", client.at, title)
                    .help("sources and calls name theirs: `[source.NAME] client = …`,")
                    .help("`calls.NAME = { client = … }`"),
            );
        }
    }
}

/// No more of a resource can be in use than there is.
fn out_of_reach(document: &Document, scenario: &Scenario, problems: &mut Problems) {
    for autoscaler in &scenario.autoscalers {
        let Some(entity) = document.table(Section::Autoscaler).get(&autoscaler.name) else {
            continue;
        };
        for target in &autoscaler.targets {
            let ScaleMetric::Resource(resource) = &target.signal.metric else { continue };
            if target.value <= 1.0 {
                continue;
            }
            let key = match target.signal.pool {
                Some(pool) => format!("target.{}.{resource}", scenario.pools[pool.index()].name),
                None => format!("target.{resource}"),
            };
            let title = format!("autoscaler `{}` aims above what there is", autoscaler.name);
            problems.push(
                Problem::warning("target-out-of-reach", entity.place(&key), title)
                    .help(format!("the utilization of `{resource}` is never over 100 %"))
                    .help("so it adds no instance for it: write, for example, `\"70%\"`"),
            );
        }
    }
}

fn late_batches(document: &Document, scenario: &Scenario, problems: &mut Problems) {
    let duration_s = scenario.simulation.duration.get();
    for entity in [Section::Source, Section::Pool].iter().flat_map(|s| document.in_order(*s)) {
        let Some(every) = entity.get("arrivals.every") else { continue };
        let Value::Number(every_s) = every.value else { continue };
        if every_s > duration_s {
            let title =
                format!("batches of `{}` are further apart than the run is long", entity.shown);
            problems.push(Problem::warning("batches-too-rare", every.at, title).help(format!(
                "the run lasts {} s: shorten `every`, or lengthen `duration`",
                to_thousandths(duration_s)
            )));
        }
    }
}
