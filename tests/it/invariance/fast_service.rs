//! Service times of 5 ms under steps of 1 s are stable, and as right as under steps of 50 ms.

use zonefall::model::{
    Action, Arrivals, Balancing, CallMode, Client, ClientId, Event, HealthCheck, InstanceKind,
    KindId, OnUnhealthy, Plane, Pool, PoolFailover, PoolId, ProbeKind, ServiceDistribution,
    ServiceId, Simulation, Surged, ZoneId,
};
use zonefall::units::{Ratio, Rps, Seconds};

use crate::random::fleet::{Fleet, policy};
use crate::random::sketch::{ratio, seconds};
use crate::random::trial::Record;

const CAPACITY_RPS: f64 = 4.0 * 8.0 / 0.005;

/// One pool of 4 × 8 workers of 5 ms, with a surge to `surge` of its capacity from 20 s to 40 s.
fn fleet(step_s: f64, load: f64, surge: f64, queue_limit: Option<u64>) -> Fleet {
    let health_check = HealthCheck {
        kind: ProbeKind::Shallow,
        interval: seconds(5.0),
        timeout: seconds(1.0),
        unhealthy_threshold: 3,
        healthy_threshold: 2,
        on_unhealthy: OnUnhealthy::Eject,
        phase: Some(Seconds::ZERO),
        max_out_of_rotation: Ratio::ONE,
    };
    let kind = InstanceKind {
        service_distribution: ServiceDistribution::Exponential,
        resources: Vec::new(),
        workers_held_during_calls: false,
        name: "web".to_owned(),
        workers: Some(8),
        service_time: seconds(0.005),
        queue_limit,
        speed_spread: ratio(0.05),
        startup_time: seconds(10.0),
        restart_time: seconds(10.0),
        max_wait: None,
        warm_up: Seconds::ZERO,
        slow_start: Seconds::ZERO,
        redirect_cost: 1.0,
        health_check,
    };
    let pool = Pool {
        has_demand: true,
        arrivals: Arrivals::Poisson,
        calls: Vec::new(),
        call_mode: CallMode::Sequence,
        autoscaler: None,
        name: "web".to_owned(),
        zone: ZoneId(0),
        kind: KindId(0),
        service: ServiceId(0),
        client: ClientId(0),
        instances: 4,
        demand: Rps::new(load * CAPACITY_RPS).expect("a rate"),
        failover_threshold: ratio(0.5),
        panic_threshold: ratio(0.0),
        balancing: Balancing::Random,
    };
    let surge = Event {
        name: "surge".to_owned(),
        at: seconds(20.0),
        over: Seconds::ZERO,
        until: Some(seconds(40.0)),
        cause: None,
        action: Action::Surge { of: Surged::Pool(PoolId(0)), factor: ratio(surge / load) },
    };
    Fleet {
        simulation: Simulation {
            duration: seconds(60.0),
            step: seconds(step_s),
            seed: 1,
            plane: Plane::Fluid,
        },
        zones: 1,
        services: 1,
        kinds: vec![kind],
        clients: vec![Client {
            name: "default".to_owned(),
            timeout: None,
            cancel: false,
            retry: None,
        }],
        pools: vec![pool],
        failover: vec![PoolFailover::Service],
        events: vec![surge],
        policy: policy("none", &[]),
    }
}

/// Completed, rejected, and mean in flight at whole seconds, from one second to another.
fn averages(record: &Record, from_s: usize, to_s: usize) -> [(&'static str, f64); 3] {
    let a_second = (1.0 / record.step_s).round() as usize;
    let steps = &record.steps[from_s * a_second..to_s * a_second];
    let completed = steps.iter().map(|pools| pools[0].completed).sum::<f64>();
    let rejected = steps.iter().map(|pools| pools[0].rejected).sum::<f64>();
    let seconds = steps.chunks(a_second).map(|chunk| chunk[a_second - 1][0].in_flight);
    let in_flight = seconds.sum::<f64>() / (to_s - from_s) as f64;
    [("completed", completed), ("rejected", rejected), ("in flight", in_flight)]
}

#[test]
fn steps_of_a_second_agree_with_steps_of_fifty_milliseconds() {
    let mut worst = 0.0_f64;
    for (load, surge, limit) in [
        (0.7, 0.9, None),
        (0.5, 0.95, Some(200)),
        (0.8, 1.2, Some(200)),
        (0.8, 1.2, None),
        (0.6, 2.0, Some(50)),
    ] {
        let coarse = Record::of(&fleet(1.0, load, surge, limit).case(), 1000);
        let fine = Record::of(&fleet(0.05, load, surge, limit).case(), 1000);
        for (from_s, to_s) in [(0, 20), (20, 40), (40, 60)] {
            let offered = fine.steps[from_s * 20][0].first_tries * 20.0 * (to_s - from_s) as f64;
            let (one, two) = (averages(&coarse, from_s, to_s), averages(&fine, from_s, to_s));
            for ((name, one), (_, two)) in one.into_iter().zip(two) {
                // A flow is compared with all that flows: 0.01 % of rejections have no 1 %.
                let scale = if name == "in flight" { two } else { offered };
                let error = (one - two).abs() / scale;
                println!("{load} to {surge}, {limit:?}, {from_s} s: {name} {one:.2}, {two:.2}");
                worst = worst.max(error);
                assert!(error < 0.01, "{load} to {surge}, {limit:?}, {from_s} s: {name}");
            }
        }
    }
    println!("largest difference {:.3} %", 100.0 * worst);
}
