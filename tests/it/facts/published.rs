//! Published results, by the shipped file that shows them, in both planes.

use super::fleet::{FLUID, REQUESTS, Run, over_seeds, shipped};

const PLANES: [&str; 2] = [FLUID, REQUESTS];
const SEEDS: u64 = 3;

/// Share of first tries answered in time, and tries ÷ first tries, from a time on.
fn since(run: &Run, pool: &str, from_s: f64) -> (f64, f64) {
    let (mut first, mut tries, mut completed) = (0.0, 0.0, 0.0);
    for row in run.rows(pool).into_iter().filter(|row| row.time_s > from_s) {
        first += row.offered_rps - row.retry_rps;
        tries += row.offered_rps;
        completed += row.completed_rps;
    }
    (completed / first, tries / first)
}

#[test]
fn a_stalled_store_sticks_above_half_of_its_capacity() {
    let text = shipped("metastable-store");
    for plane in PLANES {
        for rps in [280, 200, 160] {
            for run in over_seeds(&text, &format!("at-{rps}-rps"), &[plane], SEEDS, 20) {
                let (goodput, tries) = since(&run, "store", 300.0);
                assert!(goodput < 0.01, "{plane}, {rps} rps: goodput {goodput}");
                assert!((tries - 2.0).abs() < 0.02, "{plane}, {rps} rps: {tries} tries");
            }
        }
        // The queue drains at 20 of 300 a second, so how long that takes is luck: the median
        // counts.
        let mut recovered: Vec<f64> = over_seeds(&text, "at-140-rps", &[plane], 15, 20)
            .iter()
            .map(|run| since(run, "store", 70.0 + 150.0).0)
            .collect();
        recovered.sort_by(f64::total_cmp);
        assert!(recovered[7] > 0.99, "{plane}, 140 rps: {recovered:?}");
    }
}

#[test]
fn a_dead_store_takes_its_queue_along_and_recovers() {
    let whole = shipped("metastable-store");
    let (text, stall) = whole.split_once("[event.stall]").expect("the stall");
    assert!(stall.contains("speed = 0") && !stall.contains("\n["), "{stall}");
    let death = "[event.death]\nat = \"60s\"\nuntil = \"70s\"\nkind = \"instance-loss\"\n\
                 pool = \"store\"\ncount = 1\n";
    let text = format!("{text}{death}");
    for plane in PLANES {
        for run in over_seeds(&text, "at-280-rps", &[plane], SEEDS, 20) {
            let (goodput, tries) = since(&run, "store", 150.0);
            assert!(goodput > 0.99 && tries < 1.02, "{plane}: {goodput}, {tries}");
            let during = run.rows("store").into_iter().filter(|row| row.time_s > 60.0);
            assert!(during.take(4).all(|row| row.lost_rps > 0.0), "{plane}: it died");
        }
    }
}

#[test]
fn how_deep_how_long_and_at_which_load_decides_whether_a_database_recovers() {
    let text = shipped("metastable-mongodb");
    let variants = [
        ("cut-78-for-10s", true),
        ("cut-80-for-10s", false),
        ("cut-80-for-9s", true),
        ("cut-80-at-1050", true),
    ];
    for plane in PLANES {
        for run in over_seeds(&text, "none", &[plane], SEEDS, 20) {
            for (pool, recovers) in variants {
                let of = |phase| run.phase(phase, pool).goodput_ratio.expect("first tries");
                let (before, end) = (of("before"), of("end"));
                assert!(before > 0.99, "{plane}, {pool} before: {before}");
                let is_right = if recovers { end > 0.99 } else { end < 0.01 };
                assert!(is_right, "{plane}, {pool} at the end: {end}");
            }
        }
    }
}

