//! Losing zones by arithmetic: `zonefall headroom` and `survive_zone_losses`.

mod command;
mod equal_zones;
mod random;
mod sketch;
mod survive;

use zonefall::config::{Loaded, load};
use zonefall::model::Scenario;

/// A file under overrides, which has to be valid.
fn loaded(text: &str, sets: &[&str]) -> Loaded {
    let sets: Vec<String> = sets.iter().map(|set| (*set).to_owned()).collect();
    load("test.toml", text.as_bytes(), &sets)
        .unwrap_or_else(|rejected| panic!("{sets:?}: {:#?}\n{text}", rejected.problems))
}

fn scenario(text: &str, sets: &[&str]) -> Scenario {
    loaded(text, sets).scenario
}

/// The text of a file in `topologies/`.
fn shipped(name: &str) -> String {
    let path = format!("{}/topologies/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

#[track_caller]
fn assert_close(what: &str, value: impl Into<Option<f64>>, expected: f64) {
    let value = value.into().unwrap_or_else(|| panic!("{what}: none, not {expected}"));
    let gap = (value - expected).abs();
    assert!(gap <= 1e-9 * expected.abs().max(1.0), "{what}: {value}, not {expected}");
}
