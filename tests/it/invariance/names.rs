//! With spread 0, shallow checks and a fixed phase, names draw nothing: other names change no
//! number.

use proptest::test_runner::TestCaseError;

use zonefall::engine::PoolStep;
use zonefall::metric::simulate;
use zonefall::model::{InstanceKind, ProbeKind};
use zonefall::units::{Ratio, Seconds};

use crate::random::sketch::Sketch;
use crate::random::strategy::any_sketch;
use crate::random::trial::{Record, holds_for};

use super::shipped;

/// Takes out everything that is drawn from a name.
pub fn draw_nothing(kinds: &mut [InstanceKind]) {
    for kind in kinds {
        kind.speed_spread = Ratio::ZERO;
        kind.health_check.kind = ProbeKind::Shallow;
        kind.health_check.phase.get_or_insert(Seconds::ZERO);
    }
}

/// Flows and levels of a pool's step.
pub fn numbers(pool: &PoolStep) -> [(&'static str, f64); 14] {
    [
        ("first_tries", pool.first_tries),
        ("redirected_in", pool.redirected_in),
        ("redirected_out", pool.redirected_out),
        ("completed", pool.completed),
        ("late", pool.late),
        ("shed", pool.shed),
        ("rejected", pool.rejected),
        ("lost", pool.lost),
        ("in_flight", pool.in_flight),
        ("queue", pool.queue),
        ("up", f64::from(pool.up)),
        ("in_rotation", f64::from(pool.in_rotation)),
        ("capacity_rps", pool.capacity_rps),
        ("healthy_capacity_rps", pool.healthy_capacity_rps),
    ]
}

/// Compares a pool in two runs, the second divided by `factor`, to 1e-9 of the most that it has
/// had.
pub fn same(
    (one, two): (&[Vec<PoolStep>], &[Vec<PoolStep>]),
    (pool, other): (usize, usize),
    factor: f64,
) -> Result<(), TestCaseError> {
    let mut most = 0.0_f64;
    for (step, (one, two)) in one.iter().zip(two).enumerate() {
        let (one, two) = (&one[pool], &two[other]);
        most = most.max(one.first_tries + one.redirected_in + one.in_flight);
        for ((name, a), (_, b)) in numbers(one).into_iter().zip(numbers(two)) {
            if (a - b / factor).abs() > 1e-9 * most.max(a) {
                let place = format!("pool {pool}, step {step}");
                let what = format!("{place}: {name} is {a}, then {b} ÷ {factor}");
                return Err(TestCaseError::fail(what));
            }
        }
    }
    Ok(())
}

fn nameless(mut sketch: Sketch) -> Sketch {
    draw_nothing(&mut sketch.kinds);
    sketch
}

#[test]
fn a_fleet_renamed_upside_down_has_the_same_numbers() {
    holds_for(200, 41, any_sketch(), |sketch| {
        let fleet = nameless(sketch).fleet();
        // A row every step: queues are shown on rows.
        let one = Record::of(&fleet.case(), 1);
        let two = Record::of(&fleet.upside_down().case(), 1);
        let pools = one.start.len();
        for pool in 0..pools {
            same((&one.steps, &two.steps), (pool, pools - 1 - pool), 1.0)?;
        }
        Ok(())
    });
}

#[test]
fn renamed_shipped_topologies_give_the_same_comparison() {
    for file in shipped::files() {
        // Where every request is drawn, other names are other draws.
        let sets = [
            "simulation.plane=fluid",
            "instance.*.speed_spread=0%",
            "instance.*.health_check.kind=shallow",
            "instance.*.health_check.phase=0s",
        ];
        let plain = shipped::load(&file, &shipped::text(&file), &sets);
        let mut renamed = plain.clone();
        for case in &mut renamed.cases {
            // The order by name stays, the names do not.
            let scenario = &mut case.scenario;
            scenario.pools.iter_mut().for_each(|pool| pool.name.insert_str(0, "other-"));
            scenario.zones.iter_mut().for_each(|zone| zone.name.insert_str(0, "other-"));
            scenario.kinds.iter_mut().for_each(|kind| kind.name.insert_str(0, "other-"));
        }
        for (one, two) in plain.cases.iter().zip(&renamed.cases) {
            let place = format!("{}, {}", file.display(), one.policy.name);
            assert_eq!(simulate(one, 10), simulate(two, 10), "{place}");
        }
    }
}
