//! What happens to requests that are under way, to the nanosecond.

use zonefall::engine::PoolStep;
use zonefall::model::{
    Action, Arrivals, Change, ClientId, InstanceSetting, KindId, LossAmount, OnUnhealthy, PoolId,
    ProbeKind, ServiceDistribution, Source,
};
use zonefall::units::Rps;

use super::run::{add_up, run, run_with_sources};
use crate::fluid::build::{Plan, Run, client, event, kind, pool};
use crate::random::sketch::{ratio, seconds};

/// Four requests at once every 10 s, each takes a second.
fn fours(action: Action, from_s: f64, until_s: f64) -> Plan {
    let mut plan = Plan::new(0.25, 40.0);
    plan.kinds = vec![kind(Some(10), 1.0)];
    plan.kinds[0].service_distribution = ServiceDistribution::Deterministic;
    plan.clients = vec![client(None, 1)];
    plan.pools = vec![pool(0, 1, 0.4, &[])];
    plan.pools[0].arrivals = Arrivals::BatchEvery(seconds(10.0));
    plan.events = vec![event(from_s, Some(until_s), action)];
    plan
}

/// Latency of the answers of the batch that came at 10 s.
fn latency_s(run: &Run) -> f64 {
    add_up(run).expect("books");
    let answers: Vec<&PoolStep> =
        run.steps[40..80].iter().map(|pools| &pools[0]).filter(|one| one.completed > 0.0).collect();
    assert_eq!(answers.len(), 1, "all at once");
    assert_eq!(answers[0].completed, 4.0);
    answers[0].latency.expect("there are answers").mean_s()
}

fn slow(speed: f64) -> Action {
    Action::Slow { pools: vec![PoolId(0)], speed: ratio(speed) }
}

#[test]
fn work_under_way_goes_on_at_the_speed_of_the_moment() {
    for (speed, from_s, until_s, expected_s) in [
        (1.0, 10.25, 20.0, 1.0),
        (0.5, 10.25, 20.0, 0.25 + 0.75 / 0.5),
        (0.25, 10.5, 11.5, 0.5 + 1.0 + 0.25),
        (2.0, 10.25, 20.0, 0.25 + 0.75 / 2.0),
        (0.0, 10.25, 13.0, 3.0 + 0.75),
        (0.0, 9.0, 13.0, 3.0 + 1.0),
        (0.5, 9.0, 20.0, 2.0),
    ] {
        let got_s = latency_s(&run(&fours(slow(speed), from_s, until_s)));
        assert!((got_s - expected_s).abs() < 2e-9, "{speed}, {from_s}: {got_s}, not {expected_s}");
    }
    let setting = InstanceSetting::ServiceTime;
    let changes = vec![Change::Instance { kind: KindId(0), setting, value: Some(2.0) }];
    let got_s = latency_s(&run(&fours(Action::Set { changes }, 10.25, 20.0)));
    assert!((got_s - 1.75).abs() < 2e-9, "{got_s}");
}

#[test]
fn a_ramped_stall_does_the_work_of_its_speeds() {
    // Ramped: another speed at every boundary, and still a second of work in all.
    let mut plan = fours(slow(0.0), 9.0, 13.0);
    plan.events[0].over = seconds(2.0);
    // Speeds 1/2 at 10 s to 1/8 at 10.75 s, a stall until 13 s.
    let done = 0.25 * (0.5 + 0.375 + 0.25 + 0.125);
    let got_s = latency_s(&run(&plan));
    assert!((got_s - (3.0 + 1.0 - done)).abs() < 1e-8, "{got_s}");
}

#[test]
fn a_stall_keeps_what_is_there_and_what_comes() {
    let run = run(&fours(slow(0.0), 5.0, 35.0));
    add_up(&run).expect("books");
    let inside = |time_s: f64| run.steps[(time_s * 4.0) as usize - 1][0].in_flight;
    assert_eq!([9.0, 11.0, 21.0, 31.0].map(inside), [0.0, 4.0, 8.0, 12.0]);
    assert_eq!(run.sum(0, 20..140, |one| one.completed + one.lost + one.rejected), 0.0);
    // Ten at a time, then the other two.
    let done = |from_s: f64, to_s: f64| {
        run.sum(0, (from_s * 4.0) as usize..(to_s * 4.0) as usize, |one| one.completed)
    };
    assert_eq!([done(35.0, 36.0), done(36.0, 36.25), done(37.0, 37.25)], [0.0, 10.0, 2.0]);
}

#[test]
fn what_is_inside_a_dying_instance_is_lost_with_it() {
    let amount = LossAmount::Count(1);
    let mut plan = fours(Action::InstanceLoss { pool: PoolId(0), amount }, 10.5, 30.0);
    plan.kinds[0].health_check.unhealthy_threshold = 1;
    let run = run(&plan);
    add_up(&run).expect("books");
    let lost = run.sum(0, 42..43, |one| one.lost);
    assert_eq!((lost, run.steps[42][0].died_inside, run.steps[42][0].in_flight), (4.0, 4.0, 0.0));
    // The batch of 20 s finds it dead or out of rotation.
    assert_eq!(run.sum(0, 43..120, |one| one.lost), 4.0);
    assert_eq!(run.sum(0, 43..120, |one| one.completed), 0.0);
}

