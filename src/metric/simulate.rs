//! Runs a case with every metric watching.

use crate::engine::{self, LogEntry, Observer, Snapshot};
use crate::model::Scenario;
use crate::policy::Case;

use super::alerts::Alerts;
use super::amplification::Amplification;
use super::bound::Bound;
use super::capacity::Capacity;
use super::cascade::Cascade;
use super::outcome::Verdict;
use super::phases::Phases;
use super::recovery::Recovery;
use super::resources::Resources;
use super::series::Series;
use super::shares::Shares;
use super::{FiredAlert, Metric, Outcome, RunResult, Summary};

/// Every metric that fills in a part of the summary, but the bound, which the series read too.
fn metrics(scenario: &Scenario, trigger_s: f64) -> Vec<Box<dyn Metric + '_>> {
    vec![
        Box::new(Shares::new(trigger_s)),
        Box::new(Verdict::new(scenario, trigger_s)),
        Box::new(Cascade::new(scenario, trigger_s)),
        Box::new(Capacity::new(trigger_s)),
        Box::new(Recovery::new(scenario, trigger_s)),
        Box::new(Amplification::default()),
    ]
}

/// Runs a case to its end. A row of the series covers `row_steps` ≥ 1 steps.
#[must_use]
pub fn simulate(case: &Case, row_steps: u32) -> RunResult {
    let scenario = &case.scenario;
    let trigger_s = scenario.trigger_s();
    let window_s = trigger_s.unwrap_or(0.0);
    let mut watch = Watch {
        metrics: metrics(scenario, window_s),
        bound: Bound::new(scenario, window_s),
        series: Series::new(scenario, row_steps),
        resources: Resources::new(scenario),
        phases: Phases::new(scenario),
        alerts: Alerts::new(scenario, window_s),
        log: Vec::new(),
    };
    engine::run(case, row_steps, &mut watch);
    let mut summary = EMPTY;
    for metric in &mut watch.metrics {
        metric.finish(&mut summary);
    }
    watch.bound.finish(&mut summary);
    let alerts = watch.alerts.finish(&summary);
    RunResult {
        policy: case.policy.name.clone(),
        policy_kind: case.policy.kind.name,
        mitigations: case.policy.bundles.join(";"),
        rank: None,
        plane: scenario.simulation.plane,
        trigger_s,
        timeline: watch.series.timeline,
        fleet: watch.series.fleet,
        resources: watch.resources.rows,
        phases: watch.phases.rows(),
        log: watch.log,
        alert_names: names(scenario, &alerts),
        alerts,
        summary,
    }
}

fn names(scenario: &Scenario, alerts: &[FiredAlert]) -> String {
    let name = |alert: &FiredAlert| scenario.alerts[alert.alert as usize].name.as_str();
    alerts.iter().map(name).collect::<Vec<_>>().join(";")
}

struct Watch<'a> {
    metrics: Vec<Box<dyn Metric + 'a>>,
    bound: Bound<'a>,
    series: Series<'a>,
    resources: Resources<'a>,
    phases: Phases<'a>,
    alerts: Alerts<'a>,
    log: Vec<LogEntry>,
}

impl Observer for Watch<'_> {
    fn marks_s(&self) -> Vec<f64> {
        let metrics = self.metrics.iter().filter_map(|metric| metric.mark_s());
        let mut marks_s: Vec<f64> = metrics.chain(self.series.mark_s()).collect();
        // A book costs time in every step: one for each moment is enough.
        marks_s.sort_by(f64::total_cmp);
        marks_s.dedup();
        marks_s
    }

    fn start(&mut self, snapshot: &Snapshot<'_>) {
        self.series.start(snapshot);
        self.bound.start(snapshot);
        self.alerts.start(snapshot);
        for metric in &mut self.metrics {
            metric.start(snapshot);
        }
    }

    fn happened(&mut self, entry: &LogEntry) {
        for metric in &mut self.metrics {
            metric.happened(entry);
        }
        self.alerts.happened(entry);
        self.log.push(*entry);
    }

    fn step(&mut self, snapshot: &Snapshot<'_>) {
        self.bound.step(snapshot);
        self.resources.step(snapshot);
        self.phases.step(snapshot);
        self.alerts.step(snapshot);
        let bound_rps = self.bound.now_rps();
        let bottlenecks = &self.resources.bottlenecks;
        self.series.step(snapshot, bound_rps, bottlenecks, &self.alerts.signals);
        for metric in &mut self.metrics {
            metric.step(snapshot);
        }
    }
}

/// A summary before any metric has filled in its part.
pub(super) const EMPTY: Summary = Summary {
    outcome: Outcome::Stable,
    is_judged: false,
    recovered: None,
    goodput_ratio: 0.0,
    late_ratio: 0.0,
    degraded_ratio: 0.0,
    shed_ratio: 0.0,
    rejected_ratio: 0.0,
    lost_ratio: 0.0,
    unfinished_ratio: 0.0,
    goodput_of_bound: None,
    min_healthy_capacity_ratio: 0.0,
    final_healthy_capacity_ratio: 0.0,
    peak_receiver_utilization: None,
    cascade_propagation_count: 0,
    time_to_first_redirect_s: None,
    time_to_first_propagation_s: None,
    time_to_full_outage_s: None,
    time_to_nothing_in_rotation_s: None,
    time_to_recover_s: None,
    peak_amplification: None,
};
