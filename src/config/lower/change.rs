//! An event's `set` to typed changes of model values.

use super::demand::demand_rps;
use super::event::World;
use super::get::Table;
use super::{fleet, limits};
use crate::config::document::{Assignment, Value};
use crate::config::overrides::{self, Found, Owner};
use crate::config::problems::Problems;
use crate::config::setting::{InRun, Section, Setting};
use crate::diagnostic::Problem;
use crate::model::{
    AutoscalerId, Change, ClientId, InstanceSetting, KindId, PoolId, PoolSetting, SourceId,
};

/// Lowers an event's `set`, in its order; none when one of its settings is wrong.
pub(super) fn changes(
    world: &World<'_>,
    table: &Table<'_>,
    problems: &mut Problems,
) -> Option<Vec<Change>> {
    let Some(Value::Assignments(assignments)) = table.value("set", problems) else { return None };
    if assignments.is_empty() {
        let title = format!("{} sets nothing", table.title());
        let problem = Problem::error("missing-key", table.place("set"), title);
        problems.push(problem.help("write `set = { \"instance.NAME.max_wait\" = \"1s\" }`"));
    }
    let mut changes = Some(vec![]);
    for assignment in &assignments {
        match overrides::resolve(world.context.document, assignment, problems) {
            Ok(found) => {
                for place in found {
                    let change = change(world, &place, assignment, problems);
                    changes = changes.zip(change).map(|(mut changes, change)| {
                        changes.push(change);
                        changes
                    });
                }
            }
            Err(problem) => {
                problems.push(*problem);
                changes = None;
            }
        }
    }
    changes
}

fn change(
    world: &World<'_>,
    found: &Found,
    assignment: &Assignment,
    problems: &mut Problems,
) -> Option<Change> {
    let in_run = found.node.setting.map_or(InRun::Fixed, |setting| setting.in_run);
    let Owner::Named(section, name) = &found.owner else {
        problems.push(fixed(assignment));
        return None;
    };
    if in_run == InRun::Fixed {
        problems.push(fixed(assignment));
        return None;
    }
    let (setting, value) = overrides::checked(found, assignment, problems)?;
    let index = world.context.position(*section, name)?;
    let value = match value {
        Value::Number(number) => Some(number),
        Value::Count(count) => Some(count as f64),
        Value::Absent => None,
        _ => return None,
    };
    match in_run {
        InRun::Instance(setting) => {
            let kind = KindId::from_index(index);
            check_instance(world, kind, setting, value, assignment, problems)?;
            Some(Change::Instance { kind, setting, value })
        }
        InRun::Client(setting) => {
            let client = ClientId::from_index(index);
            limits::check_client(world, client, setting, assignment, problems)?;
            Some(Change::Client { client, setting, value })
        }
        InRun::Pool(setting) => {
            let pool = PoolId::from_index(index);
            limits::check_pool(world, pool, setting, assignment, problems)?;
            Some(Change::Pool { pool, setting, value: value? })
        }
        InRun::Headroom => headroom(world, setting, name, index, value?, assignment, problems),
        InRun::ResourceLimit => {
            let kind = KindId::from_index(index);
            limits::resource(world, kind, &found.key, value?, assignment, problems)
        }
        InRun::SourceDemand => {
            Some(Change::SourceDemand { source: SourceId::from_index(index), value: value? })
        }
        InRun::Autoscaler(setting) => {
            let autoscaler = AutoscalerId::from_index(index);
            limits::check_size(world, autoscaler, value?, assignment, problems)?;
            Some(Change::Autoscaler { autoscaler, setting, value: value? })
        }
        InRun::ScaleTarget => {
            let autoscaler = AutoscalerId::from_index(index);
            limits::target(world, autoscaler, &found.key, value?, assignment, problems)
        }
        InRun::Fixed => None,
    }
}

fn fixed(assignment: &Assignment) -> Problem {
    let title = format!("`{}` cannot change during a run", assignment.path);
    let problem = Problem::error("not-in-run", assignment.path_span, title);
    match assignment.path.rsplit('.').next() {
        Some("instances") => problem.help("add or lose instances with an event of its own"),
        _ if assignment.path.starts_with("simulation.") => {
            problem.help("set it for the whole run: in its table, or by `--set`")
        }
        _ => {
            problem.help("set it for the whole run: in its table, by `--set`, in a policy's `set`")
        }
    }
}

fn check_instance(
    world: &World<'_>,
    id: KindId,
    setting: InstanceSetting,
    value: Option<f64>,
    assignment: &Assignment,
    problems: &mut Problems,
) -> Option<()> {
    let kind = world.parts.kinds.get(id.index())?.as_ref()?;
    let interval_s = kind.health_check.interval.get();
    let problem = match setting {
        InstanceSetting::ProbeTimeout if value.is_some_and(|value| value > interval_s) => {
            let title = "the probes' `timeout` must be at most their `interval`";
            Problem::error("timeout-over-interval", assignment.at, title)
                .help(format!("the interval is {interval_s} s"))
        }
        InstanceSetting::ServiceTime
            if value == Some(0.0) && !fleet::may_be_instant(kind, id, &world.parts.pools) =>
        {
            fleet::not_instant(&kind.name, assignment.at)
        }
        InstanceSetting::Workers if kind.workers.is_none() || value.is_none() => {
            let title = "an instance cannot gain or lose the limit of its workers during a run";
            Problem::error("not-in-run", assignment.path_span, title)
                .help("only a number of workers can change to another")
        }
        _ => return Some(()),
    };
    problems.push(problem);
    None
}

/// Headroom in a run is a demand: that of the capacity that the pool has at the start.
fn headroom(
    world: &World<'_>,
    setting: &Setting,
    name: &str,
    index: usize,
    value: f64,
    assignment: &Assignment,
    problems: &mut Problems,
) -> Option<Change> {
    let entity = world.context.document.table(Section::Pool).get(name)?;
    let Some(Value::Text(of)) = entity.get("headroom_of").map(|entry| &entry.value) else {
        let title = format!("pool `{name}` does not say what `{}` is of", setting.key());
        let problem = Problem::error("missing-headroom-of", assignment.path_span, title);
        problems.push(problem.help(format!("set `pool.{name}.demand_rps` instead")));
        return None;
    };
    let capacity_rps = *world.capacity_rps?.get(index)?;
    if of == "capacity" && value >= 1.0 {
        let title = "headroom of capacity must be below 100%";
        problems.push(Problem::error("out-of-range", assignment.at, title));
        return None;
    }
    let value = demand_rps(capacity_rps, value, of);
    let setting = PoolSetting::Demand;
    Some(Change::Pool { pool: PoolId::from_index(index), setting, value })
}
