//! What `rate-limited` promises.

use std::collections::BTreeMap;

use proptest::prelude::*;

use zonefall::model::PoolId;
use zonefall::policy::{PolicySpec, PoolView};
use zonefall::units::Seconds;

use super::fleet::policy;
use super::sketch::{ActionSketch, EventSketch};
use super::strategy::{any_sketch, spread_out};
use super::trial::{Record, holds_for};
use super::views::{STEP_S, Sight, any_sight};

const EXACT: f64 = 1e-9;

type Flows = BTreeMap<(PoolId, PoolId), f64>;

fn any_limit() -> impl Strategy<Value = PolicySpec> {
    let ramp = prop_oneof![Just(0.0), spread_out(0.2, 100.0)];
    prop_oneof![
        ramp.prop_map(|ramp_s| policy("rate-limited", &[Some(ramp_s), None])),
        spread_out(0.1, 1e4).prop_map(|shift| policy("rate-limited", &[None, Some(shift)])),
    ]
}

/// How much a flow may grow in a step.
fn allowed(spec: &PolicySpec, full_rps: f64) -> f64 {
    match (spec.values[0], spec.values[1]) {
        (_, Some(rps_per_s)) => rps_per_s * STEP_S,
        (Some(ramp_s), None) if ramp_s > 0.0 => full_rps / ramp_s * STEP_S,
        _ => f64::INFINITY,
    }
}

fn accepts(pool: &PoolView) -> bool {
    pool.is_healthy && pool.drain_share < 1.0
}

/// Does anything of a pool's traffic have to go elsewhere?
fn moves(pool: &PoolView) -> bool {
    pool.demand_rps > 0.0 && (!pool.is_healthy || pool.drain_share > 0.0)
}

/// The full share of every failover edge, told anew from the model's words.
fn full_shares(sight: &Sight, pools: &[PoolView]) -> Flows {
    let mut full = Flows::new();
    for (index, pool) in pools.iter().enumerate() {
        let home = PoolId::from_index(index);
        if !moves(pool) {
            continue;
        }
        let moved_rps = pool.demand_rps * if pool.is_healthy { pool.drain_share } else { 1.0 };
        let targets = sight.targets(home);
        let fit: Vec<_> = targets.iter().filter(|to| accepts(&pools[to.pool.index()])).collect();
        let best = fit.iter().map(|to| to.priority).min();
        let (chosen, own): (Vec<_>, f64) = match best {
            Some(best) => (fit.into_iter().filter(|to| to.priority == best).collect(), 0.0),
            None if pool.is_healthy => (vec![], 0.0),
            None => {
                let serving = targets.iter().filter(|to| pools[to.pool.index()].in_rotation > 0);
                (serving.collect(), f64::from(u8::from(pool.in_rotation > 0)))
            }
        };
        let weights: f64 = own + chosen.iter().map(|to| to.weight).sum::<f64>();
        for to in chosen {
            full.insert((home, to.pool), moved_rps * to.weight / weights);
        }
    }
    full
}

#[test]
fn no_flow_grows_faster_than_allowed_and_none_is_slower() {
    let limited = std::cell::Cell::new(0_u32);
    holds_for(600, 21, (any_sight(), any_limit()), |(sight, spec)| {
        let mut before = Flows::new();
        sight.watch(&spec, |pools, plan| {
            let full = full_shares(&sight, pools);
            let now: Flows =
                plan.redirects.iter().map(|flow| ((flow.from, flow.to), flow.rps)).collect();
            for (&edge, &rps) in &now {
                let had_rps = before.get(&edge).copied().unwrap_or(0.0);
                let Some(&full_rps) = full.get(&edge) else {
                    // Fail-back: only ever less, and never to a pool that is unfit.
                    prop_assert!(rps <= had_rps * (1.0 + EXACT), "{edge:?}: {had_rps} to {rps}");
                    prop_assert!(!moves(&pools[edge.0.index()]), "{edge:?} is no target now");
                    prop_assert!(accepts(&pools[edge.1.index()]), "{edge:?} leads to the unfit");
                    continue;
                };
                let step_rps = allowed(&spec, full_rps);
                let mut most_rps = full_rps.min(had_rps + step_rps);
                if pools[edge.0.index()].is_healthy {
                    // A drain that gets smaller gives back over the ramp.
                    most_rps = most_rps.max(had_rps);
                }
                prop_assert!(
                    rps <= most_rps * (1.0 + EXACT),
                    "{edge:?}: {had_rps} to {rps}, allowed {step_rps} a step, full {full_rps}"
                );
                limited.set(limited.get() + u32::from(rps < full_rps * (1.0 - EXACT)));
            }
            for (edge, &full_rps) in &full {
                let had_rps = before.get(edge).copied().unwrap_or(0.0);
                let most_rps = full_rps.min(had_rps + allowed(&spec, full_rps));
                let rps = now.get(edge).copied().unwrap_or(0.0);
                // Others may still be on their way down, and there is no more to send.
                let home_rps = pools[edge.0.index()].demand_rps;
                let sent_rps: f64 =
                    now.iter().filter(|(at, _)| at.0 == edge.0).map(|(_, rps)| rps).sum();
                let is_cut = sent_rps >= home_rps * (1.0 - EXACT);
                let enough = rps >= most_rps * (1.0 - EXACT) || is_cut;
                prop_assert!(enough, "{edge:?}: {rps}, not {most_rps}");
            }
            before = now;
            Ok(())
        })
    });
    assert!(limited.get() > 5_000, "{}", limited.get());
}

