//! The program as users run it: exit code, stdout, stderr, files.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

const PROXY: &str = include_str!("cli/proxy.toml");
const LOSE_ONE_OF_THREE: &str = include_str!("cli/three.toml");

/// A folder of its own for each test, with the file above in it as `three.toml`.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("zonefall-cli-{}-{name}", std::process::id()));
        drop(fs::remove_dir_all(&path));
        fs::create_dir_all(&path).expect("a temporary folder");
        fs::write(path.join("three.toml"), LOSE_ONE_OF_THREE).expect("written");
        Self(path)
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_zonefall"));
        command.current_dir(&self.0).args(args).env_remove("NO_COLOR").stdin(Stdio::null());
        command
    }

    fn run(&self, args: &[&str]) -> Ended {
        Ended::new(self.command(args).output().expect("the program starts"))
    }

    fn read(&self, path: &str) -> String {
        fs::read_to_string(self.0.join(path)).expect(path)
    }

    fn names(&self, folder: &str) -> Vec<String> {
        names(&self.0.join(folder))
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        drop(fs::remove_dir_all(&self.0));
    }
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

#[derive(Debug)]
struct Ended {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

impl Ended {
    fn new(output: Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("text");
        let ended = Self {
            code: output.status.code(),
            stdout: text(output.stdout),
            stderr: text(output.stderr),
        };
        assert!(!ended.stderr.contains("panicked"), "{ended:?}");
        ended
    }

    #[track_caller]
    fn expect(self, code: i32, on_stderr: &[&str]) -> Self {
        assert_eq!(self.code, Some(code), "{self:?}");
        for text in on_stderr {
            assert!(self.stderr.contains(text), "no {text:?} in:\n{}", self.stderr);
        }
        self
    }

