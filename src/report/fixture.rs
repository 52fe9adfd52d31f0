//! A small fleet and fabricated results for tests of the reports.

use crate::engine::{Happening, LogEntry};
use crate::metric::{FleetRow, Outcome, PoolRow, PoolState, RunResult, Summary};
use crate::model::{PoolId, Scenario, ZoneId};

/// Zones a, b, c; a pool of twelve instances in each; zone a fails at 60 s, of a cause that has to
/// be quoted.
pub(crate) fn scenario() -> Scenario {
    let mut scenario = super::chart::fixture::scenario(&["a", "b", "c"], 1);
    for event in &mut scenario.events {
        event.cause = Some("disk pressure, \"again\"".to_owned());
    }
    scenario
}

pub(crate) fn result(
    policy: &str,
    policy_kind: &'static str,
    outcome: Outcome,
    goodput_ratio: f64,
) -> RunResult {
    let is_full = outcome == Outcome::FullOutage;
    let summary = Summary {
        outcome,
        is_judged: true,
        recovered: None,
        goodput_ratio,
        late_ratio: 0.0,
        degraded_ratio: 0.0,
        shed_ratio: 0.0,
        rejected_ratio: 0.0,
        lost_ratio: 1.0 - goodput_ratio,
        unfinished_ratio: 0.0,
        goodput_of_bound: Some(goodput_ratio),
        min_healthy_capacity_ratio: if is_full { 0.0 } else { 2.0 / 3.0 },
        final_healthy_capacity_ratio: if is_full { 0.0 } else { 2.0 / 3.0 },
        peak_receiver_utilization: None,
        cascade_propagation_count: if is_full { 2 } else { 0 },
        time_to_first_redirect_s: None,
        time_to_first_propagation_s: None,
        time_to_full_outage_s: is_full.then_some(165.0),
        time_to_nothing_in_rotation_s: is_full.then_some(197.0),
        time_to_recover_s: None,
        peak_amplification: Some(1.0),
    };
    RunResult {
        policy: policy.to_owned(),
        policy_kind,
        plane: crate::model::Plane::Fluid,
        trigger_s: Some(60.0),
        timeline: timeline(2),
        fleet: vec![FleetRow {
            time_s: 0.5,
            offered_rps: 501.1,
            completed_rps: 501.1,
            healthy_capacity_rps: 576.0,
            healthy_capacity_ratio: 1.0,
            bound_rps: 501.1,
        }],
        resources: vec![],
        phases: vec![],
        log: log(),
        summary,
    }
}

/// So many intervals of three pools, every figure of full length.
pub(crate) fn timeline(intervals: u32) -> Vec<PoolRow> {
    let row = |interval: u32, pool: u32| {
        let value = f64::from(3 * interval + pool + 1) / 3.0;
        PoolRow {
            time_s: 0.5 * f64::from(interval + 1),
            pool: PoolId(pool),
            offered_rps: value,
            retry_rps: 0.0,
            redirected_in_rps: value / 7.0,
            redirected_out_rps: value / 11.0,
            completed_rps: value / 13.0,
            late_rps: value / 17.0,
            shed_rps: 0.0,
            rejected_rps: value / 1900.0,
            lost_rps: value / 23.0,
            instances: 12,
            instances_in_rotation: 11,
            capacity_rps: 176.0,
            healthy_capacity_rps: value,
            utilization: Some(value / 29.0),
            bottleneck: None,
            in_flight: value * 31.0,
            queue: value * 37.0,
            latency_mean_s: Some(value / 41.0),
            latency_p99_s: None,
            state: PoolState::Healthy,
        }
    };
    (0..intervals).flat_map(|interval| (0..3).map(move |pool| row(interval, pool))).collect()
}

/// One of everything that can happen.
pub(crate) fn log() -> Vec<LogEntry> {
    let (pool, instance) = (PoolId(0), 3);
    let (in_rotation, expected) = (7, 12);
    [
        Happening::EventBegan { event: 0, zone: Some(ZoneId(0)), pool: None },
        Happening::InstanceDied { pool, instance },
        Happening::InstanceRestarted { pool, instance },
        Happening::InstanceStarted { pool, instance },
        Happening::InstanceUnhealthy { pool, instance },
        Happening::InstanceHealthy { pool, instance },
        Happening::PoolUnhealthy { pool, in_rotation, expected },
        Happening::RedirectStart { pool, rps: 1669.6 },
        Happening::ShedStart { pool, rps: 12.5 },
        Happening::ShedEnd { pool },
        Happening::RedirectEnd { pool },
        Happening::PoolHealthy { pool, in_rotation, expected },
        Happening::EventEnded { event: 0, zone: Some(ZoneId(0)), pool: None },
    ]
    .into_iter()
    .enumerate()
    .map(|(index, what)| LogEntry { time_s: 60.0 + index as f64, what })
    .collect()
}

/// What each policy does to this fleet.
pub(crate) fn results() -> Vec<RunResult> {
    vec![
        result("none", "none", Outcome::Degraded, 0.680),
        result("unconditional", "unconditional", Outcome::FullOutage, 0.237),
        result("rate-limited", "rate-limited", Outcome::FullOutage, 0.419),
        result("capacity-aware", "capacity-aware", Outcome::Degraded, 0.700),
    ]
}
