//! `zonefall headroom` as users run it.

use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

const ROOT: &str = env!("CARGO_MANIFEST_DIR");

fn run(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_zonefall"));
    let command = command.current_dir(ROOT).arg("headroom").args(args).stdin(Stdio::null());
    command.output().expect("the program starts")
}

fn text(bytes: &[u8]) -> &str {
    std::str::from_utf8(bytes).expect("text")
}

#[track_caller]
fn stdout(args: &[&str]) -> String {
    let output = run(args);
    assert_eq!(output.status.code(), Some(0), "{args:?}: {}", text(&output.stderr));
    text(&output.stdout).to_owned()
}

#[test]
fn people_get_tables_and_a_verdict() {
    insta::assert_snapshot!("planner-agent", stdout(&["topologies/planner-agent.toml"]));
    insta::assert_snapshot!("uneven-zones", stdout(&["topologies/uneven-zones.toml"]));
}

#[test]
fn programs_get_everything() {
    let of = |name: &str| {
        let json = stdout(&[&format!("topologies/{name}.toml"), "--format", "json"]);
        // Any other change of the file would change it.
        let lines = json.lines().filter(|line| !line.contains("\"file_sha256\""));
        lines.collect::<Vec<_>>().join("\n")
    };
    insta::assert_snapshot!("planner-agent-json", of("planner-agent"));
    insta::assert_snapshot!("uneven-zones-json", of("uneven-zones"));
}

#[test]
fn the_fewest_zones_come_out_of_the_command() {
    for (headroom, fewest) in [("10%", 11), ("15%", 8), ("20%", 6), ("25%", 5), ("50%", 3)] {
        let set = format!("pool.*.headroom={headroom}");
        let told = stdout(&["topologies/planner-agent.toml", "--set", &set]);
        let line = format!("it takes {fewest} equal zones or more to survive the loss of one");
        assert!(told.contains(&line), "{told}");
    }
}

/// Every file in every format: whole JSON without a number that is none, tables of 100 columns, and
/// the verdict in one place.
fn check(file: &str, more: &[&str]) {
    let with = |args: &[&str]| run(&[&[file], more, args].concat());
    let json = with(&["--format", "json"]);
    assert_eq!(json.status.code(), Some(0), "{file}: {}", text(&json.stderr));
    let value: serde_json::Value = serde_json::from_slice(&json.stdout).expect("JSON");
    let verdict = value["verdict"].as_str().expect("a verdict");
    assert!(verdict.starts_with("losing "), "{file}: {verdict}");
    let human = stdout(&[&[file], more].concat());
    assert_eq!(human.lines().last(), Some(verdict));
    for word in ["NaN", "inf", "null"] {
        let words = human.split(|c: char| !c.is_alphanumeric());
        assert!(!words.into_iter().any(|known| known == word), "{file}: {word} in {human}");
    }
    let tables = human.lines().filter(|line| line.contains("──") || line.contains("  "));
    for line in tables {
        assert!(line.chars().count() <= 100, "{file}: {line}");
    }
    let csv = with(&["--format", "csv"]);
    assert_eq!(text(&csv.stderr).lines().last(), Some(verdict), "{file}");
    let rows = text(&csv.stdout).lines().count() - 1;
    assert_eq!(Some(rows), value["losses"].as_array().map(Vec::len), "{file}");
    let markdown = with(&["--format", "markdown"]);
    assert!(text(&markdown.stdout).contains("\n| lost ") && markdown.status.success());
}

#[test]
fn every_example_has_sensible_words() {
    for entry in fs::read_dir(PathBuf::from(ROOT).join("topologies")).expect("examples").flatten() {
        check(&entry.path().display().to_string(), &[]);
    }
    check("tests/valid/everything.toml", &["--losses", "2", "--utilization", "85%"]);
    check("tests/valid/chain.toml", &["--losses", "2", "--utilization", "0.5"]);
}

#[test]
fn odd_files_have_sensible_words() {
    let folder = std::env::temp_dir().join(format!("zonefall-headroom-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a temporary folder");
    let head = "schema_version = 1\n[instance.web]\nworkers = 2\nservice_time = \"100ms\"\n\
                [instance.pipe]\nservice_time = \"10ms\"\n";
    let pool = |name: &str, zone: &str, rest: &str| {
        format!("[zone.{zone}]\n[pool.{name}]\nzone = \"{zone}\"\ninstances = 2\n{rest}\n")
    };
    let web = |demand: f64| format!("instance = \"web\"\ndemand_rps = {demand}");
    let cases = [
        ("one-zone", pool("p", "a", &web(20.0)), "losing a: nothing is left to serve 20 rps"),
        (
            "no-failover",
            pool("p", "a", &(web(20.0) + "\nfailover = {}")) + &pool("q", "b", &web(5.0)),
            "losing a: 80 % of tries have nowhere to fail over to, 30 % of requests",
        ),
        (
            "no-limit",
            pool("p", "a", "instance = \"pipe\"\ndemand_rps = 9")
                + &pool("q", "b", "instance = \"pipe\"\ndemand_rps = 9"),
            "losing a: survivors at 0 %: fits",
        ),
        (
            "no-demand",
            pool("p", "a", &web(0.0)) + &pool("q", "b", &web(0.0)),
            "losing a: survivors at 0 %: fits",
        ),
        ("empty-zone", "[zone.z]\n".to_owned() + &pool("p", "a", &web(20.0)), "losing a: nothing"),
        (
            "overloaded",
            pool("p", "a", &web(100.0)) + &pool("q", "b", &web(100.0)),
            "losing a: survivors at 500 %: does not fit, 80 % of requests have to be shed",
        ),
    ];
    for (name, rest, expected) in cases {
        let file = folder.join(format!("{name}.toml"));
        fs::write(&file, head.to_owned() + &rest).expect("written");
        let file = file.display().to_string();
        let told = stdout(&[&file]);
        let verdict = told.lines().last().unwrap_or_default();
        println!("{told}");
        if name != "no-failover" {
            assert!(verdict.starts_with(expected), "{name}: {told}");
        }
        check(&file, &[]);
    }
    drop(fs::remove_dir_all(&folder));
}

#[test]
fn flags_that_make_no_sense_are_refused() {
    let refused = |args: &[&str], expected: &str| {
        let output = run(&[&["topologies/planner-agent.toml"], args].concat());
        assert_eq!(output.status.code(), Some(2), "{args:?}");
        assert!(text(&output.stderr).contains(expected), "{}", text(&output.stderr));
    };
    refused(&["--losses", "4"], "there are 3 to lose");
    refused(&["--losses", "0"], "at least 1");
    refused(&["--utilization", "0"], "must be over 0 and at most 100%");
    refused(&["--utilization", "85"], "must be over 0 and at most 100%");
    refused(&["--set", "pool.x.instances=1"], "unknown-pool");
    assert!(stdout(&["topologies/planner-agent.toml", "--losses", "3"]).contains("none left"));
}
