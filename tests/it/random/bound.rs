//! The bound: no policy beats it, and on a complete graph `capacity-aware` meets it.

use proptest::collection::vec;
use proptest::prelude::*;

use zonefall::engine::PoolStep;
use zonefall::metric::bound_rps;
use zonefall::model::{
    Balancing, HealthCheck, InstanceKind, OnUnhealthy, PoolId, ProbeKind, ServiceDistribution,
    TopologyGraph,
};
use zonefall::units::{Ratio, Seconds};

use super::fleet::{Fleet, policy};
use super::sketch::{ActionSketch, EventSketch, PoolSketch, Sketch, ratio, seconds};
use super::strategy::{any_pool, any_sketch};
use super::trial::{Record, holds_for};

/// Is nothing that the bound depends on other than a step before?
fn is_calm(before: &[PoolStep], after: &[PoolStep]) -> bool {
    let is_same = |(a, b): (&PoolStep, &PoolStep)| {
        a.first_tries == b.first_tries
            && a.up_capacity_rps == b.up_capacity_rps
            && a.in_rotation == b.in_rotation
    };
    before.iter().zip(after).all(is_same)
}

/// The stretches of steps `from..to` in which nothing changes.
fn calm_stretches(record: &Record) -> Vec<(usize, usize)> {
    let mut stretches = vec![];
    let mut from = 0;
    for step in 1..=record.steps.len() {
        let ends =
            step == record.steps.len() || !is_calm(&record.steps[step - 1], &record.steps[step]);
        if ends {
            // Its first step began under what was before.
            stretches.push((from + 1, step));
            from = step;
        }
    }
    stretches
}

/// How far completions of a window are over what the bound and the queues allow, as a share of it.
fn excess(record: &Record, graph: &TopologyGraph, from: usize, to: usize) -> f64 {
    let now = &record.steps[from];
    let demand: Vec<f64> = now.iter().map(|pool| pool.first_tries / record.step_s).collect();
    let capacity: Vec<f64> = now.iter().map(|pool| pool.up_capacity_rps).collect();
    let length_s = (to - from) as f64 * record.step_s;
    let possible = bound_rps(graph, &demand, &capacity) * length_s;
    let steps = record.steps[from..to].iter().flatten();
    let completed: f64 = steps.map(|pool| pool.completed).sum();
    // What drains from one pool is no less served because another one fills up meanwhile.
    let start = &record.steps[from - 1];
    let end = &record.steps[to - 1];
    let drained = start.iter().zip(end).map(|(a, b)| (a.in_flight - b.in_flight).max(0.0));
    let most = possible * (1.0 + 1e-6) + drained.sum::<f64>();
    (completed - most) / most.max(1e-9)
}

#[test]
fn no_policy_completes_more_than_the_bound() {
    let windows = std::cell::Cell::new(0_u32);
    let tight = std::cell::Cell::new(0_u32);
    holds_for(300, 31, any_sketch(), |sketch| {
        let case = sketch.fleet().case();
        let record = Record::of(&case, 1000);
        let kinds = case.scenario.kinds.iter();
        let service_s = kinds.map(|kind| kind.service_time.get()).fold(0.0, f64::max);
        let least = (20.0 * service_s / record.step_s).ceil().max(1.0) as usize;
        for (begin, end) in calm_stretches(&record) {
            let shorter = (begin..end.saturating_sub(least)).step_by(7).map(|at| (at, at + least));
            let whole = (end >= begin + least).then_some((begin, end));
            for (from, to) in shorter.chain(whole) {
                let excess = excess(&record, &case.scenario.graph, from, to);
                prop_assert!(excess <= 1e-12, "steps {from}..{to}: {excess} over the bound");
                windows.set(windows.get() + 1);
                tight.set(tight.get() + u32::from(excess > -0.01));
            }
        }
        Ok(())
    });
    // Windows that are within 1 % of the bound are what could break it.
    assert!(windows.get() > 2_000 && tight.get() > 200, "{} {}", windows.get(), tight.get());
}

/// Instances that serve as told: all alike, unbounded queues, shallow checks.
fn plain_kind(workers: u32, service_s: f64) -> InstanceKind {
    InstanceKind {
        name: String::new(),
        workers: Some(workers),
        service_time: seconds(service_s),
        service_distribution: ServiceDistribution::Exponential,
        resources: Vec::new(),
        workers_held_during_calls: false,
        queue_limit: None,
        speed_spread: ratio(0.0),
        startup_time: seconds(10.0),
        restart_time: seconds(10.0),
        max_wait: None,
        warm_up: Seconds::ZERO,
        slow_start: Seconds::ZERO,
        redirect_cost: 1.0,
        health_check: HealthCheck {
            kind: ProbeKind::Shallow,
            interval: seconds(2.0),
            timeout: seconds(1.0),
            unhealthy_threshold: 2,
            healthy_threshold: 2,
            on_unhealthy: OnUnhealthy::Eject,
            phase: None,
            max_out_of_rotation: Ratio::ONE,
        },
    }
}

