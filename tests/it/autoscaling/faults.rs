//! Autoscalers when things fail.

use zonefall::model::{Action, LossAmount, PoolId, ZoneId};

use crate::random::sketch::seconds;

use super::fleet::{Scaled, event};

const POOL: PoolId = PoolId(0);

fn refusal(at_s: f64, until_s: Option<f64>) -> zonefall::model::Event {
    event("refusal", at_s, until_s, Action::LaunchesRefused { pools: vec![POOL] })
}

#[test]
fn refused_launches_are_tried_again_until_they_are_not() {
    let mut scaled = Scaled::new(10, 900.0, 100.0);
    scaled.events = vec![refusal(0.0, Some(70.0))];
    let run = scaled.run();
    assert_eq!(run.refusals(), vec![(15.0, 8)]);
    assert_eq!(run.changes(), vec![(75.0, 10, 18)]);
    // What was launched before goes on.
    let mut scaled = Scaled::new(10, 900.0, 100.0);
    scaled.kind.startup_time = seconds(30.0);
    scaled.events = vec![refusal(20.0, None)];
    assert_eq!((scaled.run().at(100.0).up, scaled.run().refusals()), (18, vec![]));
}

#[test]
fn a_refused_addition_never_comes() {
    let mut scaled = Scaled::new(10, 300.0, 100.0);
    scaled.pools[0].autoscaler = None;
    let mut addition = event("more", 20.0, None, Action::AddInstances { pool: POOL, count: 10 });
    addition.over = seconds(40.0);
    // One every 4 s from 22 s on: the refusal covers those of 30, 34 and 38 s.
    scaled.events = vec![addition, refusal(30.0, Some(40.0))];
    let run = scaled.run();
    assert_eq!(run.refusals(), vec![(20.0, 3)]);
    assert_eq!((run.at(100.0).up, run.at(100.0).in_rotation), (17, 17));
}

#[test]
fn a_refusal_lets_processes_restart() {
    let mut scaled = Scaled::new(10, 300.0, 60.0);
    scaled.pools[0].autoscaler = None;
    let loss = Action::InstanceLoss { pool: POOL, amount: LossAmount::Count(4) };
    scaled.events = vec![refusal(0.0, None), event("loss", 10.0, Some(30.0), loss)];
    let run = scaled.run();
    assert_eq!((run.at(29.0).up, run.at(60.0).up), (6, 10));
}

#[test]
fn dead_instances_are_replaced_once_they_are_out_of_rotation() {
    let mut scaled = Scaled::new(20, 1000.0, 200.0);
    let loss = Action::InstanceLoss { pool: POOL, amount: LossAmount::Count(10) };
    scaled.events = vec![event("loss", 40.0, None, loss)];
    let run = scaled.run();
    // At 45 s most of the mean is of the time before. Then ten at 100 % against 50 % ask for
    // twenty.
    assert_eq!(run.changes()[0], (60.0, 10, 20));
    let end = run.at(200.0);
    assert!((19..=22).contains(&end.in_rotation), "{end:?}");
    // The dead count as instances that it ought to have.
    assert_eq!(end.expected, end.in_rotation + 10);
}

#[test]
fn nothing_is_known_of_dead_instances_that_nobody_has_noticed() {
    let mut scaled = Scaled::new(20, 1000.0, 61.0);
    scaled.kind.health_check.unhealthy_threshold = 20;
    let loss = Action::InstanceLoss { pool: POOL, amount: LossAmount::Count(10) };
    scaled.events = vec![event("loss", 40.0, None, loss)];
    // They take half of the traffic, and the others are at 50 % as before.
    assert_eq!(scaled.run().changes(), vec![]);
    assert_eq!(scaled.run().at(60.0).up, 10);
}

#[test]
fn in_a_dark_zone_nothing_is_launched() {
    let mut scaled = Scaled::new(10, 500.0, 300.0);
    scaled.scaler.min = 5;
    let outage = Action::ZoneOutage { zone: ZoneId(0) };
    scaled.events = vec![event("outage", 50.0, Some(150.0), outage)];
    let run = scaled.run();
    assert_eq!(run.refusals(), vec![(60.0, 5)]);
    assert_eq!(run.at(149.0).up, 0);
    let end = run.at(300.0);
    assert!((9..=11).contains(&end.in_rotation), "{end:?}");
}

#[test]
fn added_instances_that_it_dismissed_are_not_dismissed_again() {
    let mut scaled = Scaled::new(10, 500.0, 300.0);
    scaled.scaler.scale_down.stabilization = seconds(30.0);
    let add = Action::AddInstances { pool: POOL, count: 10 };
    scaled.events = vec![event("more", 40.0, Some(200.0), add)];
    let run = scaled.run();
    // The mean at 45 s is 10 s at 50 % and 5 s at 25 %.
    assert_eq!(run.changes(), vec![(45.0, 20, 17), (75.0, 17, 10)]);
    let (before, end) = (run.at(199.0), run.at(300.0));
    assert_eq!((before.in_rotation, before.expected), (10, 10));
    assert_eq!((end.up, end.in_rotation, end.expected), (10, 10, 10));
}