#[test]
fn what_the_ramp_holds_back_stays_with_a_home_that_serves_and_is_shed_by_one_that_does_not() {
    holds_for(400, 22, (any_sight(), any_limit()), |(sight, spec)| {
        sight.watch(&spec, |pools, plan| {
            let full = full_shares(&sight, pools);
            for (index, pool) in pools.iter().enumerate() {
                let has_target = full.keys().any(|(home, _)| home.index() == index);
                if pool.in_rotation == 0 && has_target {
                    prop_assert!(plan.kept_rps[index] <= EXACT * pool.demand_rps, "pool {index}");
                } else {
                    prop_assert_eq!(plan.shed_rps[index], 0.0, "pool {}", index);
                }
            }
            Ok(())
        })
    });
}

#[test]
fn fail_back_takes_as_long_as_the_ramp() {
    holds_for(400, 23, (any_sight(), 1.0..50.0_f64), |(sight, ramp_s)| {
        let mut before = Flows::new();
        let mut last_full = Flows::new();
        sight.watch(&policy("rate-limited", &[Some(ramp_s), None]), |pools, plan| {
            let now: Flows =
                plan.redirects.iter().map(|flow| ((flow.from, flow.to), flow.rps)).collect();
            for (edge, had_rps) in &before {
                let (home, to) = (&pools[edge.0.index()], &pools[edge.1.index()]);
                let others: f64 =
                    now.iter().filter(|(at, _)| at.0 == edge.0).map(|(_, rps)| rps).sum();
                // A flow falls faster when the home's demand is no longer that large.
                let is_cut = others >= home.demand_rps * (1.0 - EXACT);
                if !moves(home) && accepts(to) && !is_cut {
                    let step_rps = last_full[edge] / ramp_s * STEP_S;
                    let rps = now.get(edge).copied().unwrap_or(0.0);
                    let error = (rps - (had_rps - step_rps).max(0.0)).abs();
                    prop_assert!(error <= EXACT * had_rps, "{edge:?}: {had_rps} to {rps}");
                }
            }
            for (edge, full_rps) in full_shares(&sight, pools) {
                // What is still on its way down keeps the pace that it has.
                if now.get(&edge).is_none_or(|rps| *rps <= full_rps * (1.0 + EXACT)) {
                    last_full.insert(edge, full_rps);
                }
            }
            before = now;
            Ok(())
        })
    });
}

/// Nothing but drains, shallow checks, and no limit to queues.
fn only_drains(sketch: &mut super::sketch::Sketch, spec: PolicySpec) {
    sketch.policy = spec;
    sketch.policy.report_interval = Seconds::ZERO;
    let is_drain = |event: &EventSketch| matches!(event.action, ActionSketch::Drain(..));
    sketch.events.retain(is_drain);
    for kind in &mut sketch.kinds {
        kind.health_check.kind = zonefall::model::ProbeKind::Shallow;
        kind.queue_limit = None;
        kind.max_wait = None;
    }
}

#[test]
fn a_drain_loses_nothing_while_the_ramp_lasts() {
    let moved = std::cell::Cell::new(0.0);
    let sketches = (any_sketch(), spread_out(5.0, 200.0), super::strategy::any_drain());
    holds_for(300, 24, sketches, |(mut sketch, ramp_s, drain)| {
        sketch.events.push(drain);
        only_drains(&mut sketch, policy("rate-limited", &[Some(ramp_s), None]));
        let record = Record::of(&sketch.fleet().case(), 1000);
        for (step, pools) in record.steps.iter().enumerate() {
            for (index, pool) in pools.iter().enumerate() {
                let lost = pool.shed + pool.lost + pool.rejected;
                let rounding = EXACT * (pool.first_tries + pool.redirected_in);
                prop_assert!(
                    lost.abs() <= rounding,
                    "pool {index}, step {step}: {lost} lost: {pool:?}"
                );
                moved.set(moved.get() + pool.redirected_out);
            }
        }
        Ok(())
    });
    assert!(moved.get() > 1e6, "{}", moved.get());
}
