//! The last line: what whoever is on call has to know.

use super::{Run, words};
use crate::metric::{Outcome, RunResult};
use crate::model::{Action, Event, PoolId, Scenario, Surged};

/// The verdict on one or more runs of one file, as one sentence without a line break. Empty
/// without runs.
#[must_use]
pub fn verdict_line(runs: &[Run<'_>]) -> String {
    let Some(first) = runs.first() else { return String::new() };
    let condition = condition(first.scenario);
    let results: Vec<&RunResult> = runs.iter().map(|run| run.result).collect();
    match results.as_slice() {
        [only] => format!("{condition}, {}{}.", deed(only), retries(only)),
        all if all.iter().all(|result| is_unjudged(result)) => {
            format!("{condition}, {}.", none_judged(all))
        }
        _ if all_served(&results) => format!("{condition}, {}.", all_hold(&results)),
        _ => format!("{condition}, {}.", compared(&results)),
    }
}

/// From here on retries are part of the verdict.
const AMPLIFIED: f64 = 1.5;

/// "; retries multiplied the load 3.9 ×", where they did.
fn retries(result: &RunResult) -> String {
    match result.summary.peak_amplification {
        Some(factor) if factor >= AMPLIFIED => {
            format!("; retries multiplied the load {}", words::times(factor))
        }
        _ => String::new(),
    }
}

/// What the whole run is about: its first event, the first zone to fail, and how much more follows.
fn condition(scenario: &Scenario) -> String {
    let Some((first, rest)) = scenario.events.split_first() else {
        return "Without any event".to_owned();
    };
    let is_set = |event: &Event| matches!(event.action, Action::Set { .. });
    if !rest.is_empty() && scenario.events.iter().all(is_set) {
        return format!("As settings change {} times", scenario.events.len());
    }
    let first_clause = clause(scenario, first);
    let is_outage = |event: &Event| matches!(event.action, Action::ZoneOutage { .. });
    let main = rest.iter().find(|event| is_outage(event) && !is_outage(first)).or(rest.first());
    match (main.map(|event| clause(scenario, event)), rest.len()) {
        (None, _) => format!("If {first_clause}"),
        (Some(second), 1) => format!("If {first_clause} and {second}"),
        (Some(second), 2) => format!("If {first_clause}, {second} and 1 more event follows"),
        (Some(second), count) => {
            format!("If {first_clause}, {second} and {} more events follow", count - 1)
        }
    }
}

/// What an event does, as a clause: "zone a fails".
fn clause(scenario: &Scenario, event: &Event) -> String {
    let pools = |pools: &[PoolId]| {
        let names: Vec<&str> =
            pools.iter().map(|pool| scenario.pools[pool.index()].name.as_str()).collect();
        words::listed(&names)
    };
    let verb = |pools: &[PoolId], one: &'static str, many: &'static str| match pools {
        [_] => one,
        _ => many,
    };
    match &event.action {
        Action::ZoneOutage { zone } => format!("zone {} fails", scenario.zones[zone.index()].name),
        Action::InstanceLoss { pool, .. } => format!("instances of {} die", pools(&[*pool])),
        Action::Drain { pools: ids, .. } => {
            format!("{} {} drained", pools(ids), verb(ids, "is", "are"))
        }
        Action::Slow { pools: ids, .. } => {
            format!("{} {} down", pools(ids), verb(ids, "slows", "slow"))
        }
        Action::Errors { pools: ids, .. } => {
            format!("{} {} errors", pools(ids), verb(ids, "answers", "answer"))
        }
        Action::Surge { of, factor } => {
            let whose = match of {
                Surged::Pool(pool) => format!("for {}", pools(&[*pool])),
                Surged::Source(id) => format!("of {}", scenario.sources[id.index()].name),
            };
            let does = match factor.get() {
                0.0 => "pauses",
                factor if factor < 1.0 => "falls",
                _ => "surges",
            };
            format!("demand {whose} {does}")
        }
        Action::LaunchesRefused { pools: ids } => format!("{} can launch nothing", pools(ids)),
        Action::AddInstances { pool, .. } => format!("instances are added to {}", pools(&[*pool])),
        Action::Set { .. } => format!("{} changes settings", event.name),
    }
}

/// Policies that are all but perfect need no comparison.
fn all_served(results: &[&RunResult]) -> bool {
    let serves = |r: &RunResult| {
        let summary = &r.summary;
        let holds = summary.outcome == Outcome::Stable && !is_unjudged(r);
        holds && summary.goodput_ratio >= words::HELD
    };
    results.iter().all(|result| serves(result))
}

fn all_hold(results: &[&RunResult]) -> String {
    let least = words::percent(least_goodput(results));
    format!("every policy holds: at least {least} of requests are served")
}

fn none_judged(results: &[&RunResult]) -> String {
    let least = words::percent(least_goodput(results));
    format!("every policy keeps at least {least} of requests, but {ENDS_TOO_EARLY}")
}

fn least_goodput(results: &[&RunResult]) -> f64 {
    results.iter().map(|result| result.summary.goodput_ratio).fold(1.0, f64::min)
}

/// The most harmful policy first, then doing nothing, then the best.
fn compared(results: &[&RunResult]) -> String {
    let goodput = |result: &RunResult| result.summary.goodput_ratio;
    // A fleet that fell is worse than one that shed more: it may not get up again.
    let by_merit = |a: &&&RunResult, b: &&&RunResult| {
        let outcomes = a.summary.outcome.cmp(&b.summary.outcome);
        outcomes.then(goodput(a).total_cmp(&goodput(b)))
    };
    let is_baseline = |result: &RunResult| result.policy_kind == "none";
    let baseline = results.iter().find(|result| is_baseline(result)).copied();
    let active = || results.iter().filter(|result| !is_baseline(result));
    // Of equals the first in the file is named: `max_by` would take the last.
    let Some(worst) = active().min_by(by_merit).copied() else {
        return results.iter().map(|result| deed_of_many(result)).collect::<Vec<_>>().join("; ");
    };
    let best = active().rev().max_by(by_merit).copied().unwrap_or(worst);
    let mut clauses = vec![deed_of_many(worst)];
    if let Some(baseline) = baseline {
        let share = words::percent(goodput(baseline));
        clauses.push(if goodput(baseline) > goodput(worst) {
            format!("doing nothing would have kept {share} of requests")
        } else {
            format!("doing nothing keeps {share} of requests")
        });
    }
    if !std::ptr::eq(best, worst) {
        clauses.push(deed_of_many(best));
    }
    clauses.join("; ")
}

/// What one of several policies does, and what retries do under it.
fn deed_of_many(result: &RunResult) -> String {
    let deed = deed(result);
    match result.summary.peak_amplification {
        Some(factor) if factor >= AMPLIFIED => {
            format!("{deed} while retries multiply the load {}", words::times(factor))
        }
        _ => deed,
    }
}

/// What a policy does to the fleet.
fn deed(result: &RunResult) -> String {
    let summary = &result.summary;
    let subject = subject(result);
    let kept = words::percent(summary.goodput_ratio);
    match summary.outcome {
        Outcome::Stable if is_without_requests(result) => {
            format!("{subject} has no request to serve")
        }
        Outcome::FullOutage if summary.time_to_full_outage_s.is_some_and(|time_s| time_s < 0.0) => {
            format!(
                "{subject} leaves no pool healthy even before that and keeps {kept} of requests"
            )
        }
        Outcome::FullOutage => {
            // Between its losses a flapping fleet serves, so it is not down.
            let is_down_for_good = summary.final_healthy_capacity_ratio == 0.0;
            let deed = match summary.time_to_nothing_in_rotation_s {
                Some(_) if is_down_for_good => "takes the whole fleet down in",
                _ => "leaves no pool healthy after",
            };
            let time = words::duration(summary.time_to_full_outage_s.unwrap_or_default());
            format!("{subject} {deed} {time} and keeps {kept} of requests")
        }
        Outcome::PartialOutage if summary.cascade_propagation_count > 0 => {
            let further = u64::from(summary.cascade_propagation_count);
            let further = words::counted(further, "further pool");
            format!("{subject} costs {further} and keeps {kept} of requests")
        }
        Outcome::PartialOutage => {
            format!("{subject} loses a pool that nothing hit and keeps {kept} of requests")
        }
        Outcome::Degraded => format!("{subject} keeps {kept} of requests"),
        Outcome::Stable if is_unjudged(result) => {
            format!("{subject} keeps {kept} of requests, but {ENDS_TOO_EARLY}")
        }
        Outcome::Stable if summary.goodput_ratio >= words::HELD => {
            format!("{subject} holds and keeps {kept} of requests")
        }
        Outcome::Stable => format!("{subject} holds in the end and keeps {kept} of requests"),
    }
}

/// What a stable outcome is worth when the run stops before the detection deadline.
const ENDS_TOO_EARLY: &str = "the run ends before the fault is detected";

/// Stable so far, for want of requests that the outcome could go by.
pub(super) fn is_unjudged(result: &RunResult) -> bool {
    let is_stable = result.summary.outcome == Outcome::Stable;
    is_stable && !result.summary.is_judged && !is_without_requests(result)
}

/// Nothing arrived after the trigger: shares of nothing say nothing.
fn is_without_requests(result: &RunResult) -> bool {
    let s = &result.summary;
    let failed = s.late_ratio + s.shed_ratio + s.rejected_ratio + s.lost_ratio;
    s.goodput_ratio + failed + s.unfinished_ratio == 0.0
}

fn subject(result: &RunResult) -> String {
    match (result.policy_kind, result.policy.as_str()) {
        ("none", "none") => "doing nothing".to_owned(),
        (kind, name) if kind == name => format!("{name} failover"),
        (_, name) => name.to_owned(),
    }
}