#[test]
fn callers_fail_with_the_instance_that_they_wait_for() {
    // An event kills it at a boundary; its health check when its probes fail, at the end of a step.
    for by_probe in [false, true] {
        let amount = LossAmount::Count(1);
        let mut plan = fours(Action::InstanceLoss { pool: PoolId(1), amount }, 10.5, 30.0);
        plan.kinds.push(kind(None, 0.0));
        plan.pools = vec![pool(1, 1, 0.4, &[(1, 1.0, 0)]), pool(0, 1, 0.0, &[])];
        plan.pools[0].arrivals = Arrivals::BatchEvery(seconds(10.0));
        if by_probe {
            let check = &mut plan.kinds[0].health_check;
            check.kind = ProbeKind::Deep;
            check.phase = Some(seconds(10.0));
            check.interval = seconds(40.0);
            check.unhealthy_threshold = 1;
            check.timeout = seconds(0.6);
            check.on_unhealthy = OnUnhealthy::Restart;
            plan.events.clear();
        }
        let run = run(&plan);
        add_up(&run).expect("books");
        let (callers, called) = (run.steps[42][0], run.steps[42][1]);
        if by_probe {
            assert_eq!(run.sum(0, 40..44, |one| one.lost), 4.0);
            assert_eq!(run.sum(1, 40..44, |one| one.died_inside), 4.0);
        } else {
            assert_eq!((called.lost, called.died_inside, called.in_flight), (4.0, 4.0, 0.0));
            assert_eq!((callers.lost, callers.in_flight), (4.0, 0.0));
        }
    }
}

#[test]
fn workers_are_held_during_calls_or_free_for_others() {
    for is_held in [false, true] {
        // Half a second of own work, a second and a half of calls, and workers for everyone.
        let mut plan = fours(slow(1.0), 39.0, 39.5);
        plan.kinds[0].workers_held_during_calls = is_held;
        plan.kinds[0].service_time = seconds(0.5);
        plan.kinds.push(kind(None, 1.5));
        plan.kinds[1].service_distribution = ServiceDistribution::Deterministic;
        plan.pools[0].calls = pool(0, 1, 0.0, &[(1, 1.0, 0)]).calls;
        plan.pools.push(pool(1, 1, 0.0, &[]));
        let run = run(&plan);
        add_up(&run).expect("books");
        let used_s: f64 = run.resources[40..80].iter().map(|all| all[0].used * 0.25).sum();
        let expected_s = if is_held { 4.0 * 2.0 } else { 4.0 * 0.5 };
        assert!((used_s - expected_s).abs() < 1e-6, "{is_held}: {used_s} s of workers");
    }
}

#[test]
fn more_workers_serve_those_that_wait_for_one() {
    let setting = InstanceSetting::Workers;
    for makes_calls in [false, true] {
        let changes = vec![Change::Instance { kind: KindId(0), setting, value: Some(4.0) }];
        let mut plan = fours(Action::Set { changes }, 10.5, 39.0);
        plan.kinds[0].workers = Some(1);
        if makes_calls {
            // Its calls free a worker: it is workers that requests wait for, not room.
            plan.kinds.push(kind(None, 0.0));
            plan.pools[0].calls = pool(0, 1, 0.0, &[(1, 1.0, 0)]).calls;
            plan.pools.push(pool(1, 1, 0.0, &[]));
        }
        let run = run(&plan);
        add_up(&run).expect("books");
        let done: Vec<f64> = [43, 44, 45, 46, 47].map(|step| run.steps[step][0].completed).into();
        assert_eq!(done, [0.0, 1.0, 0.0, 3.0, 0.0], "{makes_calls}: at 11 and 11.5 s");
    }
}

#[test]
fn a_worker_that_is_offered_to_one_who_gives_up_serves_the_next() {
    // Three come at 10 s for one worker, which takes one of them; another, that waits for ever, at
    // 10.5 s. The three give up at 11 s: the worker is free for the fourth then.
    let mut plan = Plan::new(0.25, 20.0);
    plan.kinds = vec![kind(Some(1), 3.0), kind(None, 0.0)];
    plan.kinds[0].service_distribution = ServiceDistribution::Deterministic;
    plan.clients = vec![client(Some(1.0), 1), client(None, 1)];
    plan.clients[0].cancel = true;
    plan.pools = vec![pool(0, 1, 0.3, &[(1, 1.0, 1)]), pool(1, 1, 0.0, &[])];
    plan.pools[0].arrivals = Arrivals::BatchEvery(seconds(10.0));
    let every_s = 10.5;
    let later = Source {
        name: "later".to_owned(),
        to: PoolId(0),
        demand: Rps::new(1.0 / every_s).expect("a rate"),
        arrivals: Arrivals::BatchEvery(seconds(every_s)),
        client: ClientId(1),
    };
    let run = run_with_sources(&plan, vec![later]);
    add_up(&run).expect("books");
    let busy = |step: usize| run.resources[step][0].used;
    assert_eq!(run.steps[44][0].late, 3.0, "those that gave up");
    for step in 44..54 {
        assert_eq!(busy(step), 1.0, "idle from {} s on", 0.25 * step as f64);
    }
}