/// One service, a pool a zone, default failover, the outage of whole zones at once.
fn complete_fleet() -> impl Strategy<Value = (Fleet, usize)> {
    let pools = vec((1..=8_u32, 0.3..0.97_f64), 2..=8);
    let work = (1..=30_u32, 0.02..0.5_f64);
    (pools, work, 1..8_usize, 0..1000_u64).prop_map(|(pools, (workers, service_s), dark, seed)| {
        let dark = 1 + (dark - 1) % (pools.len() - 1);
        let pool = |(instances, load)| PoolSketch {
            kind: 0,
            service: 0,
            client: 0,
            instances,
            load,
            failover_threshold: 0.5,
            panic_threshold: 0.0,
            balancing: Balancing::Random,
            failover: None,
        };
        let outage = |zone| EventSketch {
            at: 0.1,
            over: 0.0,
            until: None,
            action: ActionSketch::ZoneOutage(zone),
        };
        let sketch = Sketch {
            step_s: 0.5,
            steps: 300,
            seed,
            kinds: vec![plain_kind(workers, service_s)],
            clients: vec![None],
            services: 1,
            zones: pools.into_iter().map(|one| vec![pool(one)]).collect(),
            events: (0..dark).map(outage).collect(),
            policy: policy("none", &[]),
        };
        (sketch.fleet(), dark)
    })
}

/// Once settled: what is sent to pools that serve, what completes, the bound, and the demand, rps.
fn settled(fleet: &Fleet, most: f64) -> (f64, f64, f64, f64) {
    let mut fleet = fleet.clone();
    fleet.policy = policy("capacity-aware", &[Some(most)]);
    let case = fleet.case();
    let record = Record::of(&case, 1000);
    let last = &record.steps[record.steps.len() - 60..];
    let length_s = 60.0 * record.step_s;
    let sum = |of: fn(&PoolStep) -> f64| last.iter().flatten().map(of).sum::<f64>() / length_s;
    let sent = sum(|pool| if pool.in_rotation > 0 { pool.work } else { 0.0 });
    let now = &last[0];
    let demand: Vec<f64> = now.iter().map(|pool| pool.first_tries / record.step_s).collect();
    let capacity: Vec<f64> = now.iter().map(|pool| pool.up_capacity_rps).collect();
    let bound = bound_rps(&case.scenario.graph, &demand, &capacity);
    (sent, sum(|pool| pool.completed), bound, demand.iter().sum())
}

#[test]
fn on_a_complete_graph_capacity_aware_sends_the_bound() {
    let worst = std::cell::Cell::new(0.0_f64);
    holds_for(150, 32, complete_fleet(), |(fleet, dark)| {
        let (sent, _, bound, demand) = settled(&fleet, 1.0);
        let error = (sent / bound - 1.0).abs();
        worst.set(worst.get().max(error));
        prop_assert!(error <= 0.005, "{dark} dark: sends {sent} of {bound}, asked for {demand}");
        Ok(())
    });
    println!("U = 1 sends within {:.2e} of the bound", worst.get());
}

#[test]
fn on_a_complete_graph_capacity_aware_completes_nine_tenths_of_the_bound() {
    let worst = std::cell::Cell::new(0.0_f64);
    let scarce = std::cell::Cell::new(0_u32);
    holds_for(150, 33, complete_fleet(), |(fleet, dark)| {
        let (_, completed, bound, demand) = settled(&fleet, 0.9);
        if demand > bound * (1.0 + 1e-9) {
            let error = (completed / (0.9 * bound) - 1.0).abs();
            worst.set(worst.get().max(error));
            scarce.set(scarce.get() + 1);
            prop_assert!(error <= 0.005, "{dark} dark: {completed} of {bound}, of {demand}");
        }
        Ok(())
    });
    println!("U = 0.9 completes within {:.2e} of 0.9 × the bound", worst.get());
    assert!(scarce.get() >= 50, "demand exceeds the bound in only {} draws", scarce.get());
}

/// The least cut, of all: pools on the near side pass on all they may and keep their capacity,
/// those on the far side keep out their demand.
fn least_cut(graph: &TopologyGraph, demand: &[f64], capacity: &[f64]) -> f64 {
    let pools = demand.len();
    let is_near = |cut: usize, pool: usize| cut & (1 << pool) != 0;
    let is_closed = |cut: usize| {
        (0..pools).filter(|&pool| is_near(cut, pool)).all(|pool| {
            graph.targets(PoolId::from_index(pool)).all(|to| is_near(cut, to.pool.index()))
        })
    };
    let value = |cut: usize| -> f64 {
        let cost = |pool| if is_near(cut, pool) { capacity[pool] } else { demand[pool] };
        (0..pools).map(cost).sum()
    };
    (0..1_usize << pools).filter(|&cut| is_closed(cut)).map(value).fold(f64::INFINITY, f64::min)
}

#[test]
fn the_bound_is_the_least_of_all_cuts() {
    let zones = vec(vec(any_pool(), 1..=3), 1..=4)
        .prop_filter("small", |zones| zones.iter().map(Vec::len).sum::<usize>() <= 9);
    let rates = vec((0.0..100.0_f64, 0.0..100.0_f64), 9);
    let below = std::cell::Cell::new(0_u32);
    holds_for(1000, 34, (zones, 1..=3_usize, rates), |(zones, services, rates)| {
        let pools: usize = zones.iter().map(Vec::len).sum();
        let sketch = Sketch {
            step_s: 1.0,
            steps: 1,
            seed: 0,
            kinds: vec![plain_kind(1, 1.0)],
            clients: vec![None],
            services,
            zones,
            events: vec![],
            policy: policy("none", &[]),
        };
        let graph = sketch.fleet().case().scenario.graph;
        let (demand, capacity): (Vec<f64>, Vec<f64>) = rates[..pools].iter().copied().unzip();
        let bound = bound_rps(&graph, &demand, &capacity);
        let cut = least_cut(&graph, &demand, &capacity);
        prop_assert!((bound - cut).abs() <= 1e-9 * cut.max(1.0), "{bound}, not {cut}");
        below.set(below.get() + u32::from(cut < demand.iter().sum::<f64>() - 1e-9));
        Ok(())
    });
    assert!(below.get() > 300, "{}", below.get());
}
