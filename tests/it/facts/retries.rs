//! Closed forms of retries, request by request (`tests/it/fluid/retries.rs` holds the fluid plane
//! to the same).

use super::fleet::{REQUESTS, Run, over_seeds};

const SEEDS: u64 = 3;

/// One instance that can do 1000 rps and tries again as the table says, then more tables.
fn server(demand_rps: f64, retry: &str, more: &str) -> String {
    format!(
        r#"schema_version = 1
[simulation]
duration = "120s"
step = "500ms"
[instance.web]
workers = 100
service_time = "100ms"
queue_limit = 50
speed_spread = "0%"
health_check = {{ kind = "shallow" }}
[client.default]
retry = {{ {retry} }}
[zone.a]
[pool.web]
zone = "a"
instance = "web"
instances = 1
demand_rps = {demand_rps}
failover = {{}}
[policy.none]
kind = "none"
[phase.settled]
from = "30s"
until = "120s"
{more}"#
    )
}

/// Tries ÷ first tries over the phase, of all seeds together.
fn attempts(text: &str) -> f64 {
    let runs = over_seeds(text, "none", &[REQUESTS], SEEDS, 20);
    let sum = |of: fn(&Run) -> f64| runs.iter().map(of).sum::<f64>();
    let first = sum(|run| run.phase("settled", "web").offered_rps);
    1.0 + sum(|run| run.phase("settled", "web").retry_rps) / first
}

#[test]
fn attempts_at_random_failures_are_a_geometric_sum() {
    for (share, retries) in [(0.5, 1), (0.5, 2), (0.5, 3), (0.5, 4), (0.2, 3), (0.9, 2)] {
        let retry = format!("max_attempts = {}, backoff = \"none\"", retries + 1);
        let errors = format!(
            "[event.e]\nat = \"10s\"\nkind = \"errors\"\npool = \"web\"\nshare = {share}\n"
        );
        let got = attempts(&server(300.0, &retry, &errors));
        let power = libm::pow(share, f64::from(retries + 1));
        let expected = (1.0 - power) / (1.0 - share);
        println!("{share}, {retries} retries: {got:.4}, {expected:.4}");
        assert!((got / expected - 1.0).abs() < 0.02, "{share}, {retries}: {got}, not {expected}");
    }
}

/// With a back-off longer than the queue remembers: retried at once a rejected try meets the same
/// full queue.
#[test]
fn overload_with_retries_has_a_fixed_point() {
    for (over, retries, expected) in
        [(1.1, 3, 2.016), (1.5, 3, 2.776), (2.0, 4, 3.863), (1.3, 2, 1.990)]
    {
        let back_off = "backoff = \"fixed\", base = \"2s\", jitter = \"full\"";
        let retry = format!("max_attempts = {}, {back_off}", retries + 1);
        let got = attempts(&server(1000.0 * over, &retry, ""));
        println!("{over} times the capacity, {retries} retries: {got:.3}, {expected}");
        assert!((got / expected - 1.0).abs() < 0.02, "{over}, {retries}: {got}, not {expected}");
    }
}
