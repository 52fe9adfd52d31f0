//! How random fleets are drawn.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use zonefall::model::{
    Balancing, HealthCheck, InstanceKind, InstanceSetting, OnUnhealthy, PoolSetting, ProbeKind,
    ServiceDistribution,
};
use zonefall::policy::{Breaker, BreakerAction, Fallback, Mitigations, PolicySpec, Shed};
use zonefall::units::Rps;

use super::fleet::policy;
use super::sketch::{
    ActionSketch, EventSketch, Place, Pointer, PoolSketch, Sketch, ratio, seconds,
};

/// Any fleet under any policy.
pub fn any_sketch() -> impl Strategy<Value = Sketch> {
    let zones = vec(vec(any_pool(), 1..=4), 1..=12);
    let clients = vec(option::of(0.05..30.0_f64), 1..=3);
    let run = (spread_out(0.1, 2.0), 60..=200_u32, 0..1000_u64);
    let events = vec(any_event(), 0..=6);
    let policy = (any_policy(), any_mitigations()).prop_map(|(mut policy, mitigations)| {
        policy.mitigations = mitigations;
        policy
    });
    (run, vec(any_kind(), 1..=4), clients, 1..=4_usize, zones, events, policy).prop_map(
        |((step_s, steps, seed), kinds, clients, services, zones, events, policy)| Sketch {
            step_s,
            steps,
            seed,
            kinds,
            clients,
            services,
            zones,
            events,
            policy,
        },
    )
}

/// Half of the time nothing.
pub fn any_mitigations() -> impl Strategy<Value = Mitigations> {
    let fallback = (spread_out(0.1, 200.0), sometimes(0.0, 20.0), 0..3_u32).prop_map(
        |(capacity_rps, latency_s, queue)| Fallback {
            capacity: Rps::new(capacity_rps).expect("a rate"),
            latency: seconds(latency_s),
            queue_limit: [0.0, 50.0, f64::INFINITY][queue as usize],
        },
    );
    let shed = (option::of(0.2..1.3_f64), option::of(fallback))
        .prop_map(|(above, fallback)| Shed { above: above.map(ratio), fallback });
    let action = prop_oneof![Just(BreakerAction::Hold), Just(BreakerAction::Retract)];
    let trips = (
        option::of(0..3_u32),
        option::of(sometimes(0.0, 1.0)),
        option::of(spread_out(0.1, 20.0)),
        option::of(1.0..60.0_f64),
    );
    let breaker = (trips, spread_out(1.0, 300.0), action, option::of(1.0..60.0_f64)).prop_map(
        |((max_pools, out, wait_s, by_hand_s), window_s, action, retry_s)| Breaker {
            max_pools,
            window: seconds(window_s),
            max_instances_out: out.map(ratio),
            max_wait: wait_s.map(seconds),
            by_hand_at: by_hand_s.map(seconds),
            action,
            by_hand_action: BreakerAction::Retract,
            retry_after: retry_s.map(seconds),
        },
    );
    prop_oneof![
        1 => Just(Mitigations::default()),
        1 => (option::of(shed), option::of(breaker))
            .prop_map(|(shed, breaker)| Mitigations { shed, breaker }),
    ]
}

pub fn pointer() -> impl Strategy<Value = Pointer> {
    0..1000_usize
}

/// Evenly spread over magnitudes.
pub fn spread_out(least: f64, most: f64) -> impl Strategy<Value = f64> {
    (least.ln()..most.ln()).prop_map(f64::exp)
}

fn sometimes(least: f64, most: f64) -> impl Strategy<Value = f64> {
    prop_oneof![2 => Just(least), 1 => least..most]
}

pub fn any_policy() -> impl Strategy<Value = PolicySpec> {
    let ramp = prop_oneof![Just(0.0), 1.0..200.0].prop_map(|ramp_s| [Some(ramp_s), None]);
    let shift = spread_out(0.01, 1000.0).prop_map(|rps_per_s| [None, Some(rps_per_s)]);
    let kind = prop_oneof![
        1 => Just(policy("none", &[])),
        2 => Just(policy("unconditional", &[])),
        3 => prop_oneof![ramp, shift].prop_map(|values| policy("rate-limited", &values)),
        3 => (0.2..1.3_f64).prop_map(|most| policy("capacity-aware", &[Some(most)])),
    ];
    (kind, sometimes(0.0, 20.0)).prop_map(|(mut spec, report_s)| {
        spec.report_interval = seconds(report_s);
        spec
    })
}

