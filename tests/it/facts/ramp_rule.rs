//! The ramp that never overloads, with an autoscaler (FACTS: "ramp that never overloads").

use rayon::prelude::*;

use super::fleet::{FLUID, run};

const SYNC_S: f64 = 15.0;
/// From a decision until what it ordered takes traffic: start-up and the one health check.
const DELAY_S: f64 = 60.0;
const TARGET: f64 = 0.8;
const TOLERANCE: f64 = 0.1;
const HEADROOM: f64 = 0.15;
/// How finely the smallest ramp is searched.
const RESOLUTION_S: f64 = 2.0;

/// Three equal zones with 15 % of headroom; a is drained at a time, and b and c scale. So many
/// identical instances that whole ones make no difference, and so short a service that busy workers
/// follow the load at once.
fn zones(drained_at_s: f64) -> String {
    // Probes come every second, so the first of a new instance is a second after it is up.
    let startup_s = DELAY_S - 1.0;
    format!(
        r#"schema_version = 1
[simulation]
duration = "400s"
step = "1s"
[instance.web]
workers = 100
service_time = "10ms"
speed_spread = "0%"
startup_time = "{startup_s}s"
[instance.web.health_check]
kind = "shallow"
interval = "1s"
timeout = "100ms"
healthy_threshold = 1
phase = "0s"
[autoscaler.web]
target = {{ workers = "80%" }}
tolerance = "10%"
sync_period = "{SYNC_S}s"
max = 10000
[zone.a]
[zone.b]
[zone.c]
[pool.web]
zones = ["a", "b", "c"]
instance = "web"
instances = 200
headroom = "15%"
headroom_of = "load"
autoscaler = "web"
[policy.ramp]
kind = "rate-limited"
ramp = "5m"
[event.drain]
at = "{drained_at_s}s"
kind = "drain"
zone = "a"
"#
    )
}

/// Highest utilization of b or c at any step.
fn peak(text: &str, ramp_s: f64) -> f64 {
    let ramp = format!("policy.ramp.ramp={ramp_s}s");
    let run = run(text, "ramp", &[FLUID, &ramp], 1);
    let rows = ["web-b", "web-c"].into_iter().flat_map(|name| run.rows(name));
    rows.filter_map(|row| row.utilization).fold(0.0, f64::max)
}

/// The least ramp under which b and c never go over their capacity, by bisection.
fn smallest_ramp_s(text: &str, enough_s: f64) -> f64 {
    let (mut too_short, mut enough) = (235.0, enough_s);
    assert!(peak(text, too_short) > 1.0 && peak(text, enough) < 1.0);
    while enough - too_short > RESOLUTION_S {
        let middle = 0.5 * (too_short + enough);
        if peak(text, middle) < 1.0 { enough = middle } else { too_short = middle }
    }
    enough
}

#[test]
fn the_rule_is_enough_at_every_phase_of_the_sync_and_not_far_from_needed() {
    // What is left when the autoscaler first acts, and what the loss of one of three adds.
    let left = HEADROOM.min(1.0 / (TARGET * (1.0 + TOLERANCE)) - 1.0);
    let rule_s = (DELAY_S + 1.5 * SYNC_S) * 0.5 / left;
    assert!((rule_s - 302.5).abs() < 0.01, "{rule_s}");
    let smallest_s: Vec<f64> = (0..15)
        .into_par_iter()
        .map(|phase_s| smallest_ramp_s(&zones(60.0 + f64::from(phase_s)), rule_s.ceil()))
        .collect();
    println!("smallest ramps by phase: {smallest_s:?} s; the rule says {rule_s} s");
    for (phase_s, smallest_s) in smallest_s.iter().enumerate() {
        let is_near = (245.0..=305.0).contains(smallest_s);
        assert!(is_near, "{smallest_s} s at phase {phase_s} s");
    }
    let spread = smallest_s.iter().fold(f64::MIN, |most, s| most.max(*s))
        - smallest_s.iter().fold(f64::MAX, |least, s| least.min(*s));
    assert!(spread > 20.0, "the phase matters: {smallest_s:?}");
}
