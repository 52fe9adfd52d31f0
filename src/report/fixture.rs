//! A small fleet and fabricated results for tests of the reports.

use crate::engine::{Happening, LogEntry};
use crate::metric::{
    FleetRow, Outcome, PhaseRow, PoolRow, PoolState, ResourceRow, RunResult, Summary,
};
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
        mitigations: String::new(),
        rank: None,
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
            receiving_pool_capacity_utilization: None,
            cascade_propagation_count: 0,
            fleet_wide_capacity_trend: 0.0,
        }],
        resources: vec![],
        phases: vec![],
        log: log(),
        alerts: vec![],
        alert_names: String::new(),
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
            degraded_rps: 0.0,
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
            deferred: 0.0,
            state: PoolState::Healthy,
            receiving_pool_capacity_utilization: None,
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

/// What an autoscaler on the wrong and one on the right signal make of
/// [`proxied`](crate::metric::fixture::proxied).
pub(crate) fn proxied_results() -> Vec<RunResult> {
    let blind = Ladder {
        policy: "watch-cpu",
        instances: [1, 1, 1, 1],
        peak: [60.0, 100.0, 100.0, 100.0],
        slots: [0.5, 0.9, 0.99, 1.0],
        cpu: [0.4, 0.37, 0.19, 0.11],
        rejected: [0.0, 0.08, 0.51, 0.74],
    };
    let seeing = Ladder {
        policy: "watch-concurrency",
        instances: [1, 2, 3, 5],
        peak: [60.0, 110.0, 210.0, 410.0],
        slots: [0.5, 0.5, 0.67, 0.8],
        cpu: [0.4; 4],
        rejected: [0.0; 4],
    };
    vec![blind.result(), seeing.result()]
}

struct Ladder {
    policy: &'static str,
    instances: [u32; 4],
    peak: [f64; 4],
    slots: [f64; 4],
    cpu: [f64; 4],
    rejected: [f64; 4],
}

impl Ladder {
    fn result(&self) -> RunResult {
        let goodput = 1.0 - self.rejected.iter().sum::<f64>() / 4.0;
        let outcome = if goodput < 1.0 { Outcome::Degraded } else { Outcome::Stable };
        let rejected_ratio = 1.0 - goodput;
        let plain = result(self.policy, "none", outcome, goodput);
        let pool_row = |row: &PoolRow| PoolRow { bottleneck: Some(0), ..*row };
        let summary = Summary { rejected_ratio, lost_ratio: 0.0, ..plain.summary };
        RunResult {
            trigger_s: Some(3.0),
            timeline: plain.timeline.iter().filter(|row| row.pool.0 < 2).map(pool_row).collect(),
            resources: (1..=24).flat_map(|row| self.resources(row)).collect(),
            phases: (0..4).flat_map(|phase| self.phases(phase)).collect(),
            log: vec![],
            summary,
            ..plain
        }
    }

    /// Rows of half a second, three seconds a phase.
    fn resources(&self, row: u32) -> [ResourceRow; 2] {
        let phase = (row as usize - 1) / 6;
        let instances = f64::from(self.instances[phase]);
        let one = |pool: u32, utilization: f64, limit: f64| ResourceRow {
            time_s: 0.5 * f64::from(row),
            pool: PoolId(pool),
            resource: 0,
            used: utilization * limit,
            limit,
            utilization: Some(utilization),
            binding: true,
        };
        [one(0, self.slots[phase], 100.0 * instances), one(1, self.cpu[phase], 5.0)]
    }

    fn phases(&self, index: usize) -> [PhaseRow; 2] {
        let offered = 50.0 * f64::from(1_u32 << index);
        let instances = self.instances[index];
        let completed_rps = 1000.0 * (1.0 - self.rejected[index]);
        let proxy = PhaseRow {
            phase: index as u32,
            pool: PoolId(0),
            offered_in_flight: offered,
            in_flight_peak: self.peak[index],
            concurrency_limit: Some(100.0 * f64::from(instances)),
            instances,
            cpu_utilization: None,
            rejected_ratio: Some(self.rejected[index]),
            offered_rps: 1000.0,
            retry_rps: 0.0,
            completed_rps,
            goodput_ratio: Some(completed_rps / 1000.0),
            bottleneck: Some(0),
            bottleneck_utilization: Some(self.slots[index]),
        };
        let service = PhaseRow {
            pool: PoolId(1),
            concurrency_limit: None,
            instances: 1,
            cpu_utilization: Some(self.cpu[index]),
            rejected_ratio: Some(0.0),
            offered_rps: completed_rps,
            goodput_ratio: Some(1.0),
            bottleneck_utilization: Some(self.cpu[index]),
            ..proxy
        };
        [proxy, service]
    }
}
