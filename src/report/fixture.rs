//! A small fleet and fabricated results for tests of the reports.

use crate::engine::{Happening, LogEntry};
use crate::metric::{FleetRow, Outcome, PoolRow, PoolState, RunResult, Summary};
use crate::model::{
    Action, Balancing, Client, ClientId, Event, HealthCheck, InstanceKind, KindId, OnUnhealthy,
    Pool, PoolFailover, PoolId, ProbeKind, Scenario, ServiceId, Simulation, TopologyGraph, Zone,
    ZoneId,
};
use crate::units::{Ratio, Rps, Seconds};

pub(crate) fn seconds(value: f64) -> Seconds {
    Seconds::new(value).expect("a duration")
}

/// Zones a, b, c; a pool of twelve instances in each; zone a fails at 60 s.
pub(crate) fn scenario() -> Scenario {
    let ratio = |value| Ratio::new(value).expect("a ratio");
    let health_check = HealthCheck {
        kind: ProbeKind::Deep,
        interval: seconds(20.0),
        timeout: seconds(12.0),
        unhealthy_threshold: 3,
        healthy_threshold: 2,
        on_unhealthy: OnUnhealthy::Remove,
        phase: None,
    };
    let kind = InstanceKind {
        name: "planner".to_owned(),
        workers: 32,
        service_time: seconds(2.0),
        queue_limit: Some(1600),
        speed_spread: ratio(0.05),
        startup_time: seconds(90.0),
        restart_time: seconds(60.0),
        max_wait: None,
        warm_up: Seconds::ZERO,
        slow_start: Seconds::ZERO,
        redirect_cost: 1.0,
        health_check,
    };
    let pools: Vec<Pool> = [("a", 0.15), ("b", 0.12), ("c", 0.18)]
        .into_iter()
        .enumerate()
        .map(|(index, (zone, headroom))| Pool {
            name: format!("planner-{zone}"),
            zone: ZoneId::from_index(index),
            kind: KindId(0),
            service: ServiceId(0),
            client: ClientId(0),
            instances: 12,
            demand: Rps::new(192.0 / (1.0 + headroom)).expect("a rate"),
            failover_threshold: ratio(0.67),
            panic_threshold: Ratio::ZERO,
            balancing: Balancing::Random,
        })
        .collect();
    let graph = TopologyGraph::new(3, 1, &pools, &vec![PoolFailover::Service; 3]);
    Scenario {
        name: "planner-agent".to_owned(),
        simulation: Simulation { duration: seconds(660.0), step: seconds(0.5), seed: 7 },
        zones: ["a", "b", "c"].map(|name| Zone { name: name.to_owned() }).to_vec(),
        kinds: vec![kind],
        clients: vec![Client { name: "default".to_owned(), timeout: Some(seconds(30.0)) }],
        services: vec!["planner".to_owned()],
        pools,
        graph,
        events: vec![Event {
            name: "zone-a-fails".to_owned(),
            at: seconds(60.0),
            over: seconds(60.0),
            until: None,
            cause: Some("disk pressure, \"again\"".to_owned()),
            action: Action::ZoneOutage { zone: ZoneId(0) },
        }],
        pool_rows: (0..3).map(PoolId).collect(),
        zone_rows: (0..3).map(ZoneId).collect(),
    }
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
        plane: "fluid",
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
