//! What files and the terminal say of alerts.

use zonefall::metric::RunResult;
use zonefall::report::{Artifact, Invocation, Run, alert_lines, csv, summary_json};

use crate::facts::fleet::{Run as Simulated, over_seeds, run, shipped};

fn text(artifact: Artifact) -> String {
    String::from_utf8(artifact.bytes).expect("text")
}

/// The file's first seed under a policy, a row every step.
fn planner(policy: &str) -> Simulated {
    run(&shipped("planner-agent"), policy, &["simulation.seed=3"], 1)
}

fn runs(simulated: &[Simulated]) -> Vec<Run<'_>> {
    simulated.iter().map(|run| Run { scenario: &run.case.scenario, result: &run.result }).collect()
}

#[test]
fn alerts_are_among_the_events_in_time_and_in_the_summary_with_their_lead() {
    let simulated = [planner("unconditional"), planner("none")];
    let runs = runs(&simulated);
    let events = text(csv::events_csv(&runs));
    let of_first = || events.lines().filter(|line| line.starts_with("unconditional,"));
    let times: Vec<f64> = of_first()
        .map(|line| line.split(',').nth(1).and_then(|time| time.parse().ok()).expect("a time"))
        .collect();
    assert!(times.is_sorted(), "{times:?}");
    let alerts: Vec<&str> = of_first().filter(|line| line.contains(",alert,")).collect();
    assert_eq!(alerts.len(), 3);
    assert!(alerts[0].contains(",b,planner-b,,critical,\"receiving-pool-overloaded: utilization "));
    assert!(alerts[0].contains("; response: pause or slow down the redirect"), "{}", alerts[0]);
    let invocation =
        Invocation { name: "x", file: "x", file_sha256: "", overrides: &[], row_steps: 1 };
    let summary: serde_json::Value =
        serde_json::from_str(&text(summary_json(&invocation, &runs))).expect("JSON");
    let [of_first, of_none] = [0, 1].map(|policy| &summary["policies"][policy]);
    assert_eq!(
        (&of_none["alerts"], of_first["event_counts"]["alert"].as_u64()),
        (&serde_json::json!([]), Some(3))
    );
    let first = &of_first["alerts"][0];
    let number = |key: &str| first[key].as_f64().expect(key);
    assert_eq!(
        (&first["pool"], &first["outage"]),
        (&"planner-b".into(), &"further_pool_lost".into())
    );
    assert_eq!((&first["severity"], &first["false_alarm"]), (&"high".into(), &false.into()));
    let lost_s = of_first["time_to_first_propagation_s"].as_f64().expect("a loss");
    assert!((number("time_s") + number("lead_s") - lost_s).abs() < 1e-6, "{first}");
    let comparison = text(csv::comparison_csv(&runs));
    let last = |line: usize| comparison.lines().nth(line).and_then(|row| row.rsplit(',').nth(2));
    let names = "receiving-pool-overloaded;capacity-falling;overflow-cascade";
    assert_eq!((last(1), last(2)), (Some(names), Some("")));
}

#[test]
fn signals_are_the_last_columns_and_add_up() {
    let simulated = planner("unconditional");
    let RunResult { fleet, timeline, summary, .. } = &simulated.result;
    let window = 120; // steps of half a second
    for (index, row) in fleet.iter().enumerate() {
        let pools = timeline.iter().filter(|pool| pool.time_s == row.time_s);
        let receiving = pools.clone().filter_map(|pool| pool.receiving_pool_capacity_utilization);
        let highest = receiving.reduce(f64::max);
        assert_eq!(row.receiving_pool_capacity_utilization, highest);
        for pool in pools {
            let expected = pool.utilization.filter(|_| pool.redirected_in_rps > 0.0);
            assert_eq!(pool.receiving_pool_capacity_utilization, expected, "{}", pool.time_s);
        }
        let before =
            if index < window { 1.0 } else { fleet[index - window].healthy_capacity_ratio };
        let trend = row.healthy_capacity_ratio - before;
        assert!((row.fleet_wide_capacity_trend - trend).abs() < 1e-9, "{row:?}");
    }
    assert_eq!(fleet.last().map(|row| row.cascade_propagation_count), Some(2));
    assert_eq!(summary.cascade_propagation_count, 2);
    let most = fleet.iter().filter_map(|row| row.receiving_pool_capacity_utilization);
    assert_eq!(most.reduce(f64::max), summary.peak_receiver_utilization);
}

#[test]
fn a_line_a_group_of_policies_says_what_was_ahead_of_what() {
    let simulated = ["none", "unconditional", "with-admission", "capacity-aware"].map(planner);
    let lines = alert_lines(&runs(&simulated));
    let lines: Vec<&str> = lines.lines().collect();
    assert_eq!(lines.len(), 2, "{lines:?}");
    let ahead = "alerts under unconditional: receiving-pool-overloaded 1 min ";
    assert!(lines[0].starts_with(ahead), "{lines:?}");
    assert!(lines[0].contains(" before the first further pool was lost; capacity-falling "));
    assert!(lines[0].ends_with(" before no pool was healthy"), "{lines:?}");
    let alone =
        "alerts under with-admission: receiving-pool-overloaded, though no further pool was lost";
    assert_eq!(lines[1], alone);
    // An alert that nobody can raise in time is missed, and that is said.
    let sets = ["alert.overflow-cascade.above=9", "alert.capacity-falling.above=99%"];
    let sets = [&sets[..], &["alert.receiving-pool-overloaded.above=1000000"]].concat();
    let missed = over_seeds(&shipped("planner-agent"), "unconditional", &sets, 1, 20);
    let lines = alert_lines(&runs(&missed));
    assert_eq!(lines, "alerts under unconditional: none, and yet a further pool was lost\n");
}
