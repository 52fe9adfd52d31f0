//! Patterns of failure that are kin to the overflow cascade: each file in both planes.

use super::fleet::{FLUID, REQUESTS, Run, over_seeds, run, shipped};

/// Planes, and seeds in each.
const PLANES: [(&str, u64); 2] = [(FLUID, 10), (REQUESTS, 2)];

/// Calls a check with every run of a policy in both planes.
fn every_run(file: &str, policy: &str, sets: &[&str], check: impl Fn(&Run, &str)) {
    for (plane, seeds) in PLANES {
        let sets = [&[plane], sets].concat();
        let runs = over_seeds(&shipped(file), policy, &sets, seeds, 1);
        for (index, run) in runs.iter().enumerate() {
            check(run, &format!("{file} {policy}, {plane}, seed {}", index + 1));
        }
    }
}

fn losses(run: &Run, pools: &[&str]) -> Vec<usize> {
    pools.iter().map(|name| run.lost_at(name).len()).collect()
}

/// Means of a pool's rows over a time, s from the start of the run.
fn mean_rps(
    run: &Run,
    pool: &str,
    from_s: f64,
    to_s: f64,
    rate: impl Fn(&zonefall::metric::PoolRow) -> f64,
) -> f64 {
    let rows = run.rows(pool);
    let rates: Vec<f64> = rows
        .iter()
        .filter(|row| row.time_s > from_s && row.time_s <= to_s)
        .map(|row| rate(row))
        .collect();
    assert!(rates.len() > 10, "{pool} from {from_s} to {to_s} s");
    rates.iter().sum::<f64>() / rates.len() as f64
}

#[test]
fn restarts_go_on_after_the_outage_and_whoever_takes_only_what_fits_is_done_with_it() {
    let (file, pools) = ("health-check-flapping", ["web-a", "web-b", "web-c"]);
    // From the zone's return to the end of the run there are five minutes.
    every_run(file, "restart", &[], |run, what| {
        let lost = losses(run, &pools);
        assert!(lost.iter().all(|times| *times >= 5), "{what}: {lost:?}");
        let late = pools.map(|name| run.lost_at(name).into_iter().any(|time_s| time_s > 360.0));
        assert_eq!(late, [true; 3], "{what}");
        assert_eq!(run.result.summary.recovered, Some(false), "{what}");
        assert!((run.result.summary.goodput_ratio - 0.21).abs() < 0.02, "{what}");
    });
    every_run(file, "eject", &[], |run, what| {
        let lost = losses(run, &["web-b", "web-c"]);
        assert!(lost.iter().all(|times| *times >= 3), "{what}: {lost:?}");
        assert!(run.result.summary.time_to_recover_s.unwrap() > 155.0, "{what}");
    });
    for policy in ["capacity-aware", "shedding", "admission"] {
        every_run(file, policy, &[], |run, what| {
            assert_eq!(losses(run, &pools), [1, 0, 0], "{what}");
            let recovered_s = run.result.summary.time_to_recover_s.unwrap();
            assert!(recovered_s < 155.0, "{what}: {recovered_s} s");
        });
    }
}

#[test]
fn a_sharp_check_finishes_in_a_surge_what_a_patient_one_rides_out() {
    let (file, pools) = ("circuit-breaker-false-positive", ["web-a", "web-b"]);
    every_run(file, "sharp", &[], |run, what| {
        // Nothing before the surge, all of a within it, b with what was moved to it.
        assert!(pools.iter().flat_map(|pool| run.out_at(pool)).all(|out_s| out_s > 0.0), "{what}");
        let first = pools.map(|name| run.first_lost(name).unwrap());
        assert!(first[0] < 20.0 && first[0] < first[1] && first[1] < 40.0, "{what}: {first:?}");
        assert_eq!(run.result.summary.recovered, Some(false), "{what}");
        assert!(run.result.summary.goodput_ratio < 0.45, "{what}");
    });
    every_run(file, "patient", &[], |run, what| {
        assert_eq!(run.ejections(), 0, "{what}");
        assert!(run.result.summary.goodput_ratio > 0.998, "{what}");
    });
    every_run(file, "sharp-with-limit", &[], |run, what| {
        let fewest = run.rows("web-a").iter().map(|row| row.instances_in_rotation).min();
        assert_eq!(fewest, Some(9), "{what}");
        assert!(run.result.summary.goodput_ratio > 0.998, "{what}");
    });
    // It is quiet as long as nothing happens.
    let quiet = ["event.surge.factor=1", "simulation.duration=1h"];
    for run in over_seeds(&shipped(file), "sharp", &quiet, 3, 400) {
        assert_eq!(run.ejections(), 0);
    }
}

