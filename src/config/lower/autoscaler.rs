//! `[autoscaler.*]` to model values.

use super::context::Context;
use super::get::Table;
use super::pool::{NamedPool, named};
use crate::config::document::{Entity, Entry, Value};
use crate::config::problems::{Problems, or_list};
use crate::config::setting::Section;
use crate::diagnostic::{Problem, Span};
use crate::model::{
    Autoscaler, InstanceKind, PoolId, ScaleAmount, ScaleMetric, ScalePolicy, ScaleRules,
    ScaleSelect, ScaleTarget, Signal, WORKERS,
};
use crate::units::Seconds;

/// Where targets stand below an autoscaler's table.
const TARGET: &str = "target.";

/// The targets of an autoscaler, by name, with their paths below `target`.
pub(in crate::config) fn targets(entity: &Entity) -> impl Iterator<Item = (&str, &Entry)> {
    entity.values.iter().filter_map(|(key, entry)| Some((key.strip_prefix(TARGET)?, entry)))
}

/// Lowers one autoscaler.
pub(super) fn autoscaler(
    context: &Context<'_>,
    entity: &Entity,
    problems: &mut Problems,
) -> Option<Autoscaler> {
    let table = Table::of(Section::Autoscaler, entity);
    let targets: Vec<_> =
        targets(entity).map(|(path, entry)| target(context, path, entry, problems)).collect();
    if targets.is_empty() {
        let problem = table.missing("target");
        problems.push(problem.help("add `target = { workers = \"70%\" }`: what it goes by"));
    }
    let min = table.small_count("min", problems);
    let max = table.small_count("max", problems);
    if let (Some(min), Some(max)) = (min, max)
        && min > max
    {
        let title = format!("the `min` of {} is over its `max`", table.title());
        let at = if table.has("min") { table.place("min") } else { table.place("max") };
        let problem = Problem::error("min-over-max", at, title);
        problems.push(problem.help(format!("`min` is {min}, `max` is {max}")));
    }
    let sync_period = table.number("sync_period", problems).map(Seconds::new);
    let tolerance = table.number("tolerance", problems);
    let ideal = table.switch("ideal", problems);
    let scale_up = rules(&table, "scale_up", problems);
    let scale_down = rules(&table, "scale_down", problems);
    Some(Autoscaler {
        name: entity.name.clone(),
        targets: targets.into_iter().collect::<Option<_>>()?,
        min: min?,
        max: max?,
        sync_period: sync_period?.ok()?,
        tolerance: tolerance?,
        scale_up: scale_up?,
        scale_down: scale_down?,
        ideal: ideal?,
    })
}

fn target(
    context: &Context<'_>,
    path: &str,
    entry: &Entry,
    problems: &mut Problems,
) -> Option<ScaleTarget> {
    let (pool, metric) = match path.split_once('.') {
        Some((pool, metric)) => {
            let index = named(context, Section::Pool, pool, entry.key, problems)?;
            (Some(PoolId::from_index(index)), metric)
        }
        None => (None, path),
    };
    let metric = match metric {
        "rps" => ScaleMetric::Rps,
        "in_flight" => ScaleMetric::InFlight,
        name => ScaleMetric::Resource(name.to_owned()),
    };
    match entry.value {
        Value::Number(value) => Some(ScaleTarget { signal: Signal { pool, metric }, value }),
        _ => None,
    }
}

fn rules(table: &Table<'_>, direction: &str, problems: &mut Problems) -> Option<ScaleRules> {
    let key = |key: &str| format!("{direction}.{key}");
    let pods = table.optional_count(&key("pods"), problems);
    let pods_period = table.number(&key("pods_period"), problems);
    let percent = table.optional_number(&key("percent"), problems);
    let percent_period = table.number(&key("percent_period"), problems);
    let select = table.text(&key("select"), problems);
    let stabilization = table.number(&key("stabilization"), problems);
    let mut policies = vec![];
    if let Some(pods) = pods? {
        let amount = ScaleAmount::Pods(u32::try_from(pods).ok()?);
        policies.push(ScalePolicy { amount, period: Seconds::new(pods_period?).ok()? });
    }
    if let Some(percent) = percent? {
        let amount = ScaleAmount::Percent(percent);
        policies.push(ScalePolicy { amount, period: Seconds::new(percent_period?).ok()? });
    }
    Some(ScaleRules {
        policies,
        select: match select?.as_str() {
            "min" => ScaleSelect::Min,
            "disabled" => ScaleSelect::Disabled,
            _ => ScaleSelect::Max,
        },
        stabilization: Seconds::new(stabilization?).ok()?,
    })
}

