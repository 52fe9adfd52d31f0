//! Topology files: what is refused and where, what is accepted and as what.

mod chain;
mod lints;
mod meaning;
mod overrides;
mod robust;

use std::fs;
use std::path::{Path, PathBuf};

use zonefall::config::{Loaded, Rejected, load};
use zonefall::diagnostic::{Problem, Severity, Sources, Style, render, render_json};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

fn files(name: &str) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder(name)).expect("the folder is there");
    let mut paths: Vec<_> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "toml"));
    paths.sort();
    paths
}

/// What a comment of a test file says, such as `# set: PATH=VALUE`.
fn comments(text: &[u8], word: &str) -> Vec<String> {
    let text = String::from_utf8_lossy(text);
    let start = format!("# {word}: ");
    text.lines().filter_map(|line| line.strip_prefix(&start)).map(str::to_owned).collect()
}

fn file_name(path: &Path) -> String {
    path.file_name().expect("a file").to_string_lossy().into_owned()
}

fn load_file(path: &Path) -> Result<Loaded, Rejected> {
    let text = fs::read(path).expect("a readable file");
    load(&file_name(path), &text, &comments(&text, "set"))
}

/// Each problem as `id line:column`, with `--set` before the place in an override.
fn places(problems: &[Problem], sources: &Sources) -> Vec<String> {
    let place = |problem: &Problem| {
        let at = sources.location(problem.primary.span);
        let source = sources.get(problem.primary.span.source);
        let set = if source.name() == "--set" { "--set " } else { "" };
        format!("{} {set}{}:{}", problem.id, at.line, at.column)
    };
    problems.iter().map(place).collect()
}

/// Compares with the `# expect:` comments at the end of the file; with `UPDATE_EXPECT` in the
/// environment, writes them.
fn check_expected(path: &Path, found: &[String]) {
    let text = fs::read(path).expect("a readable file");
    if std::env::var_os("UPDATE_EXPECT").is_some() {
        let is_expect = |line: &&[u8]| line.starts_with(b"# expect: ");
        let lines = text.split_inclusive(|byte| *byte == b'\n').filter(|line| !is_expect(line));
        let mut text = lines.collect::<Vec<_>>().concat();
        for line in found {
            text.extend(format!("# expect: {line}\n").bytes());
        }
        fs::write(path, text).expect("a writable file");
        return;
    }
    assert_eq!(found, comments(&text, "expect"), "{}", file_name(path));
}

fn check_invalid(path: &Path) {
    match load_file(path) {
        Ok(_) => panic!("{} is accepted", file_name(path)),
        Err(Rejected { problems, sources }) => {
            assert!(problems.iter().any(|problem| problem.severity == Severity::Error));
            for problem in &problems {
                let first = problem.title.chars().next();
                assert!(first.is_some_and(|c| !c.is_uppercase()), "{}", problem.title);
            }
            check_expected(path, &places(&problems, &sources));
            assert!(render(&problems, &sources, Style::Colour).len() > 10);
        }
    }
}

#[test]
fn invalid_files_are_refused_at_their_places() {
    let files = files("invalid");
    assert!(files.len() >= 40);
    files.iter().for_each(|path| check_invalid(path));
}

fn accepted(name: &str, text: &str, sets: &[&str]) -> Loaded {
    let sets: Vec<_> = sets.iter().map(|set| (*set).to_owned()).collect();
    match load(name, text.as_bytes(), &sets) {
        Ok(loaded) => loaded,
        Err(Rejected { problems, sources }) => {
            panic!("{}\n{text}", render(&problems, &sources, Style::Plain))
        }
    }
}

/// All that a run reads, as text.
fn cases(loaded: &Loaded) -> String {
    format!("{:#?}", loaded.cases)
}

fn check_valid(path: &Path) {
    let loaded = match load_file(path) {
        Ok(loaded) => loaded,
        Err(Rejected { problems, sources }) => {
            panic!("{}", render(&problems, &sources, Style::Plain))
        }
    };
    check_expected(path, &places(&loaded.warnings, &loaded.sources));
    let again = accepted(&loaded.file_name, &loaded.resolved, &[]);
    assert_eq!(again.resolved, loaded.resolved, "{}", file_name(path));
    assert_eq!(again.fingerprint_text, loaded.fingerprint_text);
    assert_eq!(cases(&again), cases(&loaded), "{}", file_name(path));
    let sorted = accepted(&loaded.file_name, &loaded.fingerprint_text, &[]);
    assert_eq!(sorted.fingerprint_text, loaded.fingerprint_text);
}

#[test]
fn valid_files_load_and_print_themselves() {
    files("valid").iter().for_each(|path| check_valid(path));
}

/// What a reader sees: of files with one problem and with many, of overrides, of a warning.
#[test]
fn problems_are_drawn_at_their_places() {
    for name in [
        "many-at-once",
        "syntax",
        "not-utf8",
        "zones-clash",
        "event-set",
        "policies",
        "set-paths",
        "call-cycle",
        "resources",
        "autoscalers",
        "sources",
        "set-in-run",
        "alerts",
    ] {
        let path = folder("invalid").join(format!("{name}.toml"));
        let Err(Rejected { problems, sources }) = load_file(&path) else {
            panic!("{name} is accepted");
        };
        insta::assert_snapshot!(name, render(&problems, &sources, Style::Plain));
    }
    let loaded = load_file(&folder("valid").join("everything.toml")).expect("a valid file");
    insta::assert_snapshot!("warnings", render(&loaded.warnings, &loaded.sources, Style::Plain));
    insta::assert_snapshot!("resolved", loaded.resolved);
    let loaded = load_file(&folder("valid").join("chain.toml")).expect("a valid file");
    insta::assert_snapshot!("resolved-chain", loaded.resolved);
}

#[test]
fn problems_for_programs_have_places_too() {
    let path = folder("invalid").join("bare-duration.toml");
    let Err(Rejected { problems, sources }) = load_file(&path) else { panic!("accepted") };
    let expected = serde_json::json!([{
        "id": "missing-unit",
        "severity": "error",
        "file": "bare-duration.toml",
        "line": 12,
        "column": 12,
        "message": "`interval` needs a unit: s, ms, m or h",
        "help": ["write `\"2s\"` for seconds"],
    }]);
    assert_eq!(render_json(&problems, &sources), expected);
}
