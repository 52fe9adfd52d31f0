//! Made-up runs for the charts' tests: a cascade with the times of the planner-agent example.

use crate::engine::{Happening, LogEntry};
use crate::metric::{self, FleetRow, Outcome, PoolRow, PoolState, RunResult, Summary};
use crate::model::{
    Action, Arrivals, Balancing, CallMode, Client, ClientId, Event, HealthCheck, InstanceKind,
    KindId, OnUnhealthy, Plane, Pool, PoolFailover, PoolId, ProbeKind, Scenario,
    ServiceDistribution, ServiceId, Simulation, TopologyGraph, Zone, ZoneId, origins,
};
use crate::policy::{self, Case, PolicySpec};
use crate::report::chart::ChartContext;
use crate::units::{Ratio, Rps, Seconds};

pub const HASH: &str = "3f2a9c1b77e0aa55d0c1b2a39485766f3f2a9c1b77e0aa55d0c1b2a394857661";

pub fn context(scenario: &Scenario) -> ChartContext<'_> {
    ChartContext { scenario, seed: 7, file_hash: HASH, file_name: "planner-agent.toml" }
}

fn seconds(value: f64) -> Seconds {
    Seconds::new(value).unwrap()
}

fn ratio(value: f64) -> Ratio {
    Ratio::new(value).unwrap()
}

fn kind() -> InstanceKind {
    InstanceKind {
        name: "planner".into(),
        workers: Some(32),
        service_time: seconds(2.0),
        service_distribution: ServiceDistribution::Exponential,
        resources: Vec::new(),
        workers_held_during_calls: false,
        queue_limit: Some(1600),
        speed_spread: ratio(0.05),
        startup_time: seconds(90.0),
        restart_time: seconds(60.0),
        max_wait: None,
        warm_up: Seconds::ZERO,
        slow_start: Seconds::ZERO,
        redirect_cost: 1.0,
        health_check: HealthCheck {
            kind: ProbeKind::Deep,
            interval: seconds(20.0),
            timeout: seconds(12.0),
            unhealthy_threshold: 3,
            healthy_threshold: 2,
            on_unhealthy: OnUnhealthy::Remove,
            phase: None,
            max_out_of_rotation: Ratio::ONE,
        },
    }
}

/// Zones named as given, so many pools in each, 12 instances of 16 rps a pool; the first zone fails
/// at 60 s.
pub fn scenario(zones: &[&str], pools_a_zone: usize) -> Scenario {
    let headroom = [0.15, 0.12, 0.18];
    let pools: Vec<Pool> = (0..zones.len() * pools_a_zone)
        .map(|index| {
            let (zone, number) = (index / pools_a_zone, index % pools_a_zone);
            let suffix = if pools_a_zone > 1 { format!("-{number}") } else { String::new() };
            Pool {
                name: format!("planner-{}{suffix}", zones[zone]),
                zone: ZoneId(zone as u32),
                kind: KindId(0),
                service: ServiceId(0),
                client: ClientId(0),
                instances: 12,
                demand: Rps::new(192.0 / (1.0 + headroom[zone % 3])).unwrap(),
                has_demand: true,
                arrivals: Arrivals::Poisson,
                calls: Vec::new(),
                call_mode: CallMode::Sequence,
                autoscaler: None,
                failover_threshold: ratio(0.67),
                panic_threshold: Ratio::ZERO,
                balancing: Balancing::Random,
            }
        })
        .collect();
    let failover = vec![PoolFailover::Service; pools.len()];
    let event = Event {
        name: "zone-a-fails".into(),
        at: seconds(60.0),
        over: seconds(60.0),
        until: None,
        cause: Some("disk pressure".into()),
        action: Action::ZoneOutage { zone: ZoneId(0) },
    };
    Scenario {
        name: "planner-agent".into(),
        simulation: Simulation {
            duration: seconds(660.0),
            step: seconds(0.5),
            seed: 7,
            plane: Plane::Fluid,
        },
        zones: zones.iter().map(|name| Zone { name: (*name).into() }).collect(),
        kinds: vec![kind()],
        clients: vec![Client {
            name: "default".into(),
            timeout: Some(seconds(30.0)),
            cancel: false,
            retry: None,
        }],
        services: vec!["planner".into()],
        origins: origins(&pools, &[]),
        sources: vec![],
        autoscalers: vec![],
        phases: vec![],
        alerts: Vec::new(),
        call_order: (0..pools.len()).map(PoolId::from_index).collect(),
        graph: TopologyGraph::new(zones.len(), 1, &pools, &failover),
        pool_rows: (0..pools.len()).map(PoolId::from_index).collect(),
        zone_rows: (0..zones.len()).map(ZoneId::from_index).collect(),
        pools,
        events: if zones.is_empty() { vec![] } else { vec![event] },
    }
}

