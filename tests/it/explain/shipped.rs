//! Every shipped topology has a true story.

use zonefall::cli::EXAMPLES;
use zonefall::experiment::explain::{Effort, Explanation, Found, Levers, Side};
use zonefall::metric::simulate;
use zonefall::model::Plane;
use zonefall::policy::Case;
use zonefall::report::csv::{comparison_csv, events_csv};
use zonefall::report::explain::{markdown, story};
use zonefall::report::runs;

use super::{case, explained, figures};

/// One seed tells what a story is told from.
const ONE: Effort = Effort { return_seeds: 1, return_enough: 1, lever_seeds: 1 };

/// First tries of a run that are too many for a test to serve one by one.
const MANY: f64 = 100_000.0;

#[test]
fn every_shipped_topology_has_a_true_story() {
    for example in EXAMPLES {
        let mut case = case(example.text, None, &[]);
        let scenario = &mut case.scenario;
        if scenario.demand_rps() * scenario.simulation.duration.get() > MANY {
            scenario.simulation.plane = Plane::Fluid;
        }
        let explanation = explained(&case, &ONE);
        let story = story(&case.scenario, &explanation);
        let text = markdown(&story);
        println!("{text}");
        figures::check(&case.scenario, &explanation, &story, &text);
        for nonsense in ["NaN", "inf ", " 0 pools", "``", "  -", " 0 more", "-0 ", "null"] {
            assert!(!text.contains(nonsense), "{}: {nonsense:?} in\n{text}", example.name);
        }
        assert!(story.sections.len() >= 3, "{text}");
        assert!(text.trim_end().ends_with(&format!("**{}**", story.verdict)), "{text}");
        stands_in_the_files(&case, &explanation);
        if let Some(levers) = &explanation.levers {
            sets_reproduce(example.text, &case, levers);
        }
    }
}

/// What a story says happened is what `events.csv` and `comparison.csv` say.
fn stands_in_the_files(case: &Case, explanation: &Explanation) {
    let (cases, results) = (std::slice::from_ref(case), std::slice::from_ref(&explanation.result));
    let runs = runs(cases, results);
    let events = String::from_utf8(events_csv(&runs).bytes).expect("text");
    let facts = &explanation.facts;
    let trigger_s = facts.trigger_s.unwrap_or(0.0);
    let has = |time_to_s: f64, kind: &str, pool: &str| {
        let is_it = |line: &&str| {
            let cells: Vec<&str> = line.split(',').collect();
            let time_s: f64 = cells[1].parse().unwrap_or(f64::NAN);
            (time_s - trigger_s - time_to_s).abs() < 1e-6 && cells[2] == kind && cells[4] == pool
        };
        assert!(events.lines().any(|line| is_it(&line)), "no {kind} of {pool} at {time_to_s}");
    };
    for loss in &facts.losses {
        has(loss.time_to_s, "pool_unhealthy", &loss.pool);
        if let Some(out) = &loss.first_out {
            has(out.time_to_s, "instance_unhealthy", &out.pool);
        }
    }
    for home in facts.shift.iter().flat_map(|shift| &shift.homes) {
        has(home.time_to_s, "redirect_start", &home.pool);
    }
    if let Some(out) = facts.detection.as_ref().and_then(|found| found.pool_out.as_ref()) {
        has(out.time_to_s, "pool_unhealthy", &out.pool);
    }
    let comparison = String::from_utf8(comparison_csv(&runs).bytes).expect("text");
    let cell = |column: &str| {
        let mut lines = comparison.lines().map(|line| line.split(',').collect::<Vec<_>>());
        let (head, row) = (lines.next().expect("a header"), lines.next().expect("a row"));
        let place = head.iter().position(|name| *name == column).expect("a column");
        row[place].to_owned()
    };
    let goodput: f64 = cell("goodput_ratio").parse().expect("a number");
    assert!((goodput - facts.ending.goodput_ratio).abs() < 1e-9);
    assert_eq!(cell("outcome"), facts.ending.outcome);
    let further = facts.ending.cascade_propagation_count;
    assert_eq!(cell("cascade_propagation_count"), further.to_string());
}

/// With the `--set` arguments that are printed, the file does what was found.
fn sets_reproduce(text: &str, original: &Case, levers: &Levers) {
    for lever in &levers.levers {
        let sides: Vec<&Side> = match &lever.found {
            Found::Flips { holds_at, fails_at } => vec![holds_at, fails_at],
            Found::Never { at } => vec![at],
        };
        for side in sides.into_iter().filter(|side| !side.is_as_it_is) {
            assert!(!side.sets.is_empty(), "{lever:?}");
            let mut again = case(text, Some(&original.policy.name), &side.sets);
            again.scenario.simulation.plane = original.scenario.simulation.plane;
            let summary = simulate(&again, u32::MAX).summary;
            assert_eq!(u32::from(levers.goal.holds(&summary)), side.holds.holds, "{lever:?}");
            assert_eq!(summary.goodput_ratio, side.goodput_ratio, "{lever:?}");
        }
    }
}
