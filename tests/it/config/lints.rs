//! What is odd about a file that can be run: each warning where it is due, and nowhere else.

use zonefall::diagnostic::Problem;

use super::accepted;

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
