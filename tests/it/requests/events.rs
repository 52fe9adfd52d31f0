//! Events and settings that are meant to help, request by request: the pair of zones of
//! `facts::pair`, with the tolerance that chance asks for.

use rayon::prelude::*;

use zonefall::engine::Happening;

use crate::facts::fleet::{Run, over_seeds, run as run_file};
use crate::facts::mitigations::blocking;
use crate::facts::pair::{A_DIES, assert_close, at, pair};

const REQUESTS: &str = "simulation.plane=requests";

fn run(more: &str, policy: &str, sets: &[&str]) -> Run {
    let sets: Vec<&str> = [REQUESTS].iter().chain(sets).copied().collect();
    run_file(&pair(more), policy, &sets, 1)
}

/// A run with one event at 20 s.
fn with_event(policy: &str, event: &str, sets: &[&str]) -> Run {
    run(&format!("[event.e]\nat = \"20s\"\n{event}\n"), policy, sets)
}

/// Requests of a pool from one time to another.
fn count(
    run: &Run,
    pool: &str,
    (from_s, to_s): (f64, f64),
    of: fn(&zonefall::metric::PoolRow) -> f64,
) -> f64 {
    let rows = run.rows(pool);
    let within = rows.iter().filter(|row| row.time_s > from_s + 1e-9 && row.time_s < to_s + 1e-9);
    within.map(|row| of(row) * 0.5).sum()
}

#[test]
fn a_drain_moves_its_share_and_loses_nothing() {
    let event = "kind = \"drain\"\npool = \"web-a\"\nshare = \"60%\"\nuntil = \"60s\"";
    let run = with_event("unconditional", event, &[]);
    let moved = |window| count(&run, "web-a", window, |row| row.redirected_out_rps);
    let offered = count(&run, "web-a", (20.0, 60.0), |row| row.offered_rps);
    assert_eq!((moved((0.0, 20.0)), moved((60.0, 200.0))), (0.0, 0.0));
    // 8000 draws: four standard errors are 2.2 points.
    assert_close("drained", moved((20.0, 60.0)) / offered, 0.6, 0.022);
    assert_eq!(run.result.summary.lost_ratio, 0.0);
    assert_eq!(run.losses(), 0);
}

#[test]
fn a_stall_keeps_every_request() {
    let event = "kind = \"slow\"\npool = \"web-a\"\nspeed = 0\nuntil = \"22s\"";
    let run = with_event("none", event, &[]);
    let came = count(&run, "web-a", (20.0, 22.0), |row| row.offered_rps);
    let inside = |time_s| at(&run, "web-a", time_s).in_flight;
    assert!(came > 300.0);
    assert_close("kept", inside(22.0) - inside(20.0), came, 1e-6);
    let left = |row: &zonefall::metric::PoolRow| row.completed_rps + row.lost_rps;
    assert_eq!(count(&run, "web-a", (20.0, 22.0), left), 0.0);
    assert!(run.result.summary.goodput_ratio > 0.99);
}

#[test]
fn half_speed_is_half_the_capacity() {
    let event = "kind = \"slow\"\nzone = \"a\"\nspeed = 0.5\nuntil = \"120s\"";
    let run = with_event("none", event, &["pool.*.demand_rps=300"]);
    let done = |window| count(&run, "web-a", window, |row| row.completed_rps);
    // 200 rps is all that it can: four standard errors of 16,000 services are 3.2 %.
    assert_close("completed", done((40.0, 120.0)) / 80.0, 200.0, 6.4);
    let other = count(&run, "web-b", (40.0, 120.0), |row| row.completed_rps) / 80.0;
    assert_close("elsewhere", other, 300.0, 8.0);
}

#[test]
fn errors_fail_their_share_at_once_while_probes_pass() {
    let event = "kind = \"errors\"\nzone = \"a\"\nshare = 0.3\nuntil = \"60s\"";
    let run = with_event("unconditional", event, &[]);
    let lost = |window| count(&run, "web-a", window, |row| row.lost_rps);
    let offered = count(&run, "web-a", (20.0, 60.0), |row| row.offered_rps);
    assert_eq!((lost((0.0, 20.0)), lost((60.0, 200.0))), (0.0, 0.0));
    assert_close("failing", lost((20.0, 60.0)) / offered, 0.3, 0.021);
    assert_eq!(run.ejections(), 0);
}