    fn last_line(&self) -> &str {
        self.stdout.lines().last().unwrap_or_default()
    }
}

const DATA_FILES: [&str; 5] =
    ["comparison.csv", "events.csv", "fleet.csv", "summary.json", "timeline.csv"];

#[test]
fn compare_writes_its_files_and_ends_with_the_verdict() {
    let place = Scratch::new("compare");
    let ended = place.run(&["compare", "three.toml", "--no-charts"]);
    let ended = ended.expect(0, &["output/lose-one-of-three: comparison.csv, timeline.csv"]);
    assert!(ended.last_line().starts_with("If zone a fails, "), "{ended:?}");
    assert!(ended.stdout.contains("105.0 %") || ended.stdout.contains("105 %"), "{ended:?}");
    assert_eq!(place.names("output/lose-one-of-three"), DATA_FILES);
    assert_eq!(place.names("output"), ["lose-one-of-three"]);
    let comparison = place.read("output/lose-one-of-three/comparison.csv");
    let policies: Vec<_> = comparison.lines().filter_map(|line| line.split(',').next()).collect();
    assert_eq!(policies, ["policy", "none", "unconditional", "rate-limited", "capacity-aware"]);
    let timeline = place.read("output/lose-one-of-three/timeline.csv");
    assert_eq!(timeline.lines().count(), 1 + 4 * 3 * 240);
    let events = place.read("output/lose-one-of-three/events.csv");
    assert!(events.contains(r#"(power, ""again"")"#), "{events}");
}

#[test]
fn run_takes_the_first_policy_or_the_named_one() {
    let place = Scratch::new("run");
    place.run(&["run", "three.toml", "--no-charts"]).expect(0, &[]);
    assert_eq!(place.names("output/lose-one-of-three/none"), DATA_FILES);
    let named = ["run", "three.toml", "--no-charts", "--policy", "rate-limited", "--out", "x/y"];
    place.run(&named).expect(0, &["x/y"]);
    assert_eq!(place.names("x/y"), DATA_FILES);
    assert!(place.read("x/y/comparison.csv").contains("\nrate-limited,rate-limited,requests,"));
}

#[test]
fn charts_are_drawn_unless_they_are_not_wanted() {
    let place = Scratch::new("charts");
    place.run(&["compare", "three.toml", "--out", "out"]).expect(0, &["healthy_capacity.svg"]);
    let names = place.names("out");
    for name in ["healthy_capacity.svg", "healthy_capacity.png"] {
        assert!(names.iter().any(|known| known == name), "{names:?}");
    }
}

#[test]
fn resources_and_phases_are_written_drawn_and_told() {
    let place = Scratch::new("phases");
    fs::write(place.0.join("proxy.toml"), PROXY).expect("written");
    let ended = place.run(&["compare", "proxy.toml", "--out", "out"]).expect(0, &["phases.svg"]);
    let names = place.names("out");
    for name in ["resources.csv", "phases.csv", "phases.svg", "phases.png"] {
        assert!(names.iter().any(|known| known == name), "{names:?}");
    }
    // Side by side, as wide as a file is.
    let row = "400ms      400      100         1  10 %    75 %";
    let other = "400ms      400      410         5  40 %     0 %";
    let line = ended.stdout.lines().find(|line| line.starts_with(row)).unwrap_or_default();
    assert!(line.ends_with(other), "{ended:?}");
    assert!(ended.stdout.contains("\nbottleneck under one: slots of proxy bound "), "{ended:?}");
    assert!(ended.last_line().starts_with("As settings change 3 times, "), "{ended:?}");
    let markdown = place.run(&["run", "proxy.toml", "--no-charts", "--format", "markdown"]);
    let markdown = markdown.expect(0, &[]).stdout;
    assert!(markdown.contains("\n**one**\n\n| phase |"), "{markdown}");
    assert!(markdown.contains("\n\nbottleneck under one: "), "{markdown}");
    let fleet = place.read("out/fleet.csv");
    assert!(fleet.lines().nth(1).is_some_and(|row| row.starts_with("one,0.5,1000,1000,")));
}

#[test]
fn same_inputs_same_bytes_on_any_number_of_threads() {
    let place = Scratch::new("bytes");
    for (out, jobs) in [("one", "1"), ("two", "2"), ("three", "3")] {
        place.run(&["compare", "three.toml", "--out", out, "--jobs", jobs]).expect(0, &[]);
    }
    for name in place.names("one") {
        let bytes = |out: &str| fs::read(place.0.join(out).join(&name)).expect("a file");
        assert!(bytes("one") == bytes("two") && bytes("one") == bytes("three"), "{name} differs");
    }
}

#[test]
fn formats_for_programs_keep_stdout_clean() {
    let place = Scratch::new("formats");
    let run = |format: &str| {
        let args = ["compare", "three.toml", "--no-charts", "--out", "out", "--format", format];
        place.run(&args)
    };
    let json = run("json").expect(0, &["If zone a fails, "]);
    assert_eq!(json.stdout, place.read("out/summary.json"));
    let csv = run("csv").expect(0, &["If zone a fails, "]);
    assert_eq!(csv.stdout, place.read("out/comparison.csv"));
    let markdown = run("markdown").expect(0, &[]);
    assert!(markdown.stdout.starts_with("| policy "), "{markdown:?}");
    assert!(markdown.last_line().starts_with("If zone a fails, "), "{markdown:?}");
}

#[test]
fn quiet_says_nothing_but_the_data() {
    let place = Scratch::new("quiet");
    let ended = place.run(&["compare", "three.toml", "--no-charts", "-q"]).expect(0, &[]);
    assert_eq!(ended.stderr, "");
    assert!(ended.last_line().starts_with("If zone a fails, "));
}

#[test]
fn colour_is_for_who_asks() {
    let place = Scratch::new("colour");
    let args = ["compare", "three.toml", "--no-charts"];
    assert!(!place.run(&args).stdout.contains('\x1b'));
    assert!(place.run(&[&args[..], &["--color", "always"]].concat()).stdout.contains('\x1b'));
}

#[test]
fn policies_are_chosen_by_name_or_pattern() {
    let place = Scratch::new("policies");
    let compare = |names: &str| {
        place.run(&["compare", "three.toml", "--no-charts", "--policies", names, "--format", "csv"])
    };
    let chosen = compare("unconditional,none").expect(0, &[]).stdout;
    assert!(chosen.contains("\nnone,") && chosen.contains("\nunconditional,"));
    assert_eq!(chosen.lines().count(), 3);
    assert_eq!(compare("*a*").expect(0, &[]).stdout.lines().count(), 4);
    compare("unconditonal").expect(2, &["unknown policy", "did you mean `unconditional`?"]);
    compare("zzz").expect(2, &["the file has: none, unconditional"]);
    compare("z*").expect(4, &["nothing to run"]);
    compare("").expect(4, &["nothing to run"]);
    place.run(&["run", "three.toml", "--policy", "nome"]).expect(2, &["did you mean `none`?"]);
}

#[test]
fn a_place_that_cannot_be_written_to_fails_at_once() {
    let place = Scratch::new("unwritable");
    let out = |out: &str| place.run(&["compare", "three.toml", "--out", out]);
    out("three.toml").expect(1, &["error: cannot write to three.toml: it is not a folder"]);
    out("three.toml/below").expect(1, &["three.toml: it is not a folder"]);
    if cfg!(target_os = "linux") {
        out("/proc/zonefall").expect(1, &["error: cannot write to /proc"]);
    }
    assert_eq!(place.names("."), ["three.toml"]);
}

#[test]
fn files_that_are_none() {
    let place = Scratch::new("files");
    fs::write(place.0.join("binary.toml"), [b'a', 0, 159, 146, 150]).expect("written");
    fs::write(place.0.join("latin.toml"), b"name = \"caf\xe9\"\n").expect("written");
    for command in ["run", "compare", "check", "graph"] {
        place.run(&[command, "nowhere.toml"]).expect(2, &["nowhere.toml: no such file"]);
        place.run(&[command, "three.toml/x"]).expect(2, &["no such file"]);
        place.run(&[command, "."]).expect(2, &["is a folder"]);
        place.run(&[command, "binary.toml"]).expect(2, &["binary.toml is a binary file"]);
        place.run(&[command, "latin.toml"]).expect(2, &["error"]);
    }
    assert_eq!(place.names("."), ["binary.toml", "latin.toml", "three.toml"]);
}

#[test]
fn flags_are_overrides_and_errors_speak_of_them() {
    let place = Scratch::new("flags");
    let args = |extra: &[&str]| {
        let common = ["run", "three.toml", "--no-charts", "--out", "out", "--format", "json"];
        place.run(&[&common[..], extra].concat())
    };
    let ended = args(&["--seed", "9", "--step", "1s", "--duration", "2m", "--plane", "fluid"]);
    let summary = ended.expect(0, &[]).stdout;
    for text in [r#""seed": 9"#, r#""step_s": 1,"#, r#""duration_s": 120,"#, "simulation.step"] {
        assert!(summary.contains(text), "no {text} in {summary}");
    }
    args(&["--step", "0s"]).expect(2, &["--step", "must be over 0"]);
    args(&["--step", "5"]).expect(2, &["--step", "such as 500ms"]);
    args(&["--step", "1month"]).expect(2, &["error: --step 1month: "]);
    args(&["--duration", "100y"]).expect(2, &["error: --duration 100y: "]);
    args(&["--duration", "60200ms"]).expect(0, &["warning: --duration 60200ms: "]);
    args(&["--set", "pool.web.instances=5"]).expect(0, &[]);
    args(&["--set", "pool.web.instances"]).expect(2, &["PATH=VALUE"]);
    args(&["--set", "pool.web.instanzes=5"]).expect(2, &["instances"]);
}

#[test]
fn what_is_not_built_is_refused_by_name() {
    let place = Scratch::new("refused");
    place.run(&["compare", "three.toml", "--runs", "5"]).expect(2, &["--runs: not supported yet"]);
    assert_eq!(place.names("."), ["three.toml"]);
}

#[test]
fn a_plane_that_nobody_named_is_told() {
    let place = Scratch::new("plane");
    let run = |more: &[&str]| place.run(&[&["run", "three.toml", "--no-charts"], more].concat());
    let auto = run(&[]).expect(0, &["note: plane ", " first tries (auto)\n"]);
    // Who names the plane is not told of it.
    let requests = run(&["--plane", "requests"]).expect(0, &[]);
    assert!(auto.stderr.contains("(auto)") && !requests.stderr.contains("note: plane"));
    assert!(!run(&["--quiet"]).expect(0, &[]).stderr.contains("note: plane"));
}

#[test]
fn rows_are_whole_multiples_of_the_step() {
    let place = Scratch::new("sample");
    let rows = |sample: &str, on_stderr: &[&str]| {
        let args = ["run", "three.toml", "--no-charts", "--out", "out", "--sample", sample];
        place.run(&args).expect(0, on_stderr);
        place.read("out/fleet.csv").lines().count() - 1
    };
    assert_eq!(rows("2s", &[]), 60);
    assert_eq!(rows("700ms", &["a row covers 1 s"]), 120);
    let long = ["run", "three.toml", "--no-charts", "--out", "out", "--step", "50ms"];
    place.run(&long).expect(0, &["note: a run has 2400 steps: a row of the timeline covers 0.1 s"]);
    assert_eq!(place.read("out/fleet.csv").lines().count() - 1, 1200);
}

#[test]
fn check_tells_of_every_file() {
    let place = Scratch::new("check");
    fs::write(place.0.join("bad.toml"), "name = 3\nnonsense = 1\n").expect("written");
    let good = place.run(&["check", "three.toml"]).expect(0, &[]);
    assert_eq!(good.stdout, "three.toml: ok, 3 zones, 3 pools, 1 event, 4 policies\n");
    let all = place.run(&["check", "bad.toml", "three.toml", "nowhere.toml"]);
    let all = all.expect(2, &["bad.toml:2:", "nonsense", "nowhere.toml: no such file"]);
    assert!(all.stdout.starts_with("three.toml: ok"), "{all:?}");
    let json = place.run(&["check", "bad.toml", "three.toml", "--format", "json"]).expect(2, &[]);
    assert!(json.stdout.starts_with("[\n") && json.stdout.contains("\"bad.toml\""), "{json:?}");
    let fine = place.run(&["check", "three.toml", "--format", "json"]).expect(0, &[]);
    assert_eq!((fine.stdout.as_str(), fine.stderr.as_str()), ("[]\n", ""));
}

#[test]
fn a_resolved_file_means_the_same() {
    let place = Scratch::new("resolved");
    let resolved = place.run(&["check", "three.toml", "--show-resolved"]).expect(0, &[]).stdout;
    fs::write(place.0.join("resolved.toml"), &resolved).expect("written");
    let again = place.run(&["check", "resolved.toml", "--show-resolved"]).expect(0, &[]).stdout;
    assert_eq!(resolved, again);
    for (file, out) in [("three.toml", "one"), ("resolved.toml", "two")] {
        place.run(&["compare", file, "--no-charts", "--out", out]).expect(0, &[]);
    }
    for name in ["timeline.csv", "fleet.csv", "comparison.csv", "events.csv"] {
        assert!(place.read(&format!("one/{name}")) == place.read(&format!("two/{name}")), "{name}");
    }
}

#[test]
fn every_example_can_be_written_checked_and_run() {
    let place = Scratch::new("examples");
    let list = place.run(&["init", "--list"]).expect(0, &[]).stdout;
    assert!(list.starts_with("ten-lines "), "{list}");
    for name in list.lines().filter_map(|line| line.split_whitespace().next()) {
        let file = format!("{name}.toml");
        place.run(&["init", "--example", name, &file]).expect(0, &["wrote", &file]);
        place.run(&["check", &file]).expect(0, &[]);
        let short = ["run", &file, "--no-charts", "--out", "out"];
        place.run(&short).expect(0, &[]);
    }
    place.run(&["init"]).expect(0, &["next: zonefall compare zonefall.toml"]);
    fs::write(place.0.join("zonefall.toml"), "mine").expect("written");
    place.run(&["init"]).expect(2, &["zonefall.toml exists", "--force"]);
    assert_eq!(place.read("zonefall.toml"), "mine");
    place.run(&["init", "--force"]).expect(0, &[]);
    assert!(place.read("zonefall.toml").contains("ten lines"));
    place.run(&["init", "--example", "ten-line", "y.toml"]).expect(2, &["did you mean"]);
    place.run(&["init", "."]).expect(2, &["is a folder"]);
}

#[test]
fn graph_prints_dot() {
    let place = Scratch::new("graph");
    let dot = place.run(&["graph", "three.toml"]).expect(0, &[]).stdout;
    assert!(dot.starts_with("digraph \"lose-one-of-three\" {") && dot.ends_with("}\n"), "{dot}");
    assert!(dot.contains(r#""pool web-a" -> "service web" [arrowhead=none];"#), "{dot}");
    assert_eq!(dot, place.run(&["graph", "three.toml"]).stdout);
}

#[test]
fn help_and_usage() {
    let place = Scratch::new("help");
    let help = place.run(&["--help"]).expect(0, &[]).stdout;
    for text in ["run", "compare", "check", "init", "graph", "130  interrupted"] {
        assert!(help.contains(text), "no {text} in {help}");
    }
    place.run(&[]).expect(2, &["Usage"]);
    place.run(&["compare"]).expect(2, &["<FILE>"]);
    place.run(&["simulate"]).expect(2, &["unrecognized subcommand"]);
    place.run(&["run", "three.toml", "--jobs", "0"]).expect(2, &["--jobs"]);
}

#[test]
fn a_reader_that_goes_away_is_no_error() {
    let place = Scratch::new("pipe");
    let mut command = place.command(&["compare", "three.toml", "--no-charts", "--format", "json"]);
    let mut child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    drop(child.stdout.take());
    Ended::new(child.wait_with_output().expect("it ends")).expect(0, &[]);
}

/// Long enough to be interrupted: minutes, if it were not.
const LONG: [&str; 9] =
    ["run", "three.toml", "--no-charts", "--out", "out", "--duration", "200h", "--step", "100ms"];

#[cfg(unix)]
#[test]
fn an_interrupt_leaves_nothing_half_done() {
    let place = Scratch::new("interrupt");
    let mut command = place.command(&LONG);
    let child =
        command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program starts");
    let start = Instant::now();
    while place.names(".").len() < 2 && start.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(5));
    }
    // The staging folder is there; the handler follows at once.
    std::thread::sleep(Duration::from_millis(100));
    let kill = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(kill.is_ok_and(|status| status.success()));
    let ended = Ended::new(child.wait_with_output().expect("it ends"));
    ended.expect(130, &["interrupted"]);
    assert_eq!(place.names("."), ["three.toml"]);
}
