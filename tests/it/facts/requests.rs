//! Both reference cases request by request: every row of the reference, with the tolerance of this
//! plane.

use super::fleet::{REQUESTS, Run, deviation, goodputs, mean, median, over_seeds, shipped};
use super::rows::{
    Fate, PLANNER, PLANNER_SEEDS, PLANNER_SURVIVORS, Row, WEB, WEB_SEEDS, WEB_SURVIVORS,
    planner_runs, shares_fate, survivor_losses, web_runs,
};

/// Few, for speed: `docs/facts.md` has more.
const SEEDS: u64 = 8;

/// Within a point, or three standard errors of the two means.
fn tolerance(spread: f64, row: &Row, reference_seeds: f64) -> f64 {
    let variance = spread * spread / SEEDS as f64 + row.deviation * row.deviation / reference_seeds;
    f64::max(1.0, 3.0 * variance.sqrt())
}

/// Mean of a time that every run has to have.
fn mean_time(runs: &[Run], of: impl Fn(&Run) -> Option<f64>) -> f64 {
    mean(&runs.iter().map(|run| of(run).unwrap_or(f64::INFINITY)).collect::<Vec<_>>())
}

/// Compares a row with its reference; returns what differs.
fn differences(row: &Row, runs: &[Run], reference_seeds: f64, survivors: &[&str]) -> Vec<String> {
    let goodputs = goodputs(runs);
    let (here, spread) = (mean(&goodputs), deviation(&goodputs));
    let same = runs.iter().filter(|run| shares_fate(run, row.fate, survivors)).count();
    let losses: Vec<f64> = runs.iter().map(|run| survivor_losses(run, survivors)).collect();
    let lost = mean(&losses);
    let nothing_s = mean_time(runs, |run| run.result.summary.time_to_nothing_in_rotation_s);
    println!(
        "{}: goodput {here:.1} ± {spread:.1} ({} ± {}), {:?} in {same} of {SEEDS}, {lost:.1} \
         losses, nothing left at {nothing_s:.0} s",
        row.label, row.goodput, row.deviation, row.fate
    );
    let mut different = vec![];
    if (here - row.goodput).abs() > tolerance(spread, row, reference_seeds) {
        different.push(format!("{}: goodput {here:.2}, not {}", row.label, row.goodput));
    }
    if same < runs.len() {
        different.push(format!("{}: {:?} in {same} of {SEEDS}", row.label, row.fate));
    }
    if let Fate::Gone { nothing_left_s } = row.fate
        && nothing_left_s > 0.0
        && (nothing_s / nothing_left_s - 1.0).abs() > 0.1
    {
        different.push(format!("{}: nothing left at {nothing_s} s", row.label));
    }
    if let Fate::Flapping { losses } = row.fate
        && losses > 0.0
        && (lost - losses).abs() > f64::max(2.0, 0.1 * losses)
    {
        different.push(format!("{}: survivors lost {lost:.1} times, not {losses}", row.label));
    }
    different
}

#[test]
fn planner_agent_ends_as_the_reference_says_under_every_policy() {
    let of = |row| {
        differences(row, &planner_runs(row, REQUESTS, SEEDS), PLANNER_SEEDS, &PLANNER_SURVIVORS)
    };
    let different: Vec<String> = PLANNER.iter().flat_map(of).collect();
    assert!(different.is_empty(), "{different:#?}");
}

#[test]
fn lose_one_of_three_ends_as_the_reference_says_under_every_policy() {
    let of = |row| differences(row, &web_runs(row, REQUESTS, SEEDS), WEB_SEEDS, &WEB_SURVIVORS);
    let different: Vec<String> = WEB.iter().flat_map(of).collect();
    assert!(different.is_empty(), "{different:#?}");
}

/// Within ten percent of the reference.
fn near(what: &str, value_s: f64, reference_s: f64) {
    println!("{what}: {value_s:.1} s, {reference_s} s");
    assert!((value_s / reference_s - 1.0).abs() < 0.1, "{what}: {value_s} s, not {reference_s}");
}

fn between(what: &str, value_s: f64, least_s: f64, most_s: f64) {
    println!("{what}: {value_s:.1} s, {least_s} to {most_s}");
    assert!((least_s..=most_s).contains(&value_s), "{what}: {value_s} s");
}

fn first_out(run: &Run, survivors: &[&str]) -> Option<f64> {
    let firsts = survivors.iter().filter_map(|name| run.out_at(name).first().copied());
    firsts.min_by(f64::total_cmp)
}

fn gap(from: Option<f64>, to: Option<f64>) -> Option<f64> {
    Some(to? - from?)
}

