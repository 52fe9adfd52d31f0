//! Which plane `auto` is.

use super::document::{Document, Value};
use super::setting::Section;
use crate::model::{Plane, Scenario};

/// Up to so many first tries in all, every request is served by itself (MODEL §4.2).
const MOST_TRIES: f64 = 20e6;

/// The plane of an invocation, and why.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PlaneChoice {
    /// The plane of every case.
    pub plane: Plane,
    /// First tries in all that it was chosen for; none when the file or a flag names the plane.
    pub auto_for: Option<f64>,
}

/// Does a file or its overrides name the plane?
pub(super) fn is_named(document: &Document) -> bool {
    let entry = document.simulation.get("plane");
    matches!(entry.map(|entry| &entry.value), Some(Value::Text(word)) if word != "auto")
}

/// Chooses by the file as it stands, before overrides: an override of anything but the plane leaves
/// the plane what it is. `document` has the overrides, `own` none; `runs` are those of each policy.
pub(super) fn choose(
    document: &Document,
    own: &Document,
    of_own: &Scenario,
    runs: u32,
) -> PlaneChoice {
    match document.simulation.get("plane").map(|entry| &entry.value) {
        Some(Value::Text(word)) if word != "auto" => {
            let is_requests = word == Plane::Requests.word();
            let plane = if is_requests { Plane::Requests } else { Plane::Fluid };
            PlaneChoice { plane, auto_for: None }
        }
        _ => {
            let tries = first_tries(of_own, runs, own.table(Section::Policy).len());
            PlaneChoice { plane: suiting(tries), auto_for: Some(tries) }
        }
    }
}

/// First tries of an invocation, all its runs under all policies together; events do not count.
fn first_tries(scenario: &Scenario, runs: u32, policies: usize) -> f64 {
    let of_run = scenario.demand_rps() * scenario.simulation.duration.get();
    of_run * f64::from(runs) * policies as f64
}

/// The plane that suits so many first tries.
fn suiting(tries: f64) -> Plane {
    if tries <= MOST_TRIES { Plane::Requests } else { Plane::Fluid }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn up_to_twenty_million_are_served_one_by_one() {
        assert_eq!(suiting(0.0), Plane::Requests);
        assert_eq!(suiting(20e6), Plane::Requests);
        assert_eq!(suiting(20_000_001.0), Plane::Fluid);
    }
}
