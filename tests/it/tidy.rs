//! The rules of ARCHITECTURE.md that can be read off the source.

use std::fs;
use std::path::{Path, PathBuf};

/// Each module and the modules that it may use.
const MAY_USE: &[(&str, &[&str])] = &[
    ("units", &[]),
    ("queueing", &["units"]),
    ("model", &["units", "queueing"]),
    ("policy", &["units", "queueing", "model"]),
    ("engine", &["units", "queueing", "model", "policy"]),
    ("metric", &["units", "queueing", "model", "policy", "engine"]),
    ("experiment", &["units", "queueing", "model", "policy", "engine", "metric"]),
    ("diagnostic", &[]),
    ("config", &["units", "model", "policy", "diagnostic"]),
    ("report", &["model", "policy", "engine", "metric", "experiment", "diagnostic", "units"]),
    (
        "cli",
        &[
            "units",
            "model",
            "policy",
            "engine",
            "metric",
            "experiment",
            "diagnostic",
            "config",
            "report",
        ],
    ),
];

/// The simulation proper, and what it must not touch.
const PURE: &[&str] = &["units", "queueing", "model", "policy", "engine", "metric"];
const IMPURE: &[&str] = &[
    "std::fs",
    "std::env",
    "std::time",
    "std::thread",
    "std::process",
    "std::io",
    "println!",
    "print!(",
    "HashMap",
    "HashSet",
];

fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).expect("a folder of sources").flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(sources(&path));
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The code of a file before its unit tests.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).expect("readable source");
    text.split("#[cfg(test)]").next().unwrap_or_default().to_owned()
}

fn module_of(path: &Path) -> String {
    let inside = path.strip_prefix(root().join("src")).expect("below src");
    let first = inside.components().next().expect("a name").as_os_str().to_string_lossy();
    first.trim_end_matches(".rs").to_owned()
}

#[test]
fn modules_use_only_what_stands_before_them() {
    let mut wrong = Vec::new();
    for path in sources(&root().join("src")) {
        let module = module_of(&path);
        let Some((_, allowed)) = MAY_USE.iter().find(|(name, _)| *name == module) else {
            assert!(module == "lib" || module == "main", "{module} is not in the list");
            continue;
        };
        for line in code(&path).lines().filter(|line| !line.trim_start().starts_with("//")) {
            for used in line.split("crate::").skip(1) {
                let used: String =
                    used.chars().take_while(|c| c.is_alphanumeric() || *c == '_').collect();
                if used != module && !allowed.contains(&used.as_str()) {
                    wrong.push(format!("{}: {}", path.display(), line.trim()));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_simulation_is_pure() {
    let mut wrong = Vec::new();
    for path in sources(&root().join("src")) {
        if !PURE.contains(&module_of(&path).as_str()) {
            continue;
        }
        for line in code(&path).lines().filter(|line| !line.trim_start().starts_with("//")) {
            if IMPURE.iter().any(|word| line.contains(word)) {
                wrong.push(format!("{}: {}", path.display(), line.trim()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn files_and_lines_are_short() {
    let mut wrong = Vec::new();
    for folder in ["src", "tests", "benches", "examples"] {
        let folder = root().join(folder);
        for path in if folder.exists() { sources(&folder) } else { Vec::new() } {
            let text = fs::read_to_string(&path).expect("readable source");
            let code_lines = code(&path).lines().count();
            if code_lines > 500 {
                wrong.push(format!("{}: {code_lines} lines", path.display()));
            }
            for (index, line) in text.lines().enumerate() {
                if line.chars().count() > 100 {
                    wrong.push(format!("{}:{}: too long", path.display(), index + 1));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