#[test]
fn a_crash_cascade_goes_on_at_the_load_that_was_fine_and_ends_at_a_tenth() {
    let text = shipped("memory-crash");
    for plane in PLANES {
        for (index, run) in over_seeds(&text, "none", &[plane], 5, 20).iter().enumerate() {
            let label = format!("{plane}, seed {}", index + 1);
            let crashes = run.crashes_s();
            let within = |from_s: f64, until_s: f64| {
                crashes.iter().filter(|time_s| (from_s..until_s).contains(*time_s)).count()
            };
            let goodput = |phase| run.phase(phase, "frontend").goodput_ratio.expect("tries");
            assert_eq!(within(0.0, 300.0), 0, "{label}: healthy at 1000");
            assert!(goodput("1000-rps") > 0.99, "{label}: {}", goodput("1000-rps"));
            assert!(within(360.0, 600.0) > 10, "{label}: {} at 1100", within(360.0, 600.0));
            assert!(within(660.0, 900.0) > 10, "{label}: {} at 900", within(660.0, 900.0));
            assert!(goodput("900-rps") < 0.3, "{label}: {}", goodput("900-rps"));
            assert_eq!(within(1020.0, 1200.0), 0, "{label}: quiet at 100");
            assert!(goodput("100-rps") > 0.99, "{label}: {}", goodput("100-rps"));
        }
    }
}

/// Two clusters of which A has room for so much more than its home load; B, a fifth of A's load,
/// fails over to it: A gets 1200 where it had 1000.
fn two_clusters(headroom: f64) -> String {
    let home_rps = 10.0 * 16.0 / 0.072 / (1.0 + headroom);
    let other_rps = home_rps / 5.0;
    format!(
        r#"schema_version = 1
[simulation]
duration = "15m"
step = "500ms"
[instance.frontend]
workers = 16
service_time = "72ms"
speed_spread = "3%"
restart_time = "30s"
resource.memory = {{ held = 1, limit = 1000, when_full = "crash" }}
[instance.frontend.health_check]
kind = "shallow"
interval = "5s"
timeout = "1s"
unhealthy_threshold = 2
healthy_threshold = 2
[zone.a]
[zone.b]
[pool.a]
zone = "a"
instance = "frontend"
instances = 10
service = "frontend"
demand_rps = {home_rps}
[pool.b]
zone = "b"
instance = "frontend"
instances = 10
service = "frontend"
demand_rps = {other_rps}
[policy.unconditional]
kind = "unconditional"
[event.b-fails]
at = "60s"
kind = "zone-outage"
zone = "b"
"#
    )
}

#[test]
fn fifteen_percent_of_headroom_crash_at_a_fifth_more_load_and_a_quarter_does_not() {
    for plane in PLANES {
        for run in over_seeds(&two_clusters(0.25), "unconditional", &[plane], 5, 20) {
            assert!(run.crashes_s().is_empty(), "{plane}: {:?}", run.crashes_s());
            let last = run.last_row("a");
            let times = 1.0 + last.redirected_in_rps / last.offered_rps;
            assert!((times - 1.2).abs() < 0.03, "{plane}: {times} times the load");
        }
        for run in over_seeds(&two_clusters(0.15), "unconditional", &[plane], 5, 20) {
            let late = run.crashes_s().iter().filter(|time_s| **time_s > 600.0).count();
            assert!(late > 10, "{plane}: {late} crashes after ten minutes");
        }
    }
}

#[test]
fn three_layers_of_four_tries_are_64_at_the_lowest() {
    let text = shipped("three-layers");
    for plane in PLANES {
        for (policy, times) in [("retries-in-every-layer", 64.0), ("retry-at-the-top", 4.0)] {
            for run in over_seeds(&text, policy, &[plane], SEEDS, 20) {
                let store = run.phase("failing", "store");
                let tries = store.offered_rps + store.retry_rps;
                let got = tries / run.phase("failing", "frontend").offered_rps;
                assert!((got / times - 1.0).abs() < 0.01, "{plane}, {policy}: {got}");
                let goodput = |phase| run.phase(phase, "frontend").goodput_ratio;
                assert_eq!(goodput("failing"), Some(0.0), "{plane}, {policy}");
                assert!(goodput("after") > Some(0.99), "{plane}, {policy}");
            }
        }
    }
}
