//! Files are whole or not there, whatever happens to the process.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use super::{Artifact, OutputError, OutputFolder};

/// A folder of its own for each test, empty.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = std::env::temp_dir().join(format!("zonefall-{}-{name}", std::process::id()));
        drop(fs::remove_dir_all(&path));
        fs::create_dir_all(&path).expect("a temporary folder");
        Self(path)
    }

    fn names(&self) -> Vec<String> {
        names(&self.0)
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

fn file(name: &str, text: &str) -> Artifact {
    Artifact { file_name: name.to_owned(), bytes: text.as_bytes().to_vec() }
}

#[test]
fn writes_and_leaves_nothing_else() {
    let scratch = Scratch::new("writes");
    let target = scratch.0.join("deep/er/out");
    for text in ["one", "two"] {
        let files = [file("a.csv", text), file("b.csv", text)];
        let output = OutputFolder::prepare(&target).expect("writable");
        let paths = output.write(&files).expect("written");
        assert_eq!(paths, [target.join("a.csv"), target.join("b.csv")]);
        assert_eq!(fs::read_to_string(&paths[1]).ok().as_deref(), Some(text));
        assert_eq!(names(&target), ["a.csv", "b.csv"]);
        assert_eq!(names(&scratch.0.join("deep/er")), ["out"]);
    }
}

#[test]
fn refuses_at_once_what_cannot_be_written_to() {
    let scratch = Scratch::new("refuses");
    let blocking = scratch.0.join("file");
    fs::write(&blocking, "x").expect("written");
    for target in [blocking.clone(), blocking.join("below")] {
        let refused = OutputFolder::prepare(&target);
        assert!(matches!(refused, Err(OutputError::NotAFolder(path)) if path == blocking));
    }
    #[cfg(unix)]
    {
        let link = scratch.0.join("link");
        std::os::unix::fs::symlink("nowhere", &link).expect("linked");
        assert!(matches!(OutputFolder::prepare(&link), Err(OutputError::NotAFolder(_))));
        fs::remove_file(&link).expect("removed");
    }
    if cfg!(target_os = "linux") {
        let refused = OutputFolder::prepare(Path::new("/proc/zonefall/out"));
        assert!(matches!(refused, Err(OutputError::Io { .. })));
    }
    assert_eq!(scratch.names(), ["file"]);
}

#[test]
fn a_folder_in_the_way_changes_nothing() {
    let scratch = Scratch::new("way");
    fs::create_dir_all(scratch.0.join("out/b.csv")).expect("a folder");
    let output = OutputFolder::prepare(&scratch.0.join("out")).expect("writable");
    let written = output.write(&[file("a.csv", "x"), file("b.csv", "x")]);
    assert!(matches!(written, Err(OutputError::FolderInTheWay(_))));
    assert_eq!(names(&scratch.0.join("out")), ["b.csv"]);
    assert_eq!(scratch.names(), ["out"]);
}

#[test]
fn an_abandoned_run_writes_nothing() {
    let scratch = Scratch::new("abandoned");
    let output = OutputFolder::prepare(&scratch.0.join("out")).expect("writable");
    assert_eq!(scratch.names().len(), 1);
    output.abandon().abandon();
    assert!(scratch.names().is_empty());
    assert!(matches!(output.write(&[file("a.csv", "x")]), Err(OutputError::Abandoned)));
    assert!(scratch.names().is_empty());
}

#[test]
fn live_runs_leave_each_other_alone() {
    let scratch = Scratch::new("live");
    let target = scratch.0.join("out");
    let first = OutputFolder::prepare(&target).expect("writable");
    let second = OutputFolder::prepare(&target).expect("writable");
    assert_eq!(scratch.names().len(), 2);
    first.write(&[file("a.csv", "first")]).expect("written");
    second.write(&[file("a.csv", "second")]).expect("written");
    assert_eq!(fs::read_to_string(target.join("a.csv")).ok().as_deref(), Some("second"));
    assert_eq!(scratch.names(), ["out"]);
}

const CHILD_FOLDER: &str = "ZONEFALL_TEST_CHILD_FOLDER";
const FILES: usize = 4;
const BYTES: usize = 2 << 20;

/// Not a test of its own: what the next test kills.
#[test]
#[ignore = "runs as a child of another test"]
fn child_that_writes_on_and_on() {
    let Some(target) = std::env::var_os(CHILD_FOLDER) else { return };
    for version in (b'a'..=b'z').cycle().take(10_000) {
        let files: Vec<Artifact> = (0..FILES)
            .map(|n| Artifact { file_name: format!("{n}.csv"), bytes: vec![version; BYTES] })
            .collect();
        let output = OutputFolder::prepare(Path::new(&target)).expect("writable");
        output.write(&files).expect("written");
    }
}

#[test]
fn a_killed_process_leaves_whole_files() {
    let scratch = Scratch::new("killed");
    let target = scratch.0.join("out");
    for round in 0..6 {
        let mut child = Command::new(std::env::current_exe().expect("a test binary"))
            .args(["--ignored", "--exact", "report::output_tests::child_that_writes_on_and_on"])
            .env(CHILD_FOLDER, &target)
            .stdout(Stdio::null())
            .spawn()
            .expect("a child");
        std::thread::sleep(Duration::from_millis(60 + 7 * round));
        child.kill().expect("killed");
        child.wait().expect("gone");
        if target.is_dir() {
            for name in names(&target) {
                let bytes = fs::read(target.join(&name)).expect("a file");
                assert_eq!(bytes.len(), BYTES, "{name} is torn");
                assert!(bytes.iter().all(|byte| *byte == bytes[0]), "{name} is mixed");
            }
        }
    }
    let output = OutputFolder::prepare(&target).expect("writable");
    output.write(&[file("0.csv", "x")]).expect("written");
    assert_eq!(scratch.names(), ["out"], "stale staging folders are removed");
}
