//! Files that run and yet may not show what their author means.

use std::collections::{BTreeMap, BTreeSet};

use super::document::{Document, Entity};
use super::problems::Problems;
use super::setting::Section;
use super::{lint_time, lint_unread};
use crate::diagnostic::{Problem, Span};
use crate::model::{Balancing, Event, InstanceKind, Pool, PoolId, ProbeKind, Scenario, WhenFull};

/// A probe time-out below so many mean service times fails healthy instances …
const FEW_SERVICE_TIMES: f64 = 3.0;
/// … when the instance has no more workers than this.
const FEW_WORKERS: u32 = 16;

/// Looks at a valid scenario and reports what is odd.
pub(super) fn lint(document: &Document, scenario: &Scenario, problems: &mut Problems) {
    nowhere_to_go(document, scenario, problems);
    for (index, kind) in scenario.kinds.iter().enumerate() {
        if let Some(entity) = document.table(Section::Instance).get(&kind.name) {
            let makes_calls = |pool: &Pool| pool.kind.index() == index && !pool.calls.is_empty();
            // How long a queue lasts depends on the callees then.
            if !scenario.pools.iter().any(makes_calls) {
                queue_hides_slow_probes(entity, kind, problems);
            }
            tight_probe_timeout(entity, kind, problems);
        }
    }
    let load_rps = scenario.home_load_rps();
    for (index, pool) in scenario.pools.iter().enumerate() {
        if let Some(entity) = document.table(Section::Pool).get(&pool.name) {
            no_steady_state(entity, index, load_rps[index], scenario, problems);
        }
    }
    run_ends_early(document, scenario, problems);
    lint_time::gives_up_too_soon(document, scenario, problems);
    lint_time::sync_between_steps(document, scenario, problems);
    lint_unread::unused(document, problems);
    lint_unread::means_nothing(document, scenario, problems);
}

fn nowhere_to_go(document: &Document, scenario: &Scenario, problems: &mut Problems) {
    let mut zones: BTreeMap<_, BTreeSet<_>> = BTreeMap::new();
    for pool in &scenario.pools {
        zones.entry(pool.service).or_default().insert(pool.zone);
    }
    for pool in &scenario.pools {
        let Some(entity) = document.table(Section::Pool).get(&pool.name) else { continue };
        // Who writes `failover` has thought of it.
        let says_so = entity.tables.contains_key("failover");
        if says_so || zones.get(&pool.service).is_some_and(|zones| zones.len() > 1) {
            continue;
        }
        let title = format!("pool `{}` has nowhere to fail over to", entity.shown);
        problems.push(Problem::warning("no-failover-target", entity.at, title).help(format!(
            "no pool in another zone serves `{}`: add one, or write `failover = {{}}`",
            scenario.services[pool.service.index()]
        )));
    }
}

fn queue_hides_slow_probes(entity: &Entity, kind: &InstanceKind, problems: &mut Problems) {
    // A queue without a limit to what is served never fills.
    let Some(limit) = kind.queue_limit.filter(|_| kind.capacity_rps(None).is_finite()) else {
        return;
    };
    let longest_wait_s = limit as f64 / kind.capacity_rps(None);
    let timeout_s = kind.health_check.timeout.get();
    if kind.health_check.kind == ProbeKind::Shallow || longest_wait_s >= timeout_s {
        return;
    }
    let title = format!(
        "a full queue of `{}` takes {} s, less than the probes' time-out of \
         {timeout_s} s",
        kind.name,
        to_thousandths(longest_wait_s)
    );
    let at = entity.place("queue_limit");
    let enough = (timeout_s * kind.capacity_rps(None)).ceil();
    let problem = Problem::warning("queue-hides-slow-probes", at, title)
        .label("so waiting alone can never fail a probe")
        .help("this file can show no cascade by slow probes")
        .help(format!("it takes a `queue_limit` of {enough} or more, or a shorter `timeout`"));
    problems.push(match entity.get("health_check.timeout") {
        Some(entry) => problem.secondary(entry.at, "the time-out"),
        None => problem,
    });
}

fn tight_probe_timeout(entity: &Entity, kind: &InstanceKind, problems: &mut Problems) {
    let check = &kind.health_check;
    let least_s = FEW_SERVICE_TIMES * kind.service_time.get();
    let is_tight =
        check.timeout.get() < least_s && kind.workers.is_some_and(|workers| workers <= FEW_WORKERS);
    if check.kind == ProbeKind::Shallow || !is_tight {
        return;
    }
    let at = entity.place("health_check.timeout");
    let title = "the probes' `timeout` is under 3 mean service times, with few workers";
    problems.push(
        Problem::warning("probe-timeout-tight", at, title)
            .help("random waits alone will fail the probes of instances that are well")
            .help(format!("allow {least_s} s or more, or give an instance more workers")),
    );
}

fn no_steady_state(
    entity: &Entity,
    pool: usize,
    load_rps: f64,
    scenario: &Scenario,
    problems: &mut Problems,
) {
    let Some(words) = starts_empty(&entity.shown, pool, load_rps, scenario) else { return };
    let key = if entity.get("demand_rps").is_some() { "demand_rps" } else { "headroom" };
    problems.push(grows_without_end(entity.place(key), words));
}

