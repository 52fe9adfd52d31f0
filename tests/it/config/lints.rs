//! What is odd about a file that can be run: each warning where it is due, and nowhere else.

use zonefall::config::{Rejected, load};
use zonefall::diagnostic::Problem;

use super::{accepted, places};

/// Two zones at 40 % of capacity, probed every 2 s, with a run of 200 s in steps of 0.5 s.
fn file(more: &str) -> String {
    format!(
        r#"schema_version = 1
[simulation]
duration = "200s"
step = "500ms"
[instance.web]
workers = 10
service_time = "100ms"
queue_limit = 1000
[instance.web.health_check]
interval = "2s"
timeout = "1s"
[zone.a]
[zone.b]
[pool.web]
zones = ["a", "b"]
instance = "web"
instances = 4
demand_rps = 160
{more}"#
    )
}

const A_FAILS: &str = "[event.a-fails]\nat = \"60s\"\nkind = \"zone-outage\"\nzone = \"a\"\n";

fn warnings(text: &str, sets: &[&str]) -> Vec<Problem> {
    accepted("x.toml", text, sets).warnings
}

fn titles(text: &str, sets: &[&str]) -> Vec<String> {
    let line = |problem: Problem| format!("{}: {}", problem.id, problem.title);
    warnings(text, sets).into_iter().map(line).collect()
}

fn errors(text: &str) -> Vec<String> {
    let Err(Rejected { problems, sources }) = load("x.toml", text.as_bytes(), &[]) else {
        panic!("accepted: {text}")
    };
    places(&problems, &sources)
}

#[test]
fn a_run_that_ends_before_the_fault_is_detected_is_odd() {
    // Three probes in 6 s and a time-out of 1 s after 60 s.
    let file = file(A_FAILS);
    assert_eq!(
        titles(&file, &["simulation.duration=67s"]),
        ["run-ends-before-detection: the run ends at 67 s, before event `a-fails` is sure to be \
          detected, at 67 s"]
    );
    assert_eq!(titles(&file, &["simulation.duration=67.5s"]), [""; 0]);
    // No step begins between 67.1 s and the end.
    let off = ["simulation.duration=67.5s", "event.a-fails.at=60.1s"];
    assert_eq!(titles(&file, &off).len(), 1);
    // A policy may look less often.
    let slow = "[policy.slow]\nkind = \"none\"\n\
                set = { \"instance.web.health_check.unhealthy_threshold\" = 100 }\n";
    assert_eq!(
        titles(&format!("{file}{slow}"), &[]),
        ["run-ends-before-detection: under policy `slow` the run ends at 200 s, before event \
          `a-fails` is sure to be detected, at 261 s"]
    );
}

fn surge(times: &str) -> String {
    file(&format!("[event.e]\nkind = \"surge\"\npool = \"web-a\"\nfactor = 2\n{times}\n"))
}

#[test]
fn an_event_that_no_step_can_begin_with_is_refused() {
    for at in ["199.6s", "199.9s", "200s", "300s"] {
        assert_eq!(errors(&surge(&format!("at = \"{at}\""))), ["event-after-end 23:6"], "{at}");
    }
    // The last step begins at 199.5 s.
    for at in ["199.1s", "199.5s"] {
        accepted("x.toml", &surge(&format!("at = \"{at}\"")), &[]);
    }
}

#[test]
fn an_event_that_begins_and_ends_between_two_steps_is_odd() {
    let ids = |at: &str, until: &str| {
        let times = format!("at = \"{at}\"\nuntil = \"{until}\"");
        warnings(&surge(&times), &[]).into_iter().map(|problem| problem.id).collect::<Vec<_>>()
    };
    assert_eq!(ids("50.1s", "50.5s"), ["event-between-steps"]);
    assert_eq!(ids("50.1s", "50.4s"), ["event-between-steps"]);
    assert_eq!(ids("50.1s", "50.6s"), [""; 0]);
    assert_eq!(ids("50s", "50.1s"), [""; 0], "it is in force for a step");
    // Instances that die for a moment have to start again.
    let blink = A_FAILS.replace("60s\"", "50.1s\"\nuntil = \"50.5s\"");
    assert_eq!(titles(&file(&blink), &[]), [""; 0]);
}

/// Without a limit, with shallow probes and equal speeds, an instance serves 100 rps.
const UNBOUNDED: [&str; 3] = [
    "instance.web.queue_limit=none",
    "instance.web.speed_spread=0",
    "instance.web.health_check.kind=shallow",
];

fn ids_of_unbounded(more: &[&str]) -> Vec<&'static str> {
    let sets: Vec<&str> = UNBOUNDED.iter().chain(more).copied().collect();
    warnings(&file(""), &sets).into_iter().map(|problem| problem.id).collect()
}

