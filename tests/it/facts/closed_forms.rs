//! Arithmetic that the simulator has to meet once a fleet has settled: N equal zones of identical
//! instances with shallow probes, k of them lost.

use super::fleet::{Run, run, shipped};

/// A tenth of a point.
const TOLERANCE: f64 = 0.001;
const CASES: [(u32, u32); 9] =
    [(2, 1), (3, 1), (4, 1), (5, 1), (6, 1), (3, 2), (4, 2), (5, 2), (6, 2)];

/// `zones` equal zones; the first `lost` die at 20 s.
fn equal_zones(zones: u32, lost: u32, headroom: f64, headroom_of: &str) -> String {
    let names: Vec<String> = (1..=zones).map(|zone| format!("z{zone}")).collect();
    let tables: String = names.iter().map(|name| format!("[zone.{name}]\n")).collect();
    let events: String = names[..lost as usize]
        .iter()
        .map(|name| {
            format!(
                "[event.{name}-dies]\nat = \"20s\"\nkind = \"zone-outage\"\nzone = \"{name}\"\n"
            )
        })
        .collect();
    format!(
        r#"schema_version = 1
[simulation]
duration = "120s"
step = "500ms"
[instance.web]
workers = 8
service_time = "100ms"
queue_limit = 100
speed_spread = "0%"
[instance.web.health_check]
kind = "shallow"
interval = "2s"
timeout = "1s"
{tables}
[pool.web]
zones = {names:?}
instance = "web"
instances = 5
headroom = {headroom}
headroom_of = "{headroom_of}"
[policy.unconditional]
kind = "unconditional"
[policy.at-1]
kind = "capacity-aware"
max_utilization = 1.0
[policy.at-85]
kind = "capacity-aware"
max_utilization = 0.85
{events}"#
    )
}

fn survivors_utilization(run: &Run, zones: u32, lost: u32) -> f64 {
    let of = |zone| run.last_row(&format!("web-z{zone}")).utilization.expect("in rotation");
    let all: Vec<f64> = (lost + 1..=zones).map(of).collect();
    let (least, most) = all.iter().fold((f64::MAX, 0.0_f64), |(l, m), u| (l.min(*u), m.max(*u)));
    assert!(most - least < 1e-9, "equal zones are equally loaded: {all:?}");
    most
}

/// Share of all traffic that is shed in the last row.
fn shed_share(run: &Run) -> f64 {
    let pools = run.case.scenario.pools.len();
    let last = &run.result.timeline[run.result.timeline.len() - pools..];
    let shed: f64 = last.iter().map(|row| row.shed_rps).sum();
    shed / last.iter().map(|row| row.offered_rps).sum::<f64>()
}

fn assert_close(what: &str, value: f64, expected: f64) {
    assert!((value - expected).abs() < TOLERANCE, "{what}: {value}, not {expected}");
}

#[test]
fn survivors_of_k_of_n_zones_run_at_n_over_n_minus_k_over_headroom() {
    for (n, k) in CASES {
        for headroom in [0.15, 0.5] {
            let text = equal_zones(n, k, headroom, "load");
            let run = run(&text, "unconditional", &[], 20);
            let expected = f64::from(n) / (f64::from(n - k) * (1.0 + headroom));
            assert_close(&format!("{n}, {k}"), survivors_utilization(&run, n, k), expected);
        }
    }
}

#[test]
fn the_highest_steady_utilization_leaves_survivors_at_the_ceiling() {
    for (n, k) in CASES {
        for (policy, ceiling) in [("at-1", 1.0), ("at-85", 0.85)] {
            // As a utilization, as spare of capacity, and as headroom of load.
            let highest = ceiling * f64::from(n - k) / f64::from(n);
            let of_load = f64::from(n) / (f64::from(n - k) * ceiling) - 1.0;
            for (headroom, of) in [(1.0 - highest, "capacity"), (of_load, "load")] {
                let label = format!("{n}, {k}, {ceiling} of {of}");
                let just = run(&equal_zones(n, k, headroom, of), policy, &[], 20);
                assert_close(&label, survivors_utilization(&just, n, k), ceiling);
                assert_close(&label, shed_share(&just), 0.0);
                let less = run(&equal_zones(n, k, headroom - 0.02, of), policy, &[], 20);
                assert!(shed_share(&less) > 0.005, "{label}: {}", shed_share(&less));
            }
        }
    }
}

