//! Health checks never take more out of rotation than they may.

use std::cell::Cell;

use proptest::collection::vec;
use proptest::test_runner::TestCaseError;

use zonefall::model::Action;

use super::sketch::ratio;
use super::strategy::any_sketch;
use super::trial::{Record, holds_for};

#[test]
fn no_pool_ever_has_more_out_of_rotation_than_its_limit() {
    let at_limit = Cell::new(0);
    let limits = vec(0.0..1.0_f64, 4);
    holds_for(60, 41, (any_sketch(), limits), |(sketch, limits)| {
        let mut fleet = sketch.fleet();
        for (kind, limit) in fleet.kinds.iter_mut().zip(limits) {
            kind.health_check.max_out_of_rotation = ratio(limit);
        }
        // Who takes added instances away again takes them out of rotation, whatever the limit.
        fleet.events.retain(|event| !matches!(event.action, Action::AddInstances { .. }));
        let case = fleet.case();
        let record = Record::of(&case, 1);
        for (step, pools) in record.steps.iter().enumerate() {
            for (pool, state) in case.scenario.pools.iter().zip(pools) {
                let check = &case.scenario.kinds[pool.kind.index()].health_check;
                let most = check.max_out_of_rotation.get() * f64::from(state.expected);
                let out = f64::from(state.expected - state.in_rotation);
                if out > most + 1e-9 {
                    let what = format!("{} at step {step}: {out} out, {most} may be", pool.name);
                    return Err(TestCaseError::fail(what));
                }
                let is_full = most < f64::from(state.expected) && out + 1.0 > most && out > 0.0;
                at_limit.set(at_limit.get() + u32::from(is_full));
            }
        }
        Ok(())
    });
    assert!(at_limit.get() > 300, "the limit is reached in {} steps", at_limit.get());
}
