//! Charts of odd runs: none may panic, and all give a whole picture.

use super::fixture::{Plot, cascade, context, five, result, scenario, simulated};
use super::{ChartContext, compare_charts, run_charts};
use crate::metric::{PhaseRow, RunResult};
use crate::model::Scenario;
use crate::report::Artifact;

pub(super) const ABC: [&str; 3] = ["a", "b", "c"];

/// Where to leave the pictures for a look; nowhere unless asked to.
pub(super) fn keep(folder: &str, artifacts: &[Artifact]) {
    if let Ok(root) = std::env::var("ZONEFALL_CHART_DIR") {
        let folder = std::path::Path::new(&root).join(folder);
        std::fs::create_dir_all(&folder).unwrap();
        for artifact in artifacts {
            std::fs::write(folder.join(&artifact.file_name), &artifact.bytes).unwrap();
        }
    }
}

fn check(folder: &str, scenario: &Scenario, results: &[RunResult]) {
    check_in(folder, &context(scenario), results);
}

fn check_in(folder: &str, context: &ChartContext<'_>, results: &[RunResult]) {
    let compared = compare_charts(context, results).unwrap();
    keep(&format!("{folder}-compare"), &compared);
    let mut all = compared;
    if let Some(result) = results.get(1).or(results.first()) {
        let run = run_charts(context, result).unwrap();
        keep(&format!("{folder}-run"), &run);
        all.extend(run);
    }
    for artifact in all {
        if artifact.file_name.ends_with(".png") {
            assert!(artifact.bytes.starts_with(b"\x89PNG"), "{}", artifact.file_name);
        } else {
            let svg = String::from_utf8(artifact.bytes).unwrap();
            assert!(
                svg.starts_with("<svg ") && svg.ends_with("</svg>\n"),
                "{}",
                artifact.file_name
            );
            assert!(!svg.contains("NaN") && !svg.contains("inf"), "{}", artifact.file_name);
            assert!(svg.contains("</title>") && svg.contains("</desc>"));
        }
    }
}

pub(super) fn results(scenario: &Scenario, plots: &[Plot], rows: usize) -> Vec<RunResult> {
    plots.iter().map(|plot| result(scenario, plot, rows, 0.5)).collect()
}

#[test]
fn planner_agent() {
    let scenario = scenario(&ABC, 1);
    let results = results(&scenario, &five(), 1320);
    let names: Vec<_> = compare_charts(&context(&scenario), &results)
        .unwrap()
        .into_iter()
        .map(|artifact| artifact.file_name)
        .collect();
    let both = |name: &str| [format!("{name}.svg"), format!("{name}.png")];
    let charts = ["healthy_capacity", "policies", "requests", "moments", "utilization"];
    assert_eq!(names, charts.map(both).concat());
    let run = run_charts(&context(&scenario), &results[1]).unwrap();
    let names: Vec<_> = run.into_iter().map(|artifact| artifact.file_name).collect();
    let charts = ["healthy_capacity", "states", "requests", "moments", "utilization"];
    assert_eq!(names, charts.map(both).concat());
    check("planner-agent", &scenario, &results);
    keep("none-run", &run_charts(&context(&scenario), &results[0]).unwrap());
}

/// A panel a policy: this many copies of the two that watch a proxy, of so many phases.
pub(super) fn proxied_results(copies: usize, phases: u32) -> (Scenario, Vec<RunResult>) {
    let mut scenario = crate::metric::fixture::proxied();
    let pair = crate::report::fixture::proxied_results();
    let first = scenario.phases.clone();
    scenario.phases = (0..phases).map(|phase| first[phase as usize % 4].clone()).collect();
    let mut results = Vec::new();
    for copy in 0..copies {
        let mut result = pair[copy % 2].clone();
        let repeat = |phase: u32| {
            let of = move |row: &&crate::metric::PhaseRow| row.phase == phase % 4;
            pair[copy % 2].phases.iter().filter(of).map(move |row| PhaseRow { phase, ..*row })
        };
        result.phases = (0..phases).flat_map(repeat).collect();
        if copy > 1 {
            result.policy = format!("{}-number-{copy}", result.policy);
        }
        results.push(result);
    }
    (scenario, results)
}