#[test]
fn a_pool_of_which_an_instance_starts_empty_is_odd() {
    let none = [""; 0];
    assert_eq!(ids_of_unbounded(&["pool.web.demand_rps=399"]), none);
    assert_eq!(ids_of_unbounded(&["pool.web.demand_rps=400"]), ["no-steady-state"]);
    // A probe every 2 s is half a request a second for each of four instances.
    let deep = "instance.web.health_check.kind=deep";
    assert_eq!(ids_of_unbounded(&[deep, "pool.web.demand_rps=397"]), none);
    assert_eq!(ids_of_unbounded(&[deep, "pool.web.demand_rps=398"]), ["no-steady-state"]);
    // The slowest of four has 95 %.
    let spread = "instance.web.speed_spread=5%";
    assert_eq!(ids_of_unbounded(&[spread, "pool.web.demand_rps=379"]), none);
    assert_eq!(ids_of_unbounded(&[spread, "pool.web.demand_rps=381"]), ["no-steady-state"]);
    let one = "pool.web.instances=1";
    assert_eq!(ids_of_unbounded(&[spread, one, "pool.web.demand_rps=99"]), none);
    let least = "pool.web.balancing=least-request";
    assert_eq!(ids_of_unbounded(&[spread, least, "pool.web.demand_rps=381"]), none);
    let limits = ["instance.web.queue_limit=0", "instance.web.max_wait=1s"];
    for limit in limits {
        assert_eq!(ids_of_unbounded(&[limit, "pool.web.demand_rps=800"]), none, "{limit}");
    }
}

#[test]
fn a_policy_under_which_an_instance_starts_empty_is_odd_and_named() {
    let policy = "[policy.endless]\nkind = \"none\"\n\
                  set = { \"instance.web.queue_limit\" = \"none\" }\n";
    let text = file(policy);
    assert_eq!(
        titles(&text, &["pool.web.demand_rps=500"]),
        ["no-steady-state: under policy `endless` an instance of pool `web` is sent 125.500 rps, \
          probes included: not below its capacity of 95.000 rps"]
    );
    assert_eq!(titles(&text, &["pool.web.demand_rps=300"]), [""; 0]);
    // What holds under every policy is said once.
    let endless = ["instance.web.queue_limit=none", "pool.web.demand_rps=500"];
    assert_eq!(titles(&text, &endless).len(), 1);
}

#[test]
fn a_report_interval_of_a_policy_that_reads_no_load_is_odd() {
    for kind in zonefall::policy::KINDS {
        let text = |interval: &str| {
            let policy = format!("[policy.p]\nkind = \"{}\"\n{interval}\n", kind.name);
            file(&policy)
        };
        let expected = match kind.name {
            "capacity-aware" => vec![],
            name => vec![format!(
                "report-interval-unread: policies of kind `{name}` read no load reports"
            )],
        };
        assert_eq!(titles(&text("report_interval = \"10s\""), &[]), expected);
        // What a printed file says for the default.
        assert_eq!(titles(&text("report_interval = \"0s\""), &[]), [""; 0]);
        assert_eq!(titles(&text(""), &[]), [""; 0]);
    }
}

#[test]
fn a_file_has_at_most_65_535_events() {
    let surges = |count: u32| {
        let surge = "at = \"1s\"\nkind = \"surge\"\npool = \"web-a\"\nfactor = 1";
        let events: Vec<String> = (0..count).map(|n| format!("[event.e{n}]\n{surge}")).collect();
        file(&format!("[policy.none]\nkind = \"none\"\n{}", events.join("\n")))
    };
    let most = accepted("x.toml", &surges(65_535), &[]);
    assert_eq!(most.cases[0].scenario.events.len(), 65_535);
    // The first that is too many, each in five lines.
    let line = 21 + 5 * 65_535;
    assert_eq!(errors(&surges(65_536)), [format!("too-many-tables {line}:8")]);
}

#[test]
fn a_pool_that_others_load_past_its_capacity_starts_empty() {
    // An instance serves 100 rps; four of them are sent 280 by a source and 110 in calls.
    let text = |source_rps: &str| {
        let more = format!(
            "calls.back = {{}}\n[pool.back]\nzone = \"a\"\ninstance = \"web\"\ninstances = 4\n\
             failover = {{}}\n[source.s]\nto = \"back\"\ndemand_rps = {source_rps}\n"
        );
        file(&more)
    };
    let ids = |source_rps: &str| {
        let found = warnings(&text(source_rps), &[&UNBOUNDED[..], &CALLER].concat());
        found.into_iter().map(|problem| problem.id).collect::<Vec<_>>()
    };
    assert_eq!(ids("279"), [""; 0]);
    assert_eq!(ids("280"), ["no-steady-state"]);
}

/// Two pools of 60 rps.
const CALLER: [&str; 1] = ["pool.web.demand_rps=60"];

