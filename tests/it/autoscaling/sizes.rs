//! How a pool grows and shrinks.

use zonefall::model::{
    Action, AutoscalerId, AutoscalerSetting, Change, ScaleAmount, ScalePolicy, Surged,
};
use zonefall::units::Seconds;

use crate::random::sketch::{ratio, seconds};

use super::fleet::{Scaled, event};

fn surge(factor: f64, at_s: f64, until_s: Option<f64>) -> zonefall::model::Event {
    let of = Surged::Pool(zonefall::model::PoolId(0));
    event("surge", at_s, until_s, Action::Surge { of, factor: ratio(factor) })
}

#[test]
fn from_one_instance_under_endless_demand_it_takes_the_default_ramp() {
    // At 100 % against 50 % it asks for no more than twice as many, against 1 % for more than it
    // may.
    let run = Scaled::new(1, 100_000.0, 76.0).run();
    assert_eq!(run.changes()[..2], [(15.0, 1, 2), (30.0, 2, 4)]);
    let mut scaled = Scaled::new(1, 100_000.0, 76.0);
    scaled.scaler.targets[0].value = 0.01;
    let expected: Vec<(f64, u32, u32)> =
        vec![(15.0, 1, 5), (30.0, 5, 10), (45.0, 10, 20), (60.0, 20, 40), (75.0, 40, 80)];
    assert_eq!(scaled.run().changes(), expected);
}

#[test]
fn it_settles_at_the_target() {
    // 1,000 rps at 50 % of 100 rps an instance.
    let run = Scaled::new(4, 1000.0, 240.0).run();
    let end = run.at(240.0);
    // Within the tolerance: from 1000 ÷ 100 ÷ 0.55 = 18.2 to 1000 ÷ 100 ÷ 0.45 = 22.2.
    assert!((19..=22).contains(&end.in_rotation), "{end:?}");
    assert!(run.changes().iter().all(|(_, from, to)| to > from), "{:?}", run.changes());
}

#[test]
fn new_instances_start_and_then_pass_their_health_checks() {
    let mut scaled = Scaled::new(10, 900.0, 60.0);
    scaled.kind.startup_time = seconds(20.0);
    scaled.kind.health_check.healthy_threshold = 3;
    let run = scaled.run();
    // 90 % against 50 %: 18, all of them on their way until 35 s.
    assert_eq!(run.changes()[0], (15.0, 10, 18));
    assert_eq!((run.at(34.0).up, run.at(34.0).in_rotation), (10, 10));
    assert_eq!((run.at(35.0).up, run.at(35.0).in_rotation), (18, 10));
    // Probes at 36, 38 and 40 s.
    assert_eq!((run.at(40.0).in_rotation, run.at(40.0).expected), (10, 10));
    assert_eq!((run.at(41.0).in_rotation, run.at(41.0).expected), (18, 18));
    // Those on their way are enough: nothing more was launched meanwhile.
    assert_eq!(run.changes().len(), 1, "{:?}", run.changes());
}

#[test]
fn it_shrinks_after_the_stabilization_window() {
    let mut scaled = Scaled::new(20, 1000.0, 500.0);
    scaled.events = vec![surge(0.24, 60.0, None)];
    let run = scaled.run();
    // At 60 s the mean is still that of the old demand; the last "20" is of 60 s, and out of the
    // window at 360 s.
    assert_eq!(run.changes(), vec![(360.0, 20, 5)]);
    let end = run.at(500.0);
    assert_eq!((end.up, end.in_rotation, end.expected), (5, 5, 5));
}

#[test]
fn places_of_dismissed_instances_are_used_again() {
    let mut scaled = Scaled::new(20, 1000.0, 1000.0);
    scaled.scaler.max = 20;
    scaled.scaler.scale_down.stabilization = Seconds::ZERO;
    // Eight tides of 10 to 15 instances: more launches than there are places.
    scaled.events = (0..8)
        .map(|tide| {
            let at_s = 60.0 + 100.0 * f64::from(tide);
            let mut ebb = surge(0.25, at_s, Some(at_s + 40.0));
            ebb.name = format!("ebb-{tide}");
            ebb
        })
        .collect();
    let run = scaled.run();
    let launched: u32 = run.changes().iter().map(|(_, from, to)| to.saturating_sub(*from)).sum();
    assert!(launched > 40 + 20, "{:?}", run.changes());
    let end = run.at(1000.0);
    assert!((18..=20).contains(&end.in_rotation), "{end:?}");
    assert_eq!((end.up, end.expected), (end.in_rotation, end.in_rotation));
}

