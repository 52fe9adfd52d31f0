//! The planes agree wherever they simulate the same thing.

pub mod planes;

use planes::{Saying, disagreements, subjects};
use zonefall::model::Plane;

/// Five of the seeds of `docs/agreement.md`.
const SEEDS: std::ops::RangeInclusive<u64> = 1..=5;

/// Stories that tests of their own hold in both planes over more seeds; the docs' table has them.
const TOLD_ELSEWHERE: [&str; 8] = [
    "circuit-breaker-false-positive",
    "ejection-limit-trap",
    "emergency-scale-out",
    "gray-zone",
    "health-check-flapping",
    "n-plus-two",
    "planner-agent-mitigations",
    "routing-asymmetry",
];

#[test]
fn planes_agree_on_every_shipped_topology() {
    let mut found = Vec::new();
    let told = |subject: &planes::Subject| TOLD_ELSEWHERE.contains(&subject.topology.as_str());
    for subject in subjects().into_iter().filter(|subject| !told(subject)) {
        let fluid = Saying::of(&subject.case, Plane::Fluid, SEEDS);
        let requests = Saying::of(&subject.case, Plane::Requests, SEEDS);
        let title = format!("{} under {}", subject.topology, subject.policy());
        // Five runs tell an outcome at the edge from a sure one only together with the table's
        // thirty: there the docs have what is at the edge.
        let differs = disagreements(&subject, &fluid, &requests, 3.0);
        if !planes::EDGE.contains(&(subject.topology.as_str(), subject.policy())) {
            found.extend(differs.into_iter().map(|what| format!("{title}: {what}")));
        }
    }
    assert!(found.is_empty(), "{}", found.join("\n"));
}