#[test]
fn capacity_aware_sheds_what_fits_under_the_ceiling_nowhere() {
    for (n, k) in CASES {
        for (policy, ceiling) in [("at-1", 1.0), ("at-85", 0.85)] {
            let run = run(&equal_zones(n, k, 0.15, "load"), policy, &[], 20);
            let expected = 1.0 - ceiling * 1.15 * f64::from(n - k) / f64::from(n);
            let label = format!("{n}, {k}, {ceiling}");
            assert_close(&label, shed_share(&run), f64::max(0.0, expected));
        }
    }
}

#[test]
fn of_three_zones_with_15_percent_spare_23_3_and_34_8_percent_are_shed() {
    for (policy, expected) in [("at-1", 0.233), ("at-85", 0.348)] {
        let run = run(&equal_zones(3, 1, 0.15, "load"), policy, &[], 20);
        assert_close(policy, shed_share(&run), expected);
    }
}

#[test]
fn the_fewest_zones_that_survive_one_loss_are_those_of_the_formula() {
    for (headroom, fewest) in [(0.10, 11), (0.15, 8), (0.20, 6), (0.25, 5), (0.50, 3)] {
        let after_loss = |zones| {
            let text = equal_zones(zones, 1, headroom, "load");
            survivors_utilization(&run(&text, "unconditional", &[], 20), zones, 1)
        };
        assert!(after_loss(fewest) <= 1.0 + 1e-9, "{fewest} zones at {headroom}");
        assert!(after_loss(fewest - 1) > 1.0 + 1e-9, "{} zones at {headroom}", fewest - 1);
    }
}

#[test]
fn a_dead_target_is_detected_within_its_probes_bounds() {
    for (threshold, interval_s, timeout_s) in [(1, 10.0, 4.0), (2, 10.0, 4.0), (3, 2.0, 1.0)] {
        let sets = [
            format!("instance.web.health_check.interval={interval_s}s"),
            format!("instance.web.health_check.timeout={timeout_s}s"),
            format!("instance.web.health_check.unhealthy_threshold={threshold}"),
            "pool.*.instances=200".to_owned(),
        ];
        let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
        let run = run(&equal_zones(2, 1, 0.15, "load"), "unconditional", &sets, 20);
        let detected = run.out_at("web-z1");
        assert_eq!(detected.len(), 200);
        let least = f64::from(threshold - 1) * interval_s + timeout_s;
        let step_s = run.case.scenario.simulation.step.get();
        let (first, last) = (detected[0], detected[199]);
        // Phases are spread evenly over an interval, so of 200 both ends are met within a step.
        assert!(first >= least && first <= least + 2.0 * step_s, "{first}, from {least}");
        let most = least + interval_s;
        assert!(last <= most + step_s && last >= most - 2.0 * step_s, "{last}, to {most}");
    }
}

#[test]
fn a_rollback_of_a_share_f_grows_the_stable_pool_by_f_over_1_minus_f() {
    let text = shipped("canary-rollback");
    for f in [0.05, 0.1, 0.25, 0.5] {
        let sets = [
            format!("pool.canary.demand_rps={}", 480.0 * f),
            format!("pool.stable.demand_rps={}", 480.0 * (1.0 - f)),
            "instance.agent.speed_spread=0%".to_owned(),
            "instance.agent.health_check.kind=shallow".to_owned(),
        ];
        let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
        let run = run(&text, "unconditional", &sets, 20);
        let last = run.last_row("stable");
        assert_close(&f.to_string(), last.redirected_in_rps / last.offered_rps, f / (1.0 - f));
    }
    let shipped = run(&text, "unconditional", &[], 1);
    let rows = shipped.rows("stable");
    let first = rows.iter().find(|row| row.redirected_in_rps > 0.0).expect("a rollback");
    assert_close("as shipped", first.redirected_in_rps / first.offered_rps, 1.0 / 3.0);
}

/// With zones of other sizes the same arithmetic holds for what is left.
#[test]
fn survivors_of_uneven_zones_run_at_demand_over_capacity() {
    let text = shipped("uneven-zones");
    let calm = ["instance.web.health_check.kind=shallow"];
    // Each survivor takes half of the lost zone's traffic.
    for (lost, survivor, expected) in [
        ("a", "web-b", 349.5 / 400.0),
        ("a", "web-c", 349.5 / 300.0),
        ("b", "web-a", 349.5 / 400.0),
        ("b", "web-c", 349.5 / 300.0),
        ("c", "web-a", 349.5 / 400.0),
        ("c", "web-b", 349.5 / 400.0),
    ] {
        let zone = format!("event.zone-fails.zone={lost}");
        let run = run(&text, "unconditional", &[&zone, calm[0]], 20);
        let utilization = run.last_row(survivor).utilization.expect("in rotation");
        assert_close(&format!("{survivor} without {lost}"), utilization, expected);
    }
}
