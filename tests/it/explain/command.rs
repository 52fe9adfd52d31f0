//! `zonefall explain` as users run it.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

const THREE: &str = include_str!("../cli/three.toml");

fn explain(folder: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_zonefall"));
    command.current_dir(folder).args(["explain", "three.toml"]).args(args).env_remove("NO_COLOR");
    command.output().expect("the program starts")
}

#[test]
fn explain_tells_the_same_on_any_number_of_threads() {
    let folder = std::env::temp_dir().join(format!("zonefall-explain-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("three.toml"), THREE).expect("written");
    let common = ["--policy", "unconditional", "--duration", "100s", "--plane", "fluid"];
    let told = |out: &str, jobs: &str, format: &str| {
        let own = ["--out", out, "--jobs", jobs, "--format", format];
        let ended = explain(&folder, &[common.as_slice(), own.as_slice()].concat());
        assert!(ended.status.success(), "{ended:?}");
        String::from_utf8(ended.stdout).expect("text")
    };
    let human = told("one", "1", "human");
    assert!(human.lines().last().is_some_and(|line| line.starts_with("If zone a ")), "{human}");
    assert!(human.lines().all(|line| line.contains("--set") || line.chars().count() <= 120));
    let json = told("two", "2", "json");
    let read = |path: &str| fs::read_to_string(folder.join(path)).expect(path);
    assert_eq!(json, read("two/explain.json"));
    for name in ["explain.md", "explain.json", "timeline.csv", "events.csv", "comparison.csv"] {
        assert!(read(&format!("one/{name}")) == read(&format!("two/{name}")), "{name} differs");
    }
    for (args, words) in [(["--format", "csv"], "no table"), (["--runs", "3"], "chooses by itself")]
    {
        let ended = explain(&folder, &args);
        assert_eq!(ended.status.code(), Some(2), "{ended:?}");
        assert!(String::from_utf8_lossy(&ended.stderr).contains(words), "{ended:?}");
    }
    drop(fs::remove_dir_all(&folder));
}
