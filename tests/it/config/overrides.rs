//! One way to change a setting, in four places.

use std::fs;

use zonefall::config::{Loaded, Rejected, load};
use zonefall::model::Scenario;

use super::{accepted, folder};

fn text(name: &str) -> String {
    fs::read_to_string(folder("valid").join(name)).expect("a readable file")
}

fn planner(sets: &[&str]) -> Loaded {
    accepted("planner-agent.toml", &text("planner-agent.toml"), sets)
}

fn three(sets: &[&str]) -> Loaded {
    accepted("lose-one-of-three.toml", &text("lose-one-of-three.toml"), sets)
}

fn world(loaded: &Loaded) -> &Scenario {
    &loaded.cases[0].scenario
}

/// An override is the file with the value in it, for what is simulated and for the fingerprint.
fn check_same(sets: &[&str], replaced: &str, by: &str) {
    let name = "planner-agent.toml";
    let text = text(name);
    assert!(text.contains(replaced), "{replaced}");
    let overridden = accepted(name, &text, sets);
    let written = accepted(name, &text.replace(replaced, by), &[]);
    assert_eq!(overridden.resolved, written.resolved);
    assert_eq!(super::cases(&overridden), super::cases(&written));
}

#[test]
fn an_override_is_as_if_the_file_said_so() {
    check_same(&["simulation.seed=9"], "seed = 7", "seed = 9");
    check_same(&["simulation.duration = 20m"], "\"11m\"", "\"20m\"");
    check_same(
        &["instance.planner.max_wait=6s"],
        "workers = 32",
        "workers = 32\nmax_wait = \"6s\"",
    );
    check_same(&["instance.planner.queue_limit=none"], "queue_limit = 1600", "");
    check_same(&["event.zone-a-fails.at=\"90s\""], "at = \"60s\"", "at = \"90s\"");
    check_same(&["pool.*.failover_threshold=0.5"], "failover_threshold = \"67%\"", "");
    check_same(&["pool.planner-a.headroom=40%"], "headroom = \"15%\"", "headroom = 0.4");
    check_same(
        &["policy.rate-limited.ramp=10m"],
        "kind = \"rate-limited\"\n[policy.by-rate]",
        "kind = \"rate-limited\"\nramp = \"600s\"\n[policy.by-rate]",
    );
    check_same(
        &["pool.planner-a.failover={ planner-b = { weight = 2 } }"],
        "headroom = \"15%\"",
        "headroom = \"15%\"\nfailover.planner-b.weight = 2",
    );
}

#[test]
fn of_two_keys_that_say_the_same_the_override_stays() {
    let loaded = planner(&["pool.planner-a.demand_rps=10"]);
    assert_eq!(world(&loaded).pools[0].demand.get(), 10.0);
    assert!(!loaded.resolved.contains("headroom = \"15%\""));
    let loaded = planner(&["policy.by-rate.ramp=1m"]);
    assert_eq!(loaded.cases[3].policy.values, [Some(60.0), None]);
    let loaded = planner(&["pool.planner-a.zones=[\"a\", \"c\"]"]);
    let names: Vec<_> = world(&loaded).pools.iter().map(|pool| pool.name.as_str()).collect();
    assert_eq!(names, ["planner-a-a", "planner-a-c", "planner-b", "planner-c"]);
    let sets = ["pool.*.headroom=50%", "pool.*.headroom_of=load"];
    assert_eq!(world(&three(&sets)).pools[0].demand.get(), 400.0 / 1.5);
}

#[test]
fn a_pool_in_several_zones_is_set_as_a_whole_or_alone() {
    let of = |loaded: &Loaded, case: usize| {
        let pools = loaded.cases[case].scenario.pools.iter();
        pools.map(|pool| pool.instances).collect::<Vec<_>>()
    };
    let loaded = three(&["pool.web.instances=5", "pool.web-c.instances=9"]);
    assert_eq!(of(&loaded, 0), [5, 5, 9]);
    assert_eq!(of(&loaded, 1), [6, 7, 6], "a policy's set comes last");
    let loaded = three(&["pool.web.zones=[\"a\", \"b\"]", "event.a-dies.zone=b"]);
    assert_eq!(of(&loaded, 0), [4, 4]);
}

#[test]
fn a_policy_sets_its_own_world_only() {
    let loaded = planner(&[]);
    for case in &loaded.cases {
        let max_wait = case.scenario.kinds[0].max_wait.map(|max_wait| max_wait.get());
        assert_eq!(max_wait, (case.policy.name == "with-admission").then_some(1.0));
    }
}

#[test]
fn problems_of_file_and_overrides_come_together() {
    let text = text("planner-agent.toml").replace("seed = 7", "sed = 7");
    let sets = ["pool.planner-d.instances=3".to_owned()];
    let Err(Rejected { problems, sources }) = load("x.toml", text.as_bytes(), &sets) else {
        panic!("accepted");
    };
    let found = super::places(&problems, &sources);
    assert_eq!(found, ["unknown-key 7:1", "unknown-pool --set 1:1"]);
}

#[test]
fn a_table_of_names_replaces_what_was_there_and_other_tables_do_not() {
    let name = "everything.toml";
    let text = text(name);
    let targets = |loaded: &Loaded, case: usize| {
        let graph = &loaded.cases[case].scenario.graph;
        let targets = graph.targets(zonefall::model::PoolId(0));
        targets.map(|target| (target.pool.0, target.priority)).collect::<Vec<_>>()
    };
    let loaded = accepted(name, &text, &[]);
    assert_eq!(targets(&loaded, 0), [(1, 1), (3, 0)]);
    assert_eq!(targets(&loaded, 2), [(1, 3)], "by a policy's set");
    let loaded = accepted(name, &text, &["pool.a.failover={ b = { priority = 3 } }"]);
    assert_eq!(targets(&loaded, 0), [(1, 3)], "by --set");
    let loaded = accepted(name, &text, &["pool.a.failover.b={ priority = 3 }"]);
    assert_eq!(targets(&loaded, 0), [(1, 3), (3, 0)]);
    assert_eq!(targets(&three(&["pool.web-a.failover={}"]), 0), []);
    let loaded = accepted(name, &text, &["instance.small.health_check={ interval = \"8s\" }"]);
    assert_eq!(world(&loaded).kinds[3].health_check.timeout.get(), 2.0);
}