#[test]
fn phases_are_drawn_where_there_are_any() {
    let (scenario, results) = proxied_results(2, 4);
    let named = |artifacts: Vec<Artifact>| -> Vec<String> {
        artifacts.into_iter().map(|artifact| artifact.file_name).collect()
    };
    let compared = named(compare_charts(&context(&scenario), &results).unwrap());
    assert_eq!(compared[compared.len() - 2..], ["phases.svg", "phases.png"]);
    let run = named(run_charts(&context(&scenario), &results[0]).unwrap());
    let last = ["resources.svg", "resources.png", "phases.svg", "phases.png"];
    assert_eq!(run[run.len() - 4..], last);
    for (copies, phases) in [(2, 4), (1, 1), (3, 4), (4, 8), (7, 4), (14, 3), (2, 60)] {
        let (scenario, results) = proxied_results(copies, phases);
        check(&format!("phases-{copies}-{phases}"), &scenario, &results);
    }
}

#[test]
fn odd_phases_are_drawn() {
    let (scenario, mut results) = proxied_results(2, 4);
    results[0].phases.clear();
    for row in &mut results[1].phases {
        row.rejected_ratio = None;
        row.cpu_utilization = None;
        row.concurrency_limit = Some(1e9);
        row.in_flight_peak = 0.0;
    }
    check("phases-odd", &scenario, &results);
    let scene = super::phases::chart(&context(&scenario), &results);
    assert!(scene.title.starts_with("No tries arrive at proxy"), "{}", scene.title);
}

#[test]
fn where_nothing_is_redirected_peaks_are_the_finding() {
    let (scenario, mut results) = proxied_results(2, 4);
    let said = |results: &[RunResult]| {
        super::finding::utilization_finding(&scenario, results).replace('\u{a0}', " ")
    };
    for (result, peak) in results.iter_mut().zip([4.0, 1.25]) {
        result.timeline.iter_mut().for_each(|row| row.time_s += 3.0);
        result.timeline[0].utilization = Some(peak);
    }
    let expected = "proxy peaks at 400 % under watch-cpu, at 125 % under watch-concurrency";
    assert_eq!(said(&results), expected);
    results[1].timeline[0].utilization = Some(4.0);
    assert_eq!(said(&results), "proxy peaks at 400 % under every policy");
}

#[test]
fn a_finding_about_phases_names_worst_and_best() {
    let (scenario, results) = proxied_results(2, 4);
    let said = |results: &[RunResult]| {
        super::finding::phases_finding(&scenario, results).replace('\u{a0}', " ")
    };
    let worst = "Under watch-cpu, proxy rejects 74 % of its tries in phase 400ms";
    assert_eq!(said(&results), format!("{worst}; under watch-concurrency, none"));
    assert_eq!(said(&results[..1]), worst);
    let none = "Under watch-concurrency, proxy rejects nothing in any phase";
    assert_eq!(said(&results[1..]), none);
}

pub(super) const KINDS: [&str; 4] = ["none", "unconditional", "rate-limited", "capacity-aware"];

#[test]
fn simulated_runs() {
    let scenario = scenario(&ABC, 1);
    let results = simulated(&scenario, &KINDS);
    check("simulated", &scenario, &results);
    for result in &results {
        let folder = format!("simulated-{}", result.policy);
        keep(&folder, &run_charts(&context(&scenario), result).unwrap());
    }
}

#[test]
fn simulated_flapping() {
    let mut scenario = scenario(&ABC, 2);
    scenario.kinds[0].health_check.on_unhealthy = crate::model::OnUnhealthy::Eject;
    check("simulated-flapping", &scenario, &simulated(&scenario, &KINDS));
}

