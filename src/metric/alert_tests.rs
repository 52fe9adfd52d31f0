//! Signals and alerts of snapshots made by hand: exact times and values.

use super::alerts::Alerts;
use super::fixture::proxied;
use super::simulate::EMPTY;
use super::{FiredAlert, Summary};
use crate::engine::{Happening, LogEntry, PoolStep, Snapshot};
use crate::model::{
    Action, Alert, AlertSignal, AlertThreshold, Event, LossAmount, PoolId, Scenario,
};
use crate::units::{Ratio, Seconds};

/// Steps of half a second.
const STEP_S: f64 = 0.5;

/// Two pools without calls; an event may take instances of the first.
fn fleet(alerts: &[(AlertSignal, f64, f64, f64)]) -> Scenario {
    let mut scenario = proxied();
    for pool in &mut scenario.pools {
        pool.calls.clear();
        pool.instances = 10;
    }
    scenario.events.clear();
    let alert = |(signal, above, within_s, sustained_s): &(AlertSignal, f64, f64, f64)| {
        let (above, within_s, sustained_s) = (*above, *within_s, *sustained_s);
        Alert::usual(*signal, AlertThreshold { above, within_s, sustained_s })
    };
    scenario.alerts = alerts.iter().map(alert).collect();
    scenario
}

/// Each step: what happens in it, then the two pools at its end.
fn watch<'a>(
    scenario: &'a Scenario,
    steps: usize,
    mut each: impl FnMut(f64) -> (Vec<Happening>, [PoolStep; 2]),
) -> (Alerts<'a>, Vec<f64>) {
    let mut alerts = Alerts::new(scenario, 0.0);
    let mut trends = Vec::new();
    for step in 0..=steps {
        let time_s = STEP_S * step as f64;
        let (happenings, pools) = each(time_s);
        let snapshot = Snapshot {
            step: step as u32,
            time_s,
            step_s: STEP_S,
            is_row: true,
            pools: &pools,
            resources: &[],
            resource_starts: &[0, 0, 0],
            first_tries: 0.0,
            retries: 0.0,
            books: &[],
        };
        if step == 0 {
            alerts.start(&snapshot);
            continue;
        }
        happenings.into_iter().for_each(|what| alerts.happened(&LogEntry { time_s, what }));
        alerts.step(&snapshot);
        trends.push(alerts.signals.trend());
    }
    (alerts, trends)
}

fn times_s(fired: &[FiredAlert]) -> Vec<(u32, f64)> {
    fired.iter().map(|alert| (alert.alert, alert.time_s)).collect()
}

const fn redirect() -> Happening {
    Happening::RedirectStart { pool: PoolId(0), rps: 1.0 }
}

/// 100 rps of capacity, so much used, so many tries redirected here.
fn loaded(utilization: f64, redirected_in: f64) -> PoolStep {
    PoolStep {
        work: utilization * 100.0 * STEP_S,
        routed_capacity_rps: 100.0,
        healthy_capacity_rps: 100.0,
        redirected_in,
        ..PoolStep::default()
    }
}

#[test]
fn a_receivers_utilization_is_a_mean_of_ten_seconds_after_a_redirect() {
    use AlertSignal::ReceivingPoolCapacityUtilization as Receiving;
    let alerts = [
        (Receiving, 1.0, 60.0, 0.0),
        (Receiving, 1.0, 60.0, 5.0),
        (Receiving, 1.0, 2.0, 0.0),
        (Receiving, 1.2, 60.0, 0.0),
    ];
    let scenario = fleet(&alerts);
    // From 0.8 to 1.2 at 20 s: the mean passes 1 after half of ten seconds.
    let each = |time_s: f64| {
        let happenings = if time_s == 20.5 { vec![redirect()] } else { vec![] };
        let receiver = if time_s > 20.0 { loaded(1.2, 10.0) } else { loaded(0.8, 0.0) };
        (happenings, [loaded(3.0, 0.0), receiver])
    };
    let (alerts, _) = watch(&scenario, 120, each);
    assert_eq!(alerts.signals.receiving, [None, Some(1.2)]);
    let fired = alerts.finish(&EMPTY);
    // Overload without redirected traffic is none of its business; at the threshold is not above.
    assert_eq!(times_s(&fired), [(0, 25.5), (1, 30.5)]);
    assert!(fired.iter().all(|alert| alert.pool == Some(PoolId(1)) && alert.is_false));
    assert!((fired[0].value - 1.02).abs() < 1e-9, "{}", fired[0].value);
}

