//! The topologies that are shipped.

use std::fs;
use std::path::{Path, PathBuf};

use zonefall::config::{self, Loaded};

/// Every file of `topologies/`, by name.
pub fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("topologies");
    let entries = fs::read_dir(folder).expect("topologies").flatten().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some()).collect();
    files.sort();
    assert!(files.len() >= 8, "{files:?}");
    files
}

pub fn text(file: &Path) -> String {
    fs::read_to_string(file).expect("a topology")
}

pub fn load(file: &Path, text: &str, sets: &[&str]) -> Loaded {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    let name = file.file_name().expect("a name").to_string_lossy();
    config::load(&name, text.as_bytes(), &sets).unwrap_or_else(|rejected| {
        panic!("{}: {:?}\n{text}", file.display(), rejected.problems);
    })
}
