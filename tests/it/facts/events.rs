//! Every kind of event begins, ramps and is undone, and every `on_unhealthy` does what it says.

use super::fleet::{Run, run};
use super::pair::{assert_close, at, pair};
use zonefall::engine::Happening;

/// A run with one event at 20 s.
fn with_event(policy: &str, event: &str) -> Run {
    run(&pair(&format!("[event.e]\nat = \"20s\"\n{event}\n")), policy, &[], 1)
}

#[test]
fn a_zone_outage_kills_one_by_one_and_its_instances_start_again() {
    let run = with_event(
        "none",
        "kind = \"zone-outage\"\nzone = \"a\"\nover = \"40s\"\nuntil = \"100s\"",
    );
    let up = |time_s| at(&run, "web-a", time_s).instances;
    // At 25, 35, 45 and 55 s: in the middle of four equal parts.
    assert_eq!([25.0, 25.5, 35.5, 45.5, 55.5].map(up), [4, 3, 2, 1, 0]);
    assert_eq!(at(&run, "web-b", 60.0).instances, 4);
    // Up after 10 s, in rotation after the second probe.
    assert_eq!([109.0, 111.0].map(up), [0, 4]);
    let in_rotation = |time_s| at(&run, "web-a", time_s).instances_in_rotation;
    assert_eq!([70.0, 110.0, 113.0].map(in_rotation), [0, 0, 4]);
}

#[test]
fn an_outage_between_two_steps_makes_its_instances_start_again() {
    let outage = "[event.e]\nat = \"20.1s\"\nkind = \"zone-outage\"\nzone = \"a\"\n\
                  until = \"20.4s\"\n";
    let run = run(&pair(outage), "none", &[], 1);
    let up = |time_s| at(&run, "web-a", time_s).instances;
    assert_eq!([20.5, 21.0, 30.0, 31.5].map(up), [4, 0, 0, 4]);
}

#[test]
fn an_instance_loss_takes_a_count_or_a_share_of_one_pool() {
    for amount in ["count = 3", "share = 0.75"] {
        let kind = "kind = \"instance-loss\"\npool = \"web-a\"";
        let run = with_event("none", &format!("{kind}\n{amount}\nuntil = \"60s\""));
        let up = |time_s| at(&run, "web-a", time_s).instances;
        assert_eq!([20.0, 20.5, 60.0, 71.0].map(up), [4, 1, 1, 4], "{amount}");
        assert!(run.rows("web-b").iter().all(|row| row.instances == 4));
    }
}

#[test]
fn a_drain_moves_its_share_until_it_is_undone_and_loses_nothing() {
    for subject in ["pool = \"web-a\"", "zone = \"a\""] {
        let event = format!("kind = \"drain\"\n{subject}\nshare = \"60%\"\nuntil = \"60s\"");
        let run = with_event("unconditional", &event);
        let out = |time_s| at(&run, "web-a", time_s).redirected_out_rps;
        assert_eq!(out(20.0), 0.0);
        assert_close("drained", out(20.5), 120.0, 1e-9);
        assert_close("drained", out(60.0), 120.0, 1e-9);
        assert_eq!(out(60.5), 0.0);
        assert_eq!(run.result.summary.lost_ratio, 0.0);
        assert_eq!(run.losses(), 0, "a drained pool stays healthy");
    }
    // Ramped, it moves its share in proportion.
    let event = "kind = \"drain\"\npool = \"web-a\"\nover = \"40s\"";
    let run = with_event("unconditional", event);
    let out = |time_s| at(&run, "web-a", time_s).redirected_out_rps;
    assert_close("half way", out(40.5), 100.0, 1e-9);
    assert_close("at the end", out(60.5), 200.0, 1e-9);
    // Nobody moves it under `none`.
    assert_eq!(at(&with_event("none", event), "web-a", 100.0).redirected_out_rps, 0.0);
}

#[test]
fn a_slowdown_lowers_healthy_capacity_and_a_stall_keeps_the_queue() {
    let event = "kind = \"slow\"\nzone = \"a\"\nspeed = 0.5\nover = \"20s\"\nuntil = \"60s\"";
    let run = with_event("none", event);
    let healthy = |time_s| at(&run, "web-a", time_s).healthy_capacity_rps;
    assert_close("before", healthy(20.0), 400.0, 1e-9);
    assert_close("half way", healthy(30.5), 300.0, 5.0 + 1e-9);
    assert_close("slow", healthy(50.0), 200.0, 1e-9);
    assert_close("undone", healthy(61.0), 400.0, 1e-9);
    assert_eq!(at(&run, "web-a", 50.0).capacity_rps, 400.0, "the balancer does not know");
    let stall = "kind = \"slow\"\npool = \"web-a\"\nspeed = 0\nuntil = \"22s\"";
    let run = with_event("none", stall);
    let row = at(&run, "web-a", 22.0);
    assert_eq!((row.completed_rps, row.lost_rps), (0.0, 0.0));
    let before = at(&run, "web-a", 20.0).in_flight;
    assert_close("kept", row.in_flight, before + 400.0, 1e-6);
    assert!(run.result.summary.goodput_ratio > 0.99);
}

#[test]
fn errors_fail_a_share_at_once_while_probes_pass() {
    let event = "kind = \"errors\"\nzone = \"a\"\nshare = 0.3\nuntil = \"60s\"";
    let run = with_event("unconditional", event);
    let lost = |time_s| at(&run, "web-a", time_s).lost_rps;
    assert_eq!(lost(20.0), 0.0);
    assert_close("failing", lost(20.5), 60.0, 1e-9);
    assert_close("failing", lost(60.0), 60.0, 1e-9);
    assert_eq!(lost(60.5), 0.0);
    assert_eq!(run.ejections(), 0);
}

