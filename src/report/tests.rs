//! Reports of fabricated results.

use super::csv::{
    comparison_columns, comparison_csv, event_columns, events_csv, fleet_columns, fleet_csv,
    phase_columns, phases_csv, resource_columns, resources_csv, timeline_columns, timeline_csv,
};
use super::fixture::{proxied_results, result, results, scenario, timeline};
use super::*;
use crate::metric::fixture::proxied;
use crate::metric::{Outcome, RunResult};
use crate::model::{Action, Event, Phase, PoolId, ZoneId};
use crate::units::{Ratio, Seconds};

fn with_runs<T>(results: &[RunResult], then: impl FnOnce(&[Run<'_>]) -> T) -> T {
    let scenario = scenario();
    let runs: Vec<_> = results.iter().map(|result| Run { scenario: &scenario, result }).collect();
    then(&runs)
}

/// With what autoscalers make of a proxy in front of a slowing service.
fn with_proxied<T>(then: impl FnOnce(&[Run<'_>]) -> T) -> T {
    let (scenario, results) = (proxied(), proxied_results());
    let runs: Vec<_> = results.iter().map(|result| Run { scenario: &scenario, result }).collect();
    then(&runs)
}

fn text(artifact: Artifact) -> String {
    String::from_utf8(artifact.bytes).expect("text")
}

fn check_columns<'a>(columns: impl Iterator<Item = (&'a str, Unit, &'a str)>, header: &str) {
    let mut names = vec![];
    for (name, unit, sentence) in columns {
        assert!(sentence.ends_with('.') && sentence.len() < 100, "{name}: {sentence}");
        assert_eq!(name.ends_with("_s"), unit == Unit::Seconds, "{name}");
        assert_eq!(name.ends_with("_rps"), unit == Unit::Rps, "{name}");
        assert!(!name.ends_with("_ratio") || unit == Unit::Ratio, "{name}");
        names.push(name);
    }
    assert_eq!(names.join(", "), header);
}

#[test]
fn columns_are_those_promised() {
    macro_rules! check {
        ($columns:expr, $header:expr) => {
            check_columns($columns.iter().map(|c| (c.name, c.unit, c.sentence)), $header)
        };
    }
    check!(
        timeline_columns(),
        "policy, time_s, zone, pool, offered_rps, retry_rps, redirected_in_rps, \
         redirected_out_rps, completed_rps, late_rps, degraded_rps, shed_rps, rejected_rps, \
         lost_rps, instances, instances_in_rotation, capacity_rps, healthy_capacity_rps, \
         utilization, bottleneck, in_flight, queue, latency_mean_s, latency_p99_s, deferred, \
         state, receiving_pool_capacity_utilization"
    );
    check!(
        fleet_columns(),
        "policy, time_s, offered_rps, completed_rps, healthy_capacity_rps, \
         healthy_capacity_ratio, bound_rps, receiving_pool_capacity_utilization, \
         cascade_propagation_count, fleet_wide_capacity_trend"
    );
    check!(
        comparison_columns(),
        "policy, kind, plane, outcome, recovered, goodput_ratio, degraded_ratio, late_ratio, \
         shed_ratio, rejected_ratio, lost_ratio, unfinished_ratio, goodput_of_bound, \
         min_healthy_capacity_ratio, final_healthy_capacity_ratio, peak_receiver_utilization, \
         cascade_propagation_count, time_to_first_redirect_s, time_to_first_propagation_s, \
         time_to_full_outage_s, time_to_nothing_in_rotation_s, time_to_recover_s, \
         peak_amplification, alerts"
    );
    check!(resource_columns(), "policy, time_s, pool, resource, used, limit, utilization, binding");
    check!(
        phase_columns(),
        "policy, phase, pool, offered_in_flight, in_flight_peak, instances, cpu_utilization, \
         rejected_ratio, offered_rps, retry_rps, completed_rps, goodput_ratio, bottleneck, \
         bottleneck_utilization"
    );
    check!(event_columns(), "policy, time_s, kind, zone, pool, instance, severity, detail");
}

#[test]
fn timeline_has_a_row_a_pool_and_interval() {
    let csv = with_runs(&results(), |runs| text(timeline_csv(runs)));
    assert_eq!(csv.lines().count(), 1 + 4 * 2 * 3);
    assert_eq!(
        csv.lines().nth(2),
        Some(
            "none,0.5,b,planner-b,0.6666666667,0,0.09523809524,0.06060606061,0.05128205128,\
             0.03921568627,0,0,0.000350877193,0.02898550725,12,11,176,0.6666666667,\
             0.02298850575,,20.66666667,24.66666667,0.0162601626,,0,healthy,"
        )
    );
}

#[test]
fn resources_and_phases_have_files_only_where_there_are_any() {
    with_proxied(|runs| {
        let csv = resources_csv(runs).map(text).unwrap_or_default();
        assert_eq!(csv.lines().count(), 1 + 2 * 24 * 2);
        assert_eq!(csv.lines().nth(24), Some("watch-cpu,6,service,cpu,1.85,5,0.37,true"));
        insta::assert_snapshot!("phases_csv", phases_csv(runs).map(text).unwrap_or_default());
        let timeline = text(timeline_csv(runs));
        assert!(timeline.lines().nth(1).is_some_and(|row| row.contains(",slots,")), "{timeline}");
        assert!(timeline.lines().nth(2).is_some_and(|row| row.contains(",cpu,")), "{timeline}");
    });
    with_runs(&results(), |runs| {
        assert_eq!((resources_csv(runs), phases_csv(runs)), (None, None));
        assert_eq!(bottleneck_lines(runs), "");
        assert_eq!(phase_tables(runs, TableStyle::Plain, None), None);
    });
}

#[test]
fn resources_and_phases_are_in_the_summary() {
    let invocation = Invocation {
        name: "blind-spot",
        file: "blind-spot.toml",
        file_sha256: &sha256_hex("abc"),
        overrides: &[],
        row_steps: 1,
    };
    let json = with_proxied(|runs| text(summary_json(&invocation, &runs[..1])));
    let from = json.find("\"resources\"").unwrap_or_default();
    insta::assert_snapshot!(json[from..].lines().take(45).collect::<Vec<_>>().join("\n"));
}

#[test]
fn phases_stand_side_by_side() {
    with_proxied(|runs| {
        let table = |style, width| phase_tables(runs, style, width).unwrap_or_default();
        let wide = table(TableStyle::Plain, None);
        assert!(wide.lines().all(|line| line.chars().count() <= 100), "{wide}");
        let narrow = table(TableStyle::Plain, Some(80));
        assert_eq!(wide.lines().count() + 9, narrow.lines().count(), "{narrow}");
        let markdown = table(TableStyle::Markdown, None);
        insta::assert_snapshot!(format!("{wide}\n\n{narrow}\n\n{markdown}"));
    });
}

#[test]
fn a_phase_table_without_cpu_has_no_column_for_it() {
    let (mut scenario, results) = (proxied(), proxied_results());
    scenario.kinds[1].resources[0].name = "threads".to_owned();
    let runs = [Run { scenario: &scenario, result: &results[0] }];
    let table = phase_tables(&runs, TableStyle::Plain, None).unwrap_or_default();
    assert!(!table.contains("CPU") && table.contains("74 %"), "{table}");
}

#[test]
fn bottlenecks_are_told_with_what_was_next() {
    let mut lines = vec![with_proxied(bottleneck_lines)];
    let (scenario, mut results) = (proxied(), proxied_results());
    // The service runs short for a while, twice; and only once it does is the proxy's next one it.
    for row in results[0].resources.iter_mut().filter(|row| row.pool == PoolId(1)) {
        if (3.0..5.0).contains(&row.time_s) || row.time_s == 8.0 {
            row.utilization = Some(0.85);
        }
    }
    // A proxy that never is: nothing is told.
    results[1].resources.iter_mut().for_each(|row| row.utilization = Some(0.79));
    let runs: Vec<_> = results.iter().map(|result| Run { scenario: &scenario, result }).collect();
    lines.push(bottleneck_lines(&runs));
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn a_ladder_of_settings_and_retries_read_well() {
    let (scenario, mut results) = (proxied(), proxied_results());
    let said = |results: &[RunResult]| {
        let runs: Vec<_> =
            results.iter().map(|result| Run { scenario: &scenario, result }).collect();
        verdict_line(&runs)
    };
    let mut lines = vec![said(&results), said(&results[..1])];
    for factor in [1.49, 1.5, 3.94, 16.04] {
        results[0].summary.peak_amplification = Some(factor);
        lines.push(said(&results[..1]));
    }
    lines.push(said(&results));
    let mut quiet = proxied();
    quiet.events.clear();
    lines.push(verdict_line(&[Run { scenario: &quiet, result: &results[0] }]));
    quiet.events.push(scenario.events[0].clone());
    lines.push(verdict_line(&[Run { scenario: &quiet, result: &results[0] }]));
    insta::assert_snapshot!(lines.join("\n"));
}

#[test]
fn what_a_run_measures_of_a_plain_file() {
    let mut scenario = scenario();
    let seconds = |value| Seconds::new(value).expect("a time");
    scenario.phases.push(Phase { name: "calm".into(), from: seconds(0.0), until: seconds(60.0) });
    let results = super::chart::fixture::simulated(&scenario, &["unconditional"]);
    let result = &results[0];
    assert!(result.resources.is_empty());
    assert_eq!(result.summary.peak_amplification, Some(1.0));
    let first = &result.timeline[0];
    assert_eq!((first.bottleneck, first.retry_rps, first.degraded_rps), (Some(0), 0.0, 0.0));
    // 12 instances of 16 rps with headroom of load; a request takes 2 s where nothing queues.
    assert_eq!(result.phases.len(), 3);
    for (row, headroom) in result.phases.iter().zip([0.15, 0.12, 0.18]) {
        let demand_rps = 192.0 / (1.0 + headroom);
        assert!((row.offered_rps - demand_rps).abs() < 1e-9, "{row:?}");
        assert!((row.offered_in_flight - 2.0 * demand_rps).abs() < 1e-9, "{row:?}");
        assert_eq!((row.instances, row.retry_rps, row.cpu_utilization), (12, 0.0, None));
    }
    let offered: f64 = result.phases.iter().map(|row| row.offered_rps).sum();
    assert!((result.fleet[0].offered_rps - offered).abs() < 1e-9);
    let completed: f64 = result.timeline[..3].iter().map(|row| row.completed_rps).sum();
    assert_eq!(result.fleet[0].completed_rps, completed);
}

#[test]
fn events_are_told_in_words() {
    let one = [result("unconditional", "unconditional", Outcome::FullOutage, 0.237)];
    insta::assert_snapshot!(with_runs(&one, |runs| text(events_csv(runs))));
}

#[test]
fn comparison_and_fleet() {
    insta::assert_snapshot!(with_runs(&results(), |runs| {
        format!("{}\n{}", text(comparison_csv(runs)), text(fleet_csv(runs)))
    }));
}

#[test]
fn summary_names_everything() {
    let overrides = [Override::parse("pool.planner-b.instances = 30")];
    let invocation = Invocation {
        name: "planner-agent",
        file: "planner.toml",
        file_sha256: &sha256_hex("abc"),
        overrides: &overrides,
        row_steps: 2,
    };
    let json = with_runs(&results()[..2], |runs| text(summary_json(&invocation, runs)));
    let json = json.replace(env!("CARGO_PKG_VERSION"), "VERSION");
    insta::assert_snapshot!(json);
}

#[test]
fn table_fits_a_terminal() {
    let results = results();
    let plain = comparison_table(&results, TableStyle::Plain, None);
    assert!(plain.lines().all(|line| line.chars().count() <= 100), "{plain}");
    let coloured = comparison_table(&results, TableStyle::Coloured, None);
    assert_eq!(coloured.matches("\x1b[1;31mfull outage\x1b[0m").count(), 2);
    let bare = ["\x1b[1;31m", "\x1b[33m", "\x1b[0m"]
        .iter()
        .fold(coloured, |text, code| text.replace(code, ""));
    assert_eq!(bare, plain);
    insta::assert_snapshot!(format!(
        "{plain}\n{}",
        comparison_table(&results, TableStyle::Markdown, None)
    ));
}

#[test]
fn a_narrow_terminal_gets_fewer_columns() {
    let mut results = results();
    let whole = comparison_table(&results, TableStyle::Plain, None);
    let whole = whole.lines().map(|line| line.chars().count()).max().unwrap_or_default();
    for (width, columns) in [(whole, 9), (whole - 1, 8), (80, 7), (70, 6), (20, 5)] {
        let table = comparison_table(&results, TableStyle::Plain, Some(width));
        let (heads, note) = table.split_once("\n(too narrow for: ").unwrap_or((&table, ""));
        let is_wide = heads.lines().any(|line| line.chars().count() > width);
        assert_eq!(is_wide, width == 20, "{table}");
        let left_out = if note.is_empty() { 0 } else { 1 + note.matches(", ").count() };
        assert_eq!(left_out, 9 - columns, "{table}");
    }
    // What says something stays longer than what says nothing.
    results[0].summary.recovered = Some(false);
    let table = comparison_table(&results, TableStyle::Plain, Some(whole - 1));
    assert!(table.contains("never") && table.contains("(too narrow for: least healthy"), "{table}");
}

#[test]
fn what_came_before_the_trigger_is_not_counted_from_it() {
    let mut early = result("unconditional", "unconditional", Outcome::FullOutage, 0.0);
    early.summary.time_to_full_outage_s = Some(-26.5);
    let verdict = with_runs(&[early.clone()], verdict_line);
    let table = comparison_table(&[early], TableStyle::Plain, None);
    assert!(verdict.contains("even before that") && table.contains("before"), "{verdict}\n{table}");
    assert!(!verdict.contains("-26") && !table.contains("-26"), "{verdict}\n{table}");
}

#[test]
fn an_outcome_without_requests_to_go_by_is_so_only_so_far() {
    let mut short = result("none", "none", Outcome::Stable, 0.5);
    let table =
        |one: &RunResult| comparison_table(std::slice::from_ref(one), TableStyle::Plain, None);
    assert!(!table(&short).contains("so far"), "{}", table(&short));
    short.summary.is_judged = false;
    assert!(table(&short).contains("stable so far "), "{}", table(&short));
}

#[test]
fn a_verdict_names_what_else_happens() {
    let mut scenario = scenario();
    let outage = scenario.events[0].clone();
    let (pool, zone) = (PoolId::from_index(1), ZoneId::from_index(1));
    let drain = Action::Drain { pools: vec![pool], share: Ratio::new(1.0).expect("a ratio") };
    let events = [
        drain,
        Action::AddInstances { pool, count: 2 },
        Action::ZoneOutage { zone },
        Action::Set { changes: vec![] },
    ]
    .map(|action| Event { action, ..outage.clone() });
    let stable = result("none", "none", Outcome::Stable, 0.9);
    let mut said = |chosen: &[usize]| {
        scenario.events = chosen.iter().map(|index| events[*index].clone()).collect();
        let line = verdict_line(&[Run { scenario: &scenario, result: &stable }]);
        line.split(", doing").next().unwrap_or_default().to_owned()
    };
    assert_eq!(said(&[0]), "If planner-b is drained");
    assert_eq!(said(&[0, 2]), "If planner-b is drained and zone b fails");
    assert_eq!(said(&[0, 1, 2]), "If planner-b is drained, zone b fails and 1 more event follows");
    assert_eq!(
        said(&[2, 1, 3, 0]),
        "If zone b fails, instances are added to planner-b and 2 more events follow"
    );
    let line = verdict_line(&[Run { scenario: &scenario, result: &stable }]);
    assert!(line.ends_with("doing nothing holds in the end and keeps 90 % of requests."), "{line}");
}

#[test]
fn closed_form_is_the_textbooks() {
    let mut scenario = scenario();
    insta::assert_snapshot!(closed_form_line(&scenario).unwrap_or_default());
    scenario.events.clear();
    assert_eq!(closed_form_line(&scenario), None);
}

#[test]
fn verdicts() {
    let (none, unconditional) = (results().swap_remove(0), results().swap_remove(1));
    let mut flapping = unconditional.clone();
    flapping.summary.time_to_nothing_in_rotation_s = None;
    let stable = |name: &str, goodput| result(name, "unconditional", Outcome::Stable, goodput);
    let too_short = |name: &str, goodput| {
        let kind = if name == "none" { "none" } else { "unconditional" };
        let mut result = result(name, kind, Outcome::Stable, goodput);
        result.summary.is_judged = false;
        result
    };
    let cases: Vec<Vec<RunResult>> = vec![
        results(),
        vec![unconditional.clone()],
        vec![none.clone()],
        vec![none.clone(), stable("with-admission", 0.9995)],
        vec![stable("one", 1.0), stable("two", 0.9995)],
        vec![none, unconditional],
        vec![flapping],
        vec![too_short("none", 0.67)],
        vec![too_short("one", 0.67), too_short("two", 0.9)],
        vec![too_short("one", 0.67), stable("two", 0.9995)],
    ];
    let lines = cases.iter().map(|results| with_runs(results, verdict_line));
    insta::assert_snapshot!(lines.collect::<Vec<_>>().join("\n"));
}

/// Prints how long a timeline of a usual size takes: `cargo test --release -- --ignored timeline`.
#[test]
#[ignore = "a measurement"]
fn timeline_speed() {
    let mut result = result("unconditional", "unconditional", Outcome::FullOutage, 0.237);
    result.timeline = timeline(600);
    with_runs(&[result], |runs| {
        let start = std::time::Instant::now();
        let bytes: usize = (0..100).map(|_| timeline_csv(runs).bytes.len()).sum();
        let each_ms = start.elapsed().as_secs_f64() * 10.0;
        println!("{} bytes in {each_ms:.2} ms", bytes / 100);
    });
}
