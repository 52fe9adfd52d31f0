//! Nothing that is reported depends on the step: halving it moves the means over seeds less than
//! the stated bounds, in every shipped file under every policy.

use super::fleet::{Run, cases, mean, over_seeds, shipped, usual_outcome};
use zonefall::metric::Summary;

const SEEDS: u64 = 21;
/// Where pools flap, the first moment at which all happen to be lost together has a standard
/// deviation of 15 s over seeds; so many make its mean sharper than what is asked of it.
const FLAPPING_SEEDS: u64 = 210;
/// An outcome counts as a file's own in so many of the runs: 95 %.
const SAME: usize = 20;

fn mean_of(runs: &[Run], value: impl Fn(&Summary) -> f64) -> f64 {
    mean(&runs.iter().map(|run| value(&run.result.summary)).collect::<Vec<_>>())
}

/// Mean healthy capacity over the run, rps.
fn healthy_capacity(run: &Run) -> f64 {
    let rows = run.result.fleet.iter().map(|row| row.healthy_capacity_rps);
    mean(&rows.collect::<Vec<_>>())
}

/// The mean of a time that came in every run.
fn mean_time(runs: &[Run], value: impl Fn(&Summary) -> Option<f64>) -> Option<f64> {
    let times: Option<Vec<f64>> = runs.iter().map(|run| value(&run.result.summary)).collect();
    times.map(|times| mean(&times))
}

/// Shares that may move by half a point; only goodput, by a point, where pools flap.
type Share = (&'static str, fn(&Summary) -> f64);
const SHARES: [Share; 4] = [
    ("goodput", |summary| summary.goodput_ratio),
    ("shed", |summary| summary.shed_ratio),
    ("rejected", |summary| summary.rejected_ratio),
    ("late", |summary| summary.late_ratio),
];

type Time = (&'static str, fn(&Summary) -> Option<f64>);
const TIMES: [Time; 5] = [
    ("first redirect", |summary| summary.time_to_first_redirect_s),
    ("first propagation", |summary| summary.time_to_first_propagation_s),
    ("full outage", |summary| summary.time_to_full_outage_s),
    ("nothing in rotation", |summary| summary.time_to_nothing_in_rotation_s),
    ("recovery", |summary| summary.time_to_recover_s),
];

fn moved(name: &str, policy: &str) -> Vec<String> {
    let text = shipped(name);
    let step_s = cases(&text, &[])[0].scenario.simulation.step.get();
    let run_at = |step_s: f64, seeds, row_steps| {
        let step = format!("simulation.step={}ms", step_s * 1000.0);
        over_seeds(&text, policy, &[step.as_str()], seeds, row_steps)
    };
    let (whole, half) = (run_at(step_s, SEEDS, 2), run_at(step_s / 2.0, SEEDS, 4));
    let pools = whole[0].case.scenario.pools.len() as f64;
    let losses = mean(&whole.iter().map(|run| run.losses() as f64).collect::<Vec<_>>());
    let flaps = losses > 1.5 * pools;
    let mut moved = vec![];
    let mut compare = |what: &str, before: f64, after: f64, change: f64, most: f64| {
        println!("{name} {policy} {what}: {before:.4} to {after:.4}, {change:.4} of {most}");
        if change.abs() >= most {
            moved.push(format!("{name} {policy} {what}: {before:.4} to {after:.4}, over {most}"));
        }
    };
    let shares = if flaps { &SHARES[..1] } else { &SHARES[..] };
    let most_points = if flaps { 1.0 } else { 0.5 };
    for (what, share) in shares {
        let (before, after) = (mean_of(&whole, share), mean_of(&half, share));
        compare(what, before, after, 100.0 * (after - before), most_points);
    }
    let mean_capacity = |runs: &[Run]| mean(&runs.iter().map(healthy_capacity).collect::<Vec<_>>());
    let (before, after) = (mean_capacity(&whole), mean_capacity(&half));
    compare("healthy capacity", before, after, 100.0 * (after / before - 1.0), 2.0);
    let kinds = &whole[0].case.scenario.kinds;
    let intervals = kinds.iter().map(|kind| kind.health_check.interval.get());
    let interval_s = intervals.fold(0.0, f64::max);
    let many =
        flaps.then(|| (run_at(step_s, FLAPPING_SEEDS, 2), run_at(step_s / 2.0, FLAPPING_SEEDS, 4)));
    let (timed, timed_half) = many.as_ref().map_or((&whole, &half), |(a, b)| (a, b));
    for (what, time) in TIMES {
        if let (Some(before), Some(after)) = (mean_time(timed, time), mean_time(timed_half, time)) {
            compare(what, before, after, after - before, step_s + interval_s + 1e-9);
        }
    }
    let ((before, often), (after, _)) = (usual_outcome(&whole), usual_outcome(&half));
    println!("{name} {policy}: {losses} losses, {before:?} in {often}, then {after:?}");
    if often >= SAME && before != after {
        moved.push(format!("{name} {policy}: {before:?} in {often} became {after:?}"));
    }
    moved
}

fn assert_still(name: &str) {
    let policies = cases(&shipped(name), &[]);
    let moved: Vec<String> =
        policies.iter().flat_map(|case| moved(name, &case.policy.name)).collect();
    assert!(moved.is_empty(), "{moved:#?}");
}

#[test]
fn halving_the_step_keeps_planner_agent() {
    assert_still("planner-agent");
}

#[test]
fn halving_the_step_keeps_lose_one_of_three() {
    assert_still("lose-one-of-three");
}

#[test]
fn halving_the_step_keeps_planned_drain() {
    assert_still("planned-drain");
}

#[test]
fn halving_the_step_keeps_canary_rollback() {
    assert_still("canary-rollback");
}

#[test]
fn halving_the_step_keeps_uneven_zones() {
    assert_still("uneven-zones");
}

#[test]
fn halving_the_step_keeps_nearest_neighbour() {
    assert_still("nearest-neighbour");
}

#[test]
fn halving_the_step_keeps_zone_returns() {
    assert_still("zone-returns");
}

#[test]
fn halving_the_step_keeps_ten_lines() {
    assert_still("ten-lines");
}
