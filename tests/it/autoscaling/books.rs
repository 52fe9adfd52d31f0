//! Conservation and determinism while pools change size.

use std::cell::Cell;

use proptest::strategy::{Just, Strategy};
use proptest::test_runner::TestCaseError;

use zonefall::engine::Happening;
use zonefall::model::{
    Action, Autoscaler, AutoscalerId, LossAmount, PoolId, ScaleMetric, Surged, ZoneId,
};
use zonefall::units::Seconds;

use crate::random::conservation;
use crate::random::sketch::{ratio, seconds};
use crate::random::strategy::any_sketch;
use crate::random::trial::{Record, holds_for};

use super::fleet::{Scaled, event, pool, scaler, target, workers};

/// First tries + redirected in = redirected out + all ends + change of in flight, at every step of
/// every pool; and no more is in rotation than ought to be, or than there is.
fn balances(record: &Record) -> Result<(), TestCaseError> {
    for (step, (before, after)) in record.pairs().enumerate() {
        for (before, after) in before.iter().zip(after) {
            let place = format!("step {step}");
            conservation::balances(before, after, &place)?;
            conservation::is_sane(after, &place)?;
            if after.in_rotation > after.expected {
                return Err(TestCaseError::fail(format!("step {step}: {before:?} {after:?}")));
            }
        }
    }
    Ok(())
}

/// Tides, deaths, an outage and a refusal under a nervous autoscaler.
fn stormy(is_ideal: bool) -> Scaled {
    let mut scaled = Scaled::new(12, 800.0, 600.0);
    scaled.pools.push(pool(1, 5, 400.0));
    scaled.pools[1].autoscaler = scaled.pools[0].autoscaler;
    scaled.kind.startup_time = seconds(7.0);
    scaled.kind.warm_up = seconds(20.0);
    scaled.kind.slow_start = seconds(10.0);
    scaled.kind.speed_spread = ratio(0.05);
    scaled.kind.health_check.phase = None;
    scaled.scaler.sync_period = seconds(7.5);
    scaled.scaler.max = 30;
    scaled.scaler.ideal = is_ideal;
    scaled.scaler.scale_down.stabilization = Seconds::ZERO;
    scaled.scaler.targets.push(target(None, ScaleMetric::InFlight, 6.0));
    let first = PoolId(0);
    let surge = |factor| Action::Surge { of: Surged::Pool(first), factor: ratio(factor) };
    let loss = Action::InstanceLoss { pool: first, amount: LossAmount::Share(ratio(0.5)) };
    scaled.events = vec![
        event("high", 30.0, Some(130.0), surge(2.5)),
        event("low", 150.0, Some(250.0), surge(0.2)),
        event("loss", 200.0, Some(400.0), loss),
        event("refusal", 260.0, Some(320.0), Action::LaunchesRefused { pools: vec![first] }),
        event("outage", 420.0, Some(480.0), Action::ZoneOutage { zone: ZoneId(1) }),
        event("more", 300.0, Some(350.0), Action::AddInstances { pool: first, count: 6 }),
    ];
    scaled
}

#[test]
fn every_try_ends_once_while_pools_change_size() {
    for is_ideal in [false, true] {
        let run = stormy(is_ideal).run();
        let changes = run.changes();
        let grows = changes.iter().filter(|(_, from, to)| to > from).count();
        assert!(grows >= 4 && changes.len() >= grows + 3, "{changes:?}");
        assert!(changes.iter().all(|&(_, from, to)| from != to && to <= 30), "{changes:?}");
        balances(&run.record).expect("balanced books");
    }
}

#[test]
fn twice_is_the_same() {
    let (one, other) = (stormy(false).run().record, stormy(false).run().record);
    assert_eq!(one.log, other.log);
    for (step, pair) in one.steps.iter().zip(&other.steps).enumerate() {
        assert_eq!(pair.0, pair.1, "step {step}");
    }
}

/// Any rule but for its limits of speed: periods of a part of a step to many.
fn any_scaler() -> impl Strategy<Value = Autoscaler> {
    let metric = proptest::sample::select(vec![workers(), ScaleMetric::InFlight]);
    let parts = (metric, 0.05..2.0, 0.3..40.0, 1_u32..8, 0_u32..20, 0.0..60.0, any_bool());
    parts.prop_map(|(metric, value, sync_s, min, more, window_s, ideal)| {
        let mut rule = scaler();
        rule.targets = vec![target(None, metric, value), target(Some(0), workers(), 0.7)];
        rule.sync_period = seconds(sync_s);
        (rule.min, rule.max) = (min, min + more);
        rule.scale_down.stabilization = seconds(window_s);
        rule.ideal = ideal;
        rule
    })
}

fn any_bool() -> impl Strategy<Value = bool> {
    proptest::strategy::Union::new([Just(false).boxed(), Just(true).boxed()])
}

#[test]
fn every_try_ends_once_in_any_fleet_that_changes_size() {
    let (grown, shrunk) = (Cell::new(0), Cell::new(0));
    holds_for(300, 3, (any_sketch(), any_scaler()), |(sketch, rule)| {
        let mut fleet = sketch.fleet();
        for pool in &mut fleet.pools {
            pool.autoscaler = Some(AutoscalerId(0));
        }
        let (from_s, until_s) = (5.0 * sketch.step_s, 15.0 * sketch.step_s);
        let refusal = Action::LaunchesRefused { pools: vec![PoolId(0)] };
        fleet.events.push(event("refusal", from_s, Some(until_s), refusal));
        let max = rule.max;
        let mut case = fleet.case();
        case.scenario.autoscalers = vec![rule];
        let record = Record::of(&case, 10);
        balances(&record)?;
        for entry in &record.log {
            let is_wrong = match entry.what {
                Happening::ScaleUp { pool, from, to } => {
                    grown.set(grown.get() + 1);
                    let is_refused = entry.time_s > from_s && entry.time_s < until_s;
                    to <= from || to > max || (pool == PoolId(0) && is_refused)
                }
                Happening::ScaleDown { from, to, .. } => {
                    shrunk.set(shrunk.get() + 1);
                    to >= from
                }
                _ => false,
            };
            if is_wrong {
                return Err(TestCaseError::fail(format!("{entry:?}")));
            }
        }
        Ok(())
    });
    assert!(grown.get() > 300 && shrunk.get() > 300, "{grown:?} {shrunk:?}");
}
