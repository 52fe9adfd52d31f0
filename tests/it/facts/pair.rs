//! The fleet on which single rules are shown, and how its figures are compared.

use super::fleet::Run;
use zonefall::metric::PoolRow;

/// Two zones at half of their capacity, four identical instances each, with shallow probes at even
/// seconds: what dies at 20 s is out of rotation at 25 s. Then more tables.
pub fn pair(more: &str) -> String {
    format!(
        r#"schema_version = 1
[simulation]
duration = "200s"
step = "500ms"
[instance.web]
workers = 10
service_time = "100ms"
speed_spread = "0%"
startup_time = "10s"
restart_time = "20s"
[instance.web.health_check]
kind = "shallow"
interval = "2s"
timeout = "1s"
phase = "0s"
[zone.a]
[zone.b]
[pool.web]
zones = ["a", "b"]
instance = "web"
instances = 4
demand_rps = 200
[policy.none]
kind = "none"
[policy.unconditional]
kind = "unconditional"
{more}"#
    )
}

/// A zone's outage at 20 s; it takes more keys.
pub const A_DIES: &str = "[event.a-dies]\nat = \"20s\"\nkind = \"zone-outage\"\nzone = \"a\"\n";

/// A pool's row of the step that ends at a time.
pub fn at<'a>(run: &'a Run, pool: &str, time_s: f64) -> &'a PoolRow {
    let rows = run.rows(pool);
    let row = rows.into_iter().find(|row| (row.time_s - time_s).abs() < 1e-9);
    row.unwrap_or_else(|| panic!("no row at {time_s} s"))
}

pub fn assert_close(what: &str, value: f64, expected: f64, tolerance: f64) {
    assert!((value - expected).abs() <= tolerance, "{what}: {value}, not {expected}");
}