pub fn any_kind() -> impl Strategy<Value = InstanceKind> {
    let queue_limit = prop_oneof![
        2 => Just(None),
        1 => Just(Some(0)),
        2 => (1..20_u64).prop_map(Some),
        2 => (100..5000_u64).prop_map(Some),
    ];
    let work = (1..=40_u32, spread_out(0.005, 5.0), queue_limit, sometimes(0.0, 0.4));
    let times = (0.0..20.0_f64, 0.0..20.0_f64, sometimes(0.0, 20.0), sometimes(0.0, 20.0));
    let max_wait = option::weighted(0.3, 0.0..10.0_f64);
    (work, times, max_wait, sometimes(1.0, 3.0), any_health_check()).prop_map(
        |(work, times, max_wait, redirect_cost, health_check)| InstanceKind {
            name: String::new(),
            workers: Some(work.0),
            service_time: seconds(work.1),
            service_distribution: ServiceDistribution::Exponential,
            resources: Vec::new(),
            workers_held_during_calls: false,
            queue_limit: work.2,
            speed_spread: ratio(work.3),
            startup_time: seconds(times.0),
            restart_time: seconds(times.1),
            max_wait: max_wait.map(seconds),
            warm_up: seconds(times.2),
            slow_start: seconds(times.3),
            redirect_cost,
            health_check,
        },
    )
}

fn any_health_check() -> impl Strategy<Value = HealthCheck> {
    let on_unhealthy = prop_oneof![
        Just(OnUnhealthy::Eject),
        Just(OnUnhealthy::Restart),
        Just(OnUnhealthy::Remove)
    ];
    let kind = prop_oneof![Just(ProbeKind::Deep), Just(ProbeKind::Shallow)];
    let phase = option::of(0.0..0.99_f64);
    let thresholds = (1..=4_u32, 1..=3_u32);
    let timeout = prop_oneof![1 => Just(1.0), 3 => 0.05..1.0];
    (kind, spread_out(0.3, 20.0), timeout, thresholds, on_unhealthy, phase).prop_map(
        |(kind, interval_s, timeout, thresholds, on_unhealthy, phase)| HealthCheck {
            kind,
            interval: seconds(interval_s),
            timeout: seconds(timeout * interval_s),
            unhealthy_threshold: thresholds.0,
            healthy_threshold: thresholds.1,
            on_unhealthy,
            phase: phase.map(|share| seconds(share * interval_s)),
            max_out_of_rotation: ratio(1.0),
        },
    )
}

pub fn any_balancing() -> impl Strategy<Value = Balancing> {
    prop_oneof![
        3 => Just(Balancing::Random),
        1 => Just(Balancing::RoundRobin),
        1 => (2..=4_u32).prop_map(|choices| Balancing::LeastRequest { choices: Some(choices) }),
        1 => Just(Balancing::LeastRequest { choices: None }),
    ]
}

pub fn any_failover() -> impl Strategy<Value = Option<Vec<(Pointer, f64, u32)>>> {
    let edge = (pointer(), spread_out(0.1, 10.0), 0..=2_u32);
    prop_oneof![1 => Just(None), 1 => vec(edge, 0..=5).prop_map(Some)]
}

pub fn any_pool() -> impl Strategy<Value = PoolSketch> {
    let load = prop_oneof![1 => Just(0.0), 8 => 0.3..1.05, 3 => 0.0..2.0_f64];
    let threshold = prop_oneof![1 => Just(1.0), 4 => 0.05..1.0_f64];
    let thresholds = (threshold, prop_oneof![3 => Just(0.0), 1 => 0.0..=1.0_f64]);
    let refers = (pointer(), pointer(), pointer());
    (refers, 1..=8_u32, load, thresholds, any_balancing(), any_failover()).prop_map(
        |((kind, service, client), instances, load, thresholds, balancing, failover)| PoolSketch {
            kind,
            service,
            client,
            instances,
            load,
            failover_threshold: thresholds.0,
            panic_threshold: thresholds.1,
            balancing,
            failover,
        },
    )
}