#[test]
fn same_inputs_same_bytes() {
    let scenario = scenario(&ABC, 1);
    let results = results(&scenario, &five(), 1320);
    let first = compare_charts(&context(&scenario), &results).unwrap();
    assert!(first == compare_charts(&context(&scenario), &results).unwrap());
    let run = run_charts(&context(&scenario), &results[1]).unwrap();
    assert!(run == run_charts(&context(&scenario), &results[1]).unwrap());
}

#[test]
fn no_rows_and_one_row() {
    let scenario = scenario(&ABC, 1);
    for rows in [0, 1, 2] {
        check(&format!("rows-{rows}"), &scenario, &results(&scenario, &[cascade()], rows));
    }
    check("no-policy", &scenario, &[]);
}

#[test]
fn no_trigger() {
    let mut scenario = scenario(&ABC, 1);
    scenario.events.clear();
    check("no-trigger", &scenario, &results(&scenario, &five(), 400));
}

#[test]
fn forty_policies() {
    let scenario = scenario(&ABC, 1);
    let mut many = Vec::new();
    for index in 0..40 {
        let mut one = result(&scenario, &five()[index % 5], 1320, 0.5);
        one.policy = format!("policy-number-{index}");
        many.push(one);
    }
    check("forty-policies", &scenario, &many);
    many.truncate(12);
    check("twelve-policies", &scenario, &many);
}

#[test]
fn one_zone_and_a_hundred() {
    let one = scenario(&["only"], 1);
    check("one-zone", &one, &results(&one, &[cascade()], 1320));
    let names: Vec<String> = (0..100).map(|index| format!("zone-{index:03}")).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let many = scenario(&names, 1);
    check("hundred-zones", &many, &results(&many, &five()[..2], 660));
}

#[test]
fn a_hundred_pools() {
    let scenario = scenario(&["a", "b", "c", "d"], 25);
    check("hundred-pools", &scenario, &results(&scenario, &five()[..2], 660));
}

#[test]
fn no_pools() {
    let scenario = scenario(&[], 1);
    check("no-pools", &scenario, &results(&scenario, &[cascade()], 10));
}

#[test]
fn nothing_and_a_billion() {
    let scenario = scenario(&ABC, 1);
    for (name, factor) in [("zero", 0.0), ("billion", 1e9 / 576.0), ("tiny", 1e-6)] {
        let mut results = results(&scenario, &five(), 1320);
        for result in &mut results {
            for row in &mut result.timeline {
                row.healthy_capacity_rps *= factor;
                row.utilization = row.utilization.map(|value| value * factor);
            }
            for row in &mut result.fleet {
                row.healthy_capacity_rps *= factor;
                row.offered_rps *= factor;
                row.completed_rps *= factor;
            }
        }
        check(name, &scenario, &results);
    }
}

#[test]
fn long_names_and_foreign_causes() {
    let long = "a-zone-with-a-very-long-name-that-nobody-would-choose-but-somebody-will";
    let mut scenario = scenario(&[long, "b", "c"], 1);
    scenario.events[0].cause = Some("ディスク <圧力> & \u{1} \"überlast\" é".into());
    let mut results = results(&scenario, &five(), 1320);
    results[1].policy = "unconditional-with-a-name-that-goes-on-and-on-and-on-and-on".into();
    let name = "a/very/long/path/".repeat(12) + "file.toml";
    let context = ChartContext { file_name: &name, ..context(&scenario) };
    check_in("long-names", &context, &results);
}

