//! Alerts: which fire, when, how long before what they warn of, and which for nothing.

mod export;
mod files;
mod settings;

use zonefall::metric::FiredAlert;
use zonefall::model::AlertSignal;

use crate::facts::fleet::{FLUID, REQUESTS, Run, over_seeds, shipped};

const PUBLISHED: &str = "simulation.alerts=published";
const SEEDS: u64 = 5;

/// What fired on a signal.
fn on(run: &Run, signal: AlertSignal) -> Option<&FiredAlert> {
    let is_on =
        |fired: &&FiredAlert| run.case.scenario.alerts[fired.alert as usize].signal == signal;
    run.result.alerts.iter().find(is_on)
}

/// The receiver's alert comes a few seconds after the redirect, over a minute before it is lost;
/// the published count can only fire with the last pool.
#[test]
fn a_receivers_load_is_seen_long_before_it_is_lost() {
    let text = shipped("planner-agent");
    for (sets, within_s) in [(vec![], 5.0), (vec![PUBLISHED], 0.5)] {
        for run in over_seeds(&text, "unconditional", &sets, SEEDS, 20) {
            let redirect_s = run.result.summary.time_to_first_redirect_s.expect("a redirect");
            let receiving = on(&run, AlertSignal::ReceivingPoolCapacityUtilization).expect("fired");
            let fired_s = receiving.time_s - run.result.trigger_s.expect("a trigger");
            assert!((0.0..=within_s).contains(&(fired_s - redirect_s)), "{fired_s} {redirect_s}");
            assert!(receiving.lead_s.is_some_and(|lead_s| lead_s >= 60.0), "{receiving:?}");
            assert!(receiving.pool == Some(run.pool("planner-b")), "{receiving:?}");
            let count = on(&run, AlertSignal::CascadePropagationCount).expect("fired");
            let trend = on(&run, AlertSignal::FleetWideCapacityTrend);
            let lead_s = |fired: &FiredAlert| fired.lead_s.expect("a full outage");
            if sets.is_empty() {
                let trend = trend.expect("fired");
                assert!(lead_s(trend) > lead_s(count) && lead_s(count) >= 0.0, "{trend:?}");
            } else {
                assert_eq!((count.value, lead_s(count)), (2.0, 0.0));
                // Half a minute of a fall is about as long as it takes.
                assert!(trend.is_none_or(|trend| lead_s(trend) < 10.0), "{trend:?}");
            }
            assert!(run.result.alerts.iter().all(|fired| !fired.is_false));
        }
    }
}

/// Survivors at 90 % hold: over 85 % is a false alarm, and the luck of single steps is none.
#[test]
fn survivors_at_90_percent_alarm_only_the_published_threshold() {
    let text = shipped("lose-one-of-three");
    for plane in [FLUID, REQUESTS] {
        let sets = [plane, "pool.*.demand_rps=240"];
        for run in over_seeds(&text, "unconditional", &sets, SEEDS, 20) {
            assert_eq!(run.result.alerts, [], "{plane}");
        }
        for run in over_seeds(&text, "unconditional", &[&sets[..], &[PUBLISHED]].concat(), 2, 20) {
            let [alert] = &run.result.alerts[..] else { panic!("{:?}", run.result.alerts) };
            assert!(alert.is_false && alert.lead_s.is_none() && alert.value > 0.85, "{alert:?}");
            assert_eq!(run.result.alert_names, "receiving-pool-overloaded");
        }
    }
}

#[test]
fn nothing_is_noticed_where_nothing_happens() {
    for name in ["planner-agent", "lose-one-of-three"] {
        let text = shipped(name);
        let quiet = text.split("[event.").next().expect("the part before the event");
        for plane in [FLUID, REQUESTS] {
            for run in over_seeds(quiet, "unconditional", &[plane, PUBLISHED], 2, 100) {
                assert_eq!(run.result.alerts, [], "{name}");
            }
        }
    }
}

/// What an event takes by itself is no alarm: a zone that fails and returns, a drain, a service
/// that slows down and the proxy that waits for it.
#[test]
fn the_triggers_own_share_is_no_fall() {
    for (name, policy) in [
        ("zone-returns", "capacity-aware"),
        ("planned-drain", "unconditional"),
        ("proxy-slots-first", "watch-cpu"),
    ] {
        let sets = [PUBLISHED, "alert.capacity-falling.for=0s"];
        for run in over_seeds(&shipped(name), policy, &sets, 2, 20) {
            let trend = on(&run, AlertSignal::FleetWideCapacityTrend);
            assert_eq!(trend, None, "{name} {policy}");
        }
    }
}

#[test]
fn how_often_rows_are_written_changes_no_alert() {
    let text = shipped("planner-agent");
    let alerts = |row_steps| {
        let runs = over_seeds(&text, "unconditional", &[], 2, row_steps);
        runs.into_iter().map(|run| run.result.alerts).collect::<Vec<_>>()
    };
    assert_eq!(alerts(1), alerts(1));
    assert_eq!(alerts(1), alerts(7));
}