#[test]
fn old_weights_take_one_receiver_down_while_four_idle() {
    let (file, others) = ("routing-asymmetry", ["web-c", "web-d", "web-e", "web-f"]);
    every_run(file, "weights-as-found", &[], |run, what| {
        let b_lost_s = run.first_lost("web-b").expect("b is lost");
        assert_eq!(losses(run, &others), [0; 4], "{what}");
        let (from_s, to_s) = (80.0, 60.0 + b_lost_s - 5.0);
        let load = |pool, to_s| mean_rps(run, pool, from_s, to_s, |row| row.utilization.unwrap());
        assert!(load("web-b", to_s) > 1.05, "{what}");
        assert!((load("web-d", to_s) - 0.613).abs() < 0.03, "{what}: {}", load("web-d", to_s));
    });
    for policy in ["even-weights", "capacity-aware"] {
        every_run(file, policy, &[], |run, what| {
            assert_eq!(run.losses(), 1, "{what}");
            let b = mean_rps(run, "web-b", 90.0, 240.0, |row| row.utilization.unwrap());
            let expected = if policy == "even-weights" { 1.2 / 1.7 } else { 0.9 };
            assert!((b - expected).abs() < 0.01, "{what}: {b}");
        });
    }
    let less = ["pool.*.headroom=40%"];
    every_run(file, "weights-as-found", &less, |run, what| {
        let summary = &run.result.summary;
        assert!(summary.time_to_nothing_in_rotation_s.is_some(), "{what}");
    });
    every_run(file, "even-weights", &less, |run, what| assert_eq!(run.losses(), 1, "{what}"));
}

#[test]
fn an_ejection_limit_keeps_the_traffic_on_a_dead_zone() {
    let file = "ejection-limit-trap";
    let lost = |run: &Run| mean_rps(run, "web-a", 80.0, 300.0, |row| row.lost_rps);
    every_run(file, "limit", &[], |run, what| {
        assert_eq!(run.losses(), 0, "{what}");
        assert_eq!(run.last_row("web-a").instances_in_rotation, 2, "{what}");
        assert!((lost(run) - 400.0 / 1.8).abs() < 4.0, "{what}: {}", lost(run));
    });
    for policy in ["no-limit", "limit-and-threshold"] {
        every_run(file, policy, &[], |run, what| {
            assert_eq!(run.losses(), 1, "{what}");
            assert_eq!(lost(run), 0.0, "{what}");
        });
    }
}

#[test]
fn nothing_leaves_a_gray_zone_until_somebody_drains_it() {
    let file = "gray-zone";
    let demand_rps = 400.0 / 1.8;
    let lost = |run: &Run, from_s, to_s| mean_rps(run, "web-a", from_s, to_s, |row| row.lost_rps);
    for policy in ["nobody-looks", "drained", "drained-if-it-fits"] {
        every_run(file, policy, &[], |run, what| {
            assert_eq!(run.ejections(), 0, "{what}");
            assert!((lost(run, 60.0, 300.0) / demand_rps - 0.25).abs() < 0.01, "{what}");
            let after = lost(run, 305.0, 540.0) / demand_rps;
            let expected = if policy == "nobody-looks" { 0.25 } else { 0.0 };
            assert!((after - expected).abs() < 0.01, "{what}: {after}");
            let b = mean_rps(run, "web-b", 305.0, 540.0, |row| row.completed_rps) / demand_rps;
            let expected = if policy == "nobody-looks" { 1.0 } else { 1.5 };
            assert!((b - expected).abs() < 0.02, "{what}: {b}");
        });
    }
    every_run(file, "nobody-looks-retries", &[], |run, what| {
        let asked = |pool| mean_rps(run, pool, 70.0, 540.0, |row| row.offered_rps) / demand_rps;
        // 1 + 1/4 + 1/16 tries where it fails, one where it does not.
        assert!((asked("web-a") - 1.3125).abs() < 0.015, "{what}: {}", asked("web-a"));
        assert!((asked("web-b") - 1.0).abs() < 0.01, "{what}: {}", asked("web-b"));
        let goodput = run.result.summary.goodput_ratio;
        assert!((goodput - (1.0 - 1.0 / 192.0)).abs() < 0.001, "{what}: {goodput}");
    });
    let no_room = ["pool.*.headroom=30%"];
    every_run(file, "drained", &no_room, |run, what| {
        let lost = losses(run, &["web-b", "web-c"]);
        assert!(lost.iter().all(|times| *times > 2), "{what}: {lost:?}");
    });
    every_run(file, "drained-if-it-fits", &no_room, |run, what| {
        assert_eq!(run.losses(), 0, "{what}");
    });
}

