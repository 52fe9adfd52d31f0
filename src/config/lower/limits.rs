//! What a setting may become during a run, where that depends on more than itself.

use super::event::World;
use super::{autoscaler, resource};
use crate::config::document::Assignment;
use crate::config::problems::{Problems, or_list};
use crate::config::setting::Section;
use crate::diagnostic::Problem;
use crate::model::{
    AutoscalerId, AutoscalerSetting, Budget, Change, ClientId, ClientSetting, KindId, PoolId,
    PoolSetting,
};

/// Only a client that retries has retries to change, and only one with a ratio a ratio.
pub(super) fn check_client(
    world: &World<'_>,
    client: ClientId,
    setting: ClientSetting,
    assignment: &Assignment,
    problems: &mut Problems,
) -> Option<()> {
    let client = world.parts.clients.get(client.index())?.as_ref()?;
    let name = &client.name;
    let not_in_run = |title| Problem::error("not-in-run", assignment.path_span, title);
    let problem = match (setting, client.retry) {
        (ClientSetting::Timeout, _) => return Some(()),
        (_, None) => not_in_run(format!("client `{name}` has no `retry` to change"))
            .help(format!("add `retry = {{ max_attempts = 1 }}` to `[client.{name}]`")),
        (ClientSetting::BudgetRatio, Some(retry))
            if matches!(retry.budget, Some(Budget::Bucket { .. })) =>
        {
            not_in_run(format!("the retry budget of client `{name}` is a token bucket"))
                .help("give it `budget` instead of `budget_rps` and `budget_size`")
        }
        _ => return Some(()),
    };
    problems.push(problem);
    None
}

/// Only a pool with a demand of its own has one to change.
pub(super) fn check_pool(
    world: &World<'_>,
    pool: PoolId,
    setting: PoolSetting,
    assignment: &Assignment,
    problems: &mut Problems,
) -> Option<()> {
    let pool = &world.parts.pools.get(pool.index())?.as_ref()?.pool;
    if setting != PoolSetting::Demand || pool.has_demand {
        return Some(());
    }
    let title = format!("pool `{}` has no demand of its own to change", pool.name);
    problems.push(
        Problem::error("no-own-demand", assignment.path_span, title)
            .help("add `demand_rps = 0` to it, or change a source's"),
    );
    None
}

/// Another limit for one of an instance kind's resources; `key` is `resource.NAME.limit`.
pub(super) fn resource(
    world: &World<'_>,
    id: KindId,
    key: &str,
    value: f64,
    assignment: &Assignment,
    problems: &mut Problems,
) -> Option<Change> {
    let kind = world.parts.kinds.get(id.index())?.as_ref()?;
    let name = key.split('.').nth(1)?;
    let Some(index) = kind.resources.iter().position(|resource| resource.name == name) else {
        let title = format!("instances of `{}` have no resource `{name}`", kind.name);
        let problem = Problem::error("unknown-resource", assignment.path_span, title);
        let names = kind.resources.iter().map(|resource| resource.name.as_str());
        problems.push(match problems.suggest(name, names.clone()) {
            Some(close) => problem.help(format!("did you mean `{close}`?")),
            None if kind.resources.is_empty() => problem.help("they have none"),
            None => problem.help(format!("there is {}", or_list(names))),
        });
        return None;
    };
    let mut changed = kind.resources[index].clone();
    changed.limit = value;
    if changed.room() == Some(0) {
        problems.push(resource::no_room(&changed, assignment.at));
        return None;
    }
    Some(Change::ResourceLimit { kind: id, resource: u32::try_from(index).ok()?, value })
}

/// Instances are made for as many as the file's `max`.
pub(super) fn check_size(
    world: &World<'_>,
    autoscaler: AutoscalerId,
    value: f64,
    assignment: &Assignment,
    problems: &mut Problems,
) -> Option<()> {
    let autoscaler = world.parts.autoscalers.get(autoscaler.index())?.as_ref()?;
    if value <= f64::from(autoscaler.max) {
        return Some(());
    }
    let title = format!("`{}` cannot go over the file's `max` during a run", assignment.path);
    problems.push(
        Problem::error("over-max", assignment.at, title)
            .help(format!("`max` is {}: raise it there", autoscaler.max)),
    );
    None
}

/// Another value for a target; `key` is `target.` and the target's path.
pub(super) fn target(
    world: &World<'_>,
    id: AutoscalerId,
    key: &str,
    value: f64,
    assignment: &Assignment,
    problems: &mut Problems,
) -> Option<Change> {
    let name = world.context.names(Section::Autoscaler).get(id.index())?;
    let entity = world.context.document.table(Section::Autoscaler).get(name)?;
    let paths: Vec<&str> = autoscaler::targets(entity).map(|(path, _)| path).collect();
    let wanted = key.split_once('.')?.1;
    let Some(index) = paths.iter().position(|path| *path == wanted) else {
        let title = format!("autoscaler `{name}` has no target `{wanted}`");
        let problem = Problem::error("unknown-target", assignment.path_span, title);
        problems.push(problem.help(format!("it has {}", or_list(paths))));
        return None;
    };
    let setting = AutoscalerSetting::Target(u32::try_from(index).ok()?);
    Some(Change::Autoscaler { autoscaler: id, setting, value })
}