#[test]
fn further_pools_count_while_they_are_recent_and_each_once() {
    use AlertSignal::CascadePropagationCount as Count;
    let mut scenario = fleet(&[(Count, 0.0, 10.0, 0.0), (Count, 1.0, 10.0, 0.0)]);
    let lost = |pool| Happening::PoolUnhealthy { pool: PoolId(pool), in_rotation: 0, expected: 10 };
    // Before any redirect, then one pool twice, then the other when the first is long ago.
    let each = |time_s: f64| {
        let happenings = match time_s {
            5.0 => vec![lost(1)],
            8.0 => vec![redirect()],
            10.0 | 12.0 => vec![lost(0)],
            30.0 => vec![lost(1)],
            _ => vec![],
        };
        (happenings, [loaded(0.5, 0.0); 2])
    };
    let (alerts, _) = watch(&scenario, 100, each);
    assert_eq!((alerts.signals.further_lost, alerts.signals.lost_since(30.0)), (2, 1));
    let summary = Summary {
        time_to_first_propagation_s: Some(5.0),
        time_to_full_outage_s: Some(9.5),
        ..EMPTY
    };
    let fired = alerts.finish(&summary);
    assert_eq!(times_s(&fired), [(0, 10.0)]);
    assert_eq!((fired[0].lead_s, fired[0].is_false), (Some(-0.5), false));
    // A pool that an event hits is no further one.
    scenario.events.push(loss(2));
    let (alerts, _) = watch(&scenario, 50, each);
    assert_eq!(times_s(&alerts.finish(&summary)), []);
}

/// So many instances of the first pool die.
fn loss(count: u32) -> Event {
    Event {
        name: "loss".into(),
        at: Seconds::ZERO,
        over: Seconds::ZERO,
        until: None,
        cause: None,
        action: Action::InstanceLoss { pool: PoolId(0), amount: LossAmount::Count(count) },
    }
}

#[test]
fn a_fall_is_what_neither_the_trigger_nor_an_autoscaler_explains() {
    use AlertSignal::FleetWideCapacityTrend as Trend;
    let mut scenario = fleet(&[(Trend, 0.04, 10.0, 0.0), (Trend, 0.0, 10.0, 3.0)]);
    scenario.events.push(loss(2));
    let share = super::own_share(&scenario);
    // Two of ten proxies that wait for nothing: without a limit, they have no part in it.
    assert!((0.0..=0.2).contains(&share), "{share}");
    let began = Happening::EventBegan { event: 0, zone: None, pool: Some(PoolId(0)) };
    let level = |rps, expected| PoolStep { expected, ..with_capacity(rps) };
    let each = |time_s: f64| {
        let happenings = if time_s == 5.0 { vec![began] } else { vec![] };
        let first_rps = match time_s {
            ..5.0 => 100.0,
            ..20.0 => 80.0,
            _ => 70.0, // a tenth more than the event takes
        };
        let second = if time_s < 10.0 { level(100.0, 10) } else { level(90.0, 9) };
        (happenings, [level(first_rps, 10), second])
    };
    let (alerts, trends) = watch(&scenario, 80, each);
    // All falls are in the trend, over the window of the first alert on it.
    let trend_at = |time_s: f64| trends[(time_s / STEP_S) as usize - 1];
    let expected = [(4.5, 0.0), (5.0, -0.1), (10.0, -0.15), (14.5, -0.15), (15.0, -0.05)];
    for (time_s, expected) in expected {
        assert!((trend_at(time_s) - expected).abs() < 1e-9, "{time_s}: {}", trend_at(time_s));
    }
    assert_eq!(trend_at(40.0), 0.0);
    let fired = alerts.finish(&EMPTY);
    assert_eq!(times_s(&fired), [(0, 20.0), (1, 23.0)]);
    assert!((fired[0].value - 0.05).abs() < 1e-9, "{}", fired[0].value);
    scenario.events[0].action = Action::Errors { pools: vec![PoolId(0)], share: Ratio::ONE };
    assert_eq!(super::own_share(&scenario), 0.0);
}

fn with_capacity(rps: f64) -> PoolStep {
    PoolStep { healthy_capacity_rps: rps, ..PoolStep::default() }
}