/// What to say of a pool of which an instance has no steady state, and so starts empty.
fn starts_empty(shown: &str, index: usize, load_rps: f64, scenario: &Scenario) -> Option<String> {
    let pool = &scenario.pools[index];
    let kind = &scenario.kinds[pool.kind.index()];
    let probes_rps = match kind.health_check.kind {
        ProbeKind::Deep => 1.0 / kind.health_check.interval.get(),
        ProbeKind::Shallow => 0.0,
    };
    let slowest = match pool.balancing {
        // Who asks for the load sends slow instances less.
        Balancing::LeastRequest { .. } => 1.0,
        _ if pool.instances == 1 => 1.0,
        Balancing::Random | Balancing::RoundRobin => 1.0 - kind.speed_spread.get(),
    };
    let sent_rps = load_rps / f64::from(pool.instances) + probes_rps;
    let capacity_rps = scenario.instance_capacity_rps(PoolId::from_index(index)) * slowest;
    let crashes = kind.resources.iter().any(|r| r.when_full() == Some(WhenFull::Crash));
    let is_bounded = kind.places(!pool.calls.is_empty()).is_some()
        || kind.queue_limit.is_some()
        || kind.max_wait.is_some()
        || crashes;
    let is_steady = match kind.workers {
        // As the engine has it: tries and probes in the system against workers.
        Some(workers) if kind.resources.is_empty() && pool.calls.is_empty() => {
            sent_rps / (slowest / kind.service_time.get()) < f64::from(workers)
        }
        _ => sent_rps < capacity_rps,
    };
    (!is_bounded && !is_steady).then(|| {
        format!(
            "an instance of pool `{shown}` is sent {sent_rps:.3} rps, probes included: not below \
             its capacity of {capacity_rps:.3} rps"
        )
    })
}

fn grows_without_end(at: Span, title: String) -> Problem {
    Problem::warning("no-steady-state", at, title)
        .label("its queue grows without end, and starts empty")
        .help("lower the demand, add instances, or give them a `queue_limit`")
}

/// The outcome goes by the requests that arrive once the fault is detected: are there any?
fn run_ends_early(document: &Document, scenario: &Scenario, problems: &mut Problems) {
    let Some((event, words)) = undetected(scenario) else { return };
    let duration = document.simulation.get("duration").map(|entry| entry.at);
    let event = document.table(Section::Event).get(&event.name).map(|entity| entity.at);
    let Some(at) = duration.or(event) else { return };
    problems.push(ends_early(at, words, scenario));
}

/// The event that takes longest to be detected, if the run ends first, and what to say of it.
fn undetected(scenario: &Scenario) -> Option<(&Event, String)> {
    let simulation = &scenario.simulation;
    let by_s = |event: &&Event| scenario.detected_by_s(event);
    let last = scenario.events.iter().max_by(|a, b| by_s(a).total_cmp(&by_s(b)))?;
    if simulation.boundary_at(scenario.detection_deadline_s()) < simulation.steps() {
        return None;
    }
    let words = format!(
        "the run ends at {} s, before event `{}` is sure to be detected, at {} s",
        simulation.duration.get(),
        last.name,
        by_s(&last)
    );
    Some((last, words))
}

fn ends_early(at: Span, title: String, scenario: &Scenario) -> Problem {
    let least_s = scenario.detection_deadline_s();
    Problem::warning("run-ends-before-detection", at, title)
        .help("no request is left by which to tell whether the fleet holds")
        .help(format!("make `duration` longer than {least_s} s, or detect faster"))
}

/// What is odd about a scenario under a policy's `set`, and is not without it.
pub(super) fn lint_case(
    document: &Document,
    base: &Scenario,
    policy: &str,
    case: &Scenario,
    set_at: Span,
    problems: &mut Problems,
) {
    if let (None, Some((_, words))) = (undetected(base), undetected(case)) {
        problems.push(ends_early(set_at, format!("under policy `{policy}` {words}"), case));
    }
    let (before_rps, load_rps) = (base.home_load_rps(), case.home_load_rps());
    for (index, pool) in case.pools.iter().enumerate() {
        let Some(entity) = document.table(Section::Pool).get(&pool.name) else { continue };
        let before = starts_empty(&entity.shown, index, before_rps[index], base);
        let now = starts_empty(&entity.shown, index, load_rps[index], case);
        if let (None, Some(words)) = (before, now) {
            let title = format!("under policy `{policy}` {words}");
            problems.push(grows_without_end(set_at, title));
        }
    }
}

/// A policy's `set` that moves capacity moves the demand that headroom fixes from it.
pub(super) fn demand_moves(
    base: &Scenario,
    policy: &str,
    case: &Scenario,
    set_at: Span,
    problems: &mut Problems,
) {
    let moved = base.pools.iter().zip(&case.pools).find(|(a, b)| a.demand != b.demand);
    let Some((before, after)) = moved else { return };
    let title = format!(
        "policy `{policy}` moves the demand of pool `{}` from {} to {} rps",
        before.name,
        to_thousandths(before.demand.get()),
        to_thousandths(after.demand.get())
    );
    problems.push(
        Problem::warning("set-moves-demand", set_at, title)
            .label("headroom fixes demand from capacity")
            .help("give the pool `demand_rps` instead of `headroom` to compare at one demand"),
    );
}

pub(super) fn to_thousandths(value: f64) -> f64 {
    (value * 1000.0).round() / 1000.0
}
