//! Whose requests they are decides when they are late, wherever they are served.

use super::fleet::run;

const TWO_CLIENTS: &str = r#"
schema_version = 1
name = "two-clients"
[simulation]
duration = "200s"
[instance.web]
workers = 10
service_time = "1s"
speed_spread = "0%"
[instance.web.health_check]
kind = "shallow"
[client.hasty]
timeout = "1s"
[client.default]
[zone.a]
[zone.b]
[pool.a]
zone = "a"
instance = "web"
instances = 10
demand_rps = 30
client = "hasty"
[pool.b]
zone = "b"
instance = "web"
instances = 10
demand_rps = 30
[policy.unconditional]
kind = "unconditional"
[event.a-dies]
at = "60s"
kind = "zone-outage"
zone = "a"
"#;

#[test]
fn a_hasty_client_is_hasty_from_the_first_step_under_any_balancing() {
    for balancing in ["random", "round-robin", "least-request"] {
        let set = format!("pool.*.balancing={balancing}");
        let run = run(TWO_CLIENTS, "unconditional", &[&set], 1);
        let first = run.rows("a")[0];
        // None waits at 30 %: a share of 1/e of the services takes longer than the time-out.
        assert!(
            (first.late_rps - 30.0 / std::f64::consts::E).abs() < 0.2,
            "{balancing}: {first:?}"
        );
    }
}

#[test]
fn a_hasty_client_stays_hasty_where_its_requests_are_redirected() {
    let run = run(TWO_CLIENTS, "unconditional", &[], 1);
    let late = |pool: &str, time_s: f64| {
        let rows = run.rows(pool);
        let row = rows.into_iter().find(|row| row.time_s == time_s).expect("a row");
        row.late_rps
    };
    // Services are exponential: a share of 1/e takes longer than the time-out.
    let hasty = 30.0 / std::f64::consts::E;
    assert!((late("a", 50.0) - hasty).abs() < 0.1, "{}", late("a", 50.0));
    assert_eq!(late("b", 50.0), 0.0);
    // Now b is at 60 %, and some wait as well.
    let moved = late("b", 190.0);
    assert!(moved > hasty && moved < 1.05 * hasty, "{moved}");
}
