//! `survive_zone_losses`: instances are raised until losses are survived.

use super::get::Table;
use super::scenario::MOST_INSTANCES;
use crate::config::document::{Document, Entity};
use crate::config::problems::Problems;
use crate::config::registry::MOST_INSTANCES as MOST_OF_A_POOL;
use crate::config::setting::Section;
use crate::diagnostic::{Problem, Span};
use crate::model::contingency::{Contingency, are_too_many, losses, most_work_rps};
use crate::model::{Action, Pool, PoolId, Scenario};

/// The losses to survive, and how.
struct Goal {
    zone_losses: usize,
    utilization: f64,
    /// Where `survive_zone_losses` is said.
    at: Span,
}

/// Raises pools' `instances`, with each pool's demand as it is, until after any loss of up to
/// `survive_zone_losses` zones no instance is above `survive_utilization`; none where that cannot
/// be.
pub(super) fn raised(
    document: &Document,
    mut scenario: Scenario,
    problems: &mut Problems,
) -> Option<Scenario> {
    let table = Table { section: None, entity: &document.simulation };
    let zone_losses = usize::try_from(table.count("survive_zone_losses", problems)?).ok()?;
    let utilization = table.number("survive_utilization", problems)?;
    let at = table.place("survive_zone_losses");
    if zone_losses == 0 {
        unread(&table, problems);
        return Some(scenario);
    }
    let goal = Goal { zone_losses, utilization, at };
    if let Some(problem) = impossible(&scenario, &goal) {
        problems.push(problem);
        return None;
    }
    let contingency = Contingency::new(&scenario);
    let work_rps = most_work_rps(&contingency, zone_losses);
    let needed: Vec<Option<u64>> = work_rps
        .iter()
        .enumerate()
        .map(|(p, rps)| contingency.instances_for(PoolId::from_index(p), *rps, utilization))
        .collect();
    let mut is_whole = true;
    for (index, needed) in needed.into_iter().enumerate() {
        match size(document, &scenario, PoolId::from_index(index), needed, &goal) {
            Ok(size) => scenario.pools[index].instances = size,
            Err(problem) => {
                problems.push(*problem);
                is_whole = false;
            }
        }
    }
    for pool in &scenario.pools {
        let autoscaler = pool.autoscaler.and_then(|id| scenario.autoscalers.get(id.index()));
        if let Some(autoscaler) = autoscaler.filter(|autoscaler| autoscaler.min < pool.instances) {
            let title = format!(
                "autoscaler `{}` may take pool `{}` below the {} instances that survive",
                autoscaler.name, pool.name, pool.instances
            );
            let problem = Problem::warning("size-undone", goal.at, title);
            problems.push(problem.help(format!("raise its `min` to {}", pool.instances)));
        }
    }
    let total = most_instances(&scenario);
    if total > MOST_INSTANCES {
        let title = format!("a run has at most {MOST_INSTANCES} instances, not {total}");
        let problem = Problem::error("too-many-instances", goal.at, title);
        problems.push(problem.help("lower `survive_zone_losses`, or raise `survive_utilization`"));
        return None;
    }
    is_whole.then_some(scenario)
}

/// All instances that a run can have, once sizes are raised.
fn most_instances(scenario: &Scenario) -> u64 {
    let max = |pool: &Pool| scenario.autoscalers.get(pool.autoscaler?.index()).map(|a| a.max);
    let pools = scenario.pools.iter().map(|p| u64::from(p.instances.max(max(p).unwrap_or(0))));
    let added = scenario.events.iter().map(|event| match event.action {
        Action::AddInstances { count, .. } => u64::from(count),
        _ => 0,
    });
    pools.chain(added).sum()
}

fn unread(table: &Table<'_>, problems: &mut Problems) {
    if let Some(entry) = table.entity.get("survive_utilization") {
        let title = "`survive_utilization` is not read: no zone losses are to be survived";
        let problem = Problem::warning("means-nothing", entry.key, title);
        problems.push(problem.help("add `survive_zone_losses = 1`, or leave it out"));
    }
}

fn impossible(scenario: &Scenario, goal: &Goal) -> Option<Problem> {
    let (zones, most) = (scenario.zones.len(), goal.zone_losses);
    if most >= zones {
        let title = format!("no fleet survives the loss of all its {zones} zones");
        let problem = Problem::error("loses-every-zone", goal.at, title);
        return Some(match zones {
            1 => problem.help("add a zone that can stand in for this one"),
            _ => problem.help(format!("`survive_zone_losses` can be {} at most", zones - 1)),
        });
    }
    if are_too_many(scenario, most) {
        let (sets, pools) = (losses(zones, most), scenario.pools.len());
        let title = format!(
            "{most} of {zones} zones can be lost in {sets:.0} ways, too many for {pools} pools"
        );
        let problem = Problem::error("too-many-losses", goal.at, title);
        return Some(problem.help("lower `survive_zone_losses`, or write `instances` yourself"));
    }
    None
}

/// How many instances a pool gets: as many as the file says, or as are needed.
fn size(
    document: &Document,
    scenario: &Scenario,
    pool: PoolId,
    needed: Option<u64>,
    goal: &Goal,
) -> Result<u32, Box<Problem>> {
    let of_file = &scenario.pools[pool.index()];
    let entity = document.table(Section::Pool).get(&of_file.name);
    let at = |key| entity.map_or(goal.at, |entity| entity.place(key));
    let percent = crate::config::quantity::format_ratio(goal.utilization);
    let Some(needed) = needed else {
        let kind = &scenario.kinds[of_file.kind.index()];
        let title = format!(
            "no number of instances of pool `{}` is enough: an instance's own probes take it to {} \
             of its capacity or more",
            of_file.name,
            percent.trim_matches('"')
        );
        let own = document.table(Section::Instance).get(&kind.name);
        let interval = own.map(|kind: &std::sync::Arc<Entity>| kind.place("health_check.interval"));
        return Err(Box::new(
            Problem::error("probes-take-all", interval.unwrap_or(goal.at), title)
                .secondary(goal.at, "losses that are to be survived")
                .help("raise `survive_utilization`, or probe less often"),
        ));
    };
    let needed = needed.max(u64::from(of_file.instances));
    if needed > MOST_OF_A_POOL {
        let title = format!(
            "pool `{}` takes {needed} instances to survive that, and may have {MOST_OF_A_POOL}",
            of_file.name
        );
        let problem = Problem::error("too-many-instances", at("instances"), title);
        return Err(Box::new(
            problem
                .secondary(goal.at, "losses that are to be survived")
                .help("lower `survive_zone_losses`, or raise `survive_utilization`"),
        ));
    }
    if let Some(autoscaler) = of_file.autoscaler {
        let autoscaler = &scenario.autoscalers[autoscaler.index()];
        if needed > u64::from(autoscaler.max) {
            let title = format!(
                "pool `{}` takes {needed} instances to survive that, over its autoscaler's `max`",
                of_file.name
            );
            let own = document.table(Section::Autoscaler).get(&autoscaler.name);
            let max = own.map_or(goal.at, |entity| entity.place("max"));
            return Err(Box::new(
                Problem::error("max-below-instances", max, title)
                    .secondary(goal.at, "losses that are to be survived")
                    .help(format!("`max` is {}: make it {needed} or more", autoscaler.max)),
            ));
        }
    }
    Ok(u32::try_from(needed).unwrap_or(of_file.instances))
}
