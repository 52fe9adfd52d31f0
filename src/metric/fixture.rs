//! A proxy in front of a service that slows down in steps: what the tests of resources and phases
//! are about.

use crate::model::{
    Action, Arrivals, Balancing, Call, CallMode, Change, Client, ClientId, Event, HealthCheck,
    InstanceKind, InstanceSetting, KindId, OnUnhealthy, Phase, Plane, Pool, PoolFailover, PoolId,
    ProbeKind, Resource, ResourceUse, Scenario, ServiceDistribution, ServiceId, Simulation, Source,
    TopologyGraph, WhenFull, Zone, ZoneId, origins,
};
use crate::units::{Ratio, Rps, Seconds};

fn seconds(value: f64) -> Seconds {
    Seconds::new(value).unwrap()
}

fn kind(name: &str, service_time_s: f64, resource: Resource) -> InstanceKind {
    InstanceKind {
        name: name.into(),
        workers: None,
        service_time: seconds(service_time_s),
        service_distribution: ServiceDistribution::Deterministic,
        resources: vec![resource],
        workers_held_during_calls: false,
        queue_limit: None,
        speed_spread: Ratio::ZERO,
        startup_time: Seconds::ZERO,
        restart_time: Seconds::ZERO,
        max_wait: None,
        warm_up: Seconds::ZERO,
        slow_start: Seconds::ZERO,
        redirect_cost: 1.0,
        health_check: HealthCheck {
            kind: ProbeKind::Shallow,
            interval: seconds(1.0),
            timeout: seconds(1.0),
            unhealthy_threshold: 3,
            healthy_threshold: 2,
            on_unhealthy: OnUnhealthy::Eject,
            phase: None,
            max_out_of_rotation: Ratio::ONE,
        },
    }
}

fn pool(name: &str, kind: u32, calls: Vec<Call>) -> Pool {
    Pool {
        name: name.into(),
        zone: ZoneId(0),
        kind: KindId(kind),
        service: ServiceId(kind),
        client: ClientId(0),
        instances: 1,
        demand: Rps::ZERO,
        has_demand: false,
        arrivals: Arrivals::Poisson,
        calls,
        call_mode: CallMode::Sequence,
        autoscaler: None,
        failover_threshold: Ratio::new(0.5).unwrap(),
        panic_threshold: Ratio::ZERO,
        balancing: Balancing::Random,
    }
}

/// A source of 1000 rps, a proxy of 100 slots, a service whose latency doubles every 3 s from 50 ms
/// on; of each such step the last 1.5 s are a phase.
pub(crate) fn proxied() -> Scenario {
    let held = ResourceUse::Held { held: 1.0, base: 0.0, when_full: WhenFull::Reject };
    let slots = Resource { name: "slots".into(), limit: 100.0, usage: held };
    let used = ResourceUse::Consumed { per_request: 0.002 };
    let cpu = Resource { name: "cpu".into(), limit: 5.0, usage: used };
    let call = Call { to: PoolId(1), per_request: 1.0, client: ClientId(0) };
    let pools = vec![pool("proxy", 0, vec![call]), pool("service", 1, vec![])];
    let sources = vec![Source {
        name: "client".into(),
        to: PoolId(0),
        demand: Rps::new(1000.0).unwrap(),
        arrivals: Arrivals::BatchOf(10),
        client: ClientId(0),
    }];
    let event = |(name, at_s, latency_s): (&str, f64, f64)| Event {
        name: name.into(),
        at: seconds(at_s),
        over: Seconds::ZERO,
        until: None,
        cause: None,
        action: Action::Set {
            changes: vec![Change::Instance {
                kind: KindId(1),
                setting: InstanceSetting::ServiceTime,
                value: Some(latency_s),
            }],
        },
    };
    let phase = |(name, from_s): (&str, f64)| Phase {
        name: name.into(),
        from: seconds(from_s),
        until: seconds(from_s + 1.5),
    };
    let failover = [PoolFailover::Service, PoolFailover::Service];
    Scenario {
        name: "blind-spot".into(),
        simulation: Simulation {
            duration: seconds(12.0),
            step: seconds(0.5),
            seed: 7,
            plane: Plane::Requests,
        },
        zones: vec![Zone { name: "a".into() }],
        kinds: vec![kind("proxy", 0.0, slots), kind("service", 0.05, cpu)],
        clients: vec![Client { name: "default".into(), timeout: None, cancel: false, retry: None }],
        services: vec!["proxy".into(), "service".into()],
        origins: origins(&pools, &sources),
        sources,
        autoscalers: vec![],
        phases: [("50ms", 1.5), ("100ms", 4.5), ("200ms", 7.5), ("400ms", 10.5)].map(phase).into(),
        alerts: Vec::new(),
        call_order: vec![PoolId(0), PoolId(1)],
        graph: TopologyGraph::new(1, 2, &pools, &failover),
        pool_rows: vec![PoolId(0), PoolId(1)],
        zone_rows: vec![ZoneId(0)],
        pools,
        events: [("to-100ms", 3.0, 0.1), ("to-200ms", 6.0, 0.2), ("to-400ms", 9.0, 0.4)]
            .map(event)
            .into(),
    }
}
