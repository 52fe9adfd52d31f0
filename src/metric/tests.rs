//! Metrics of snapshots made by hand: exact numbers.

use super::amplification::Amplification;
use super::fixture::proxied;
use super::phases::Phases;
use super::recovery::Recovery;
use super::resources::Resources;
use super::simulate::EMPTY;
use super::users::Users;
use super::{Metric, PhaseRow, RunResult};
use crate::engine::{PoolStep, RequestBook, ResourceStep, Snapshot};
use crate::model::{
    Arrivals, Backoff, Client, ClientId, Jitter, PoolId, Resource, ResourceUse, Retry, Scenario,
    origins,
};
use crate::policy::{self, Case, PolicySpec};
use crate::units::{Rps, Seconds};

/// Shows a snapshot of the proxy and the service at the end of step `step`, of half a second.
fn show(
    step: u32,
    pools: &[PoolStep],
    resources: &[ResourceStep],
    then: &mut dyn FnMut(&Snapshot<'_>),
) {
    let starts: Vec<u32> = (0..=pools.len() as u32).collect();
    then(&Snapshot {
        step,
        time_s: 0.5 * f64::from(step),
        step_s: 0.5,
        is_row: step.is_multiple_of(2),
        pools,
        resources,
        resource_starts: &starts,
        first_tries: 0.0,
        retries: 0.0,
        books: &[],
    });
}

fn used(used: f64, limit: f64) -> ResourceStep {
    ResourceStep { used, limit }
}

#[test]
fn resources_are_means_of_the_row_and_the_highest_binds() {
    let scenario = proxied();
    let mut resources = Resources::new(&scenario);
    let pools = [PoolStep::default(); 2];
    for (step, slots, cpu) in [(1, 50.0, 2.0), (2, 100.0, 1.0), (3, 0.0, 0.0), (4, 0.0, 0.0)] {
        // A second instance comes up in the second step.
        let limit = if step == 1 { 100.0 } else { 200.0 };
        show(step, &pools, &[used(slots, limit), used(cpu, 5.0)], &mut |s| resources.step(s));
    }
    let rows: Vec<_> = resources
        .rows
        .iter()
        .map(|r| (r.time_s, r.pool.index(), r.resource, r.used, r.limit, r.utilization, r.binding))
        .collect();
    let expected = [
        (1.0, 0, 0, 75.0, 150.0, Some(0.5), true),
        (1.0, 1, 0, 1.5, 5.0, Some(0.3), true),
        (2.0, 0, 0, 0.0, 200.0, Some(0.0), false),
        (2.0, 1, 0, 0.0, 5.0, Some(0.0), false),
    ];
    assert_eq!(rows, expected);
    assert_eq!(resources.bottlenecks, [None, None]);
}

/// The proxy alone, with workers and memory beside its slots.
fn several() -> Scenario {
    let mut scenario = proxied();
    scenario.kinds[0].workers = Some(10);
    let usage = ResourceUse::Consumed { per_request: 1.0 };
    let memory = Resource { name: "memory".into(), limit: 4.0, usage };
    scenario.kinds[0].resources.insert(0, memory);
    scenario.pools.truncate(1);
    scenario.pools[0].calls.clear();
    scenario.pool_rows.truncate(1);
    scenario.origins.truncate(1);
    scenario
}

fn bottleneck_of(resources: &[ResourceStep]) -> (Vec<bool>, Option<u32>) {
    let scenario = several();
    let mut metric = Resources::new(&scenario);
    let starts = [0, resources.len() as u32];
    metric.step(&Snapshot {
        step: 1,
        time_s: 0.5,
        step_s: 0.5,
        is_row: true,
        pools: &[PoolStep::default()],
        resources,
        resource_starts: &starts,
        first_tries: 0.0,
        retries: 0.0,
        books: &[],
    });
    let binding = metric.rows.iter().map(|row| row.binding).collect();
    (binding, metric.bottlenecks[0])
}

#[test]
fn of_equals_the_first_binds_and_nothing_where_nothing_is_used_or_up() {
    let workers = used(5.0, 10.0);
    let said = bottleneck_of(&[workers, used(2.0, 4.0), used(49.0, 100.0)]);
    assert_eq!(said, (vec![true, false, false], Some(0)));
    let said = bottleneck_of(&[workers, used(2.0, 4.0), used(51.0, 100.0)]);
    assert_eq!(said, (vec![false, false, true], Some(2)));
    let said = bottleneck_of(&[used(0.0, 10.0), used(0.0, 0.0), used(0.0, 100.0)]);
    assert_eq!(said, (vec![false, false, false], None));
}

#[test]
fn workers_alone_need_no_rows_to_be_the_bottleneck() {
    let mut scenario = proxied();
    scenario.pools.iter_mut().for_each(|pool| pool.calls.clear());
    scenario.origins.truncate(1);
    for kind in &mut scenario.kinds {
        kind.resources.clear();
        kind.workers = Some(4);
    }
    let mut resources = Resources::new(&scenario);
    let busy = PoolStep { in_flight: 1.0, ..PoolStep::default() };
    let pools = [busy, PoolStep::default()];
    show(2, &pools, &[used(0.0, 0.0); 2], &mut |s| resources.step(s));
    assert!(resources.rows.is_empty());
    assert_eq!(resources.bottlenecks, [Some(0), None]);
}

fn seconds(value: f64) -> Seconds {
    Seconds::new(value).unwrap()
}

/// Rows of one phase over eight steps: in step n the proxy is sent 10 n tries.
fn phase_rows(from_s: f64, until_s: f64) -> Vec<PhaseRow> {
    let mut scenario = proxied();
    scenario.phases.truncate(1);
    scenario.phases[0].from = seconds(from_s);
    scenario.phases[0].until = seconds(until_s);
    let mut phases = Phases::new(&scenario);
    for step in 1..=8 {
        let n = f64::from(step);
        let proxy = PoolStep {
            first_tries: 8.0 * n,
            retries: 2.0 * n,
            completed: 4.0 * n,
            rejected: n,
            in_flight_peak: 100.0 - n,
            up: step,
            unloaded_latency_s: 0.1 * n,
            ..PoolStep::default()
        };
        let limits = [used(10.0 * n, 100.0 * n), used(n, 5.0)];
        show(step, &[proxy, PoolStep::default()], &limits, &mut |s| phases.step(s));
    }
    phases.rows()
}

#[test]
fn a_phase_is_the_steps_that_begin_in_it() {
    // Steps 3, 4 and 5 begin at 1, 1.5 and 2 s.
    for (from_s, until_s) in [(1.0, 2.5), (0.6, 2.1)] {
        let rows = phase_rows(from_s, until_s);
        assert_eq!(rows.len(), 2);
        let proxy = PhaseRow {
            phase: 0,
            pool: PoolId(0),
            // Tries a second × latency: 60 × 0.3, 80 × 0.4, 100 × 0.5.
            offered_in_flight: 100.0 / 3.0,
            in_flight_peak: 97.0,
            concurrency_limit: Some(500.0),
            instances: 5,
            cpu_utilization: None,
            rejected_ratio: Some(0.1),
            offered_rps: 64.0,
            retry_rps: 16.0,
            completed_rps: 32.0,
            goodput_ratio: Some(0.5),
            bottleneck: Some(0),
            bottleneck_utilization: Some(0.1),
        };
        assert!((rows[0].offered_in_flight - proxy.offered_in_flight).abs() < 1e-12);
        let offered_in_flight = rows[0].offered_in_flight;
        assert_eq!(rows[0], PhaseRow { offered_in_flight, ..proxy });
        assert_eq!(rows[1].cpu_utilization, Some(0.8));
        assert_eq!((rows[1].bottleneck, rows[1].bottleneck_utilization), (Some(0), Some(0.8)));
        assert_eq!((rows[1].rejected_ratio, rows[1].goodput_ratio), (None, None));
        assert_eq!(rows[1].concurrency_limit, None);
    }
}

#[test]
fn a_phase_between_two_steps_is_empty() {
    let rows = phase_rows(1.1, 1.4);
    assert_eq!((rows[0].offered_rps, rows[0].in_flight_peak, rows[0].instances), (0.0, 0.0, 0));
    assert_eq!((rows[0].rejected_ratio, rows[0].concurrency_limit), (None, None));
    assert_eq!(rows[1].cpu_utilization, None);
}

/// The peak of (first tries, retries) in half seconds.
fn peak(steps: &[(f64, f64)]) -> Option<f64> {
    let mut metric = Amplification::default();
    for (step, &(first_tries, retries)) in (1..).zip(steps) {
        show(step, &[], &[], &mut |snapshot| {
            metric.step(&Snapshot { first_tries, retries, ..*snapshot });
        });
    }
    let mut summary = EMPTY;
    metric.finish(&mut summary);
    summary.peak_amplification
}

#[test]
fn amplification_is_over_ten_seconds() {
    let quiet = (10.0, 0.0);
    assert_eq!(peak(&[quiet; 60]), Some(1.0));
    // Five seconds of three retries a try, within ten quiet ones: half of the window.
    let mut burst = vec![quiet; 60];
    burst[30..40].fill((10.0, 30.0));
    assert_eq!(peak(&burst), Some(2.5));
    // Longer than a window.
    burst[25..50].fill((10.0, 30.0));
    assert_eq!(peak(&burst), Some(4.0));
    // A run shorter than a window is one.
    assert_eq!(peak(&[(10.0, 0.0), (10.0, 40.0)]), Some(3.0));
    assert_eq!(peak(&[(0.0, 0.0); 30]), None);
    assert_eq!(peak(&[]), None);
}

#[test]
fn users_requests_are_not_the_calls_that_serve_them() {
    let scenario = proxied();
    let mut users = Users::new(&scenario);
    assert_eq!(users.mark_s(), Some(f64::NEG_INFINITY));
    let served = PoolStep { completed: 7.0, ..PoolStep::default() };
    let mut ended = Vec::new();
    for (step, completed, lost) in [(1, 5.0, 0.0), (2, 12.0, 1.0)] {
        let from_s = f64::NEG_INFINITY;
        let book = RequestBook { from_s, completed, lost, ..RequestBook::default() };
        show(step, &[served; 2], &[], &mut |snapshot| {
            let now = users.step(&Snapshot { books: &[book], ..*snapshot });
            ended.push((now.completed, now.all));
        });
    }
    assert_eq!(ended, [(5.0, 5.0), (7.0, 8.0)]);
    let plain = several();
    let mut users = Users::new(&plain);
    assert_eq!(users.mark_s(), None);
    show(1, &[served], &[], &mut |snapshot| assert_eq!(users.step(snapshot).completed, 7.0));
}

fn simulated(scenario: Scenario) -> RunResult {
    let kind = policy::kind("none").unwrap();
    let report_interval = Seconds::ZERO;
    let policy = PolicySpec {
        name: "none".into(),
        kind,
        values: vec![],
        report_interval,
        mitigations: Default::default(),
        bundles: vec![],
    };
    super::simulate(&Case { scenario, policy }, 1)
}

#[track_caller]
fn assert_close(value: Option<f64>, expected: f64, by: f64) {
    assert!(value.is_some_and(|value| (value - expected).abs() <= by), "{value:?}, {expected}");
}

#[test]
fn a_proxy_runs_out_of_slots_while_the_service_looks_idle() {
    let result = simulated(proxied());
    assert_eq!(result.phases.len(), 8);
    // What arrives in batches of ten every 10 ms: rejected 1 − m ÷ P, MODEL's order in an instant.
    let expected = [
        (50.0, 60.0, 0.40, 0.0),
        (100.0, 100.0, 0.37, 1.0 / 11.0),
        (200.0, 100.0, 0.19, 11.0 / 21.0),
        (400.0, 100.0, 0.11, 31.0 / 41.0),
    ];
    for (rows, (offered, peak, cpu, rejected)) in result.phases.chunks(2).zip(expected) {
        let [proxy, service] = rows else { panic!("two pools") };
        assert_close(Some(proxy.offered_in_flight), offered, 1e-6);
        assert_eq!((proxy.in_flight_peak, proxy.instances), (peak, 1));
        assert_eq!((proxy.concurrency_limit, proxy.cpu_utilization), (Some(100.0), None));
        assert_close(proxy.rejected_ratio, rejected, 0.015);
        assert_close(service.cpu_utilization, cpu, 0.015);
    }
    // What users send and get, whatever the two pools pass between them.
    assert!(result.fleet.iter().all(|row| (row.offered_rps - 1000.0).abs() < 1e-6));
    let completed: f64 = result.fleet.iter().map(|row| 0.5 * row.completed_rps).sum();
    let inside = result.timeline.last().map_or(0.0, |row| row.in_flight);
    let refused: f64 = result.timeline.iter().map(|row| 0.5 * row.rejected_rps).sum();
    // What is inside at the start arrives before it.
    assert_close(Some(completed + inside + refused), 12_050.0, 10.0);
    assert_eq!(result.summary.peak_amplification, Some(1.0));
}

#[test]
fn five_tries_at_once_triple_a_load_of_twice_the_capacity() {
    let mut scenario = proxied();
    scenario.events.clear();
    scenario.kinds[0].resources[0].limit = 50.0;
    scenario.kinds[1].service_time = seconds(0.04);
    scenario.sources[0].demand = Rps::new(2000.0).unwrap();
    scenario.sources[0].arrivals = Arrivals::BatchEvery(seconds(0.01));
    let retry = Retry {
        max_attempts: 5,
        backoff: Backoff::None,
        jitter: Jitter::None,
        budget: None,
        on_shed: true,
    };
    let patient = scenario.clients[0].clone();
    scenario.clients.push(Client { name: "retrying".into(), retry: Some(retry), ..patient });
    scenario.sources[0].client = ClientId(1);
    scenario.origins = origins(&scenario.pools, &scenario.sources);
    let result = simulated(scenario);
    assert_close(result.summary.peak_amplification, 3.0, 0.01);
    for row in &result.fleet[4..] {
        assert_close(Some(row.offered_rps), 6000.0, 60.0);
        assert_close(Some(row.completed_rps), 1000.0, 20.0);
    }
    let proxy = &result.phases[4];
    assert_close(Some(proxy.offered_rps), 2000.0, 20.0);
    assert_close(Some(proxy.retry_rps), 4000.0, 40.0);
    assert_close(proxy.goodput_ratio, 0.5, 0.01);
}

#[test]
fn without_a_whole_minute_after_the_trigger_nothing_is_said_of_recovery() {
    let mut scenario = proxied();
    scenario.events.truncate(1);
    let trigger_s = scenario.events[0].at.get();
    scenario.events[0].until = Some(Seconds::new(trigger_s + 1.0).expect("a time"));
    let recovered = |steps: u32| {
        let mut metric = Recovery::new(&scenario, trigger_s);
        for step in 1..=steps {
            show(step, &[], &[], &mut |snapshot| metric.step(snapshot));
        }
        let mut summary = EMPTY;
        metric.finish(&mut summary);
        summary.recovered
    };
    let minute_over = 2 * (trigger_s as u32 + 60);
    assert_eq!(recovered(minute_over - 1), None);
    assert_eq!(recovered(minute_over), Some(true));
}
