//! Pools that call pools.

use zonefall::metric::simulate;
use zonefall::model::{Action, Backoff, CallMode, PoolId, WhenFull};
use zonefall::policy::Case;

use super::build::{Plan, client, consumed, event, held, kind, near, pool};
use crate::random::fleet::policy;
use crate::random::sketch::{ratio, seconds};

/// Erlang's loss formula.
fn erlang_b(servers: u32, erlangs: f64) -> f64 {
    (1..=servers).fold(1.0, |block, n| erlangs * block / (f64::from(n) + erlangs * block))
}

/// A proxy of 100 slots, no service of its own and no workers, before a service without limits.
fn proxy(latency_s: f64) -> Plan {
    let mut plan = Plan::new(0.1, 20.0);
    let mut front = kind(None, 0.0);
    front.resources = vec![held("slots", 100.0, 0.0, WhenFull::Reject)];
    plan.kinds = vec![front, kind(None, latency_s)];
    plan.clients = vec![client(None, 1)];
    plan.pools = vec![pool(0, 1, 1000.0, &[(1, 1.0, 0)]), pool(1, 1, 0.0, &[])];
    plan
}

#[test]
fn a_proxy_with_slots_loses_what_erlang_says() {
    for (latency_s, published) in [(0.05, 0.0), (0.1, 0.0757), (0.2, 0.5048), (0.4, 0.7508)] {
        let exact = erlang_b(100, 1000.0 * latency_s);
        assert!((exact - published).abs() < 1e-4, "{exact}");
        let run = proxy(latency_s).run();
        run.balances();
        for step in [0, 50, run.steps.len() - 1] {
            let front = &run.steps[step][0];
            let rejected = front.rejected / front.first_tries;
            assert!((rejected - exact).abs() <= 1e-3 * exact + 1e-6, "{rejected}, not {exact}");
            let behind = &run.steps[step][1];
            near(behind.in_flight, 1000.0 * (1.0 - exact) * latency_s, 2e-3, "Little's law");
            assert_eq!(behind.utilization(0.1), None);
        }
        let slots = run.resources[199][0];
        near(slots.used, 1000.0 * (1.0 - exact) * latency_s, 2e-3, "slots used");
        near(slots.limit, 100.0, 1e-12, "slots");
    }
}

#[test]
fn errors_of_the_lowest_layer_multiply_attempts_by_those_of_every_layer() {
    let mut plan = Plan::new(0.1, 60.0);
    plan.kinds = vec![kind(Some(200), 0.002)];
    plan.clients = vec![client(None, 4)];
    plan.pools = vec![
        pool(0, 1, 50.0, &[(1, 1.0, 0)]),
        pool(0, 1, 0.0, &[(2, 1.0, 0)]),
        pool(0, 1, 0.0, &[]),
    ];
    let pools = vec![PoolId(2)];
    plan.events = vec![event(10.0, None, Action::Errors { pools, share: ratio(1.0) })];
    let run = plan.run();
    run.balances();
    for (pool, times) in [(0, 4.0), (1, 16.0), (2, 64.0)] {
        let tries = run.last(pool).first_tries + run.last(pool).retries;
        near(tries, 50.0 * 0.1 * times, 1e-6, "tries");
    }
    let book = run.books[run.books.len() - 1];
    near(book.completed, 50.0 * 10.0, 0.02, "completed");
    near(book.lost, 50.0 * 50.0, 0.02, "lost");
}

#[test]
fn a_caller_holds_its_request_for_its_calls() {
    for (mode, held_s) in
        [(CallMode::Sequence, 0.01 + 2.0 * 0.05 + 0.08), (CallMode::Parallel, 0.09)]
    {
        let mut plan = Plan::new(0.05, 10.0);
        plan.kinds = vec![kind(Some(8), 0.01), kind(None, 0.05), kind(None, 0.08)];
        plan.clients = vec![client(None, 1)];
        let mut front = pool(0, 1, 100.0, &[(1, 2.0, 0), (2, 1.0, 0)]);
        front.call_mode = mode;
        plan.pools = vec![front, pool(1, 1, 0.0, &[]), pool(2, 1, 0.0, &[])];
        let run = plan.run();
        run.balances();
        near(run.last(0).in_flight, 100.0 * held_s, 0.02, "in flight");
        near(run.last(1).first_tries, 100.0 * 2.0 * 0.05, 1e-6, "calls");
        near(run.resources[100][0].used, 100.0 * 0.01, 1e-6, "workers used by service alone");
    }
}

#[test]
fn what_a_callee_fails_is_lost_at_the_caller() {
    let mut plan = Plan::new(0.1, 30.0);
    plan.kinds = vec![kind(Some(50), 0.01)];
    plan.clients = vec![client(None, 1), client(None, 2)];
    plan.pools = vec![pool(0, 2, 200.0, &[(1, 1.0, 1)]), pool(0, 2, 0.0, &[])];
    let pools = vec![PoolId(1)];
    plan.events = vec![event(10.0, None, Action::Errors { pools, share: ratio(0.4) })];
    let run = plan.run();
    run.balances();
    near(run.last(1).retries, 0.4 * 20.0, 1e-6, "retries of calls");
    near(run.last(0).lost, 0.16 * 20.0, 1e-6, "lost at the caller");
}

