//! `max_out_of_rotation`: the health check leaves so many instances in rotation, whatever they
//! answer.

use super::fleet::{FLUID, REQUESTS, Run, run};
use super::pair::{A_DIES, assert_close, at, pair};

const PLANES: [&str; 2] = [FLUID, REQUESTS];

/// The pair, deep probes, at most this share of a pool out of rotation.
fn limited(more: &str, plane: &str, limit: &str, sets: &[&str]) -> Run {
    let limit = format!("instance.web.health_check.max_out_of_rotation={limit}");
    let sets: Vec<&str> = [plane, &limit].iter().chain(sets).copied().collect();
    run(&pair(more), "none", &sets, 1)
}

/// The fewest and the last instances in rotation of a pool.
fn in_rotation(run: &Run) -> (u32, u32) {
    let rows = run.rows("web-a");
    let fewest = rows.iter().map(|row| row.instances_in_rotation).min().unwrap();
    (fewest, rows.last().unwrap().instances_in_rotation)
}

#[test]
fn no_more_than_the_limit_is_ever_out_though_every_probe_fails() {
    // No answer can meet this time-out. What has to stay is neither restarted nor removed.
    let failing = ["instance.web.health_check.kind=deep", "instance.web.health_check.timeout=1ms"];
    for (limit, out) in [("0%", 0), ("24.9%", 0), ("25%", 1), ("74%", 2), ("75%", 3), ("100%", 4)] {
        for on_unhealthy in ["eject", "restart", "remove"] {
            for plane in PLANES {
                let how = format!("instance.web.health_check.on_unhealthy={on_unhealthy}");
                let run = limited("", plane, limit, &[failing[0], failing[1], &how]);
                let what = format!("{limit} {on_unhealthy} {plane}");
                assert_eq!(in_rotation(&run), (4 - out, 4 - out), "{what}");
                let fewest_up = run.rows("web-a").iter().map(|row| row.instances).min().unwrap();
                let killed = if on_unhealthy == "restart" { out } else { 0 };
                assert_eq!(fewest_up, 4 - killed, "{what}");
                assert_eq!(run.out_at("web-a").len(), out as usize, "{what}");
            }
        }
    }
}

#[test]
fn what_had_to_stay_leaves_at_its_next_failed_probe_once_there_is_room() {
    // The first to die is out at 25 s; the second has to stay until the first is back at 72.5 s, up
    // at 70 s and with two probes passed. The second's next probe fails at 73 s.
    let two_die = "[event.first]\nat = \"20s\"\nuntil = \"60s\"\nkind = \"instance-loss\"\n\
                   pool = \"web-a\"\ncount = 1\n\
                   [event.second]\nat = \"30s\"\nkind = \"instance-loss\"\npool = \"web-a\"\n\
                   count = 1\n";
    for plane in PLANES {
        let run = limited(two_die, plane, "25%", &[]);
        let counts = |time_s: f64| {
            let row = at(&run, "web-a", time_s);
            (row.instances, row.instances_in_rotation)
        };
        assert_eq!(counts(24.5), (3, 4), "{plane}");
        assert_eq!(counts(26.0), (3, 3), "{plane}");
        assert_eq!(counts(60.0), (2, 3), "one of them is dead: {plane}");
        assert_eq!(counts(72.0), (3, 3), "{plane}");
        let trigger_s = 20.0;
        let out_s: Vec<f64> = run.out_at("web-a").iter().map(|time_s| time_s + trigger_s).collect();
        assert_eq!(out_s.len(), 2, "{plane}: {out_s:?}");
        let back_s = run.result.log.iter().find_map(|entry| match entry.what {
            zonefall::engine::Happening::InstanceHealthy { .. } => Some(entry.time_s),
            _ => None,
        });
        let waited_s = out_s[1] - back_s.unwrap();
        println!("{plane}: out at {out_s:?}, the first back at {back_s:?}");
        assert!((0.0..=2.0).contains(&waited_s), "{plane}: {waited_s} s after there was room");
        assert_eq!(counts(200.0), (3, 3), "{plane}");
    }
}

#[test]
fn a_dead_instance_that_has_to_stay_loses_its_share_of_the_traffic() {
    // The zone dies; half of it stays in rotation, which is not below the failover threshold.
    for plane in PLANES {
        let lost = |limit: &str, more: &[&str]| {
            let run = limited(A_DIES, plane, limit, more);
            let rows = run.rows("web-a").into_iter().filter(|row| row.time_s > 100.0);
            let lost: Vec<f64> = rows.map(|row| row.lost_rps).collect();
            (run.lost_at("web-a").len(), lost.iter().sum::<f64>() / lost.len() as f64)
        };
        let (losses, lost_rps) = lost("50%", &[]);
        assert_eq!(losses, 0, "{plane}");
        assert_close("lost", lost_rps, 200.0, 5.0);
        assert_eq!(lost("75%", &[]).0, 1, "{plane}");
        assert_eq!(lost("50%", &["pool.*.failover_threshold=60%"]).0, 1, "{plane}");
    }
}

#[test]
fn a_limit_keeps_a_pool_from_panicking_as_long_as_enough_stay() {
    // Three of four die. In rotation are the living one and, by the limit, dead ones: they get what
    // an average instance gets. A panic sends to all four.
    let three_die = "[event.three-die]\nat = \"20s\"\nkind = \"instance-loss\"\npool = \"web-a\"\n\
                     count = 3\n";
    let lost = |limit: &str, panic: &str| {
        let panic = format!("pool.*.panic_threshold={panic}");
        limited(three_die, FLUID, limit, &[&panic]).last_row("web-a").lost_rps
    };
    for (limit, panic, expected) in [
        ("100%", "0%", 0.0),
        ("100%", "60%", 150.0),
        ("50%", "0%", 100.0),
        ("50%", "50%", 100.0),
        ("50%", "60%", 150.0),
        ("25%", "60%", 200.0 * 2.0 / 3.0),
    ] {
        assert_close(&format!("{limit}, {panic}"), lost(limit, panic), expected, 1e-6);
    }
}
