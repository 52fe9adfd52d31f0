//! N equal zones, k of them lost: the textbook's closed forms.

use zonefall::experiment::contingency::{contingencies, fewest_zones};

use super::{assert_close, scenario, shipped};

/// `instances` a zone with one pool each.
fn equal_zones(zones: usize, headroom: f64, speed_spread: f64) -> String {
    let names: Vec<String> = (1..=zones).map(|zone| format!("z{zone}")).collect();
    let tables: String = names.iter().map(|name| format!("[zone.{name}]\n")).collect();
    format!(
        r#"schema_version = 1
[instance.web]
workers = 8
service_time = "100ms"
queue_limit = 100
speed_spread = {speed_spread}
health_check = {{ kind = "shallow" }}
{tables}
[pool.web]
zones = {names:?}
instance = "web"
instances = 5
headroom = {headroom}
headroom_of = "load"
"#
    )
}

#[test]
fn every_loss_of_k_of_n_is_the_textbooks() {
    for (zones, most) in [(2, 1), (3, 2), (4, 3), (6, 2)] {
        for (ceiling, headroom, w) in [(1.0, 0.15, 0.0), (0.85, 0.5, 0.1), (0.85, 0.0, 0.25)] {
            let scenario = scenario(&equal_zones(zones, headroom, w), &[]);
            let found = contingencies(&scenario, most, ceiling);
            let n = zones as f64;
            let mut seen = vec![0; most + 1];
            for loss in &found.losses {
                let k = loss.zones.len();
                seen[k] += 1;
                let left = n - k as f64;
                let label =
                    |what: &str| format!("{what} of {zones}, {k}, {ceiling}, {headroom}, {w}");
                let full = n / (left * (1.0 + headroom));
                assert_close(&label("survivors"), loss.survivor_utilization(), full);
                let fullest = loss.fullest.expect("survivors");
                assert_close(&label("fullest"), fullest.utilization, full);
                assert_close(&label("slowest"), fullest.slowest_utilization, full / (1.0 - w));
                let shed = (1.0 - ceiling * (1.0 + headroom) * left / n).max(0.0);
                assert_close(&label("shed"), loss.shed_ratio, shed);
                let needed = n / (left * ceiling) - 1.0;
                assert_close(&label("headroom"), loss.headroom_needed, needed);
                assert_close(&label("as split"), loss.headroom_needed_as_split, needed);
                let slowest = n / (left * ceiling * (1.0 - w)) - 1.0;
                assert_close(&label("slowest"), loss.headroom_needed_slowest, slowest);
                assert_close(&label("slowest"), loss.headroom_needed_as_split_slowest, slowest);
                let home = ceiling * left / n;
                assert_close(&label("home"), loss.highest_home_utilization(), home);
                assert_close(&label("spare"), loss.spare_of_capacity_needed(), 1.0 - home);
                assert_eq!(loss.fits, full <= ceiling + 1e-12, "{}", label("fits"));
                assert_eq!(loss.fits, loss.fits_as_split);
            }
            // Binomials: each set once.
            assert_eq!(seen[1], zones);
            assert!(most < 2 || seen[2] == zones * (zones - 1) / 2);
        }
    }
}

#[test]
fn of_three_zones_one_lost_the_numbers_are_those_everybody_quotes() {
    let of = |headroom, w, ceiling| {
        let found = contingencies(&scenario(&equal_zones(3, headroom, w), &[]), 1, ceiling);
        found.losses[0].clone()
    };
    assert_close("130.4 %", of(0.15, 0.0, 1.0).survivor_utilization(), 1.5 / 1.15);
    assert_close("23.3 %", of(0.15, 0.0, 1.0).shed_ratio, 0.7 / 3.0);
    assert_close("76.5 %", of(0.15, 0.0, 0.85).headroom_needed, 1.5 / 0.85 - 1.0);
    assert_close("66.7 %", of(0.15, 0.1, 1.0).headroom_needed_slowest, 2.0 / 3.0);
}

#[test]
fn the_fewest_zones_are_the_textbooks() {
    for (headroom, fewest) in [(0.10, 11), (0.15, 8), (0.20, 6), (0.25, 5), (0.50, 3), (2.0, 2)] {
        assert_eq!(fewest_zones(headroom), Some(fewest));
        let found = contingencies(&scenario(&equal_zones(3, headroom, 0.0), &[]), 1, 1.0);
        assert_eq!(found.rules.fewest_zones, Some(fewest));
        // What it says holds, and does not with one zone less.
        let fits = |zones| {
            let found = contingencies(&scenario(&equal_zones(zones, headroom, 0.0), &[]), 1, 1.0);
            found.worst().expect("a loss").fits_as_split
        };
        assert!(fits(fewest as usize) && (fewest == 2 || !fits(fewest as usize - 1)), "{headroom}");
    }
    assert_eq!((fewest_zones(0.0), fewest_zones(-0.2)), (None, None));
}

#[test]
fn a_ramp_waits_for_the_autoscaler() {
    let autoscaled =
        equal_zones(3, 0.15, 0.0).replace("instances = 5", "instances = 5\nautoscaler = \"web\"");
    let text = format!(
        r#"{autoscaled}
[autoscaler.web]
target = {{ workers = "80%" }}
tolerance = "10%"
sync_period = "15s"
max = 100
"#
    );
    // 59 s until it is up and 1 s until its one check: 60 s, as in FACTS.
    let sets = [
        "instance.web.startup_time=59s",
        "instance.web.health_check.interval=1s",
        "instance.web.health_check.timeout=100ms",
        "instance.web.health_check.healthy_threshold=1",
    ];
    let ramp_s = |more: &[&str]| {
        let sets = [&sets[..], more].concat();
        contingencies(&scenario(&text, &sets), 1, 1.0).rules.ramps[0].ramp_s
    };
    let left: f64 = 1.0 / (0.8 * 1.1) - 1.0;
    assert_close("302.5 s", ramp_s(&[]), 82.5 * 0.5 / left);
    assert!((ramp_s(&[]).unwrap_or_default() - 302.5).abs() < 0.01);
    // With less headroom than the autoscaler leaves, that counts.
    assert_close("less", ramp_s(&["pool.*.headroom=10%"]), 82.5 * 0.5 / 0.1);
    // It first acts over capacity: too late whatever the ramp.
    assert_eq!(ramp_s(&["autoscaler.web.target.workers=95%"]), None);
}

#[test]
fn a_rollback_and_detection_are_told() {
    let found = contingencies(&scenario(&shipped("canary-rollback"), &[]), 1, 1.0);
    let drained = found.rules.drains[0];
    assert_close("25 % rolled back", drained.growth, drained.share / (1.0 - drained.share));
    assert!(drained.share > 0.0 && drained.share < 1.0);
    let planner = contingencies(&scenario(&shipped("planner-agent"), &[]), 1, 1.0);
    let detection = planner.rules.detection[0];
    assert_eq!((detection.least_s, detection.most_s), (52.0, 72.0));
}