#[test]
fn a_stalled_callee_fills_its_caller_until_calls_time_out() {
    let stalled = |timeout_s: Option<f64>| {
        let mut plan = Plan::new(0.1, 60.0);
        let mut front = kind(None, 0.001);
        front.resources = vec![held("slots", 100.0, 0.0, WhenFull::Reject)];
        plan.kinds = vec![front, kind(Some(50), 0.01)];
        plan.clients = vec![client(None, 1), client(timeout_s, 1)];
        plan.pools = vec![pool(0, 1, 200.0, &[(1, 1.0, 1)]), pool(1, 1, 0.0, &[])];
        let slow = Action::Slow { pools: vec![PoolId(1)], speed: ratio(0.0) };
        plan.events = vec![event(10.0, None, slow)];
        let run = plan.run();
        run.balances();
        run
    };
    let run = stalled(None);
    near(run.last(0).in_flight, 100.0, 1e-3, "slots taken");
    near(run.last(0).rejected, 20.0, 1e-3, "all are rejected");
    // After 0.25 s calls have failed: 50 are held, and all of them are lost.
    let run = stalled(Some(0.25));
    near(run.last(0).in_flight, 50.0, 0.03, "held for the time-out");
    near(run.last(0).lost, 20.0, 0.01, "lost");
}

#[test]
fn a_rate_that_requests_use_up_limits_a_proxy() {
    let mut plan = proxy(0.02);
    plan.kinds[0].resources = vec![consumed("rate", 500.0, 1.0)];
    plan.kinds[0].queue_limit = Some(20);
    let run = plan.run();
    run.balances();
    near(run.last(0).completed, 500.0 * 0.1, 0.02, "what the rate allows");
    near(run.resources[199][0].used, 500.0, 0.02, "the rate used");
}

#[test]
fn back_offs_of_calls_are_time_in_which_the_caller_holds_its_request() {
    let mut plan = Plan::new(0.1, 60.0);
    plan.kinds = vec![kind(Some(100), 0.01), kind(None, 0.2)];
    let mut caller = client(None, 2);
    if let Some(retry) = &mut caller.retry {
        retry.backoff = Backoff::Fixed { base: seconds(0.5) };
    }
    plan.clients = vec![client(None, 1), caller];
    plan.pools = vec![pool(0, 1, 100.0, &[(1, 1.0, 1)]), pool(1, 1, 0.0, &[])];
    let pools = vec![PoolId(1)];
    plan.events = vec![event(10.0, None, Action::Errors { pools, share: ratio(0.4) })];
    let run = plan.run();
    run.balances();
    let calls_s = 0.6 * 0.2 + 0.4 * (0.5 + 0.6 * 0.2);
    near(run.last(0).in_flight, 100.0 * (0.01 + calls_s), 1e-3, "in flight");
}

#[test]
fn calls_after_one_that_failed_are_not_made() {
    let mut plan = Plan::new(0.1, 30.0);
    plan.kinds = vec![kind(Some(100), 0.01)];
    plan.clients = vec![client(None, 1)];
    plan.pools = vec![
        pool(0, 1, 100.0, &[(1, 1.0, 0), (2, 1.0, 0)]),
        pool(0, 1, 0.0, &[]),
        pool(0, 1, 0.0, &[]),
    ];
    let pools = vec![PoolId(1)];
    plan.events = vec![event(10.0, None, Action::Errors { pools, share: ratio(0.3) })];
    let run = plan.run();
    run.balances();
    near(run.last(1).first_tries, 10.0, 1e-6, "first calls");
    near(run.last(2).first_tries, 7.0, 1e-6, "second calls");
    near(run.last(0).lost, 3.0, 1e-6, "lost");
}

#[test]
fn what_nothing_limits_has_no_utilization_and_no_figure_that_is_no_number() {
    let plan = proxy(0.05);
    let case = Case { scenario: plan.scenario(), policy: policy("capacity-aware", &[Some(0.9)]) };
    let result = simulate(&case, 10);
    for row in &result.timeline {
        assert_eq!(row.utilization.is_none(), row.pool == PoolId(1), "{row:?}");
        assert!(row.in_flight.is_finite() && row.completed_rps.is_finite(), "{row:?}");
    }
    for row in &result.fleet {
        assert!(row.healthy_capacity_ratio == 1.0 && !row.bound_rps.is_nan(), "{row:?}");
    }
    assert!(result.summary.goodput_ratio > 0.99, "{:?}", result.summary);
    assert_eq!(result.summary.min_healthy_capacity_ratio, 1.0);
}

#[test]
fn requests_that_happen_to_call_nobody_do_not_fail_with_the_called() {
    for (per_request, made, answered) in [(0.25, 0.25, 0.75), (1.5, 1.0, 0.0), (1.0, 1.0, 0.0)] {
        let mut plan = Plan::new(0.1, 30.0);
        plan.kinds = vec![kind(Some(200), 0.002)];
        plan.clients = vec![client(None, 1)];
        plan.pools = vec![pool(0, 1, 100.0, &[(1, per_request, 0)]), pool(0, 1, 0.0, &[])];
        let pools = vec![PoolId(1)];
        plan.events = vec![event(10.0, None, Action::Errors { pools, share: ratio(1.0) })];
        let run = plan.run();
        run.balances();
        near(run.last(1).first_tries, 10.0 * made, 1e-6, "calls");
        let completed = run.last(0).completed;
        assert!((completed - 10.0 * answered).abs() < 1e-6, "{completed}, not {answered}");
    }
}