#[test]
fn a_fault_during_maintenance_takes_n_plus_1_down_and_not_n_plus_2() {
    let (file, others) = ("n-plus-two", ["web-a", "web-d"]);
    every_run(file, "n-plus-1", &[], |run, what| {
        let first = others.map(|name| run.first_lost(name).unwrap());
        // Zone c fails 180 s after the maintenance began.
        assert!(first.iter().all(|lost_s| (190.0..240.0).contains(lost_s)), "{what}: {first:?}");
        let lost = losses(run, &others);
        assert!(lost.iter().all(|times| *times > 5), "{what}: {lost:?}");
    });
    for policy in ["n-plus-2", "n-plus-1-asks-first"] {
        every_run(file, policy, &[], |run, what| {
            assert_eq!(losses(run, &others), [0, 0], "{what}");
            let shed = run.result.summary.shed_ratio;
            let expected = if policy == "n-plus-2" { 0.0 } else { 0.104 };
            assert!((shed - expected).abs() < 0.01, "{what}: {shed}");
        });
    }
    every_run(file, "n-plus-1", &["event.zone-c-fails.at=9m"], |run, what| {
        assert_eq!(losses(run, &others), [0, 0], "{what}");
    });
}

#[test]
fn added_instances_help_in_time_and_where_the_traffic_goes() {
    let (file, receivers) = ("emergency-scale-out", ["web-b", "web-c"]);
    let most = |run: &Run, pool| run.rows(pool).iter().map(|row| row.instances).max().unwrap();
    let first = |run: &Run| receivers.map(|name| run.first_lost(name));
    // The help is there 180 s after the trigger and some probes.
    every_run(file, "at-once", &[], |run, what| {
        let lost = first(run).map(|lost_s| lost_s.is_some_and(|lost_s| lost_s < 120.0));
        assert_eq!(lost, [true, true], "{what}");
        let nothing_left = run.last_row("web-b").instances_in_rotation == 0;
        assert!(nothing_left, "{what}: what is added goes as well");
    });
    every_run(file, "in-10m", &[], |run, what| {
        let [b, c] = first(run);
        assert!(c < b && c.is_some_and(|c| c > 300.0), "{what}: {b:?}, {c:?}");
    });
    every_run(file, "in-4m-to-b", &[], |run, what| {
        let [b, c] = first(run);
        assert!(b < c && b.is_some_and(|b| b < 190.0), "{what}: {b:?}, {c:?}");
    });
    for policy in ["in-10m-to-b", "capacity-aware"] {
        every_run(file, policy, &[], |run, what| {
            assert_eq!(first(run), [None, None], "{what}");
            assert_eq!((most(run, "web-b"), most(run, "web-c")), (8, 4), "{what}");
        });
    }
    let grows = ["event.zone-c-is-full.until=121s"];
    every_run(file, "in-10m", &grows, |run, what| {
        assert_eq!(first(run), [None, None], "{what}");
        assert_eq!((most(run, "web-b"), most(run, "web-c")), (8, 8), "{what}");
    });
    // Had nobody added anything, the ramp would only have put it off.
    let text = shipped(file);
    let end = text.find("[event.double-b]").expect("the help");
    assert!(run(&text[..end], "in-10m-to-b", &[], 20).first_lost("web-b").is_some());
}
