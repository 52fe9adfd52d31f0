//! What once went wrong in the requests plane.

use zonefall::model::{
    Action, Arrivals, Budget, Change, ClientId, ClientSetting, OnUnhealthy, PoolId, ProbeKind,
    ServiceDistribution, Source, WhenFull,
};
use zonefall::units::Rps;

use super::run::{add_up, run, run_with_sources};
use crate::fluid::build::{Plan, client, consumed, event, held, kind, pool};
use crate::random::sketch::{ratio, seconds};

#[test]
fn a_request_whose_client_s_time_out_is_lifted_ends_once() {
    // Four at once at 10 s, for 20 s each; given up at 15 s and tried again; those who are sent
    // from 16 s on are never given up.
    let mut plan = Plan::new(0.25, 60.0);
    plan.kinds = vec![kind(Some(50), 20.0)];
    plan.kinds[0].service_distribution = ServiceDistribution::Deterministic;
    plan.clients = vec![client(Some(5.0), 2)];
    plan.pools = vec![pool(0, 1, 0.4, &[])];
    plan.pools[0].arrivals = Arrivals::BatchEvery(seconds(10.0));
    let setting = ClientSetting::Timeout;
    let changes = vec![Change::Client { client: ClientId(0), setting, value: None }];
    plan.events = vec![event(16.0, None, Action::Set { changes })];
    let run = run(&plan);
    add_up(&run).expect("books");
    // Done at 30 s and 35 s, long after they were given up; the next four at 40 s, in time.
    let steps = [112..124, 132..144, 152..164];
    let late = steps.clone().map(|steps| run.sum(0, steps, |one| one.late));
    let completed = steps.map(|steps| run.sum(0, steps, |one| one.completed));
    assert_eq!((late, completed), ([4.0, 4.0, 0.0], [0.0, 0.0, 4.0]));
    // Those of time 0 were late as well.
    assert_eq!(run.books[run.books.len() - 1].late, 8.0);
}

#[test]
fn who_waits_for_a_worker_is_before_who_waits_for_a_slot() {
    // One worker, that calls would free, and two slots. Two come at 10 s, who give up after 2.2 s,
    // and a third at 10.5 s: it is after them, though its slot is free when the worker is.
    let mut plan = Plan::new(0.25, 18.0);
    plan.kinds = vec![kind(Some(1), 1.0), kind(None, 0.0)];
    plan.kinds[0].service_distribution = ServiceDistribution::Deterministic;
    plan.kinds[0].resources = vec![held("slots", 2.0, 0.0, WhenFull::Queue)];
    plan.clients = vec![client(Some(2.2), 1), client(None, 1)];
    plan.pools = vec![pool(0, 1, 0.2, &[(1, 1e-12, 1)]), pool(1, 1, 0.0, &[])];
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
    assert_eq!(run.sum(0, 40..60, |one| one.completed), 3.0);
    assert_eq!(run.sum(0, 40..60, |one| one.late), 0.0);
}

#[test]
fn a_queue_before_a_rate_has_its_limits() {
    // Two are inside when nothing waits: 100 ms each, 20 a second.
    for (queue_limit, max_wait_s, most) in [(Some(5), None, 7.0), (None, Some(1.0), 23.0)] {
        let mut plan = Plan::new(0.5, 410.0);
        plan.kinds = vec![kind(None, 0.1)];
        plan.kinds[0].resources = vec![consumed("rate", 20.0, 1.0)];
        plan.kinds[0].queue_limit = queue_limit;
        plan.kinds[0].max_wait = max_wait_s.map(seconds);
        plan.clients = vec![client(None, 1)];
        plan.pools = vec![pool(0, 1, 40.0, &[])];
        for run in [run(&plan), plan.run()] {
            let peak = run.steps.iter().map(|pools| pools[0].in_flight_peak).fold(0.0, f64::max);
            assert!(peak <= most + 1e-9, "{peak} inside, at most {most}");
            let rejected = run.sum(0, 20..820, |one| one.rejected) / (40.0 * 400.0);
            assert!((rejected - 0.5).abs() < 0.04, "{rejected} are rejected");
        }
    }
}

#[test]
fn a_budget_of_calls_holds_a_second_s_deposits_whatever_the_step() {
    for step_s in [0.5, 0.01] {
        let mut plan = Plan::new(step_s, 20.0);
        plan.kinds = vec![kind(None, 0.001)];
        plan.clients = vec![client(None, 1), client(None, 2)];
        if let Some(retry) = &mut plan.clients[1].retry {
            retry.budget = Some(Budget::Ratio(ratio(0.1)));
        }
        plan.pools = vec![pool(0, 1, 200.0, &[(1, 1.0, 1)]), pool(0, 1, 0.0, &[])];
        let pools = vec![PoolId(1)];
        plan.events = vec![event(10.0, None, Action::Errors { pools, share: ratio(1.0) })];
        let run = run(&plan);
        add_up(&run).expect("books");
        let steps = |time_s: f64| (time_s / step_s).round() as usize;
        let retries = run.sum(1, steps(10.0)..steps(10.5), |one| one.retries);
        // Twenty there were, and ten more come in.
        assert!((22.0..=38.0).contains(&retries), "{retries} retries under {step_s} s");
    }
}

#[test]
fn who_dies_by_a_probe_at_the_very_end_is_lost_for_users_too() {
    // Four come at 10 s, give up at 11 s, and die at the end of the last step, at 12 s, with their
    // instance, whose probe of 11.9 s finds it stalled.
    let mut plan = Plan::new(0.5, 12.0);
    plan.kinds = vec![kind(Some(10), 30.0)];
    plan.kinds[0].service_distribution = ServiceDistribution::Deterministic;
    let check = &mut plan.kinds[0].health_check;
    check.kind = ProbeKind::Deep;
    check.on_unhealthy = OnUnhealthy::Restart;
    check.unhealthy_threshold = 1;
    (check.interval, check.timeout) = (seconds(100.0), seconds(0.1));
    check.phase = Some(seconds(11.8));
    for timeout_s in [Some(1.0), None] {
        plan.clients = vec![client(timeout_s, 1)];
        plan.pools = vec![pool(0, 1, 0.4, &[])];
        plan.pools[0].arrivals = Arrivals::BatchEvery(seconds(10.0));
        let run = run(&plan);
        add_up(&run).expect("books");
        let (last, book) = (run.last(0), run.books[run.books.len() - 1]);
        assert_eq!((last.in_flight, last.given_up, book.given_up), (0.0, 0.0, 0.0));
        assert_eq!((last.late, last.lost), (book.late, book.lost));
        assert_eq!(book.unfinished, 0.0);
    }
}

#[test]
fn many_who_wait_through_long_steps_are_counted() {
    // 200,000 tries a day at a worker that takes a day for each.
    const DAY_S: f64 = 86_400.0;
    let mut plan = Plan::new(DAY_S, 4.0 * DAY_S);
    plan.kinds = vec![kind(Some(1), DAY_S)];
    plan.clients = vec![client(None, 1)];
    plan.pools = vec![pool(0, 1, 200_000.0 / DAY_S, &[])];
    plan.pools[0].arrivals = Arrivals::BatchEvery(seconds(DAY_S));
    for attempts in [1, 2] {
        // Clients that would try again are served the general way.
        plan.clients = vec![client(None, attempts)];
        let run = run(&plan);
        add_up(&run).expect("books");
        assert!((run.last(0).in_flight_mean - 800_000.0).abs() < 10.0, "{:?}", run.last(0));
    }
}