#[test]
fn a_fault_keeps_its_mark_among_many_events() {
    use crate::engine::{Happening, LogEntry};
    let mut scenario = scenario(&["a", "b", "c"], 1);
    let outage = scenario.events[0].clone();
    scenario.events = (0..8)
        .map(|index| {
            let mut event = outage.clone();
            event.name = format!("event-{index}");
            event.at = crate::units::Seconds::new(60.0 + 20.0 * f64::from(index)).unwrap();
            event.cause = Some(format!("cause {index}"));
            event
        })
        .collect();
    let mut result = result(&scenario, &cascade(), 1320, 0.5);
    result.log.clear();
    for event in 0..8 {
        let at_s = 60.0 + 20.0 * f64::from(event);
        for (time_s, is_end) in [(at_s, false), (at_s + 200.0, true)] {
            let what = match is_end {
                false => Happening::EventBegan { event, zone: None, pool: None },
                true => Happening::EventEnded { event, zone: None, pool: None },
            };
            result.log.push(LogEntry { time_s, what });
        }
    }
    result.log.sort_by(|a, b| a.time_s.total_cmp(&b.time_s));
    let window = super::series::window(std::slice::from_ref(&result));
    let marks = super::event_marks::fault_marks(&scenario, &result, &window);
    assert_eq!(marks.len(), 10, "{marks:?}");
    for (index, mark) in marks[..8].iter().enumerate() {
        assert!(mark.text.ends_with(&format!(": cause {index}")), "{mark:?}");
    }
    assert!(marks[8].text.contains(" within "), "{marks:?}");
    // Of two that share a mark neither hides behind the other's cause.
    for event in &mut scenario.events {
        event.cause = Some("x".repeat(200));
    }
    result.log.iter_mut().for_each(|entry| entry.time_s = 60.0);
    let marks = super::event_marks::fault_marks(&scenario, &result, &window);
    assert!(marks[0].text.ends_with("; and 7 more events"), "{marks:?}");
}

#[test]
fn a_dying_pools_peak_is_no_finding() {
    let scenario = scenario(&["a", "b", "c"], 1);
    let results = super::fixture::simulated(&scenario, &["none", "unconditional"]);
    let titles: Vec<String> = results
        .iter()
        .map(|result| super::finding::utilization_finding(&scenario, std::slice::from_ref(result)))
        .collect();
    assert_eq!(titles[0], "Pools that no event hit stay at 89\u{a0}% or below");
    assert!(titles[1].contains(" peaks at ") && !titles[1].starts_with("planner-a"), "{titles:?}");
}

#[test]
fn what_fell_is_not_the_best_for_keeping_more() {
    let scenario = scenario(&["a", "b", "c"], 1);
    let mut results = super::fixture::simulated(&scenario, &["none", "unconditional"]);
    results[0].summary.goodput_ratio = 0.7;
    results[0].summary.outcome = crate::metric::Outcome::Degraded;
    results[1].summary.goodput_ratio = 0.9;
    results[1].summary.outcome = crate::metric::Outcome::FullOutage;
    results[1].summary.time_to_full_outage_s = Some(80.0);
    let title = super::finding::compare_finding(&results).replace('\u{a0}', " ");
    assert!(title.starts_with("unconditional "), "{title}");
    assert!(title.ends_with("; no failover keeps 70 % of requests"), "{title}");
}

#[test]
fn flapping_is_collapsed() {
    use crate::engine::{Happening, LogEntry};
    use crate::model::PoolId;
    let scenario = scenario(&["a", "b", "c", "d"], 10);
    let mut result = result(&scenario, &cascade(), 1320, 0.5);
    for round in 0..400 {
        let (pool, in_rotation, expected) = (PoolId(10 + round % 30), 3, 12);
        let what = Happening::PoolUnhealthy { pool, in_rotation, expected };
        result.log.push(LogEntry { time_s: 150.0 + f64::from(round), what });
    }
    let window = super::series::window(std::slice::from_ref(&result));
    let marks = super::event_marks::run_marks(&scenario, &result, &window);
    assert!(marks.len() <= 10, "{marks:?}");
    assert!(marks.windows(2).all(|pair| pair[0].since_s <= pair[1].since_s));
    check("flapping", &scenario, &[result]);
}
