//! What each figure of the comparison means, on cases that can be worked out by hand.

use super::fleet::{Run, run};
use super::pair::{A_DIES, assert_close, pair};
use zonefall::metric::{Outcome, Summary};

/// Three zones with deep probes; a fails over to b alone, nobody else anywhere.
const CHAIN: &str = r#"schema_version = 1
[simulation]
duration = "300s"
step = "500ms"
[instance.web]
workers = 10
service_time = "100ms"
[instance.web.health_check]
interval = "2s"
timeout = "1s"
[zone.a]
[zone.b]
[zone.c]
[pool.web-a]
zone = "a"
instance = "web"
instances = 4
demand_rps = 300
failover.web-b = {}
[pool.web-b]
zone = "b"
instance = "web"
instances = 4
demand_rps = 300
failover.web-a = {}
[pool.web-c]
zone = "c"
instance = "web"
instances = 4
demand_rps = 300
failover.web-a = {}
[policy.none]
kind = "none"
[policy.unconditional]
kind = "unconditional"
"#;

/// The pair at 40 % of its capacity, for 120 s.
const AT_EASE: [&str; 3] =
    ["simulation.duration=120s", "pool.*.demand_rps=160", "instance.web.startup_time=60s"];

fn at_ease(events: &str, policy: &str, sets: &[&str]) -> Run {
    let sets: Vec<&str> = AT_EASE.iter().chain(sets).copied().collect();
    run(&pair(events), policy, &sets, 1)
}

fn summary(events: &str, policy: &str, sets: &[&str]) -> Summary {
    at_ease(events, policy, sets).result.summary
}

fn chain(events: &str, policy: &str, sets: &[&str]) -> Summary {
    run(&format!("{CHAIN}{events}"), policy, sets, 1).result.summary
}

fn errors(pool: &str, share: f64, more: &str) -> String {
    let at = "at = \"20s\"\nkind = \"errors\"";
    format!("[event.errors]\n{at}\npool = \"{pool}\"\nshare = {share}\n{more}\n")
}

#[test]
fn what_fails_before_it_can_be_detected_leaves_the_outcome_stable() {
    let stable = summary(A_DIES, "unconditional", &[]);
    // Half of the traffic for the 5 of 100 s that detection takes.
    assert_close("lost", stable.lost_ratio, 0.025, 1e-4);
    assert_eq!(stable.outcome, Outcome::Stable);
    assert_eq!(summary(A_DIES, "none", &[]).outcome, Outcome::Degraded);
}

#[test]
fn a_run_without_requests_after_the_detection_deadline_is_not_judged() {
    // a's death can be detected by 20 + 3 · 2 + 1 = 27 s.
    for (duration, is_judged, outcome) in
        [("27s", false, Outcome::Stable), ("27.5s", true, Outcome::Degraded)]
    {
        let set = format!("simulation.duration={duration}");
        let short = summary(A_DIES, "none", &[&set]);
        assert_eq!((short.is_judged, short.outcome), (is_judged, outcome), "{duration}");
        assert!(short.lost_ratio > 0.4, "{duration}: half of the traffic is lost");
    }
    assert!(summary("", "none", &[]).is_judged, "nothing is to be detected");
}

#[test]
fn degraded_begins_at_one_failed_request_in_a_thousand() {
    for (share, outcome) in [(0.0018, Outcome::Stable), (0.0022, Outcome::Degraded)] {
        // Of one of two equal pools.
        let summary = summary(&errors("web-a", share, ""), "none", &[]);
        assert_close("lost", summary.lost_ratio, share / 2.0, 1e-6);
        assert_eq!(summary.outcome, outcome, "{share}");
    }
}

#[test]
fn the_detection_deadline_is_the_thresholds_intervals_and_a_timeout_after_the_event() {
    // a's death can be detected by 20 + 3 · 2 + 1 = 27 s.
    let errors_until = |until_s: f64| {
        let errors = errors("web-b", 0.5, &format!("until = \"{until_s}s\""));
        format!("{A_DIES}{errors}")
    };
    let outcome = |until_s, sets| summary(&errors_until(until_s), "unconditional", sets).outcome;
    assert_eq!(outcome(27.0, &[]), Outcome::Stable);
    assert_eq!(outcome(29.0, &[]), Outcome::Degraded);
    // With four probes it is 29 s.
    let slower = ["instance.web.health_check.unhealthy_threshold=4"];
    assert_eq!(outcome(29.0, &slower), Outcome::Stable);
    // Errors alone hit no instance: their deadline is their beginning.
    let alone = errors("web-b", 0.5, "until = \"22s\"");
    assert_eq!(summary(&alone, "unconditional", &[]).outcome, Outcome::Degraded);
    // What ramps up counts from its end.
    let ramped = errors("web-b", 0.5, "over = \"100s\"");
    assert_eq!(summary(&ramped, "unconditional", &[]).outcome, Outcome::Stable);
}

