//! The planes agree wherever they simulate the same thing.

pub mod planes;

use planes::{Saying, disagreements, subjects};
use zonefall::model::Plane;

/// Three of the seeds of `docs/agreement.md`.
const SEEDS: std::ops::RangeInclusive<u64> = 1..=3;

#[test]
fn planes_agree_on_every_shipped_topology() {
    let mut found = Vec::new();
    for subject in subjects() {
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