#[test]
fn rate_policies_slow_it_down() {
    let mut scaled = Scaled::new(10, 900.0, 95.0);
    let period = seconds(30.0);
    scaled.scaler.scale_up.policies = vec![ScalePolicy { amount: ScaleAmount::Pods(2), period }];
    let run = scaled.run();
    let expected = vec![(15.0, 10, 12), (45.0, 12, 14), (75.0, 14, 16)];
    assert_eq!(run.changes(), expected);
}

#[test]
fn a_sync_period_between_boundaries_acts_at_the_next() {
    let mut scaled = Scaled::new(1, 100_000.0, 61.0);
    scaled.step_s = 4.0;
    scaled.duration_s = 64.0;
    scaled.scaler.targets[0].value = 0.01;
    // The rate policies' 15 s are over at every decision, though one comes 12 s after another.
    let expected = vec![(16.0, 1, 5), (32.0, 5, 10), (48.0, 10, 20), (60.0, 20, 40)];
    assert_eq!(scaled.run().changes(), expected);
}

#[test]
fn an_ideal_one_has_what_it_wants_at_once() {
    let mut scaled = Scaled::new(10, 800.0, 120.0);
    scaled.kind.startup_time = seconds(90.0);
    scaled.kind.warm_up = seconds(90.0);
    scaled.scaler.ideal = true;
    scaled.scaler.targets[0].value = 0.52;
    scaled.events = vec![surge(0.5, 30.0, None)];
    let run = scaled.run();
    // 80 % against 52 % is 15.4 at 15 s, and half of that is 7.7.
    assert_eq!(run.changes(), vec![(15.0, 10, 16), (45.0, 16, 8)]);
    assert_eq!((run.at(15.0).up, run.at(15.0).in_rotation), (16, 16));
    assert!((run.at(16.0).healthy_capacity_rps - 1600.0).abs() < 1e-6, "{:?}", run.at(16.0));
    assert_eq!((run.at(45.0).in_rotation, run.at(45.0).expected), (8, 8));
}

#[test]
fn bounds_and_targets_may_change_in_a_run() {
    let autoscaler = AutoscalerId(0);
    let set = |setting, value| Change::Autoscaler { autoscaler, setting, value };
    let mut scaled = Scaled::new(10, 500.0, 120.0);
    scaled.scaler.max = 40;
    let event = |at_s, change| {
        event(&format!("set-{at_s}"), at_s, None, Action::Set { changes: vec![change] })
    };
    scaled.events = vec![
        event(20.0, set(AutoscalerSetting::Min, 15.0)),
        event(50.0, set(AutoscalerSetting::Target(0), 0.2)),
        event(80.0, set(AutoscalerSetting::Max, 12.0)),
    ];
    let run = scaled.run();
    // A pool outside its bounds is brought inside at once, as Kubernetes does.
    let expected = vec![(30.0, 10, 15), (60.0, 15, 25), (90.0, 25, 12)];
    assert_eq!(run.changes(), expected);
}

#[test]
fn those_starting_go_first_then_the_newest() {
    let set = |at_s, setting, value| {
        let change = Change::Autoscaler { autoscaler: AutoscalerId(0), setting, value };
        event(&format!("set-{at_s}"), at_s, None, Action::Set { changes: vec![change] })
    };
    let mut scaled = Scaled::new(10, 600.0, 200.0);
    scaled.kind.startup_time = seconds(60.0);
    scaled.kind.speed_spread = ratio(0.2);
    scaled.scaler.targets[0].value = 0.6;
    scaled.events = vec![
        set(20.0, AutoscalerSetting::Min, 15.0),
        set(50.0, AutoscalerSetting::Max, 12.0),
        set(150.0, AutoscalerSetting::Max, 10.0),
    ];
    let run = scaled.run();
    // Of a minimum over the maximum, the maximum holds.
    assert_eq!(run.changes(), vec![(30.0, 10, 15), (60.0, 15, 12), (165.0, 12, 10)]);
    assert_eq!((run.at(60.0).up, run.at(89.0).up, run.at(90.0).up), (10, 10, 12));
    let capacity_rps = |time_s: f64| run.at(time_s).healthy_capacity_rps;
    assert!((capacity_rps(160.0) - 1200.0).abs() < 1e-6, "{}", capacity_rps(160.0));
    // Speeds of the first ten are spread: without two neighbours of them it would be another sum.
    assert_eq!(capacity_rps(166.0), capacity_rps(10.0));
}
