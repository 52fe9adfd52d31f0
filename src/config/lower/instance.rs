//! `[instance.*]` to model values.

use super::get::Table;
use super::resource::resources;
use crate::config::document::Entity;
use crate::config::problems::Problems;
use crate::config::setting::Section;
use crate::diagnostic::Problem;
use crate::model::{HealthCheck, InstanceKind, OnUnhealthy, ProbeKind, ServiceDistribution};
use crate::units::{Ratio, Seconds};

/// The probe time-out when the file is silent and the interval is longer, s.
pub(in crate::config) const DEFAULT_PROBE_TIMEOUT_S: f64 = 5.0;

/// Lowers one instance kind.
pub(super) fn instance(entity: &Entity, problems: &mut Problems) -> Option<InstanceKind> {
    let table = Table::of(Section::Instance, entity);
    let workers = table.optional_count("workers", problems);
    let service_time = table.number("service_time", problems);
    let service_distribution = distribution(&table, problems);
    let resources = resources(&table, problems);
    let held = table.switch("workers_held_during_calls", problems);
    let queue_limit = table.optional_count("queue_limit", problems);
    let speed_spread = table.number("speed_spread", problems);
    let startup_time = table.number("startup_time", problems);
    let restart_time = table.number("restart_time", problems);
    let max_wait = table.optional_number("max_wait", problems);
    let warm_up = table.number("warm_up", problems);
    let slow_start = table.number("slow_start", problems);
    let redirect_cost = table.number("redirect_cost", problems);
    let health_check = health_check(&table, problems);
    Some(InstanceKind {
        name: entity.name.clone(),
        workers: workers?.map(u32::try_from).transpose().ok()?,
        service_time: seconds(service_time)?,
        service_distribution: service_distribution?,
        resources: resources?,
        workers_held_during_calls: held?,
        queue_limit: queue_limit?,
        speed_spread: Ratio::new(speed_spread?).ok()?,
        startup_time: seconds(startup_time)?,
        restart_time: seconds(restart_time)?,
        max_wait: optional_seconds(max_wait)?,
        warm_up: seconds(warm_up)?,
        slow_start: seconds(slow_start)?,
        redirect_cost: redirect_cost?,
        health_check: health_check?,
    })
}

fn distribution(table: &Table<'_>, problems: &mut Problems) -> Option<ServiceDistribution> {
    let word = table.text("service_distribution", problems);
    let cv = table.optional_number("service_cv", problems);
    let word = word?;
    match (word.as_str(), table.entity.get("service_cv")) {
        ("lognormal", Some(_)) => Some(ServiceDistribution::Lognormal { cv: cv?? }),
        ("lognormal", None) => {
            let at = table.place("service_distribution");
            let title = "lognormal service times need a `service_cv`";
            problems.push(
                Problem::error("missing-key", at, title)
                    .help("add `service_cv = 1`: their standard deviation ÷ their mean"),
            );
            None
        }
        (_, Some(entry)) => {
            let title = format!("`service_cv` means nothing to {word} service times");
            let problem = Problem::error("field-of-other-kind", entry.key, title);
            problems.push(
                problem.help("write `service_distribution = \"lognormal\"`, or leave it out"),
            );
            None
        }
        ("deterministic", None) => Some(ServiceDistribution::Deterministic),
        (_, None) => Some(ServiceDistribution::Exponential),
    }
}

pub(super) fn seconds(value: Option<f64>) -> Option<Seconds> {
    Seconds::new(value?).ok()
}

pub(super) fn optional_seconds(value: Option<Option<f64>>) -> Option<Option<Seconds>> {
    match value? {
        Some(value) => Some(Some(Seconds::new(value).ok()?)),
        None => Some(None),
    }
}

fn health_check(table: &Table<'_>, problems: &mut Problems) -> Option<HealthCheck> {
    let kind = table.text("health_check.kind", problems);
    let interval_s = table.number("health_check.interval", problems);
    let timeout_s = table.optional_number("health_check.timeout", problems);
    let unhealthy_threshold = table.small_count("health_check.unhealthy_threshold", problems);
    let healthy_threshold = table.small_count("health_check.healthy_threshold", problems);
    let on_unhealthy = table.text("health_check.on_unhealthy", problems);
    let phase_s = table.optional_number("health_check.phase", problems);
    let max_out = table.number("health_check.max_out_of_rotation", problems);
    let interval_s = interval_s?;
    let default_s = DEFAULT_PROBE_TIMEOUT_S.min(interval_s);
    let timeout_s = timeout_s.map(|timeout_s| timeout_s.unwrap_or(default_s));
    let interval_at = table.place("health_check.interval");
    if timeout_s.is_some_and(|timeout_s| timeout_s > interval_s) {
        problems.push(timeout_over_interval(table, interval_s));
    }
    if phase_s.flatten().is_some_and(|phase_s| phase_s >= interval_s) {
        let at = table.place("health_check.phase");
        let title = "the probes' `phase` must be below their `interval`";
        let problem = Problem::error("phase-over-interval", at, title);
        problems.push(problem.secondary(interval_at, "the interval"));
    }
    Some(HealthCheck {
        kind: match kind?.as_str() {
            "shallow" => ProbeKind::Shallow,
            _ => ProbeKind::Deep,
        },
        interval: seconds(Some(interval_s))?,
        timeout: seconds(timeout_s)?,
        unhealthy_threshold: unhealthy_threshold?,
        healthy_threshold: healthy_threshold?,
        on_unhealthy: match on_unhealthy?.as_str() {
            "restart" => OnUnhealthy::Restart,
            "remove" => OnUnhealthy::Remove,
            _ => OnUnhealthy::Eject,
        },
        phase: optional_seconds(phase_s)?,
        max_out_of_rotation: Ratio::new(max_out?).ok()?,
    })
}

fn timeout_over_interval(table: &Table<'_>, interval_s: f64) -> Problem {
    let at = table.place("health_check.timeout");
    let title = "the probes' `timeout` must be at most their `interval`";
    let problem = Problem::error("timeout-over-interval", at, title)
        .label("longer than the interval")
        .help("shorten `timeout` or lengthen `interval`");
    if table.has("health_check.interval") {
        problem.secondary(table.place("health_check.interval"), "the interval")
    } else {
        problem.help(format!("the interval is {interval_s} s when the file is silent"))
    }
}
