//! Nothing of a chart lies outside of it, and no text over another.

use super::edge_tests::{ABC, KINDS, keep, proxied_results, results};
use super::fixture::{Plot, cascade, context, five, result, scenario, simulated};
use super::scene::{Anchor, Mark, Scene};
use super::{ChartContext, compare_charts, font};
use super::{
    healthy_capacity, moments, phases, policies, requests, resources, states, utilization,
};
use crate::engine::{Happening, LogEntry};
use crate::metric::{FiredAlert, RunResult};
use crate::model::{Alert, AlertSeverity, AlertSignal, PoolId, Scenario};
use crate::policy::{BreakerAction, Trip};
use crate::units::Seconds;

type Layout = fn(&ChartContext<'_>, &[RunResult]) -> Scene;

const COMPARED: [(&str, Layout); 5] = [
    ("healthy_capacity", healthy_capacity::compare),
    ("policies", policies::chart),
    ("requests", requests::chart),
    ("moments", moments::chart),
    ("utilization", utilization::compare),
];
const RUN: [(&str, Layout); 6] = [
    ("healthy_capacity", healthy_capacity::run),
    ("states", states::chart),
    ("requests", requests::chart),
    ("moments", moments::chart),
    ("utilization", utilization::run),
    ("resources", resources::chart),
];

/// Texts whose boxes meet.
fn overlaps(scene: &Scene) -> Vec<String> {
    let boxed = |mark: &Mark| match mark {
        Mark::Text { at, text, look } => {
            let width = font::width(text, look.size, look.weight);
            let left = match look.anchor {
                Anchor::Start => at.0,
                Anchor::Middle => at.0 - width / 2.0,
                Anchor::End => at.0 - width,
            };
            let (top, bottom) = (at.1 - 0.75 * look.size, at.1 + 0.2 * look.size);
            Some((left, top, left + width, bottom, text.clone()))
        }
        _ => None,
    };
    let boxes: Vec<_> = scene.marks.iter().filter_map(boxed).collect();
    let mut found = Vec::new();
    for (index, a) in boxes.iter().enumerate() {
        if !(a.0 >= 0.0 && a.2 <= scene.size.0 && a.1 >= 0.0 && a.3 <= scene.size.1) {
            found.push(format!("{:?} sticks out", a.4));
        }
        for b in &boxes[index + 1..] {
            if a.0 < b.2 && b.0 < a.2 && a.1 < b.3 && b.1 < a.3 {
                found.push(format!("{:?} and {:?}", a.4, b.4));
            }
        }
    }
    found
}

/// Corners outside of the picture, or nowhere at all.
fn outside(scene: &Scene) -> Vec<String> {
    let mut found = Vec::new();
    for mark in &scene.marks {
        let points = match mark {
            Mark::Fill { points, .. } | Mark::Stroke { points, .. } => points.as_slice(),
            Mark::Disc { centre, .. } => std::slice::from_ref(centre),
            Mark::Text { .. } => &[],
        };
        let inside = |(x, y): &(f64, f64)| {
            (0.0..=scene.size.0).contains(x) && (0.0..=scene.size.1).contains(y)
        };
        found.extend(points.iter().filter(|p| !inside(p)).map(|p| format!("{p:?}")));
    }
    found
}

fn check_all(what: &str, context: &ChartContext<'_>, results: &[RunResult]) {
    let check = |(name, layout): (&str, Layout), results: &[RunResult]| {
        let scene = layout(context, results);
        assert_eq!(overlaps(&scene), Vec::<String>::new(), "{what}: {name}");
        assert_eq!(outside(&scene), Vec::<String>::new(), "{what}: {name}");
    };
    COMPARED.into_iter().for_each(|chart| check(chart, results));
    for result in results.iter().take(5) {
        RUN.into_iter().for_each(|chart| check(chart, std::slice::from_ref(result)));
    }
    RUN.into_iter().for_each(|chart| check(chart, &[]));
}

fn named(count: usize) -> Vec<Plot> {
    (0..count).map(|index| five().swap_remove(index % 5)).collect()
}

#[test]
fn nothing_overlaps_or_sticks_out() {
    let three = scenario(&ABC, 1);
    let five = results(&three, &five(), 1320);
    check_all("five policies", &context(&three), &five);
    check_all("no policy", &context(&three), &[]);
    for rows in [0, 1, 2] {
        check_all("few rows", &context(&three), &results(&three, &[cascade()], rows));
    }
    let mut many = results(&three, &named(60), 300);
    for (index, one) in many.iter_mut().enumerate() {
        one.policy = format!("policy-number-{index}-of-a-great-many-policies");
    }
    check_all("sixty policies", &context(&three), &many);
    let mut calm = three.clone();
    calm.events.clear();
    check_all("no events", &context(&calm), &results(&calm, &named(3), 300));
    let none = scenario(&[], 1);
    check_all("no pools", &context(&none), &results(&none, &named(2), 10));
    for (zones, pools) in [(1, 1), (4, 1), (4, 3), (8, 5), (40, 3)] {
        let names: Vec<String> = (0..zones).map(|index| format!("zone-{index:03}")).collect();
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let fleet = scenario(&names, pools);
        check_all("fleet", &context(&fleet), &results(&fleet, &named(2), 400));
    }
    let (proxied, results) = proxied_results(2, 4);
    check_all("resources", &context(&proxied), &results);
}

#[test]
fn simulated_runs_keep_their_texts_apart() {
    let mut flapping = scenario(&ABC, 2);
    flapping.kinds[0].health_check.on_unhealthy = crate::model::OnUnhealthy::Eject;
    check_all("flapping", &context(&flapping), &simulated(&flapping, &KINDS));
}

#[test]
fn long_names_are_cut() {
    let long = "a-name-that-goes-on-and-on-so-that-nobody-would-ever-choose-it-but-somebody-will";
    let mut scenario = scenario(&[long, "b", "c"], 1);
    scenario.events[0].cause = Some(long.repeat(4));
    let mut results = results(&scenario, &five(), 1320);
    for result in &mut results {
        result.policy = format!("{}-{long}", result.policy);
    }
    let name = "a/very/long/path/".repeat(12) + "file.toml";
    let context = ChartContext { file_name: &name, ..context(&scenario) };
    check_all("long names", &context, &results);
}

fn with_alerts(count: u32) -> (Scenario, Vec<RunResult>) {
    let mut scenario = scenario(&ABC, 1);
    let alert = |index: u32| Alert {
        name: format!("alert-number-{index}-about-receivers"),
        signal: AlertSignal::ReceivingPoolCapacityUtilization,
        above: 0.85,
        within: Seconds::new(60.0).unwrap(),
        sustained: Seconds::ZERO,
        severity: AlertSeverity::High,
        response: "shed".into(),
    };
    scenario.alerts = (0..count).map(alert).collect();
    let mut one = result(&scenario, &cascade(), 1320, 0.5);
    let fired = |alert: u32| {
        let time_s = if alert == 0 { 20.0 } else { 120.0 + 7.0 * f64::from(alert) };
        FiredAlert { alert, time_s, pool: None, value: 0.9, lead_s: None, is_false: false }
    };
    one.alerts = (0..count).map(fired).collect();
    let (pool, wait_s) = (PoolId(1), 4.0);
    let (trip, action) = (Trip::Wait { pool, wait_s }, BreakerAction::Retract);
    let what = Happening::BreakerOpen { trip, action };
    one.log.push(LogEntry { time_s: 146.0, what });
    let mut late = one.clone();
    late.alerts = vec![FiredAlert {
        alert: 0,
        time_s: 660.0,
        pool: None,
        value: 1.0,
        lead_s: None,
        is_false: false,
    }];
    (scenario, vec![one, late])
}

#[test]
fn alerts_are_named_over_their_bars() {
    for count in [1, 3, 40] {
        let (scenario, results) = with_alerts(count);
        if std::env::var_os("ZONEFALL_CHART_DIR").is_some() {
            let charts = compare_charts(&context(&scenario), &results).unwrap();
            keep(&format!("alerts-{count}-compare"), &charts);
        }
        check_all("alerts", &context(&scenario), &results);
        let scene = moments::chart(&context(&scenario), &results[..1]);
        let says = |text: &str| {
            scene.marks.iter().any(|mark| {
                matches!(mark, Mark::Text { text: said, .. }
                if said.contains(text))
            })
        };
        assert!(says("alert-number-0-about-receivers (before the trigger)"));
        assert!(says("Triangles: alerts. Hollow triangles: the cascade circuit breaker."));
        assert_eq!(says(" more that follow closely are not named."), count == 40);
        assert_eq!(says("breaker opens: planner-b waits 4\u{a0}s"), count < 40);
        assert_eq!(says("alert-number-2-about-receivers"), count > 2);
    }
}

#[test]
fn texts_of_phases_keep_apart() {
    for (copies, count) in [(1, 1), (2, 4), (3, 4), (4, 8), (6, 30), (12, 200)] {
        let (mut scenario, results) = proxied_results(copies, count);
        for phase in scenario.phases.iter_mut().step_by(3) {
            phase.name = "a-phase-with-a-long-name-that-nobody-wants".into();
        }
        let scene = phases::chart(&context(&scenario), &results);
        assert_eq!(overlaps(&scene), Vec::<String>::new(), "{copies} panels of {count} phases");
        assert_eq!(outside(&scene), Vec::<String>::new(), "{copies} panels of {count} phases");
    }
}
