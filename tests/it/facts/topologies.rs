//! Every shipped file does what its comments say.

use super::fleet::{Run, cases, over_seeds, run, shipped};

const SEEDS: u64 = 21;

#[test]
fn no_flow_of_a_shipped_file_is_ever_negative() {
    for name in ["zone-returns", "ten-lines", "planner-agent", "canary-rollback"] {
        let text = shipped(name);
        for case in cases(&text, &[]) {
            let policy = case.policy.name;
            for row in run(&text, &policy, &[], 1).result.timeline {
                let flows =
                    [row.completed_rps, row.late_rps, row.shed_rps, row.rejected_rps, row.lost_rps];
                let least = flows.into_iter().fold(0.0, f64::min);
                assert!(least >= 0.0, "{name} {policy} at {} s: {flows:?}", row.time_s);
            }
        }
    }
}

fn ever_lost(run: &Run, pools: &[&str]) -> Vec<bool> {
    pools.iter().map(|name| run.first_lost(name).is_some()).collect()
}

#[test]
fn nearest_neighbour_an_even_spread_survives_and_the_nearest_takes_all_down() {
    let text = shipped("nearest-neighbour");
    let others = ["web-b", "web-c", "web-d", "web-e", "web-f"];
    for run in over_seeds(&text, "even-spread", &[], SEEDS, 20) {
        assert_eq!(ever_lost(&run, &others), [false; 5]);
        let utilization = run.last_row("web-d").utilization.unwrap();
        assert!((utilization - 1.2 / 1.25).abs() < 0.001, "{utilization}");
    }
    for run in over_seeds(&text, "nearest", &[], SEEDS, 20) {
        assert_eq!(ever_lost(&run, &others), [true; 5]);
        let lost: Vec<f64> = others.iter().filter_map(|name| run.first_lost(name)).collect();
        let nearest_is_first = lost.iter().skip(1).all(|other| *other > lost[0]);
        assert!(nearest_is_first, "from the nearest on: {lost:?}");
        assert!(run.result.summary.time_to_full_outage_s.is_some());
    }
}

#[test]
fn uneven_zones_the_small_zone_tips_first_and_its_own_loss_is_survived() {
    let text = shipped("uneven-zones");
    for (lost, other) in [("a", "web-b"), ("b", "web-a")] {
        let zone = format!("event.zone-fails.zone={lost}");
        for run in over_seeds(&text, "unconditional", &[&zone], SEEDS, 20) {
            let (small, other) = (run.first_lost("web-c"), run.first_lost(other));
            assert!(small.is_some() && other.is_some(), "without {lost}");
            assert!(small < other, "without {lost}: c at {small:?}, the other at {other:?}");
        }
    }
    for run in over_seeds(&text, "unconditional", &["event.zone-fails.zone=c"], SEEDS, 20) {
        assert_eq!(ever_lost(&run, &["web-a", "web-b"]), [false; 2]);
    }
    for lost in ["a", "b", "c"] {
        let zone = format!("event.zone-fails.zone={lost}");
        for run in over_seeds(&text, "capacity-aware", &[&zone], SEEDS, 20) {
            let survivors: Vec<&str> = ["web-a", "web-b", "web-c"]
                .into_iter()
                .filter(|name| !name.ends_with(lost))
                .collect();
            assert_eq!(ever_lost(&run, &survivors), [false; 2], "without {lost}");
        }
    }
}

#[test]
fn planned_drain_a_ramp_costs_nothing() {
    let text = shipped("planned-drain");
    let summary = |policy| run(&text, policy, &[], 20).result.summary;
    let at_once = summary("unconditional").goodput_ratio;
    for policy in ["rate-limited", "capacity-aware"] {
        let goodput = summary(policy).goodput_ratio;
        assert!((goodput - at_once).abs() < 1e-3, "{policy}: {goodput}, at once {at_once}");
    }
    assert!(summary("none").goodput_ratio < at_once - 0.1);
    // While it ramps, from 60 s to 300 s, all that arrives is completed.
    let ramp = run(&text, "rate-limited", &[], 1);
    let failed = |row: &zonefall::metric::PoolRow| {
        row.shed_rps + row.rejected_rps + row.lost_rps + row.late_rps
    };
    let while_ramping: Vec<_> =
        ramp.result.timeline.iter().filter(|row| (60.0..=360.0).contains(&row.time_s)).collect();
    assert!(while_ramping.len() > 1500);
    for row in &while_ramping {
        assert!(failed(row) < 1e-9, "at {} s", row.time_s);
    }
    let moved = |time_s: f64| {
        let mut rows = ramp.rows("web-a").into_iter();
        let row = rows.find(|row| (row.time_s - time_s).abs() < 1e-9).unwrap();
        row.redirected_out_rps / row.offered_rps
    };
    assert!((moved(180.0) - 0.5).abs() < 0.01, "half way: {}", moved(180.0));
    assert!((moved(301.0) - 1.0).abs() < 1e-9, "at the end: {}", moved(301.0));
}

#[test]
fn canary_rollback_finishes_the_service_unless_asked_first() {
    let text = shipped("canary-rollback");
    for policy in ["unconditional", "rate-limited"] {
        for run in over_seeds(&text, policy, &[], SEEDS, 20) {
            assert!(run.first_lost("stable").is_some(), "{policy}");
        }
    }
    for run in over_seeds(&text, "capacity-aware", &[], SEEDS, 20) {
        assert_eq!(run.ejections(), 0);
        let summary = &run.result.summary;
        assert!(summary.shed_ratio < 1e-9, "what does not fit stays: {}", summary.shed_ratio);
    }
}

#[test]
fn zone_returns_to_a_fleet_that_recovers_unless_its_instances_were_removed() {
    let text = shipped("zone-returns");
    let recovered = |policy| {
        let runs = over_seeds(&text, policy, &[], SEEDS, 20);
        runs.iter().filter(|run| run.result.summary.recovered == Some(true)).count()
    };
    let all = SEEDS as usize;
    assert_eq!(recovered("none"), all);
    assert_eq!(recovered("unconditional"), all);
    assert_eq!(recovered("capacity-aware"), all);
    assert_eq!(recovered("unconditional-remove"), 0);
}

#[test]
fn ten_lines_are_ten_lines() {
    let text = shipped("ten-lines");
    let says = |line: &&str| !line.trim().is_empty() && !line.trim().starts_with('#');
    let lines = text.lines().filter(says).count();
    assert!(lines <= 10, "{lines} lines");
    let policies: Vec<String> =
        cases(&text, &[]).into_iter().map(|case| case.policy.name).collect();
    assert_eq!(policies, ["none", "unconditional", "rate-limited", "capacity-aware"]);
}