/// How a made-up run goes: when the instances of each zone leave rotation, after the trigger.
pub struct Plot {
    pub policy: &'static str,
    pub kind: &'static str,
    /// First and last instance out, a zone; infinite when none leaves.
    pub out_s: Vec<(f64, f64)>,
    /// Load on the zones that stay, as a share of their capacity, once redirected.
    pub load_after: f64,
    pub goodput: f64,
}

pub fn cascade() -> Plot {
    let out_s = vec![(52.0, 101.0), (147.0, 190.0), (152.0, 197.0)];
    Plot {
        policy: "unconditional",
        kind: "unconditional",
        out_s,
        load_after: 1.304,
        goodput: 0.237,
    }
}

pub fn five() -> Vec<Plot> {
    let never = (f64::INFINITY, f64::INFINITY);
    let a = (52.0, 101.0);
    let quiet = |policy, kind, load_after, goodput| Plot {
        policy,
        kind,
        out_s: vec![a, never, never],
        load_after,
        goodput,
    };
    let slow = Plot {
        policy: "rate-limited",
        kind: "rate-limited",
        out_s: vec![a, (250.0, 360.0), (270.0, 379.0)],
        load_after: 1.2,
        goodput: 0.419,
    };
    vec![
        quiet("none", "none", 0.87, 0.68),
        cascade(),
        slow,
        quiet("capacity-aware", "capacity-aware", 0.9, 0.70),
        quiet("with-admission", "unconditional", 1.304, 0.764),
    ]
}

/// A run of `rows` intervals of `every_s`.
pub fn result(scenario: &Scenario, plot: &Plot, rows: usize, every_s: f64) -> RunResult {
    let trigger_s = scenario.trigger_s();
    let zero_s = trigger_s.unwrap_or(0.0);
    let (mut timeline, mut fleet) = (Vec::new(), Vec::new());
    for row in 1..=rows {
        let time_s = row as f64 * every_s;
        let wobble = 1.0 + 0.03 * libm::sin(row as f64 * 0.7) * libm::cos(row as f64 * 0.131);
        let mut total = FleetRow {
            time_s,
            offered_rps: 0.0,
            completed_rps: 0.0,
            healthy_capacity_rps: 0.0,
            healthy_capacity_ratio: 0.0,
            bound_rps: 0.0,
            receiving_pool_capacity_utilization: None,
            cascade_propagation_count: 0,
            fleet_wide_capacity_trend: 0.0,
        };
        let mut up_rps = 0.0;
        for id in (0..scenario.pools.len()).map(PoolId::from_index) {
            let row = pool_row(scenario, plot, id, (time_s, time_s - zero_s), wobble);
            total.offered_rps += row.offered_rps;
            total.completed_rps += row.completed_rps;
            total.healthy_capacity_rps += row.healthy_capacity_rps;
            up_rps += up_share(scenario, id, time_s - zero_s) * 192.0;
            timeline.push(row);
        }
        total.bound_rps = total.offered_rps.min(up_rps);
        fleet.push(total);
    }
    let log = trigger_s.map_or_else(Vec::new, |zero_s| log(scenario, plot, zero_s));
    RunResult {
        policy: plot.policy.into(),
        policy_kind: plot.kind,
        mitigations: String::new(),
        rank: None,
        alerts: vec![],
        alert_names: String::new(),
        plane: Plane::Fluid,
        resources: vec![],
        phases: vec![],
        trigger_s,
        timeline,
        fleet,
        log,
        summary: summary(plot),
    }
}

/// The share of a pool's instances whose process is up.
fn up_share(scenario: &Scenario, id: PoolId, since_s: f64) -> f64 {
    let is_hit = scenario.pools[id.index()].zone.index() == 0 && scenario.trigger_s().is_some();
    if is_hit { (1.0 - since_s.max(0.0) / 60.0).max(0.0) } else { 1.0 }
}