#[test]
fn a_client_that_gives_up_before_an_idle_pool_answers_is_odd() {
    let slow = file(
        "client = \"c\"\ncalls.back = {}\n[pool.back]\nzone = \"a\"\ninstance = \"web\"\n\
                     instances = 9\nfailover = {}\n[client.c]\ntimeout = \"150ms\"\n",
    );
    let one = |zone: &str| {
        format!(
            "timeout-below-latency: client `c` gives up before pool `web-{zone}` has answered on \
             average, however idle"
        )
    };
    assert_eq!(titles(&slow, &["pool.web.demand_rps=1"]), [one("a"), one("b")]);
    let patient = ["pool.web.demand_rps=1", "client.c.timeout=200ms"];
    assert_eq!(titles(&slow, &patient), [""; 0]);
}

#[test]
fn a_sync_period_that_is_no_whole_number_of_steps_is_odd() {
    let text = file("autoscaler = \"x\"\n[autoscaler.x]\ntarget.workers = \"70%\"\nmax = 9\n");
    let ids = |period: &str| {
        let set = format!("autoscaler.x.sync_period={period}");
        warnings(&text, &[&set]).into_iter().map(|problem| problem.id).collect::<Vec<_>>()
    };
    assert_eq!(ids("15s"), [""; 0]);
    assert_eq!(ids("15.2s"), ["sync-between-steps"]);
    assert_eq!(ids("200ms"), ["sync-between-steps"]);
    let unused = file("[autoscaler.x]\ntarget.workers = \"70%\"\nmax = 9\n");
    assert_eq!(titles(&unused, &[]), ["unused-autoscaler: autoscaler `x` is used nowhere"]);
}

#[test]
fn what_only_a_policy_or_an_event_sets_is_used() {
    let text = file(
        "[client.patient]\ntimeout = \"9s\"\n[autoscaler.x]\ntarget.workers = \"70%\"\nmax = 9\n\
         [policy.p]\nkind = \"none\"\nset = { \"pool.*.autoscaler\" = \"x\" }\n",
    );
    let patient = "unused-client: client `patient` is used nowhere";
    assert_eq!(titles(&text, &[]), [patient]);
    let with = |path: &str| {
        format!("{text}[policy.q]\nkind = \"none\"\nset = {{ \"{path}\" = \"patient\" }}\n")
    };
    assert_eq!(titles(&with("pool.*.client"), &[]), [""; 0]);
}

#[test]
fn keys_that_do_nothing_are_odd() {
    let with = |more: &str| file(&format!("[source.s]\nto = \"web-a\"\ndemand_rps = 10\n{more}"));
    let cancels = "[client.default]\ncancel = true\n";
    let endless = "cancel-without-timeout: client `default` cancels what it never gives up";
    assert_eq!(titles(&with(cancels), &[]), [endless]);
    assert_eq!(titles(&with(&format!("{cancels}timeout = \"9s\"\n")), &[]), [""; 0]);

    let retries = "[client.default]\nretry = { max_attempts = 3, budget = \"10%\" }\n";
    let never = "never-retries: client `default` never retries, though it says how";
    assert_eq!(titles(&with(retries), &[]), [""; 0]);
    assert_eq!(titles(&with(retries), &["client.default.retry.budget=0%"]), [never]);
    assert_eq!(titles(&with(retries), &["client.default.retry.max_attempts=1"]), [never]);
    let allowed =
        "[policy.p]\nkind = \"none\"\nset = { \"client.default.retry.budget\" = \"9%\" }\n";
    let more = format!("{retries}{allowed}");
    assert_eq!(titles(&with(&more), &["client.default.retry.budget=0%"]), [""; 0]);

    let batches = with("arrivals = { kind = \"batch\", every = \"1s\" }\n");
    let rare = "batches-too-rare: batches of `s` are further apart than the run is long";
    assert_eq!(titles(&batches, &["source.s.arrivals.every=200s"]), [""; 0]);
    assert_eq!(titles(&batches, &["source.s.arrivals.every=201s"]), [rare]);

    let sized = file("autoscaler = \"x\"\n[autoscaler.x]\ntarget.workers = \"100%\"\nmax = 9\n");
    let high = "target-out-of-reach: autoscaler `x` aims above what there is";
    assert_eq!(titles(&sized, &[]), [""; 0]);
    assert_eq!(titles(&sized, &["autoscaler.x.target.workers=101%"]), [high]);
}

#[test]
fn a_client_of_a_pool_without_demand_is_odd() {
    let text = file("client = \"default\"\n[source.s]\nto = \"web-a\"\ndemand_rps = 10\n");
    assert_eq!(titles(&text, &[]), [""; 0]);
    let fed = text
        .replace("demand_rps = 160\n", "")
        .replace("web-a", "web")
        .replace("zones = [\"a\", \"b\"]", "zone = \"a\"\nfailover = {}");
    let fed = fed.replace("[zone.b]\n", "");
    let odd = "client-without-demand: pool `web` has a `client` but no demand of its own";
    assert_eq!(titles(&fed, &[]), [odd]);
}
