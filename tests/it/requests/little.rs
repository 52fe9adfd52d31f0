//! Little's law holds exactly, request by request, over a run that begins and ends empty.

use zonefall::engine::PoolStep;
use zonefall::model::{
    Action, Arrivals, Backoff, CallMode, Change, Jitter, PoolId, PoolSetting, Retry,
    ServiceDistribution,
};

use super::run::{add_up, run};
use crate::fluid::build::{Plan, Run, client, event, kind, pool};
use crate::random::sketch::seconds;

/// A pool is sent so much from 1 s until 60 s of a run that is long enough to empty it again.
pub fn from_nothing(demand_rps: f64, attempts: u32, timeout_s: Option<f64>) -> Plan {
    let mut plan = Plan::new(0.5, 200.0);
    plan.kinds = vec![kind(Some(5), 0.1)];
    plan.clients = vec![client(timeout_s, attempts)];
    plan.pools = vec![pool(0, 2, 0.0, &[])];
    plan.pools[0].has_demand = true;
    let setting = PoolSetting::Demand;
    let changes = vec![Change::Pool { pool: PoolId(0), setting, value: demand_rps }];
    plan.events = vec![event(1.0, Some(60.0), Action::Set { changes })];
    plan
}

/// Fails unless the time that requests were inside is the sum of their latencies.
fn obeys(run: &Run, pool: usize, step_s: f64, what: &str) {
    add_up(run).unwrap_or_else(|wrong| panic!("{what}: {wrong}"));
    assert_eq!(run.start[pool].in_flight, 0.0, "{what} begins empty");
    assert_eq!(run.last(pool).in_flight, 0.0, "{what} ends empty");
    let steps = 0..run.steps.len();
    let inside_s = step_s * run.sum(pool, steps.clone(), |one| one.in_flight_mean);
    let latency_s = |one: &PoolStep| {
        one.latency.map_or(0.0, |latency| latency.mean_s() * (one.completed + one.late))
    };
    let sojourns_s = run.sum(pool, steps.clone(), latency_s);
    let answers = run.sum(pool, steps, |one| one.completed + one.late);
    assert!(answers > 1000.0, "{what}: {answers} answers");
    assert!(
        (inside_s - sojourns_s).abs() <= 1e-9 * sojourns_s,
        "{what}: {inside_s} inside, {sojourns_s} in the system"
    );
}

#[test]
fn time_inside_is_the_sum_of_sojourns() {
    for (rps, attempts, timeout_s) in
        [(80.0, 1, None), (95.0, 1, Some(0.3)), (120.0, 3, None), (150.0, 3, Some(0.5))]
    {
        for arrivals in [Arrivals::Poisson, Arrivals::BatchEvery(seconds(0.2))] {
            let mut plan = from_nothing(rps, attempts, timeout_s);
            plan.pools[0].arrivals = arrivals;
            plan.kinds[0].service_distribution = ServiceDistribution::Lognormal { cv: 1.5 };
            plan.kinds[0].queue_limit = Some(40);
            let what = format!("{rps} rps, {attempts} tries, {timeout_s:?}, {arrivals:?}");
            obeys(&run(&plan), 0, plan.step_s, &what);
        }
    }
}

#[test]
fn it_holds_for_callers_and_for_those_they_call() {
    for (mode, held) in [(CallMode::Sequence, false), (CallMode::Parallel, true)] {
        let mut plan = from_nothing(60.0, 1, None);
        plan.kinds.push(kind(Some(20), 0.08));
        plan.kinds[0].workers_held_during_calls = held;
        plan.pools[0] = pool(0, 3, 0.0, &[(1, 1.5, 0), (2, 1.0, 0)]);
        plan.pools[0].has_demand = true;
        plan.pools[0].call_mode = mode;
        plan.pools.extend([pool(1, 1, 0.0, &[]), pool(1, 1, 0.0, &[])]);
        let run = run(&plan);
        for pool in 0..3 {
            obeys(&run, pool, plan.step_s, &format!("{mode:?}, pool {pool}"));
        }
        let asked = run.sum(0, 0..run.steps.len(), |one| one.completed);
        let called = run.sum(1, 0..run.steps.len(), |one| one.first_tries);
        assert!((called / asked - 1.5).abs() < 0.05, "{called} calls of {asked} requests");
    }
}

#[test]
fn deterministic_services_take_their_time_to_the_nanosecond() {
    let mut plan = from_nothing(0.0, 1, None);
    let value = 10.0;
    let setting = PoolSetting::Demand;
    let changes = vec![Change::Pool { pool: PoolId(0), setting, value }];
    plan.events = vec![event(1.0, Some(60.0), Action::Set { changes })];
    plan.kinds[0].service_distribution = ServiceDistribution::Deterministic;
    plan.pools[0].arrivals = Arrivals::Uniform;
    let run = run(&plan);
    let answers = run.sum(0, 0..run.steps.len(), |one| one.completed);
    let inside_s = plan.step_s * run.sum(0, 0..run.steps.len(), |one| one.in_flight_mean);
    assert!((589.0..=591.0).contains(&answers), "{answers}");
    assert!((inside_s - 0.1 * answers).abs() < 1e-9 * inside_s, "{inside_s}");
}

#[test]
fn retries_never_exceed_their_share_of_first_tries() {
    for requests in [true, false] {
        for share in [0.1, 0.25] {
            let mut plan = from_nothing(300.0, 5, Some(0.4));
            plan.kinds[0].queue_limit = Some(30);
            plan.clients[0].retry = Some(Retry {
                max_attempts: 5,
                backoff: Backoff::Exponential { base: seconds(0.05), most: None },
                jitter: Jitter::Full,
                budget: Some(zonefall::model::Budget::Ratio(crate::random::sketch::ratio(share))),
                on_shed: true,
            });
            let run = if requests { run(&plan) } else { plan.run() };
            let (mut first, mut retries) = (0.0, 0.0);
            for pools in &run.steps {
                first += pools[0].first_tries;
                retries += pools[0].retries;
                assert!(retries <= share * first + 1e-6, "{retries} of {first}, {share}");
            }
            // In an overload the budget is what limits them.
            assert!(retries > 0.97 * share * first, "{retries} of {first}, {share}");
        }
    }
}