#[test]
fn what_waits_at_the_end_counts_against_once_its_client_has_given_up() {
    let surge = |at: &str| {
        let kind = "kind = \"surge\"\npool = \"web-a\"\nfactor = 10";
        format!("[event.surge]\nat = \"{at}\"\n{kind}\n")
    };
    let outcome = |at, sets| summary(&surge(at), "none", sets).outcome;
    // Clients that never give up: what has waited for ten service times, 1 s, counts.
    assert_eq!(outcome("119500ms", &[]), Outcome::Stable);
    assert_eq!(outcome("110s", &[]), Outcome::Degraded);
    // At 110 s the queue is at most 10 s old.
    assert_eq!(outcome("110s", &["client.default.timeout=15s"]), Outcome::Stable);
    assert_eq!(outcome("110s", &["client.default.timeout=5s"]), Outcome::Degraded);
}

#[test]
fn no_healthy_pool_at_some_step_is_a_full_outage_whatever_lost_them() {
    let both = format!(
        "{A_DIES}[event.b-dies]\nat = \"40s\"\nkind = \"zone-outage\"\nzone = \"b\"\n\
         until = \"60s\"\n"
    );
    let summary = summary(&both, "unconditional", &[]);
    assert_eq!(summary.outcome, Outcome::FullOutage);
    assert_eq!(summary.time_to_full_outage_s, Some(25.0));
    assert_eq!(summary.time_to_nothing_in_rotation_s, Some(25.0));
    assert_eq!(summary.cascade_propagation_count, 0, "both were hit");
    assert_eq!(summary.time_to_first_propagation_s, None);
}

#[test]
fn a_pool_lost_that_no_event_hit_is_a_partial_outage_and_a_propagation() {
    let lost = chain(A_DIES, "unconditional", &[]);
    assert_eq!(lost.outcome, Outcome::PartialOutage);
    // It flaps, and counts once.
    assert_eq!(lost.cascade_propagation_count, 1);
    let (redirect, spread) = (lost.time_to_first_redirect_s, lost.time_to_first_propagation_s);
    assert!(redirect.is_some_and(|redirect| (5.0..=7.0).contains(&redirect)), "{redirect:?}");
    assert!(spread > redirect, "{spread:?}");
    assert_eq!(lost.time_to_full_outage_s, None);
    // Once an event has hit it too, it is no bystander, though the event changes nothing.
    let kind = "kind = \"surge\"\npool = \"web-b\"\nfactor = 1";
    let hit = format!("{A_DIES}[event.nothing]\nat = \"20s\"\n{kind}\n");
    let hit = chain(&hit, "unconditional", &[]);
    assert_eq!(hit.cascade_propagation_count, 0);
    assert_eq!(hit.time_to_first_propagation_s, None);
    assert_eq!(hit.outcome, Outcome::Degraded);
}

#[test]
fn a_pool_that_falls_without_any_shift_is_no_cascade() {
    let surge = "[event.surge]\nat = \"20s\"\nkind = \"surge\"\npool = \"web-c\"\nfactor = 1\n";
    let summary = chain(surge, "none", &["pool.web-b.demand_rps=800"]);
    assert_eq!(summary.outcome, Outcome::PartialOutage);
    assert_eq!(summary.cascade_propagation_count, 0);
    assert_eq!(summary.time_to_first_redirect_s, None);
    assert!(summary.time_to_first_propagation_s.is_some());
}

#[test]
fn times_count_from_the_trigger_to_the_step_at_which_it_shows() {
    let summary = summary(A_DIES, "unconditional", &[]);
    assert_eq!(summary.time_to_first_redirect_s, Some(5.0));
    assert_eq!(summary.time_to_first_propagation_s, None);
    assert_eq!(summary.time_to_full_outage_s, None);
    assert_eq!(summary.time_to_nothing_in_rotation_s, None);
}

#[test]
fn the_peak_utilization_of_a_receiver_is_its_own_and_the_redirected_work() {
    let peak = |policy, sets: &[&str]| summary(A_DIES, policy, sets).peak_receiver_utilization;
    assert_eq!(peak("none", &[]), None, "nobody receives");
    assert_close("even", peak("unconditional", &[]).unwrap(), 0.8, 1e-9);
    let costly = peak("unconditional", &["instance.web.redirect_cost=2"]);
    assert_close("costly", costly.unwrap(), 1.2, 1e-9);
    // While nothing is redirected its own overload does not count.
    let surge = "[event.surge]\nat = \"60s\"\nkind = \"surge\"\npool = \"web-b\"\nfactor = 4\n";
    assert_eq!(summary(surge, "unconditional", &[]).peak_receiver_utilization, None);
}