/// Checks each autoscaler against the pools that it sizes and watches.
pub(super) fn check(
    context: &Context<'_>,
    autoscalers: &[Option<Autoscaler>],
    kinds: &[Option<InstanceKind>],
    pools: &[Option<NamedPool>],
    problems: &mut Problems,
) {
    let fleet = Watched { context, kinds };
    for (index, autoscaler) in autoscalers.iter().enumerate() {
        let Some(autoscaler) = autoscaler else { continue };
        let Some(entity) = context.document.table(Section::Autoscaler).get(&autoscaler.name) else {
            continue;
        };
        let is_sized = |named: &&NamedPool| {
            named.pool.autoscaler.is_some_and(|autoscaler| autoscaler.index() == index)
        };
        let sized: Vec<_> = pools.iter().flatten().filter(is_sized).collect();
        for named in sized.iter().filter(|named| named.pool.instances > autoscaler.max) {
            problems.push(fleet.too_many(autoscaler, entity, named));
        }
        for (target, (path, entry)) in autoscaler.targets.iter().zip(targets(entity)) {
            let ScaleMetric::Resource(resource) = &target.signal.metric else { continue };
            let watched: Vec<&NamedPool> = match target.signal.pool {
                Some(pool) => pools.get(pool.index()).into_iter().flatten().collect(),
                None => sized.clone(),
            };
            for named in watched {
                let is_own = !path.contains('.');
                fleet.check_resource(named, resource, entry.key, is_own, problems);
            }
        }
    }
}

/// What autoscalers look at.
struct Watched<'a> {
    context: &'a Context<'a>,
    kinds: &'a [Option<InstanceKind>],
}

impl Watched<'_> {
    fn too_many(&self, autoscaler: &Autoscaler, entity: &Entity, named: &NamedPool) -> Problem {
        let (pool, has) = (&named.pool.name, named.pool.instances);
        let title = format!("pool `{pool}` starts with more instances than the autoscaler's `max`");
        let problem = Problem::error("max-below-instances", entity.place("max"), title)
            .help(format!("it starts with {has}, and `max` is {}", autoscaler.max));
        match self.context.document.table(Section::Pool).get(pool) {
            Some(pool) => problem.secondary(pool.place("instances"), "its instances"),
            None => problem,
        }
    }

    /// Does a pool's kind have a resource of that name? Workers count where it has any.
    fn check_resource(
        &self,
        named: &NamedPool,
        resource: &str,
        at: Span,
        is_own: bool,
        problems: &mut Problems,
    ) {
        let Some(Some(kind)) = self.kinds.get(named.pool.kind.index()) else { return };
        let workers = kind.workers.map(|_| WORKERS);
        let has: Vec<&str> =
            workers.into_iter().chain(kind.resources.iter().map(|r| r.name.as_str())).collect();
        if has.contains(&resource) {
            return;
        }
        let title =
            format!("instances of pool `{}` have no resource `{resource}`", named.pool.name);
        let mut problem = Problem::error("unknown-resource", at, title);
        if let Some(close) = problems.suggest(resource, has.iter().copied()) {
            problem = problem.help(format!("did you mean `{close}`?"));
        } else {
            let all = has.iter().copied().chain(["rps", "in_flight"]);
            problem = problem.help(format!("what can be watched of it is {}", or_list(all)));
        }
        let pool = self.context.document.table(Section::Pool).get(&named.pool.name);
        problems.push(match pool.filter(|_| is_own) {
            Some(pool) => problem.secondary(pool.place("autoscaler"), "which it sizes"),
            None => problem,
        });
    }
}
