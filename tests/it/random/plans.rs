//! What every policy's plan is, whatever the policy sees.

use proptest::prelude::*;

use zonefall::model::PoolId;
use zonefall::policy::{Notice, Plan, PolicySpec, PoolView};
use zonefall::units::Ratio;

use super::fleet::policy;
use super::strategy::{any_mitigations, any_policy};
use super::trial::holds_for;
use super::views::{Sight, any_sight};

const EXACT: f64 = 1e-9;

fn sent(plan: &Plan, home: PoolId) -> f64 {
    plan.redirects.iter().filter(|flow| flow.from == home).map(|flow| flow.rps).sum()
}

#[test]
fn plans_place_all_of_the_demand_and_only_on_targets_that_serve() {
    let redirects = std::cell::Cell::new(0_usize);
    holds_for(600, 11, (any_sight(), any_policy()), |(sight, spec)| {
        sight.watch(&spec, |pools, plan| {
            for (index, pool) in pools.iter().enumerate() {
                let home = PoolId::from_index(index);
                let (kept, shed) = (plan.kept_rps[index], plan.shed_rps[index]);
                prop_assert!(kept >= 0.0 && shed >= 0.0, "{home:?}: {kept}, {shed}");
                let placed = kept + shed + sent(plan, home);
                let error = (placed - pool.demand_rps).abs();
                prop_assert!(error <= EXACT * pool.demand_rps, "{home:?}: {placed}, {pool:?}");
            }
            redirects.set(redirects.get() + plan.redirects.len());
            for (place, flow) in plan.redirects.iter().enumerate() {
                prop_assert!(flow.rps > 0.0 && flow.rps.is_finite(), "{flow:?}");
                let is_target = sight.targets(flow.from).iter().any(|to| to.pool == flow.to);
                prop_assert!(is_target, "{flow:?} follows no edge");
                prop_assert!(pools[flow.to.index()].serves(), "{flow:?} goes nowhere");
                let same = |other: &&zonefall::policy::Redirect| {
                    (other.from, other.to) == (flow.from, flow.to)
                };
                prop_assert!(plan.redirects[..place].iter().find(same).is_none(), "{flow:?} twice");
            }
            Ok(())
        })
    });
    assert!(redirects.get() > 10_000, "{}", redirects.get());
}

#[test]
fn behind_breakers_and_limits_all_demand_is_placed_and_nobody_is_sent_too_much() {
    let (trips, refusals) = (std::cell::Cell::new(0_usize), std::cell::Cell::new(0_usize));
    holds_for(600, 13, (any_sight(), any_policy(), any_mitigations()), |(sight, spec, around)| {
        let above = around.shed.and_then(|shed| shed.above).map_or(f64::INFINITY, Ratio::get);
        let spec = PolicySpec { mitigations: around, ..spec };
        sight.watch(&spec, |pools, plan| {
            let mut work_rps = plan.kept_rps.clone();
            for flow in &plan.redirects {
                let to = flow.to.index();
                work_rps[to] += flow.rps * pools[to].redirect_cost;
            }
            for (index, pool) in pools.iter().enumerate() {
                let home = PoolId::from_index(index);
                let placed = plan.kept_rps[index] + plan.shed_rps[index] + sent(plan, home);
                let error = (placed - pool.demand_rps).abs();
                prop_assert!(error <= EXACT * pool.demand_rps, "{home:?}: {placed}, {pool:?}");
                let most_rps = above * pool.capacity_rps * (1.0 + EXACT);
                prop_assert!(!pool.serves() || work_rps[index] <= most_rps, "{home:?}: {plan:?}");
                refusals.set(refusals.get() + usize::from(plan.shed_rps[index] > 0.0));
            }
            let trip = |notice: &&Notice| matches!(notice, Notice::BreakerOpen { .. });
            trips.set(trips.get() + plan.notices.iter().filter(trip).count());
            Ok(())
        })
    });
    assert!(trips.get() > 50 && refusals.get() > 5_000, "{trips:?}, {refusals:?}");
}