#[test]
fn healthy_capacity_is_a_ratio_to_time_0() {
    let gone = summary(A_DIES, "unconditional", &[]);
    assert_close("least", gone.min_healthy_capacity_ratio, 0.5, 1e-12);
    assert_close("last", gone.final_healthy_capacity_ratio, 0.5, 1e-12);
    let back = summary(&format!("{A_DIES}until = \"40s\"\n"), "unconditional", &[]);
    assert_close("least", back.min_healthy_capacity_ratio, 0.5, 1e-12);
    assert_close("last", back.final_healthy_capacity_ratio, 1.0, 1e-12);
}

#[test]
fn recovery_begins_with_the_first_minute_that_is_as_good_as_before_and_stays_so() {
    let sets = ["simulation.duration=300s"];
    let run = at_ease(&format!("{A_DIES}until = \"60s\"\n"), "none", &sets);
    let back_s = run.rows("web-a").iter().rev().find(|row| row.lost_rps > 0.0).unwrap().time_s;
    assert!(back_s > 60.0, "{back_s}");
    let summary = run.result.summary;
    assert_eq!(summary.recovered, Some(true));
    // Half of the traffic may be missing for 2 % of a minute.
    let expected = back_s - 20.0 - 1.2;
    assert_close("recovery", summary.time_to_recover_s.unwrap(), expected, 1.0);
}

#[test]
fn a_fleet_whose_fault_stays_or_ends_too_late_has_not_recovered() {
    let forever = summary(A_DIES, "none", &[]);
    assert_eq!((forever.recovered, forever.time_to_recover_s), (None, None));
    let late = summary(&format!("{A_DIES}until = \"100s\"\n"), "none", &[]);
    assert_eq!((late.recovered, late.time_to_recover_s), (Some(false), None));
    // Five of 60 s at half are more than 1 %: at once is after detection.
    let moved = summary(&format!("{A_DIES}until = \"60s\"\n"), "unconditional", &[]);
    assert_eq!(moved.recovered, Some(true));
    assert_close("at once", moved.time_to_recover_s.unwrap(), 5.0 - 1.2, 0.5);
}

fn sum(summary: &Summary) -> f64 {
    summary.goodput_ratio
        + summary.late_ratio
        + summary.shed_ratio
        + summary.rejected_ratio
        + summary.lost_ratio
        + summary.unfinished_ratio
}

/// Long requests: hundreds of them are in flight at the trigger.
const LONG: [&str; 2] = ["instance.web.workers=1000", "instance.web.service_time=10s"];

#[test]
fn what_was_in_flight_at_the_trigger_is_in_no_share() {
    // All that arrives from 20 s on fails; what was inside is completed, and does not count.
    let both = "[event.e]\nat = \"20s\"\nkind = \"errors\"\nshare = 1.0\nzone = ";
    let events = format!("{both}\"a\"\n{}\"b\"\n", both.replace("event.e", "event.f"));
    let failing = summary(&events, "none", &LONG);
    assert_close("goodput", failing.goodput_ratio, 0.0, 1e-12);
    assert_close("lost", failing.lost_ratio, 1.0, 1e-12);
    // What dies inside was there before, too.
    let dying = A_DIES.replace("event.a-", "event.b-").replace("\"a\"", "\"b\"");
    let died = summary(&format!("{A_DIES}{dying}"), "none", &LONG);
    assert_close("lost", died.lost_ratio, 1.0, 1e-12);
    assert_close("sum", sum(&died), 1.0, 1e-12);
}

#[test]
fn what_is_in_flight_at_the_end_is_unfinished() {
    let nothing = "[event.nothing]\nat = \"20s\"\nkind = \"surge\"\npool = \"web-a\"\nfactor = 1\n";
    let summary = summary(nothing, "none", &LONG);
    // With a worker for everyone: λ·s·(1 − e^(−100/10)) of λ·100.
    assert_close("unfinished", summary.unfinished_ratio, 0.1, 2e-3);
    assert_close("goodput", summary.goodput_ratio, 0.9, 2e-3);
    assert_close("sum", sum(&summary), 1.0, 1e-12);
    assert_eq!(summary.outcome, Outcome::Stable);
}
