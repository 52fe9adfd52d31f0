//! `zonefall export-alerts`: rules that Prometheus takes, and that say what the run says.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use zonefall::metric::{PoolRow, PoolState, own_share};
use zonefall::report::prometheus_rules;

use crate::facts::fleet::{Run, case, run, shipped};

const OWN: &str = "
[alert.\"odd-texts\"]
signal = \"cascade_propagation_count\"
within = \"90s\"
response = '{{ .Value }}: \"stop\" # all \\ of it'
[alert.slow]
signal = \"fleet_wide_capacity_trend\"
for = \"1.5s\"
";

/// Prometheus' own checker; none where it is not installed, which is said.
fn promtool(args: &[&str], folder: &Path) -> Option<Output> {
    match Command::new("promtool").args(args).current_dir(folder).output() {
        Ok(output) => Some(output),
        Err(_) => {
            println!("skipped: promtool is not installed");
            None
        }
    }
}

fn scratch(name: &str) -> PathBuf {
    let path = std::env::temp_dir().join(format!("zonefall-rules-{}-{name}", std::process::id()));
    fs::create_dir_all(&path).expect("a temporary folder");
    path
}

fn accept(folder: &Path, args: &[&str]) {
    if let Some(output) = promtool(args, folder) {
        let said =
            String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{said}");
    }
}

#[test]
fn rules_of_every_kind_are_accepted() {
    let folder = scratch("kinds");
    for (name, more) in [("planner-agent", ""), ("canary-rollback", OWN), ("ten-lines", OWN)] {
        let policy = if name == "ten-lines" { "none" } else { "unconditional" };
        let scenario = case(&(shipped(name) + more), policy, &[]).scenario;
        let file = format!("{name}.yml");
        fs::write(folder.join(&file), prometheus_rules(&scenario)).expect("written");
        accept(&folder, &["check", "rules", &file]);
    }
    drop(fs::remove_dir_all(folder));
}

#[test]
fn the_program_writes_them_and_says_when_there_are_none() {
    let folder = scratch("program");
    let topology = Path::new(env!("CARGO_MANIFEST_DIR")).join("topologies/planner-agent.toml");
    let export = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_zonefall"));
        command.arg("export-alerts").arg(&topology).args(args).current_dir(&folder);
        command.output().expect("the program starts")
    };
    let scenario = case(&shipped("planner-agent"), "none", &[]).scenario;
    assert_eq!(String::from_utf8_lossy(&export(&[]).stdout), prometheus_rules(&scenario));
    assert!(export(&["--out", "rules.yml"]).stdout.is_empty());
    let written = fs::read_to_string(folder.join("rules.yml")).expect("written");
    assert_eq!(written, prometheus_rules(&scenario));
    let share = own_share(&scenario);
    assert!((share - 1.0 / 3.0).abs() < 1e-9 && written.contains("0.333334"), "{share}");
    assert_eq!(export(&["--set", "simulation.alerts=none"]).status.code(), Some(4));
    drop(fs::remove_dir_all(folder));
}

/// Seconds between two scrapes.
const SCRAPE_S: usize = 5;

/// The gauges that the rules need, as they are scraped in a run; `_` is no sample.
fn gauges(run: &Run) -> String {
    type Value = fn(&PoolRow) -> Option<f64>;
    let gauges: [(&str, Value); 5] = [
        ("utilization", |row| row.utilization),
        ("redirected_in_rps", |row| Some(row.redirected_in_rps)),
        ("redirected_out_rps", |row| Some(row.redirected_out_rps)),
        ("healthy_capacity_rps", |row| Some(row.healthy_capacity_rps)),
        ("pool_unhealthy", |row| {
            let is_lost = matches!(row.state, PoolState::Down | PoolState::FailingOver);
            Some(f64::from(u8::from(is_lost)))
        }),
    ];
    let mut out = String::new();
    for (gauge, value) in gauges {
        for pool in &run.case.scenario.pools {
            let rows = run.rows(&pool.name);
            // All is well before the first row.
            let values: Vec<String> = std::iter::once(rows[0])
                .chain(rows)
                .map(|row| value(row).map_or("_".to_owned(), |value| value.to_string()))
                .collect();
            let _ = writeln!(out, "      - series: '{gauge}{{zone=\"z\",pool=\"{}\"}}'", pool.name);
            let _ = writeln!(out, "        values: '{}'", values.join(" "));
        }
    }
    out
}

/// Prometheus is shown the gauges of a run, scraped (a pool that is lost and back between two
/// scrapes is not seen): each alert is firing two scrapes after the run's fired
/// at the latest, and not two scrapes before.
fn check_replay(name: &str, policy: &str) {
    let run = run(&shipped(name), policy, &["simulation.seed=3"], 2 * SCRAPE_S as u32);
    assert!(!run.result.alerts.is_empty(), "{name}: something to see");
    let folder = scratch(&format!("replay-{name}-{policy}"));
    fs::write(folder.join("rules.yml"), prometheus_rules(&run.case.scenario)).expect("written");
    let mut tests = format!(
        "rule_files: [rules.yml]\nevaluation_interval: {SCRAPE_S}s\ntests:\n  - interval: \
         {SCRAPE_S}s\n    input_series:\n{}    promql_expr_test:\n",
        gauges(&run)
    );
    for (index, alert) in run.case.scenario.alerts.iter().enumerate() {
        let fired = run.result.alerts.iter().find(|fired| fired.alert as usize == index);
        let end_s = run.case.scenario.simulation.duration.get() as usize;
        let scrape_s = |time_s: f64| SCRAPE_S * (time_s / SCRAPE_S as f64) as usize;
        let moments = match fired {
            Some(fired) => {
                let at_s = scrape_s(fired.time_s);
                vec![(at_s - 2 * SCRAPE_S, 0), (at_s + 2 * SCRAPE_S, 1)]
            }
            None => vec![(end_s / 4, 0), (end_s / 2, 0), (end_s, 0)],
        };
        for (moment_s, firing) in moments {
            let firing_now =
                format!("ALERTS{{alertname=\"{}\",alertstate=\"firing\"}}", alert.name);
            let _ = writeln!(
                tests,
                "      - expr: 'count({firing_now}) > bool 0 or vector(0)'\n        eval_time: \
                 {moment_s}s\n        exp_samples: [{{ labels: '{{}}', value: {firing} }}]"
            );
        }
    }
    fs::write(folder.join("tests.yml"), tests).expect("written");
    accept(&folder, &["test", "rules", "tests.yml"]);
    drop(fs::remove_dir_all(folder));
}

#[test]
fn prometheus_fires_when_the_run_does() {
    for (name, policy) in [
        ("planner-agent", "unconditional"),
        ("planner-agent", "rate-limited"),
        ("planner-agent", "with-admission"),
    ] {
        check_replay(name, policy);
    }
}