pub fn any_event() -> impl Strategy<Value = EventSketch> {
    let over = sometimes(0.0, 0.5);
    (0.0..0.95_f64, over, option::of(0.01..0.6_f64), any_action())
        .prop_map(|(at, over, until, action)| EventSketch { at, over, until, action })
}

/// A drain early in the run, for good.
pub fn any_drain() -> impl Strategy<Value = EventSketch> {
    (0.0..0.3_f64, pointer(), 0.1..=1.0_f64).prop_map(|(at, zone, share)| EventSketch {
        at,
        over: 0.0,
        until: None,
        action: ActionSketch::Drain(Place::Zone(zone), share),
    })
}

fn any_action() -> impl Strategy<Value = ActionSketch> {
    let place = || prop_oneof![pointer().prop_map(Place::Pool), pointer().prop_map(Place::Zone)];
    let share = || prop_oneof![1 => Just(1.0), 2 => 0.01..1.0_f64];
    let speed = prop_oneof![1 => Just(0.0), 2 => 0.0..1.0_f64, 1 => 1.0..3.0_f64];
    prop_oneof![
        3 => pointer().prop_map(ActionSketch::ZoneOutage),
        2 => (pointer(), pointer()).prop_map(|(pool, n)| ActionSketch::LossCount(pool, n)),
        1 => (pointer(), share()).prop_map(|(pool, part)| ActionSketch::LossShare(pool, part)),
        3 => (place(), share()).prop_map(|(place, part)| ActionSketch::Drain(place, part)),
        2 => (place(), speed).prop_map(|(place, speed)| ActionSketch::Slow(place, speed)),
        1 => (place(), share()).prop_map(|(place, part)| ActionSketch::Errors(place, part)),
        2 => (pointer(), 0.0..4.0_f64).prop_map(|(pool, by)| ActionSketch::Surge(pool, by)),
        1 => (pointer(), 1..=5_u32).prop_map(|(pool, n)| ActionSketch::AddInstances(pool, n)),
        3 => any_setting(),
    ]
}

fn any_setting() -> impl Strategy<Value = ActionSketch> {
    use InstanceSetting as S;
    let times = || sometimes(0.0, 20.0).prop_map(Some);
    let counts = (1..=4_u32).prop_map(|count| Some(f64::from(count)));
    let instance = |setting, value: BoxedStrategy<Option<f64>>| {
        (pointer(), value)
            .prop_map(move |(kind, value)| ActionSketch::SetInstance(kind, setting, value))
    };
    let queue = option::of(0..2000_u32).prop_map(|count| count.map(f64::from));
    let workers = (1..=40_u32).prop_map(|count| Some(f64::from(count)));
    let pool = |setting, value| {
        (pointer(), value)
            .prop_map(move |(pool, value)| ActionSketch::SetPool(pool, setting, value))
    };
    prop_oneof![
        instance(S::Workers, workers.boxed()),
        instance(S::ServiceTime, spread_out(0.005, 5.0).prop_map(Some).boxed()),
        instance(S::QueueLimit, queue.boxed()),
        instance(S::MaxWait, option::of(0.0..10.0_f64).boxed()),
        instance(S::RedirectCost, (1.0..3.0_f64).prop_map(Some).boxed()),
        instance(S::WarmUp, times().boxed()),
        instance(S::SlowStart, times().boxed()),
        instance(S::StartupTime, times().boxed()),
        instance(S::RestartTime, times().boxed()),
        instance(S::ProbeTimeout, (0.01..1.0_f64).prop_map(Some).boxed()),
        instance(S::UnhealthyThreshold, counts.clone().boxed()),
        instance(S::HealthyThreshold, counts.boxed()),
        pool(PoolSetting::Demand, 0.0..8.0_f64),
        pool(PoolSetting::FailoverThreshold, 0.05..1.0_f64),
        pool(PoolSetting::PanicThreshold, 0.0..1.0_f64),
        (pointer(), option::of(0.05..30.0_f64))
            .prop_map(|(client, timeout)| ActionSketch::SetClient(client, timeout)),
    ]
}
