//! Overload that outlives its trigger: published results.

use zonefall::model::{Action, LossAmount, PoolId};

use super::build::{Plan, Run, client, event, kind, near, pool};
use crate::random::sketch::ratio;

fn slow(from_s: f64, until_s: f64, speed: f64) -> zonefall::model::Event {
    event(from_s, Some(until_s), Action::Slow { pools: vec![PoolId(0)], speed: ratio(speed) })
}

/// Share of first tries answered in time, and tries ÷ first tries, over the last seconds.
fn end(run: &Run, steps: usize) -> (f64, f64) {
    let last = run.steps.len() - steps..run.steps.len();
    let first = run.sum(0, last.clone(), |pool| pool.first_tries);
    let again = run.sum(0, last.clone(), |pool| pool.retries);
    (run.sum(0, last, |pool| pool.completed) / first, 1.0 + again / first)
}

/// HotOS'21: a store of 300 QPS, time-out 1 s, one retry.
fn store(rps: f64, step_s: f64) -> Plan {
    let mut plan = Plan::new(step_s, 400.0);
    plan.kinds = vec![kind(Some(3), 0.01)];
    plan.clients = vec![client(Some(1.0), 2)];
    plan.pools = vec![pool(0, 1, rps, &[])];
    plan
}

#[test]
fn a_stall_of_ten_seconds_sticks_where_twice_the_load_is_too_much() {
    for step_s in [0.1, 0.5] {
        let steps = (60.0 / step_s) as usize;
        for rps in [280.0, 200.0, 160.0] {
            let mut plan = store(rps, step_s);
            plan.events = vec![slow(60.0, 70.0, 0.0)];
            let run = plan.run();
            run.balances();
            let (goodput, tries) = end(&run, steps);
            println!("{rps} rps, steps of {step_s} s: goodput {goodput}, tries {tries}");
            assert!(goodput < 0.01, "{rps} rps: {goodput}");
            near(tries, 2.0, 0.01, "tries");
        }
        let mut plan = store(140.0, step_s);
        plan.events = vec![slow(60.0, 70.0, 0.0)];
        let run = plan.run();
        run.balances();
        let from = ((70.0 + 150.0) / step_s) as usize;
        let first = run.sum(0, from..run.steps.len(), |pool| pool.first_tries);
        let done = run.sum(0, from..run.steps.len(), |pool| pool.completed);
        println!("140 rps: {}", done / first);
        assert!(done / first > 0.99, "{}", done / first);
    }
}

#[test]
fn a_death_of_ten_seconds_leaves_no_queue_behind() {
    let mut plan = store(280.0, 0.1);
    let loss = Action::InstanceLoss { pool: PoolId(0), amount: LossAmount::Count(1) };
    plan.events = vec![event(60.0, Some(70.0), loss)];
    let run = plan.run();
    run.balances();
    let (goodput, tries) = end(&run, 600);
    assert!(goodput > 0.99 && tries < 1.01, "{goodput} {tries}");
}

/// OSDI'22, MongoDB: 33 workers of 2 ms, time-out 3 s, 5 tries.
fn mongo(rps: f64, cut: f64, length_s: f64, step_s: f64) -> f64 {
    let mut plan = Plan::new(step_s, 300.0);
    plan.kinds = vec![kind(Some(33), 0.002)];
    plan.clients = vec![client(Some(3.0), 5)];
    plan.pools = vec![pool(0, 1, rps, &[])];
    plan.events = vec![slow(60.0, 60.0 + length_s, 1.0 - cut)];
    let run = plan.run();
    run.balances();
    let (goodput, tries) = end(&run, (30.0 / step_s) as usize);
    println!("-{cut} for {length_s} s at {rps}, steps of {step_s} s: {goodput}, tries {tries}");
    goodput
}

#[test]
fn how_deep_how_long_and_at_which_load_decides_whether_a_database_recovers() {
    for step_s in [0.1, 0.05] {
        let results = [
            mongo(6200.0, 0.78, 10.0, step_s),
            mongo(6200.0, 0.80, 10.0, step_s),
            mongo(6200.0, 0.80, 9.0, step_s),
            mongo(4200.0, 0.80, 10.0, step_s),
        ];
        assert!(results[0] > 0.99, "{results:?}");
        assert!(results[1] < 0.5, "{results:?}");
        assert!(results[2] > 0.99, "{results:?}");
        assert!(results[3] > 0.99, "{results:?}");
    }
}