fn pool_row(
    scenario: &Scenario,
    plot: &Plot,
    id: PoolId,
    (time_s, since_s): (f64, f64),
    wobble: f64,
) -> PoolRow {
    let pool = &scenario.pools[id.index()];
    let triggered = scenario.trigger_s().is_some();
    let (first, last) = plot.out_s[pool.zone.index() % plot.out_s.len()];
    let gone = ((since_s - first) / (last - first).max(1.0)).clamp(0.0, 1.0);
    let gone = if first.is_finite() { (gone * 12.0).ceil() } else { 0.0 };
    let in_rotation = (12.0 - gone) as u32;
    let capacity = 16.0 * f64::from(in_rotation);
    let redirected = triggered && since_s > 76.0 && pool.zone.index() > 0;
    let share = if redirected { plot.load_after * 192.0 } else { pool.demand.get() };
    let load = share * wobble;
    let up = up_share(scenario, id, since_s);
    let wasted = plot.load_after > 1.0 && since_s > 80.0 && plot.goodput < 0.5;
    let healthy = capacity.min(192.0 * up);
    PoolRow {
        retry_rps: 0.0,
        bottleneck: None,
        time_s,
        pool: id,
        offered_rps: pool.demand.get() * wobble,
        redirected_in_rps: 0.0,
        redirected_out_rps: 0.0,
        completed_rps: load.min(healthy) * if wasted { 0.3 } else { 1.0 },
        late_rps: 0.0,
        degraded_rps: 0.0,
        shed_rps: 0.0,
        rejected_rps: 0.0,
        lost_rps: 0.0,
        instances: 12,
        instances_in_rotation: in_rotation,
        capacity_rps: capacity,
        healthy_capacity_rps: healthy,
        utilization: (in_rotation > 0).then(|| load / capacity),
        in_flight: 0.0,
        queue: 0.0,
        latency_mean_s: None,
        latency_p99_s: None,
        deferred: 0.0,
        state: PoolState::Healthy,
        receiving_pool_capacity_utilization: None,
    }
}

fn log(scenario: &Scenario, plot: &Plot, zero_s: f64) -> Vec<LogEntry> {
    let at = |since_s: f64, what| LogEntry { time_s: zero_s + since_s, what };
    let began = Happening::EventBegan { event: 0, zone: Some(ZoneId(0)), pool: None };
    let mut log = vec![at(0.0, began)];
    if plot.kind != "none" {
        log.push(at(76.0, Happening::RedirectStart { pool: PoolId(0), rps: 166.96 }));
    }
    for (index, pool) in scenario.pools.iter().enumerate() {
        let (first, last) = plot.out_s[pool.zone.index() % plot.out_s.len()];
        let pool = PoolId::from_index(index);
        if first.is_finite() {
            log.push(at(first, Happening::InstanceUnhealthy { pool, instance: 3 }));
            let lost_s = first + (last - first) * 0.4;
            let (in_rotation, expected) = (7, 12);
            log.push(at(lost_s, Happening::PoolUnhealthy { pool, in_rotation, expected }));
        }
    }
    log.sort_by(|a, b| a.time_s.total_cmp(&b.time_s));
    log
}

fn summary(plot: &Plot) -> Summary {
    let lost = plot.out_s.iter().filter(|(first, _)| first.is_finite()).count() as u32;
    let all = lost as usize == plot.out_s.len();
    let last = plot.out_s.iter().map(|(_, last)| *last).fold(0.0, f64::max);
    let outcome = if all { Outcome::FullOutage } else { Outcome::Degraded };
    Summary {
        degraded_ratio: 0.0,
        outcome,
        is_judged: true,
        recovered: None,
        goodput_ratio: plot.goodput,
        late_ratio: 0.0,
        shed_ratio: 0.0,
        rejected_ratio: 0.0,
        lost_ratio: 1.0 - plot.goodput,
        unfinished_ratio: 0.0,
        goodput_of_bound: None,
        min_healthy_capacity_ratio: 0.0,
        final_healthy_capacity_ratio: if all { 0.0 } else { 0.66 },
        peak_receiver_utilization: (plot.kind != "none").then_some(plot.load_after),
        cascade_propagation_count: lost.saturating_sub(1),
        time_to_first_redirect_s: (plot.kind != "none").then_some(76.0),
        time_to_first_propagation_s: None,
        time_to_full_outage_s: all.then_some(last - 32.0),
        time_to_nothing_in_rotation_s: all.then_some(last),
        time_to_recover_s: None,
        peak_amplification: None,
    }
}

/// What the engine makes of a scenario under policies of these kinds.
pub fn simulated(scenario: &Scenario, kinds: &[&str]) -> Vec<RunResult> {
    let run = |name: &&str| {
        let kind = policy::kind(name).unwrap();
        let values = kind.settings.iter().map(|setting| setting.default).collect();
        let report_interval = Seconds::ZERO;
        let policy = PolicySpec {
            name: (*name).to_owned(),
            kind,
            values,
            report_interval,
            mitigations: Default::default(),
            bundles: vec![],
        };
        metric::simulate(&Case { scenario: scenario.clone(), policy }, 1)
    };
    kinds.iter().map(run).collect()
}
