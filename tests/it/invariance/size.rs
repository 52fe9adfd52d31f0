//! Ten times the instances under ten times the demand is the same fleet.

use proptest::test_runner::TestCaseError;

use zonefall::metric::{Outcome, Summary, simulate};
use zonefall::model::{Balancing, Scenario};
use zonefall::policy::Case;
use zonefall::units::{Ratio, Rps};

use crate::random::fleet::{multiply_events, multiply_policy};
use crate::random::sketch::{ActionSketch, ratio};
use crate::random::strategy::any_sketch;
use crate::random::trial::{Record, holds_for};

use super::names::{draw_nothing, same};
use super::shipped;

const FACTOR: u32 = 10;

fn ratios(summary: &Summary) -> [(&'static str, f64); 9] {
    [
        ("goodput", summary.goodput_ratio),
        ("late", summary.late_ratio),
        ("shed", summary.shed_ratio),
        ("rejected", summary.rejected_ratio),
        ("lost", summary.lost_ratio),
        ("unfinished", summary.unfinished_ratio),
        ("goodput_of_bound", summary.goodput_of_bound.unwrap_or(-1.0)),
        ("min_healthy_capacity", summary.min_healthy_capacity_ratio),
        ("peak_receiver_utilization", summary.peak_receiver_utilization.unwrap_or(-1.0)),
    ]
}

#[test]
fn where_nothing_is_drawn_ten_times_the_fleet_has_the_same_ratios() {
    holds_for(100, 51, any_sketch(), |mut sketch| {
        draw_nothing(&mut sketch.kinds);
        for event in &mut sketch.events {
            event.over = 0.0;
            // A share is rounded to whole instances.
            if let ActionSketch::LossShare(pool, share) = event.action {
                event.action = ActionSketch::LossCount(pool, (share * 8.0) as usize);
            }
        }
        for pool in sketch.zones.iter_mut().flatten() {
            // How much smoother a turn or a comparison makes arrivals depends on how many take
            // part.
            pool.balancing = Balancing::Random;
        }
        let fleet = sketch.fleet();
        let (small, large) = (fleet.case(), fleet.times(FACTOR).case());
        let (one, two) = (Record::of(&small, 1), Record::of(&large, 1));
        for pool in 0..one.start.len() {
            same((&one.steps, &two.steps), (pool, pool), f64::from(FACTOR))?;
        }
        let (one, two) = (simulate(&small, 10).summary, simulate(&large, 10).summary);
        for ((name, a), (_, b)) in ratios(&one).into_iter().zip(ratios(&two)) {
            if (a - b).abs() > 1e-9 * a.abs().max(1.0) {
                return Err(TestCaseError::fail(format!("{name}: {a}, then {b}")));
            }
        }
        Ok(())
    });
}

/// The case with another seed and `factor` times the fleet.
fn variant(case: &Case, seed: u64, factor: u32) -> Case {
    let mut case = case.clone();
    case.scenario.simulation.seed = seed;
    for pool in &mut case.scenario.pools {
        pool.instances *= factor;
        pool.demand = Rps::new(pool.demand.get() * f64::from(factor)).expect("a rate");
    }
    multiply_events(&mut case.scenario.events, factor);
    multiply_policy(&mut case.policy, f64::from(factor));
    case
}

/// Mean goodput over seeds, and the outcome where it is the same for every seed.
fn over_seeds(case: &Case, seeds: u64, factor: u32) -> (f64, Option<Outcome>) {
    let runs: Vec<Summary> =
        (1..=seeds).map(|seed| simulate(&variant(case, seed, factor), 1000).summary).collect();
    let mean = runs.iter().map(|run| run.goodput_ratio).sum::<f64>() / runs.len() as f64;
    let first = runs[0].outcome;
    (mean, runs.iter().all(|run| run.outcome == first).then_some(first))
}

/// How many points of goodput ten times the fleet gains, and do all seeds of both agree?
fn gain(case: &Case) -> (f64, bool) {
    // A small fleet that flaps varies by 0.6 points from seed to seed, a large one by half of that.
    let (small, outcome) = over_seeds(case, 32, 1);
    let (large, other) = over_seeds(case, 11, FACTOR);
    let points = 100.0 * (large - small);
    let scenario = &case.scenario.name;
    println!(
        "{scenario} {}: {:.2} % {outcome:?}, ten times {points:+.2} points {other:?}",
        case.policy.name,
        100.0 * small
    );
    (points, outcome.is_some() && outcome == other)
}

/// Request by request ten times the fleet is ten times the work, and as many seeds are hours.
const FLUID: [&str; 1] = ["simulation.plane=fluid"];

/// Is all that belongs to its size in its pools? Limits of autoscalers, sources and what clients
/// hold would have to grow as well.
fn is_plain(scenario: &Scenario) -> bool {
    scenario.sources.is_empty()
        && scenario.autoscalers.is_empty()
        && !scenario.has_calls()
        && scenario.clients.iter().all(|client| client.retry.is_none())
        && scenario.kinds.iter().all(|kind| kind.resources.is_empty())
}

/// Where a fleet flaps for minutes, at which share in rotation a pool is lost decides how.
const FLAPS: (&str, &str) = ("zone-returns", "unconditional");
/// Files whose small pools are the point (two of four are half of one), and a fleet that is here
/// twice.
const SMALL_ON_PURPOSE: [&str; 8] = [
    "circuit-breaker-false-positive",
    "ejection-limit-trap",
    "emergency-scale-out",
    "gray-zone",
    "health-check-flapping",
    "n-plus-two",
    "planner-agent-mitigations",
    "routing-asymmetry",
];

#[test]
fn ten_times_the_fleet_has_the_same_goodput_where_seeds_agree() {
    let mut compared = 0;
    for file in shipped::files() {
        for case in &shipped::load(&file, &shipped::text(&file), &FLUID).cases {
            let names = (case.scenario.name.as_str(), case.policy.name.as_str());
            let is_left_out = names == FLAPS || SMALL_ON_PURPOSE.contains(&names.0);
            if is_left_out || !is_plain(&case.scenario) {
                continue;
            }
            let (points, agree) = gain(case);
            compared += u32::from(agree);
            assert!(!agree || points.abs() < 0.5, "{names:?} gains {points} points");
        }
    }
    assert!(compared >= 25, "seeds agree in only {compared} cases");
}

/// A pool of 4 that is lost below 50 % is lost with 1 of 4 in rotation; ten times the pool then has
/// to be lost with 10 of 40, not with 19. This threshold means the same at both sizes, and for the
/// small one the same as before.
fn same_share(instances: u32, threshold: Ratio) -> Ratio {
    let healthy = (threshold.get() * f64::from(instances) - 1e-9).ceil();
    ratio((healthy - 1.0 + 0.5 / f64::from(FACTOR)) / f64::from(instances))
}

#[test]
fn ten_times_a_fleet_that_flaps_has_the_same_goodput_when_pools_are_lost_at_the_same_share() {
    let files = shipped::files();
    let file = files.iter().find(|file| file.ends_with("zone-returns.toml")).expect("the file");
    let mut cases = shipped::load(file, &shipped::text(file), &FLUID).cases;
    let case = cases.iter_mut().find(|case| case.policy.name == FLAPS.1).expect("the policy");
    assert_eq!(case.scenario.name, FLAPS.0);
    for pool in &mut case.scenario.pools {
        pool.failover_threshold = same_share(pool.instances, pool.failover_threshold);
    }
    let (points, _) = gain(case);
    assert!(points.abs() < 0.5, "gains {points} points");
}