#[test]
fn a_surge_multiplies_first_tries() {
    let event = "kind = \"surge\"\npool = \"web-a\"\nfactor = 1.5\nover = \"20s\"\nuntil = \"60s\"";
    let run = with_event("none", event);
    let offered = |time_s| at(&run, "web-a", time_s).offered_rps;
    assert_close("before", offered(20.0), 200.0, 1e-9);
    assert_close("half way", offered(30.5), 250.0, 1e-9);
    assert_close("full", offered(50.0), 300.0, 1e-9);
    assert_close("undone", offered(60.5), 200.0, 1e-9);
    assert!(run.rows("web-b").iter().all(|row| row.offered_rps == 200.0));
}

#[test]
fn added_instances_serve_after_their_startup_and_health_checks() {
    let kind = "kind = \"add-instances\"\npool = \"web-a\"\ncount = 2";
    let run = with_event("none", kind);
    let up = |time_s| at(&run, "web-a", time_s).instances;
    assert_eq!([29.0, 31.0].map(up), [4, 6]);
    let in_rotation = |time_s| at(&run, "web-a", time_s).instances_in_rotation;
    assert_eq!([30.0, 33.0].map(in_rotation), [4, 6]);
    assert_eq!(run.losses(), 0, "those still starting do not count");
    // One by one, at 30 and 50 s, 10 s before they are up.
    let spread = with_event("none", &format!("{kind}\nover = \"40s\""));
    let up = |time_s| at(&spread, "web-a", time_s).instances;
    assert_eq!([39.5, 40.5, 59.5, 60.5].map(up), [4, 5, 5, 6]);
}

#[test]
fn added_instances_are_taken_away_again_at_until() {
    let kind = "kind = \"add-instances\"\npool = \"web-a\"\ncount = 2\nuntil = \"100s\"";
    let run = with_event("none", kind);
    let at = |time_s| at(&run, "web-a", time_s);
    assert_eq!([99.0, 103.0].map(|time_s| at(time_s).instances), [6, 4]);
    assert_eq!([99.0, 100.5].map(|time_s| at(time_s).instances_in_rotation), [6, 4]);
    assert_close("lost", run.result.summary.lost_ratio, 0.0, 1e-9);
    assert_eq!(run.losses(), 0, "those scaled down count no more");
}

#[test]
fn a_set_changes_settings_and_takes_them_back() {
    let event = |set: &str, over: &str| {
        format!("kind = \"set\"\nset = {{ {set} }}\n{over}\nuntil = \"60s\"")
    };
    let run = with_event("none", &event("\"pool.web-a.demand_rps\" = 300", "over = \"20s\""));
    let offered = |time_s| at(&run, "web-a", time_s).offered_rps;
    assert_close("before", offered(20.0), 200.0, 1e-9);
    assert_close("half way", offered(30.5), 250.0, 1e-9);
    assert_close("full", offered(50.0), 300.0, 1e-9);
    assert_close("undone", offered(60.5), 200.0, 1e-9);
    let slower = event("\"instance.web.service_time\" = \"160ms\"", "");
    let run = with_event("none", &slower);
    let healthy = |time_s| at(&run, "web-b", time_s).healthy_capacity_rps;
    assert_close("slower", healthy(21.0), 250.0, 1e-9);
    assert_close("undone", healthy(61.0), 400.0, 1e-9);
}

/// Runs a pool whose deep probes fail from 20 to 40 s, by a time-out that no answer can meet.
fn failing_probes(on_unhealthy: &str) -> Run {
    let event = "kind = \"set\"\nset = { \"instance.web.health_check.timeout\" = \"1ms\" }\n\
                 until = \"40s\"";
    let sets = [
        "instance.web.health_check.kind=deep".to_owned(),
        format!("instance.web.health_check.on_unhealthy={on_unhealthy}"),
    ];
    let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
    run(&pair(&format!("[event.e]\nat = \"20s\"\n{event}\n")), "none", &sets, 1)
}

/// Instances up and in rotation at a time.
fn counts(run: &Run, time_s: f64) -> (u32, u32) {
    let row = at(run, "web-a", time_s);
    (row.instances, row.instances_in_rotation)
}

#[test]
fn ejected_instances_live_on_and_come_back_when_they_answer() {
    let run = failing_probes("eject");
    assert_eq!(counts(&run, 30.0), (4, 0));
    assert_eq!(counts(&run, 50.0), (4, 4));
}

#[test]
fn restarted_instances_lose_what_is_inside_and_come_back() {
    let run = failing_probes("restart");
    let a = run.pool("web-a");
    let restarts = |what: Happening| match what {
        Happening::InstanceRestarted { pool, .. } => pool == a,
        _ => false,
    };
    let restart_s = run.result.log.iter().find(|entry| restarts(entry.what)).unwrap().time_s;
    assert_eq!(counts(&run, restart_s + 5.0), (0, 0));
    assert_eq!(counts(&run, restart_s + 19.5).0, 0, "restart takes 20 s");
    assert_eq!(counts(&run, 80.0), (4, 4));
    let inside: f64 = run.rows("web-a").iter().map(|row| row.in_flight).fold(0.0, f64::max);
    assert!(inside > 1.0);
    assert_eq!(at(&run, "web-a", restart_s + 5.0).in_flight, 0.0);
}

#[test]
fn removed_instances_live_on_but_never_come_back() {
    let run = failing_probes("remove");
    assert_eq!(counts(&run, 30.0), (4, 0));
    assert_eq!(counts(&run, 200.0), (4, 0));
}