#[test]
fn unconditional_moves_all_that_is_to_move_and_nothing_else() {
    holds_for(300, 12, any_sight(), |sight| {
        sight.watch(&policy("unconditional", &[]), |pools, plan| {
            for (index, pool) in pools.iter().enumerate() {
                let home = PoolId::from_index(index);
                let share = if pool.is_healthy { pool.drain_share } else { 1.0 };
                let targets = sight.targets(home);
                let fit = |to: &zonefall::model::Target| is_fit(&pools[to.pool.index()]);
                let expected = if targets.iter().any(fit) {
                    share * pool.demand_rps
                } else if pool.is_healthy {
                    0.0
                } else {
                    without_healthy_target(&sight, pools, home)
                };
                let error = (sent(plan, home) - expected).abs();
                prop_assert!(error <= EXACT * pool.demand_rps, "{home:?}: {expected}");
                prop_assert_eq!(plan.shed_rps[index], 0.0);
            }
            Ok(())
        })
    });
}

fn is_fit(pool: &PoolView) -> bool {
    pool.is_healthy && pool.drain_share < 1.0
}

/// The home, of weight 1, shares with all that have anything in rotation.
fn without_healthy_target(sight: &Sight, pools: &[PoolView], home: PoolId) -> f64 {
    let serving = |pool: PoolId| pools[pool.index()].in_rotation > 0;
    let targets = sight.targets(home);
    let away: f64 = targets.iter().filter(|to| serving(to.pool)).map(|to| to.weight).sum();
    let all = away + f64::from(u8::from(serving(home)));
    if all > 0.0 { pools[home.index()].demand_rps * away / all } else { 0.0 }
}

#[test]
fn capacity_aware_sheds_only_what_fits_nowhere() {
    let sheds = std::cell::Cell::new(0_u32);
    holds_for(600, 13, (any_sight(), 0.3..1.2_f64), |(sight, most)| {
        sight.watch(&policy("capacity-aware", &[Some(most)]), |pools, plan| {
            let amiss = |pool: &PoolView| pool.share_in_rotation < 1.0 || pool.drain_share > 0.0;
            if !pools.iter().any(amiss) {
                prop_assert!(plan.redirects.is_empty(), "acts in peace: {plan:?}");
                prop_assert!(plan.shed_rps.iter().all(|shed| *shed == 0.0));
                return Ok(());
            }
            let mut work = plan.kept_rps.clone();
            for flow in &plan.redirects {
                work[flow.to.index()] += flow.rps * pools[flow.to.index()].redirect_cost;
            }
            let room = |index: usize| most * pools[index].capacity_rps - work[index];
            for (index, pool) in pools.iter().enumerate() {
                let scale = most * pool.capacity_rps + pool.demand_rps;
                // What nothing could have served stays, and is lost.
                let is_lost = pool.in_rotation == 0;
                let is_over = !is_lost && room(index) < -EXACT * scale;
                prop_assert!(!is_over, "pool {index} over: {plan:?}");
                // A sliver of what is shed may be rounding.
                if plan.shed_rps[index] <= EXACT * pool.demand_rps {
                    continue;
                }
                sheds.set(sheds.get() + 1);
                prop_assert!(room(index) <= EXACT * scale, "pool {index} sheds and has room");
                for target in sight.targets(PoolId::from_index(index)) {
                    let to = target.pool.index();
                    let brim = EXACT * (most * pools[to].capacity_rps + pool.demand_rps);
                    let is_full = room(to) <= brim || !is_fit(&pools[to]);
                    prop_assert!(is_full, "pool {index} sheds, pool {to} has room: {plan:?}");
                }
            }
            Ok(())
        })
    });
    assert!(sheds.get() > 5_000, "{}", sheds.get());
}
