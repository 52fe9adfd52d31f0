//! Same inputs, same results: twice, on any number of threads, alone or among others, and through
//! the program.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::AtomicBool;

use zonefall::experiment::{Jobs, Watch, compare};
use zonefall::metric::{RunResult, simulate};

use crate::random::strategy::any_sketch;
use crate::random::trial::holds_for;

use super::shipped;

/// Where two results part, if they do.
fn first_difference(one: &RunResult, two: &RunResult) -> Option<String> {
    fn of<T: PartialEq + std::fmt::Debug>(name: &str, one: &[T], two: &[T]) -> Option<String> {
        let parts = |(at, (a, b)): (usize, (&T, &T))| {
            (a != b).then(|| format!("{name} {at}: {a:?} and {b:?}"))
        };
        let length =
            || (one.len() != two.len()).then(|| format!("{name}: {} and {}", one.len(), two.len()));
        one.iter().zip(two).enumerate().find_map(parts).or_else(length)
    }
    of("log entry", &one.log, &two.log)
        .or_else(|| of("timeline row", &one.timeline, &two.timeline))
        .or_else(|| of("fleet row", &one.fleet, &two.fleet))
        .or_else(|| of("summary", &[one.summary], &[two.summary]))
        .or_else(|| (one != two).then(|| "something else".to_owned()))
}

#[test]
fn a_case_run_twice_gives_the_same_result() {
    holds_for(100, 61, any_sketch(), |sketch| {
        let fleet = sketch.fleet();
        let (one, two) = (simulate(&fleet.case(), 3), simulate(&fleet.case(), 3));
        proptest::prop_assert_eq!(first_difference(&one, &two), None);
        Ok(())
    });
}

/// Most files are small enough to be served request by request.
const PLANES: [&str; 2] = ["simulation.plane=auto", "simulation.plane=fluid"];

#[test]
fn policies_compared_on_any_number_of_threads_give_what_each_gives_alone() {
    let cancel = AtomicBool::new(false);
    let files = shipped::files();
    for (file, plane) in files.iter().flat_map(|file| PLANES.map(|plane| (file, plane))) {
        let cases = shipped::load(file, &shipped::text(file), &[plane]).cases;
        let alone: Vec<RunResult> = cases.iter().map(|case| simulate(case, 5)).collect();
        // The program's own test has both planes on one thread, too.
        let counts = &[2];
        for &jobs in counts {
            let jobs = Jobs::AtMost(NonZeroUsize::new(jobs).expect("over 0"));
            let watch = Watch { on_done: &|| {}, cancel: &cancel };
            let together = compare(&cases, 5, jobs, watch).expect("not cancelled");
            assert_eq!(together.len(), alone.len());
            for (one, two) in alone.iter().zip(&together) {
                let place = format!("{}, {plane}, {}, {jobs:?}", file.display(), one.policy);
                // Who is alone has no rank.
                let two = RunResult { rank: None, ..two.clone() };
                assert_eq!(first_difference(one, &two), None, "{place}");
            }
        }
    }
}

/// A folder of its own, gone with the value.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("zonefall-{name}-{}", std::process::id()));
        drop(fs::remove_dir_all(&path));
        fs::create_dir_all(&path).expect("a temporary folder");
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

fn zonefall(folder: &Path, arguments: &[&str]) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_zonefall"));
    command.current_dir(folder).args(arguments).stdin(Stdio::null());
    let ended = command.args(["--duration", "120s", "--no-charts"]).output().expect("it starts");
    assert!(ended.status.success(), "{arguments:?}: {ended:?}");
}

/// The header and the rows of one policy: `policy` is the first column of every file.
fn rows_of(text: &str, policy: &str) -> Vec<String> {
    let start = format!("{policy},");
    let is_its = |(at, line): &(usize, &str)| *at == 0 || line.starts_with(&start);
    text.lines().enumerate().filter(is_its).map(|(_, line)| line.to_owned()).collect()
}

#[test]
fn the_program_writes_the_same_bytes_twice_and_for_each_policy_alone() {
    let folder = Folder::new("determinism");
    let all = ["planner-agent", "lose-one-of-three"];
    let all = all.into_iter().flat_map(|name| ["fluid", "requests"].map(|plane| (name, plane)));
    for (name, plane) in all {
        let file = format!("{}/topologies/{name}.toml", env!("CARGO_MANIFEST_DIR"));
        zonefall(&folder.0, &["compare", &file, "--out", "both", "--jobs", "2", "--plane", plane]);
        zonefall(&folder.0, &["compare", &file, "--out", "again", "--jobs", "1", "--plane", plane]);
        let read = |of: &str, csv: &str| {
            fs::read_to_string(folder.0.join(of).join(csv)).expect("a file of the run")
        };
        let files = ["comparison.csv", "timeline.csv", "fleet.csv", "events.csv", "summary.json"];
        for csv in files {
            assert!(read("both", csv) == read("again", csv), "{name}: {csv} differs when repeated");
        }
        for policy in ["none", "unconditional", "capacity-aware"] {
            zonefall(
                &folder.0,
                &["run", &file, "--policy", policy, "--out", "alone", "--plane", plane],
            );
            for csv in &files[..4] {
                let (one, two) = (rows_of(&read("both", csv), policy), read("alone", csv));
                // The last column of a comparison is the rank, which who is alone has not.
                let compared = |row: &str| match *csv == "comparison.csv" {
                    true => row.rsplit_once(',').map_or("", |(row, _)| row).to_owned(),
                    false => row.to_owned(),
                };
                let one: Vec<String> = one.iter().map(|row| compared(row)).collect();
                let two: Vec<String> = two.lines().map(compared).collect();
                assert!(two.len() > 1, "{csv}");
                let first = one.iter().zip(&two).find(|(one, two)| one != two);
                assert_eq!(first, None, "{name}, {policy}: {csv}");
                assert_eq!(one.len(), two.len(), "{name}, {policy}: {csv}");
            }
        }
    }
}

#[test]
fn how_often_rows_are_written_changes_nothing_that_is_compared() {
    let folder = Folder::new("samples");
    let file = format!("{}/topologies/planner-agent.toml", env!("CARGO_MANIFEST_DIR"));
    let comparison = |sample: &str, plane: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_zonefall"));
        command.current_dir(&folder.0).args(["compare", &file, "--out", sample, "--no-charts"]);
        let ended =
            command.args(["--sample", sample, "--plane", plane]).stdin(Stdio::null()).output();
        assert!(ended.expect("it starts").status.success(), "{sample}");
        let read = |csv: &str| fs::read_to_string(folder.0.join(sample).join(csv)).expect("a file");
        (read("comparison.csv"), read("timeline.csv").lines().count())
    };
    for plane in ["fluid", "requests"] {
        let (often, many_rows) = comparison("500ms", plane);
        let (seldom, few_rows) = comparison("10s", plane);
        assert!(many_rows > 19 * few_rows, "{many_rows} and {few_rows} rows");
        let differs = often.lines().zip(seldom.lines()).find(|(often, seldom)| often != seldom);
        assert_eq!(differs, None, "{plane}");
        assert_eq!(often, seldom, "{plane}");
    }
}