#[test]
fn a_surge_of_a_source_multiplies_its_first_tries_alone() {
    let source =
        "[source.users]\nto = \"web-a\"\ndemand_rps = 100\narrivals = { kind = \"uniform\" }\n";
    let event = |factor| {
        format!(
            "{source}[event.e]\nat = \"20s\"\nkind = \"surge\"\nsource = \"users\"\n\
             factor = {factor}\nuntil = \"60s\"\n"
        )
    };
    for (factor, expected) in [("0", 0.0), ("1.5", 6000.0), ("3", 12000.0)] {
        let run = run(&event(factor), "none", &["pool.web-a.demand_rps=0"]);
        let offered = |window| count(&run, "web-a", window, |row| row.offered_rps);
        assert_close("before", offered((0.0, 20.0)), 2000.0, 1.0);
        assert_close(factor, offered((20.0, 60.0)), expected, 1.0);
        assert_close("after", offered((60.0, 200.0)), 14_000.0, 1.0);
    }
}

#[test]
fn added_instances_come_and_go_without_a_loss() {
    let kind = "kind = \"add-instances\"\npool = \"web-a\"\ncount = 2\nuntil = \"100s\"";
    let run = with_event("none", kind, &["pool.*.demand_rps=380"]);
    let up = |time_s| at(&run, "web-a", time_s).instances;
    assert_eq!([29.0, 31.0, 99.0, 106.0].map(up), [4, 6, 6, 4]);
    let in_rotation = |time_s| at(&run, "web-a", time_s).instances_in_rotation;
    assert_eq!([30.0, 33.0, 99.0, 100.5].map(in_rotation), [4, 6, 6, 4]);
    assert_eq!(run.result.summary.lost_ratio, 0.0, "those dismissed finish their work");
    assert_eq!(run.losses(), 0);
}

/// Runs a pool whose deep probes fail from 20 to 40 s, by a time-out that no answer can meet.
fn failing_probes(on_unhealthy: &str) -> Run {
    let event = "kind = \"set\"\nset = { \"instance.web.health_check.timeout\" = \"1ms\" }\n\
                 until = \"40s\"";
    let on_unhealthy = format!("instance.web.health_check.on_unhealthy={on_unhealthy}");
    let sets = [
        "instance.web.health_check.kind=deep",
        "instance.web.service_distribution=deterministic",
        "instance.web.queue_limit=50",
        on_unhealthy.as_str(),
    ];
    with_event("none", event, &sets)
}

#[test]
fn what_is_ejected_finishes_what_is_restarted_loses_and_what_is_removed_stays_away() {
    let counts = |run: &Run, time_s| {
        let row = at(run, "web-a", time_s);
        (row.instances, row.instances_in_rotation)
    };
    let run = failing_probes("eject");
    assert_eq!((counts(&run, 30.0), counts(&run, 50.0)), ((4, 0), (4, 4)));
    assert_eq!(at(&run, "web-a", 30.0).in_flight, 0.0, "they finish what they have");
    let run = failing_probes("remove");
    assert_eq!((counts(&run, 30.0), counts(&run, 190.0)), ((4, 0), (4, 0)));
    let run = failing_probes("restart");
    let a = run.pool("web-a");
    let restarts =
        |what: Happening| matches!(what, Happening::InstanceRestarted { pool, .. } if pool == a);
    let restart_s = run.result.log.iter().find(|entry| restarts(entry.what)).unwrap().time_s;
    assert_eq!((counts(&run, restart_s + 5.0), counts(&run, 90.0)), ((0, 0), (4, 4)));
    let before = at(&run, "web-a", restart_s - 0.5).in_flight;
    let dying = at(&run, "web-a", restart_s);
    assert!(before > 5.0, "{before} inside");
    let came = 0.5 * (dying.offered_rps - dying.completed_rps);
    assert_close("lost", dying.lost_rps * 0.5, before + came, 1e-6);
    assert_eq!(dying.in_flight, 0.0);
}

#[test]
fn panic_sends_traffic_to_all_up_or_not() {
    let event = "kind = \"instance-loss\"\npool = \"web-a\"\ncount = 3";
    let lost = |sets: &[&str], window| {
        let run = with_event("none", event, sets);
        let offered = count(&run, "web-a", window, |row| row.offered_rps);
        count(&run, "web-a", window, |row| row.lost_rps) / offered
    };
    let limit = "instance.web.queue_limit=20";
    // Until they are detected three of four are sent to the dead.
    assert_close("undetected", lost(&[limit], (20.5, 24.0)), 0.75, 0.066);
    assert_eq!(lost(&[limit], (30.0, 200.0)), 0.0);
    let panics = [limit, "pool.*.panic_threshold=0.5"];
    assert_close("in a panic", lost(&panics, (30.0, 200.0)), 0.75, 0.01);
}

