//! "CPU is not capacity": batches of ten every 10 ms at a proxy of 100 slots (FACTS §1).

use rayon::prelude::*;

use zonefall::metric::PhaseRow;
use zonefall::model::{Arrivals, ServiceDistribution, WhenFull};

use super::interval::{BATCHES, Interval};
use super::run::{add_up, run};
use crate::facts::fleet::{Run, run as run_file, shipped};
use crate::fluid::build::{Plan, client, held, kind, pool};
use crate::random::sketch::seconds;

/// A pool's rows of the phases.
pub fn phases(run: &Run, pool: &str) -> Vec<PhaseRow> {
    let id = run.pool(pool);
    run.result.phases.iter().filter(|row| row.pool == id).copied().collect()
}

struct Expected {
    policy: &'static str,
    peaks: [f64; 4],
    replicas: [u32; 4],
    cpu: [f64; 4],
    rejected: [f64; 4],
}

const TABLE: [Expected; 2] = [
    Expected {
        policy: "watch-cpu",
        peaks: [60.0, 100.0, 100.0, 100.0],
        replicas: [1; 4],
        cpu: [40.0, 37.0, 19.0, 11.0],
        rejected: [0.0, 8.0, 51.0, 74.0],
    },
    Expected {
        policy: "watch-concurrency",
        peaks: [60.0, 110.0, 210.0, 410.0],
        replicas: [1, 2, 3, 5],
        cpu: [40.0; 4],
        rejected: [0.0; 4],
    },
];

#[test]
fn both_published_tables_come_out() {
    let text = shipped("proxy-slots-first");
    for expected in &TABLE {
        let run = run_file(&text, expected.policy, &["simulation.plane=requests"], 10);
        let (proxy, service) = (phases(&run, "proxy"), phases(&run, "service"));
        assert_eq!((proxy.len(), service.len()), (4, 4));
        let rows = proxy.iter().zip(&service).enumerate();
        for (at, (proxy, service)) in rows {
            let what = format!("{}, row {at}: {proxy:?}", expected.policy);
            let offered = [50.0, 100.0, 200.0, 400.0][at];
            assert!((proxy.offered_in_flight - offered).abs() < 1e-6, "{what}");
            assert_eq!(proxy.in_flight_peak, expected.peaks[at], "{what}");
            assert_eq!(proxy.instances, expected.replicas[at], "{what}");
            let cpu = 100.0 * service.cpu_utilization.expect("it has a cpu");
            assert!((cpu - expected.cpu[at]).abs() <= 1.0, "{what}: CPU {cpu}");
            let rejected = 100.0 * proxy.rejected_ratio.expect("it has tries");
            assert!((rejected - expected.rejected[at]).abs() <= 1.5, "{what}: {rejected} %");
        }
        let most = |rows: &[&zonefall::metric::PoolRow]| rows.iter().map(|r| r.instances).max();
        let grown = most(&run.rows("proxy"));
        assert_eq!(grown, Some(expected.replicas[3]), "{}", expected.policy);
    }
}

/// A proxy of 100 slots that calls a service.
fn proxy(latency_s: f64, services: ServiceDistribution, step_s: f64, steps: f64) -> Plan {
    let mut plan = Plan::new(step_s, step_s * steps);
    plan.kinds = vec![kind(None, 0.0), kind(None, latency_s)];
    plan.kinds[0].resources = vec![held("slots", 100.0, 0.0, WhenFull::Reject)];
    plan.kinds[1].service_distribution = services;
    plan.clients = vec![client(None, 1)];
    plan.pools = vec![pool(0, 1, 1000.0, &[(1, 1.0, 0)]), pool(1, 1, 0.0, &[])];
    plan
}

#[test]
fn in_the_long_run_batches_are_rejected_in_exact_proportion() {
    // A period is as many ticks as fill the slots, or as an answer takes and one more.
    for (latency_ticks, period_ticks, rejected_of_it) in
        [(5, 10, 0), (10, 11, 1), (20, 21, 11), (40, 41, 31)]
    {
        let (latency_s, step_s) = (0.01 * f64::from(latency_ticks), 0.01 * f64::from(period_ticks));
        let mut plan = proxy(latency_s, ServiceDistribution::Deterministic, step_s, 320.0);
        plan.pools[0].arrivals = Arrivals::BatchEvery(seconds(0.01));
        let run = run(&plan);
        add_up(&run).expect("books");
        for pools in &run.steps[20..] {
            assert_eq!(pools[0].first_tries, f64::from(10 * period_ticks));
            assert_eq!(pools[0].rejected, f64::from(10 * rejected_of_it), "{latency_s} s");
        }
    }
}

#[test]
fn single_arrivals_are_rejected_as_erlang_b_says_whatever_the_services() {
    let expected = [(0.05, 0.0), (0.1, 0.075_700), (0.2, 0.504_796), (0.4, 0.750_826)];
    let services = [ServiceDistribution::Exponential, ServiceDistribution::Deterministic];
    let cases: Vec<_> =
        services.into_iter().flat_map(|one| expected.map(|row| (one, row))).collect();
    cases.par_iter().for_each(|&(services, (latency_s, blocked))| {
        let mut plan = proxy(latency_s, services, 5.0, BATCHES as f64);
        plan.kinds[0].health_check.interval = seconds(2.5);
        let run = run(&plan);
        let batch =
            |pools: &Vec<zonefall::engine::PoolStep>| (pools[0].rejected, pools[0].first_tries);
        let batches: Vec<(f64, f64)> = run.steps.iter().map(batch).collect();
        let what = format!("{latency_s} s, {services:?}");
        Interval::of_ratio(&batches, cases.len() as u32).holds(blocked, 0.1 * blocked, &what);
    });
}
