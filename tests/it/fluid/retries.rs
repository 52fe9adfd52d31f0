//! Retries that the failures of a pool make.

use zonefall::model::{Action, Backoff, Budget, Jitter, PoolId};
use zonefall::units::Rps;

use super::build::{Plan, client, event, kind, near, pool};
use crate::random::sketch::{ratio, seconds};

fn with_errors(share: f64, attempts: u32) -> Plan {
    let mut plan = Plan::new(0.1, 60.0);
    plan.kinds = vec![kind(Some(100), 0.01)];
    plan.clients = vec![client(None, attempts)];
    plan.pools = vec![pool(0, 4, 1000.0, &[])];
    let pools = vec![PoolId(0)];
    plan.events = vec![event(10.0, None, Action::Errors { pools, share: ratio(share) })];
    plan
}

#[test]
fn attempts_are_a_geometric_sum() {
    for (share, retries) in [(0.5, 1), (0.5, 2), (0.5, 3), (0.5, 4), (0.2, 3), (0.9, 2)] {
        let run = with_errors(share, retries + 1).run();
        run.balances();
        let last = run.last(0);
        let got = (last.first_tries + last.retries) / last.first_tries;
        let power = libm::pow(share, f64::from(retries + 1));
        near(got, (1.0 - power) / (1.0 - share), 1e-9, "attempts");
        let book = run.books[run.books.len() - 1];
        near(book.lost, 1000.0 * 50.0 * power, 0.05, "requests lost");
    }
}

#[test]
fn back_offs_delay_retries_by_their_mean() {
    for (backoff, jitter, mean_s) in [
        (Backoff::None, Jitter::None, 0.1),
        (Backoff::Fixed { base: seconds(0.25) }, Jitter::None, 0.25),
        (Backoff::Fixed { base: seconds(3.0) }, Jitter::Full, 1.5),
        (Backoff::Exponential { base: seconds(2.0), most: None }, Jitter::None, 2.0),
        (Backoff::Exponential { base: seconds(5.0), most: Some(seconds(1.5)) }, Jitter::Full, 0.75),
    ] {
        let mut plan = with_errors(1.0, 2);
        if let Some(retry) = &mut plan.clients[0].retry {
            (retry.backoff, retry.jitter) = (backoff, jitter);
        }
        let run = plan.run();
        run.balances();
        near(run.last(0).retries, 100.0, 1e-9, "retries");
        // First retries are as many as first tries, so the delay is what has not come back yet.
        let failed = run.sum(0, 100..600, |pool| pool.first_tries);
        let again = run.sum(0, 100..600, |pool| pool.retries);
        let delay_s = (failed - again) / 1000.0;
        assert!((delay_s - mean_s).abs() < 0.02 * mean_s + 0.01, "{backoff:?}: {delay_s}");
        assert!((delay_s - mean_s).abs() < 0.011, "{backoff:?} {jitter:?}: {delay_s} {mean_s}");
    }
}

#[test]
fn a_budget_limits_retries_at_every_step() {
    for budget in [Budget::Ratio(ratio(0.1)), Budget::Bucket { rate: rate(50.0), size: 200.0 }] {
        let mut plan = with_errors(0.5, 5);
        if let Some(retry) = &mut plan.clients[0].retry {
            retry.budget = Some(budget);
        }
        let run = plan.run();
        run.balances();
        let (mut first, mut again) = (0.0, 0.0);
        for (step, pools) in run.steps.iter().enumerate() {
            first += pools[0].first_tries;
            again += pools[0].retries;
            let most = match budget {
                Budget::Ratio(share) => share.get() * first,
                Budget::Bucket { rate, size } => size + rate.get() * 0.1 * (step + 1) as f64,
            };
            assert!(again <= most * (1.0 + 1e-9), "step {step}: {again} of {most}");
        }
        let per_step = match budget {
            Budget::Ratio(_) => 10.0,
            Budget::Bucket { .. } => 5.0,
        };
        near(run.last(0).retries, per_step, 1e-6, "retries");
    }
}

fn rate(rps: f64) -> Rps {
    Rps::new(rps).expect("a rate")
}

#[test]
fn overload_with_retries_has_a_fixed_point() {
    for (over, retries, attempts) in
        [(1.1, 3, 2.016), (1.5, 3, 2.776), (2.0, 4, 3.863), (1.3, 2, 1.990)]
    {
        let mut plan = Plan::new(0.1, 120.0);
        plan.kinds = vec![kind(Some(1000), 0.1)];
        plan.kinds[0].queue_limit = Some(50);
        plan.clients = vec![client(None, retries + 1)];
        plan.pools = vec![pool(0, 4, 40_000.0 * over, &[])];
        let run = plan.run();
        run.balances();
        let last = run.last(0);
        let got = (last.first_tries + last.retries) / last.first_tries;
        near(got, attempts, 5e-3, "attempts");
    }
}

#[test]
fn late_tries_of_a_long_queue_are_tried_again_when_they_time_out() {
    // 1000 rps into 500 rps: after t s the queue holds 500 t s, so that who arrives then waits t s.
    // Whoever came after 2 s waits longer than 2 s, and gives up 2 s later.
    let mut plan = Plan::new(0.1, 12.0);
    plan.kinds = vec![kind(Some(50), 0.01)];
    plan.clients = vec![client(Some(2.0), 2)];
    plan.pools = vec![pool(0, 1, 1000.0, &[])];
    let slow = Action::Slow { pools: vec![PoolId(0)], speed: ratio(0.1) };
    plan.events = vec![event(2.0, None, slow)];
    let run = plan.run();
    run.balances();
    let retries = |from: usize, to: usize| run.sum(0, from..to, |pool| pool.retries);
    assert!(retries(0, 50) < 30.0, "{}", retries(0, 50));
    near(retries(70, 120), 5000.0, 0.03, "retries of all who came from 5 to 10 s");
    assert!(run.sum(0, 80..120, |pool| pool.completed) < 100.0);
}

#[test]
fn who_cancels_takes_the_try_along() {
    let mut plan = Plan::new(0.1, 120.0);
    plan.kinds = vec![kind(Some(50), 0.1)];
    plan.clients = vec![client(Some(2.0), 1)];
    plan.clients[0].cancel = true;
    plan.pools = vec![pool(0, 1, 700.0, &[])];
    let run = plan.run();
    run.balances();
    // 500 rps are served, in time; 200 give up after 2 s, so that nobody waits for longer.
    near(run.sum(0, 600..1200, |pool| pool.completed), 500.0 * 60.0, 0.02, "completed");
    near(run.sum(0, 600..1200, |pool| pool.late), 200.0 * 60.0, 0.06, "given up");
    let inside = run.last(0).in_flight;
    assert!((700.0..=1500.0).contains(&inside), "{inside} inside");
}

#[test]
fn a_budget_grants_what_comes_in_however_long_the_step() {
    let bucket = |size| Budget::Bucket { rate: rate(50.0), size };
    for (step_s, budget, per_s) in [
        (0.5, bucket(1.0), 50.0),
        (5.0, bucket(100.0), 50.0),
        (5.0, Budget::Ratio(ratio(0.1)), 100.0),
        (0.1, Budget::Ratio(ratio(0.1)), 100.0),
    ] {
        let mut plan = with_errors(1.0, 2);
        plan.step_s = step_s;
        if let Some(retry) = &mut plan.clients[0].retry {
            retry.budget = Some(budget);
        }
        let run = plan.run();
        run.balances();
        near(run.last(0).retries, per_s * step_s, 1e-6, "retries");
    }
}
