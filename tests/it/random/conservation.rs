//! Nothing is lost from the books: every try ends in exactly one way.

use proptest::test_runner::TestCaseError;

use zonefall::engine::PoolStep;
use zonefall::metric::{Summary, simulate};

use super::strategy::any_sketch;
use super::trial::{Record, holds_for};

const EXACT: f64 = 1e-9;

fn fail(what: String) -> Result<(), TestCaseError> {
    Err(TestCaseError::fail(what))
}

/// First tries + redirected in = redirected out + completed + late + degraded + shed + rejected +
/// lost + change of (in flight + deferred).
pub fn balances(before: &PoolStep, after: &PoolStep, place: &str) -> Result<(), TestCaseError> {
    let came = after.first_tries + after.redirected_in;
    let refused = after.degraded + after.shed + after.rejected;
    let ended = after.completed + after.late + refused + after.lost;
    let inside = |pool: &PoolStep| pool.in_flight + pool.deferred;
    let went = after.redirected_out + ended + inside(after) - inside(before);
    let scale = came.max(inside(before)).max(inside(after)).max(ended);
    if (came - went).abs() > EXACT * scale {
        return fail(format!("{place}: {came} came, {went} is accounted for: {after:?}"));
    }
    Ok(())
}

/// No NaN, no infinity, nothing below 0.
pub fn is_sane(pool: &PoolStep, place: &str) -> Result<(), TestCaseError> {
    let came = pool.first_tries + pool.redirected_in;
    let scale = came.max(pool.in_flight).max(pool.completed + pool.late + pool.lost);
    let parts = [
        ("first_tries", pool.first_tries),
        ("redirected_in", pool.redirected_in),
        ("redirected_out", pool.redirected_out),
        ("completed", pool.completed),
        ("late", pool.late),
        ("degraded", pool.degraded),
        ("deferred", pool.deferred),
        ("shed", pool.shed),
        ("rejected", pool.rejected),
        ("lost", pool.lost),
        ("died_inside", pool.died_inside),
        ("work", pool.work),
        ("in_flight", pool.in_flight),
        ("queue", pool.queue),
        ("given_up", pool.given_up),
        ("room for given_up", pool.in_flight - pool.given_up),
        ("capacity_rps", pool.capacity_rps),
        ("healthy_capacity_rps", pool.healthy_capacity_rps),
        ("up_capacity_rps", pool.up_capacity_rps),
        ("routed_capacity_rps", pool.routed_capacity_rps),
    ];
    for (name, value) in parts {
        if !value.is_finite() || value < -EXACT * scale {
            return fail(format!("{place}: {name} is {value}: {pool:?}"));
        }
    }
    // Latencies are infinite in a stall, but always numbers.
    if let Some(latency) = pool.latency
        && (latency.mean_s().is_nan() || latency.mean_s() < 0.0 || latency.p99_s().is_nan())
    {
        return fail(format!("{place}: latency is {latency:?}"));
    }
    Ok(())
}

#[test]
fn every_try_ends_once_at_every_step_of_every_pool() {
    holds_for(400, 1, any_sketch(), |sketch| {
        let case = sketch.fleet().case();
        let record = Record::of(&case, 1 + sketch.steps / 40);
        assert_eq!(record.steps.len(), sketch.steps as usize);
        for (step, (before, after)) in record.pairs().enumerate() {
            let (mut gone, mut come) = (0.0, 0.0);
            for (pool, (before, after)) in before.iter().zip(after).enumerate() {
                let place = format!("pool {pool}, step {step}");
                is_sane(after, &place)?;
                balances(before, after, &place)?;
                gone += after.redirected_out;
                come += after.redirected_in;
            }
            if (gone - come).abs() > EXACT * gone {
                return fail(format!("step {step}: {gone} were redirected, {come} arrived"));
            }
        }
        Ok(())
    });
}

fn shares(summary: &Summary) -> [f64; 7] {
    [
        summary.goodput_ratio,
        summary.late_ratio,
        summary.degraded_ratio,
        summary.shed_ratio,
        summary.rejected_ratio,
        summary.lost_ratio,
        summary.unfinished_ratio,
    ]
}

#[test]
fn shares_of_the_requests_of_the_window_add_up_to_one() {
    holds_for(150, 2, any_sketch(), |sketch| {
        let case = sketch.fleet().case();
        let result = simulate(&case, 10);
        let parts = shares(&result.summary);
        let total: f64 = parts.iter().sum();
        let from_s = case.scenario.trigger_s().unwrap_or(0.0);
        let offered =
            |row: &&zonefall::metric::FleetRow| row.time_s > from_s && row.offered_rps > 0.0;
        let anything = result.fleet.iter().any(|row| offered(&row));
        // Where nobody asks for anything there are no shares.
        let whole = if anything || total > 0.5 { 1.0 } else { 0.0 };
        if (total - whole).abs() > EXACT
            || parts.iter().any(|part| !(-EXACT..=1.0 + EXACT).contains(part))
        {
            return fail(format!("{total}: {parts:?}"));
        }
        Ok(())
    });
}
