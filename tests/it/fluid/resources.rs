//! What instances have a limited amount of.

use zonefall::model::WhenFull;
use zonefall::queueing::Stationary;

use super::build::{Plan, client, consumed, held, kind, near, pool};

fn one(workers: Option<u32>, service_s: f64, demand_rps: f64) -> Plan {
    let mut plan = Plan::new(0.1, 30.0);
    plan.kinds = vec![kind(workers, service_s)];
    plan.clients = vec![client(None, 1)];
    plan.pools = vec![pool(0, 3, demand_rps, &[])];
    plan
}

#[test]
fn usage_is_little_and_work() {
    let mut plan = one(Some(20), 0.1, 450.0);
    plan.kinds[0].resources = vec![
        consumed("cpu", 16.0, 0.04),
        held("memory", 600.0, 200.0, WhenFull::Reject),
        held("slots", 40.0, 0.0, WhenFull::Queue),
    ];
    let run = plan.run();
    run.balances();
    let exact = Stationary::solve(20, Some(400), 15.0);
    let [workers, cpu, memory, slots] = run.resources[299][..] else { panic!("four resources") };
    near(workers.used, 45.0, 1e-3, "workers");
    near(workers.limit, 60.0, 1e-12, "workers there");
    near(cpu.used, 450.0 * 0.04, 1e-3, "cpu");
    near(cpu.limit, 48.0, 1e-12, "cores");
    near(memory.used, 600.0 + 3.0 * exact.mean, 1e-3, "memory");
    near(slots.used, 45.0, 1e-3, "slots, which those that wait do not hold");
    near(run.last(0).in_flight_mean, 3.0 * exact.mean, 1e-3, "in flight");
}

#[test]
fn the_smallest_resource_limits() {
    // cpu allows 200 rps an instance, workers 500.
    let mut plan = one(Some(50), 0.1, 900.0);
    plan.kinds[0].queue_limit = Some(100);
    plan.kinds[0].resources = vec![consumed("cpu", 8.0, 0.04)];
    let run = plan.run();
    near(run.last(0).completed, 60.0, 1e-3, "completed");
    near(run.resources[299][1].used, 24.0, 1e-3, "cpu");
    near(run.last(0).capacity_rps, 600.0, 1e-9, "capacity");
    // 10 slots of 100 ms allow 100 rps, and what finds none is rejected: Erlang B.
    let mut plan = one(Some(50), 0.1, 450.0);
    plan.kinds[0].resources = vec![held("slots", 10.0, 0.0, WhenFull::Reject)];
    let run = plan.run();
    let exact = Stationary::solve(10, Some(10), 15.0);
    near(run.last(0).rejected, 45.0 * exact.block, 1e-3, "rejected");
}

#[test]
fn without_any_limit_nobody_waits() {
    let run = one(None, 0.5, 90.0).run();
    run.balances();
    near(run.last(0).in_flight, 45.0, 1e-9, "in flight");
    assert_eq!(run.last(0).capacity_rps, f64::INFINITY);
    assert_eq!(run.last(0).utilization(0.1), None);
    let latency = run.last(0).latency.expect("answers");
    near(latency.mean_s(), 0.5, 1e-9, "latency");
}