#[test]
fn a_max_wait_blocks_as_a_queue_of_that_much_work_does() {
    let cases =
        [(10, "250ms", 26, 0.9), (10, "250ms", 26, 1.2), (4, "10ms", 1, 0.9), (4, "10ms", 1, 2.0)];
    cases.par_iter().for_each(|&(workers, max_wait, places, load)| {
        let demand_rps = load * f64::from(workers) * 10.0 * 4.0;
        let sets = [
            format!("instance.web.workers={workers}"),
            format!("instance.web.max_wait={max_wait}"),
            format!("pool.*.demand_rps={demand_rps}"),
        ];
        let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
        let run = run("", "none", &sets);
        let window = (0.0, 200.0);
        let offered = count(&run, "web-a", window, |row| row.offered_rps);
        let share = count(&run, "web-a", window, |row| row.rejected_rps) / offered;
        let expected = blocking(workers, workers + places, load * f64::from(workers));
        let what = format!("{workers} workers, {max_wait}, {load}");
        println!("{what}: {share:.5}, exact {expected:.5}");
        assert_close(&what, share, expected, 0.02 * expected + 0.004);
    });
}

#[test]
fn a_redirected_try_takes_as_much_work_as_its_cost_says() {
    for (cost, mean_cost) in [("1", 1.0), ("2", 1.5), ("4", 2.5)] {
        let set = format!("instance.web.redirect_cost={cost}");
        let sets = [set.as_str(), "pool.*.demand_rps=300", "instance.web.queue_limit=200"];
        let run = run(A_DIES, "unconditional", &sets);
        let window = (60.0, 200.0);
        let done = count(&run, "web-b", window, |row| row.completed_rps) / 140.0;
        // Overloaded, it completes what its capacity is at the mean cost of its tries.
        assert_close("completed", done, 400.0 / mean_cost, 0.02 * 400.0);
        let work = |row: &zonefall::metric::PoolRow| row.utilization.unwrap_or(0.0);
        let used = count(&run, "web-b", window, work) / 140.0;
        assert_close("utilization", used, 600.0 * mean_cost / 400.0, 0.03 * mean_cost);
    }
}

#[test]
fn what_returns_warms_up() {
    let back = format!("{A_DIES}until = \"60s\"\n");
    let sets = [
        "instance.web.warm_up=40s",
        "instance.web.service_distribution=deterministic",
        "pool.*.demand_rps=80",
    ];
    let run = run(&back, "unconditional", &sets);
    let latency_ms = |time_s: f64| {
        let row = at(&run, "web-a", time_s);
        row.latency_mean_s.expect("answers") * 1e3
    };
    assert_close("before", latency_ms(15.0), 100.0, 1e-6);
    // Up at 70 s with a tenth of its speed, which grows in proportion.
    for age_s in [10.0, 20.0, 30.0] {
        let speed = 0.1 + 0.9 * (age_s - 0.4) / 40.0;
        assert_close(
            &format!("{age_s} s"),
            latency_ms(70.0 + age_s),
            100.0 / speed,
            0.03 * 100.0 / speed,
        );
    }
    assert_close("warm", latency_ms(112.0), 100.0, 1e-6);
}

#[test]
fn what_returns_is_sent_little_at_first() {
    // No queue, so that blocking shows how an instance is loaded; one of two comes back.
    let event = "[event.one-dies]\nat = \"20s\"\nkind = \"instance-loss\"\npool = \"web-a\"\n\
                 count = 1\nuntil = \"40s\"\n";
    let sets = [
        REQUESTS,
        "simulation.duration=100s",
        "instance.web.queue_limit=0",
        "pool.*.instances=2",
        "pool.*.demand_rps=120",
    ];
    let blocked = |sets: &[&str], weight: fn(f64) -> f64| {
        let runs = over_seeds(&pair(event), "none", sets, 24, 1);
        let is_back = |what: &Happening| matches!(what, Happening::InstanceHealthy { .. });
        let back_s = runs[0].result.log.iter().find(|one| is_back(&one.what)).unwrap().time_s;
        let window = (back_s + 2.0, back_s + 22.0);
        let sum = |of: fn(&zonefall::metric::PoolRow) -> f64| -> f64 {
            runs.iter().map(|run| count(run, "web-a", window, of)).sum()
        };
        let got = sum(|row| row.rejected_rps) / sum(|row| row.offered_rps);
        let at_age = |age_s: f64| {
            let share = weight(age_s) / (1.0 + weight(age_s));
            share * blocking(10, 10, 12.0 * share)
                + (1.0 - share) * blocking(10, 10, 12.0 * (1.0 - share))
        };
        let expected: f64 = (0..40).map(|step| at_age(2.0 + 0.5 * f64::from(step))).sum();
        (got, expected / 40.0)
    };
    let (even, expected) = blocked(&sets, |_| 1.0);
    println!("even: {even:.4}, exact {expected:.4}");
    assert_close("without", even, expected, 0.05 * expected);
    let slow: Vec<&str> = sets.iter().copied().chain(["instance.web.slow_start=40s"]).collect();
    let (slow, expected) = blocked(&slow, |age_s| 0.1 + 0.9 * age_s / 40.0);
    println!("slow: {slow:.4}, exact {expected:.4}");
    assert_close("slow start", slow, expected, 0.05 * expected);
    assert!(slow > 1.5 * even);
}
