//! What follows from the tables, a line each.

use super::{Headroom, words};
use crate::experiment::contingency::{Needed, PoolNeed};
use crate::model::contingency::USUAL_UTILIZATION;

/// Lines of a sort; of more, the first are told.
const MOST_LINES: usize = 6;

/// Every line that applies.
pub(super) fn lines(headroom: &Headroom<'_>) -> Vec<String> {
    let mut lines = instances(headroom);
    lines.extend(at_most(probes(headroom), "kinds of instances"));
    lines.extend(slow_answers(headroom));
    lines.extend(zones(headroom));
    lines.extend(at_most(detection(headroom), "kinds of instances"));
    lines.extend(at_most(ramps(headroom), "pools"));
    lines.extend(at_most(drains(headroom), "drains"));
    lines
}

fn at_most(mut lines: Vec<String>, what: &str) -> Vec<String> {
    if lines.len() > MOST_LINES {
        let rest = lines.len() - MOST_LINES;
        lines.truncate(MOST_LINES);
        lines.push(format!("(and {rest} more {what}; --format json has them all)"));
    }
    lines
}

fn instances(headroom: &Headroom<'_>) -> Vec<String> {
    let (found, scenario) = (headroom.found, headroom.scenario);
    let is_unplaced = found.losses.iter().any(|loss| loss.unplaced_ratio > 0.0);
    let of_what = if is_unplaced { ", of what has somewhere to go" } else { "" };
    let at = |needed, ceiling| {
        let (now, more) = found.instances(scenario, needed);
        let now = words::counted(now, "instance");
        let cost = match more {
            None => "no number is enough, as their own probes are too much".to_owned(),
            Some(0) => format!("{now} will do"),
            Some(more) => format!("takes {} more than the {now} now", words::count(more as f64)),
        };
        let ceiling = words::percent_to_one_decimal(ceiling);
        format!(
            "no instance above {ceiling} after any loss, as unconditional splits{of_what}: {cost}"
        )
    };
    let mut lines = vec![at(Needed::AtCeiling, found.ceiling)];
    if found.ceiling != USUAL_UTILIZATION {
        lines.push(at(Needed::AtUsual, USUAL_UTILIZATION));
    }
    lines
}

/// One line a kind: at which utilization fitting in is no longer fine.
fn probes(headroom: &Headroom<'_>) -> Vec<String> {
    let scenario = headroom.scenario;
    let mut said: Vec<usize> = Vec::new();
    let mut lines = Vec::new();
    for need in &headroom.found.pools {
        let kind = scenario.pools[need.pool.index()].kind.index();
        if said.contains(&kind) {
            continue;
        }
        said.push(kind);
        let name = &scenario.kinds[kind].name;
        let timeout = words::duration(scenario.kinds[kind].health_check.timeout.get());
        lines.extend(need.probes_fail_at.map(|utilization| {
            let at = words::percent_to_one_decimal(utilization);
            let fitting = match utilization {
                0.0 => return format!(
                    "one deep probe in a hundred of {name} takes over {timeout} even with no load"
                ),
                well if well < 1.0 => "fitting in is not yet fine",
                _ => "only overload fails them",
            };
            format!(
                "the slowest {name} fails one deep probe in a hundred (over {timeout}) from {at} \
                 of its pool's capacity on: {fitting}"
            )
        }));
    }
    lines
}

fn slow_answers(headroom: &Headroom<'_>) -> Option<String> {
    let loss = headroom.found.worst()?;
    let fullest = loss.fullest?;
    let name = &headroom.scenario.pools[fullest.pool.index()].name;
    let zones = words::listed(&headroom.zone_names(&loss.zones));
    let said = |latency: crate::experiment::contingency::Latency| {
        format!(
            "{} on average and {} at p99",
            words::duration(latency.mean_s),
            words::duration(latency.p99_s)
        )
    };
    Some(match (fullest.latency, fullest.slowest_latency) {
        (Some(mean), Some(slowest)) if mean == slowest => {
            format!("after losing {zones}, answers of {name} settle at {}", said(mean))
        }
        (Some(mean), Some(slowest)) => format!(
            "after losing {zones}, answers of {name} settle at {}; of its slowest instance at {}",
            said(mean),
            said(slowest)
        ),
        (Some(mean), None) => format!(
            "after losing {zones}, answers of {name} settle at {}; at its slowest instance nothing \
             settles: the queue grows without end",
            said(mean)
        ),
        (None, _) if fullest.utilization < 1.0 => return None,
        (None, _) => {
            format!("after losing {zones}, nothing settles at {name}: its queue grows without end")
        }
    })
}

fn zones(headroom: &Headroom<'_>) -> Option<String> {
    let rules = &headroom.found.rules;
    let there = headroom.scenario.zones.len();
    let spare = words::percent_to_one_decimal(rules.headroom?);
    Some(match rules.fewest_zones {
        Some(fewest) => format!(
            "with {spare} headroom it takes {} equal zones or more to survive the loss of one: \
             1 ÷ (N−1) ≤ headroom; there {} {there}",
            words::count(fewest as f64),
            if there == 1 { "is" } else { "are" }
        ),
        None => "without headroom no number of zones survives the loss of one".to_owned(),
    })
}

fn detection(headroom: &Headroom<'_>) -> Vec<String> {
    let found = headroom.found.rules.detection.iter();
    found
        .map(|detection| {
            format!(
                "a dead {} stays in rotation for {} to {}: (n−1) · interval + time-out, and up to \
                 an interval",
                headroom.scenario.kinds[detection.kind.index()].name,
                words::duration(detection.least_s),
                words::duration(detection.most_s)
            )
        })
        .collect()
}

fn ramps(headroom: &Headroom<'_>) -> Vec<String> {
    let scenario = headroom.scenario;
    let grown = |pool: &PoolNeed| pool.worst_loss.is_some();
    let ramps = headroom.found.rules.ramps.iter().filter(|ramp| {
        headroom.found.pools.iter().any(|need| need.pool == ramp.pool && grown(need))
    });
    ramps
        .map(|ramp| {
            let pool = &scenario.pools[ramp.pool.index()].name;
            let autoscaler = &scenario.autoscalers[ramp.autoscaler.index()].name;
            let growth = words::percent_to_one_decimal(ramp.growth);
            match (ramp.ramp_s, ramp.left) {
                (Some(ramp_s), _) => format!(
                    "a ramp of {} or more never overloads {pool}, which grows by {growth} while \
                     autoscaler {autoscaler} catches up",
                    words::duration(ramp_s)
                ),
                (None, None) => format!(
                    "autoscaler {autoscaler} watches nothing of {pool} that says how full it is: \
                     no ramp is known to be slow enough"
                ),
                (None, Some(_)) => format!(
                    "no ramp is slow enough for {pool}: there is nothing left of it when \
                     autoscaler {autoscaler} first acts"
                ),
            }
        })
        .collect()
}

fn drains(headroom: &Headroom<'_>) -> Vec<String> {
    let percent = words::percent_to_one_decimal;
    let found = headroom.found.rules.drains.iter();
    found
        .map(|drained| {
            let event = &headroom.scenario.events[drained.event].name;
            let share = percent(drained.share);
            match drained.growth {
                Some(growth) => format!(
                    "{event} moves {share} of the load: what takes it grows by {}, f ÷ (1−f)",
                    percent(growth)
                ),
                None => format!("{event} moves all of the load: nothing else takes it"),
            }
        })
        .collect()
}