#[test]
fn zone_a_takes_b_and_c_along_when_the_incident_says() {
    let runs = over_seeds(&shipped("planner-agent"), "unconditional", &[REQUESTS], 21, 20);
    let a = |run: &Run| run.first_lost("planner-a");
    let c_after_b_s =
        mean_time(&runs, |run| gap(run.first_lost("planner-b"), run.first_lost("planner-c")));
    println!("c unhealthy {c_after_b_s:.1} s after b; the reference: 8");
    let (b, c) = (|run: &Run| run.first_lost("planner-b"), |run: &Run| run.first_lost("planner-c"));
    // A third of twelve is four.
    let third_of_b = |run: &Run| run.out_at("planner-b").get(3).copied();
    near("a unhealthy", mean_time(&runs, a), 74.0);
    near("first of b or c out", mean_time(&runs, |run| first_out(run, &PLANNER_SURVIVORS)), 147.0);
    near("b unhealthy after a", mean_time(&runs, |run| gap(a(run), b(run))), 84.0);
    let summary = |run: &Run| run.result.summary;
    near("no healthy pool", mean_time(&runs, |run| summary(run).time_to_full_outage_s), 165.0);
    between("a unhealthy", median(runs.iter().map(a)), 50.0, 110.0);
    let b_after_a = runs.iter().map(|run| gap(a(run), third_of_b(run)));
    between("a third of b after a", median(b_after_a), 0.0, 95.0);
    let c_after_b = runs.iter().map(|run| gap(third_of_b(run), c(run)));
    between("c unhealthy after a third of b", median(c_after_b), -60.0, 60.0);
    let full = runs.iter().map(|run| summary(run).time_to_full_outage_s);
    between("no healthy pool", median(full), 130.0, 220.0);
    let nothing = runs.iter().map(|run| summary(run).time_to_nothing_in_rotation_s);
    between("nothing in rotation", median(nothing), 180.0, 290.0);
    let b_first = runs.iter().filter(|run| b(run) < c(run)).count();
    println!("b before c in {b_first} of {}", runs.len());
    assert!(2 * b_first > runs.len(), "b before c in {b_first} of {}", runs.len());
}

#[test]
fn of_three_the_survivors_go_one_after_the_other_when_the_reference_says() {
    let runs = over_seeds(&shipped("lose-one-of-three"), "unconditional", &[REQUESTS], 12, 20);
    for (index, run) in runs.iter().enumerate() {
        let seed = index + 1;
        let a = run.first_lost("web-a");
        assert!(a.is_some_and(|lost_s| (5.0..=7.0).contains(&lost_s)), "seed {seed}: a at {a:?}");
        assert!(run.result.summary.time_to_full_outage_s.is_some(), "seed {seed}");
    }
    let later = |run: &Run| {
        let lost = WEB_SURVIVORS.map(|name| run.first_lost(name).unwrap_or(f64::INFINITY));
        gap(run.first_lost("web-a"), Some(lost[0].max(lost[1])))
    };
    // "Both lost about 20 s after a": within ten percent for the first of the two alone, so this is
    // looser than the other times. The later one goes 25 s after a.
    let sooner = |run: &Run| {
        let lost = WEB_SURVIVORS.map(|name| run.first_lost(name).unwrap_or(f64::INFINITY));
        gap(run.first_lost("web-a"), Some(lost[0].min(lost[1])))
    };
    between("first survivor lost after a", mean_time(&runs, sooner), 16.0, 24.0);
    between("both lost after a", mean_time(&runs, later), 16.0, 28.0);
    let none_left = |run: &Run| run.result.summary.time_to_full_outage_s;
    // The reference says 37 s. Over these seeds it is 38 s and over 21 it is 42 s, 13 % more: ten
    // percent would hold by luck of the seeds.
    between("no healthy pool", mean_time(&runs, none_left), 30.0, 48.0);
    let ramp = over_seeds(&shipped("lose-one-of-three"), "rate-limited", &[REQUESTS], 12, 20);
    near("with a ramp both lost after a", mean_time(&ramp, later), 73.0);
    // The reference counts these from the start: 77 to 84 s are 17 to 24 s after the trigger.
    between(
        "first survivor out",
        mean_time(&runs, |run| first_out(run, &WEB_SURVIVORS)),
        17.0,
        24.0,
    );
}

#[test]
fn without_its_event_nothing_is_ever_ejected() {
    let text = shipped("planner-agent");
    let quiet = text.split("[event.").next().expect("the part before the event");
    let sets = [REQUESTS, "simulation.duration=1h"];
    for (index, run) in over_seeds(quiet, "unconditional", &sets, 6, 7200).iter().enumerate() {
        assert_eq!(run.result.trigger_s, None);
        assert_eq!(run.ejections(), 0, "seed {}", index + 1);
    }
}
