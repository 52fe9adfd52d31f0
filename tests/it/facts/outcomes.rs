//! Every shipped file ends as its comments say, under every policy: those that name the requests
//! plane there, all others in both planes.

use super::fleet::{FLUID, REQUESTS, cases, over_seeds, run, shipped, usual_outcome};
use zonefall::metric::Outcome::{self, Degraded, FullOutage, PartialOutage, Stable};

/// File, policy, outcome with the file's seed, most frequent outcome.
type Pin = (&'static str, &'static str, Outcome, Outcome);

/// In the fluid plane.
const IN_FLUID: &[Pin] = &[
    ("canary-rollback", "none", Stable, Stable),
    ("canary-rollback", "unconditional", FullOutage, FullOutage),
    ("canary-rollback", "rate-limited", FullOutage, FullOutage),
    ("canary-rollback", "capacity-aware", Stable, Stable),
    ("circuit-breaker-false-positive", "sharp", FullOutage, FullOutage),
    ("circuit-breaker-false-positive", "sharp-with-limit", Stable, Stable),
    ("circuit-breaker-false-positive", "patient", Stable, Stable),
    ("client-timeout-storm", "storm", Degraded, Degraded),
    ("client-timeout-storm", "budget", Degraded, Degraded),
    ("client-timeout-storm", "time-out-of-1s", Stable, Stable),
    ("ejection-limit-trap", "limit", Degraded, Degraded),
    ("ejection-limit-trap", "no-limit", Stable, Stable),
    ("ejection-limit-trap", "limit-and-threshold", Stable, Stable),
    ("emergency-scale-out", "at-once", FullOutage, FullOutage),
    ("emergency-scale-out", "in-10m", FullOutage, FullOutage),
    ("emergency-scale-out", "in-4m-to-b", FullOutage, FullOutage),
    ("emergency-scale-out", "in-10m-to-b", Degraded, Degraded),
    ("emergency-scale-out", "capacity-aware", Degraded, Degraded),
    ("gray-zone", "nobody-looks", Degraded, Degraded),
    ("gray-zone", "nobody-looks-retries", Degraded, Degraded),
    ("gray-zone", "drained", Stable, Stable),
    ("gray-zone", "drained-if-it-fits", Stable, Stable),
    ("health-check-flapping", "restart", FullOutage, FullOutage),
    ("health-check-flapping", "eject", FullOutage, FullOutage),
    ("health-check-flapping", "capacity-aware", Degraded, Degraded),
    ("health-check-flapping", "shedding", Degraded, Degraded),
    ("health-check-flapping", "admission", Degraded, Degraded),
    ("lose-one-of-three", "none", Degraded, Degraded),
    ("lose-one-of-three", "unconditional", FullOutage, FullOutage),
    ("lose-one-of-three", "rate-limited", PartialOutage, PartialOutage),
    ("lose-one-of-three", "capacity-aware", Degraded, Degraded),
    ("memory-crash", "none", FullOutage, FullOutage),
    ("metastable-mongodb", "none", Degraded, Degraded),
    ("metastable-store", "at-280-rps", Degraded, Degraded),
    ("metastable-store", "at-200-rps", Degraded, Degraded),
    ("metastable-store", "at-160-rps", Degraded, Degraded),
    ("metastable-store", "at-140-rps", Degraded, Degraded),
    ("n-plus-two", "n-plus-1", FullOutage, FullOutage),
    ("n-plus-two", "n-plus-1-asks-first", Degraded, Degraded),
    ("n-plus-two", "n-plus-2", Stable, Stable),
    ("nearest-neighbour", "none", Degraded, Degraded),
    ("nearest-neighbour", "nearest", FullOutage, FullOutage),
    ("nearest-neighbour", "even-spread", Stable, Stable),
    ("nearest-neighbour", "capacity-aware", Stable, Stable),
    ("planned-drain", "none", Degraded, Degraded),
    ("planned-drain", "unconditional", Stable, Stable),
    ("planned-drain", "rate-limited", Stable, Stable),
    ("planned-drain", "capacity-aware", Stable, Stable),
    ("planner-agent", "none", Degraded, Degraded),
    ("planner-agent", "unconditional", FullOutage, FullOutage),
    ("planner-agent", "rate-limited", FullOutage, FullOutage),
    ("planner-agent", "capacity-aware", Degraded, Degraded),
    ("planner-agent", "with-admission", Degraded, Degraded),
    ("planner-agent-autoscaled", "unconditional", FullOutage, FullOutage),
    ("planner-agent-autoscaled", "ramp-2m", Degraded, Degraded),
    ("planner-agent-autoscaled", "ramp-5m", Degraded, Degraded),
    ("planner-agent-mitigations", "none", Degraded, Degraded),
    ("planner-agent-mitigations", "unconditional", FullOutage, FullOutage),
    ("planner-agent-mitigations", "rate-limited", FullOutage, FullOutage),
    ("planner-agent-mitigations", "capacity-aware", Degraded, Degraded),
    ("routing-asymmetry", "none", Degraded, Degraded),
    ("routing-asymmetry", "weights-as-found", PartialOutage, PartialOutage),
    ("routing-asymmetry", "even-weights", Stable, Stable),
    ("routing-asymmetry", "capacity-aware", Stable, Stable),
    ("slow-start-llm", "unconditional", Degraded, Degraded),
    ("slow-start-llm", "rate-limited", Degraded, Degraded),
    ("slow-start-llm", "capacity-aware", Degraded, Degraded),
    ("ten-lines", "none", Degraded, Degraded),
    ("ten-lines", "unconditional", FullOutage, FullOutage),
    ("ten-lines", "rate-limited", FullOutage, FullOutage),
    ("ten-lines", "capacity-aware", Degraded, Degraded),
    ("three-layers", "retries-in-every-layer", Degraded, Degraded),
    ("three-layers", "retry-at-the-top", Degraded, Degraded),
    ("uneven-zones", "none", Degraded, Degraded),
    ("uneven-zones", "unconditional", FullOutage, FullOutage),
    ("uneven-zones", "capacity-aware", Degraded, Degraded),
    ("zone-returns", "none", Degraded, Degraded),
    ("zone-returns", "unconditional", FullOutage, FullOutage),
    ("zone-returns", "unconditional-remove", FullOutage, FullOutage),
    ("zone-returns", "capacity-aware", Degraded, Degraded),
];

/// Request by request.
const IN_REQUESTS: &[Pin] = &[
    ("bulkheads", "none", Degraded, Degraded),
    ("canary-rollback", "none", Stable, Stable),
    ("canary-rollback", "unconditional", FullOutage, FullOutage),
    ("canary-rollback", "rate-limited", FullOutage, FullOutage),
    ("canary-rollback", "capacity-aware", Stable, Stable),
    ("circuit-breaker-false-positive", "sharp", FullOutage, FullOutage),
    ("circuit-breaker-false-positive", "sharp-with-limit", Stable, Stable),
    ("circuit-breaker-false-positive", "patient", Stable, Stable),
    ("client-timeout-storm", "storm", Degraded, Degraded),
    ("client-timeout-storm", "budget", Degraded, Degraded),
    ("client-timeout-storm", "time-out-of-1s", Stable, Stable),
    ("ejection-limit-trap", "limit", Degraded, Degraded),
    ("ejection-limit-trap", "no-limit", Stable, Stable),
    ("ejection-limit-trap", "limit-and-threshold", Stable, Stable),
    ("emergency-scale-out", "at-once", FullOutage, FullOutage),
    ("emergency-scale-out", "in-10m", FullOutage, FullOutage),
    ("emergency-scale-out", "in-4m-to-b", FullOutage, FullOutage),
    ("emergency-scale-out", "in-10m-to-b", Degraded, Degraded),
    ("emergency-scale-out", "capacity-aware", Degraded, Degraded),
    ("gray-zone", "nobody-looks", Degraded, Degraded),
    ("gray-zone", "nobody-looks-retries", Degraded, Degraded),
    ("gray-zone", "drained", Stable, Stable),
    ("gray-zone", "drained-if-it-fits", Stable, Stable),
    ("health-check-flapping", "restart", FullOutage, FullOutage),
    ("health-check-flapping", "eject", FullOutage, FullOutage),
    ("health-check-flapping", "capacity-aware", Degraded, Degraded),
    ("health-check-flapping", "shedding", Degraded, Degraded),
    ("health-check-flapping", "admission", Degraded, Degraded),
    ("lose-one-of-three", "none", Degraded, Degraded),
    ("lose-one-of-three", "unconditional", FullOutage, FullOutage),
    ("lose-one-of-three", "rate-limited", FullOutage, FullOutage),
    ("lose-one-of-three", "capacity-aware", Degraded, Degraded),
    ("memory-crash", "none", FullOutage, FullOutage),
    ("metastable-mongodb", "none", Degraded, Degraded),
    ("metastable-store", "at-280-rps", Degraded, Degraded),
    ("metastable-store", "at-200-rps", Degraded, Degraded),
    ("metastable-store", "at-160-rps", Degraded, Degraded),
    ("metastable-store", "at-140-rps", Degraded, Degraded),
    ("n-plus-two", "n-plus-1", FullOutage, FullOutage),
    ("n-plus-two", "n-plus-1-asks-first", Degraded, Degraded),
    ("n-plus-two", "n-plus-2", Stable, Stable),
    ("nearest-neighbour", "none", Degraded, Degraded),
    ("nearest-neighbour", "nearest", FullOutage, FullOutage),
    ("nearest-neighbour", "even-spread", Stable, Stable),
    ("nearest-neighbour", "capacity-aware", Stable, Stable),
    ("planned-drain", "none", Degraded, Degraded),
    ("planned-drain", "unconditional", Stable, Stable),
    ("planned-drain", "rate-limited", Stable, Stable),
    ("planned-drain", "capacity-aware", Stable, Stable),
    ("planner-agent", "none", Degraded, Degraded),
    ("planner-agent", "unconditional", FullOutage, FullOutage),
    ("planner-agent", "rate-limited", FullOutage, FullOutage),
    ("planner-agent", "capacity-aware", Degraded, Degraded),
    ("planner-agent", "with-admission", Degraded, Degraded),
    ("planner-agent-autoscaled", "unconditional", FullOutage, FullOutage),
    ("planner-agent-autoscaled", "ramp-2m", Degraded, Degraded),
    ("planner-agent-autoscaled", "ramp-5m", Degraded, Degraded),
    ("planner-agent-mitigations", "none", Degraded, Degraded),
    ("planner-agent-mitigations", "unconditional", FullOutage, FullOutage),
    ("planner-agent-mitigations", "rate-limited", FullOutage, FullOutage),
    ("planner-agent-mitigations", "capacity-aware", Degraded, Degraded),
    ("proxy-slots-first", "watch-cpu", Degraded, Degraded),
    ("proxy-slots-first", "watch-concurrency", Degraded, Degraded),
    ("retry-budget", "at-once", Degraded, Degraded),
    ("retry-budget", "back-off", Degraded, Degraded),
    ("retry-budget", "back-off-and-budget", Degraded, Degraded),
    ("retry-storm", "five-tries-at-once", Degraded, Degraded),
    ("retry-storm", "one-try", Degraded, Degraded),
    ("routing-asymmetry", "none", Degraded, Degraded),
    ("routing-asymmetry", "weights-as-found", PartialOutage, PartialOutage),
    ("routing-asymmetry", "even-weights", Stable, Stable),
    ("routing-asymmetry", "capacity-aware", Stable, Stable),
    ("shared-gate", "none", Degraded, Degraded),
    ("slow-start-llm", "unconditional", Degraded, Degraded),
    ("slow-start-llm", "rate-limited", Degraded, Degraded),
    ("slow-start-llm", "capacity-aware", Degraded, Degraded),
    ("ten-lines", "none", Degraded, Degraded),
    ("ten-lines", "unconditional", FullOutage, FullOutage),
    ("ten-lines", "rate-limited", PartialOutage, FullOutage),
    ("ten-lines", "capacity-aware", Degraded, Degraded),
    ("three-layers", "retries-in-every-layer", Degraded, Degraded),
    ("three-layers", "retry-at-the-top", Degraded, Degraded),
    ("uneven-zones", "none", Degraded, Degraded),
    ("uneven-zones", "unconditional", FullOutage, FullOutage),
    ("uneven-zones", "capacity-aware", Degraded, Degraded),
    ("zone-returns", "none", Degraded, Degraded),
    ("zone-returns", "unconditional", FullOutage, FullOutage),
    ("zone-returns", "unconditional-remove", FullOutage, FullOutage),
    ("zone-returns", "capacity-aware", Degraded, Degraded),
];

/// Runs every file that does not name another plane.
fn assert_pinned(plane: &str, seeds: u64, pins: &[Pin]) {
    let mut seen = vec![];
    let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/topologies")).unwrap();
    let mut names: Vec<String> = files
        .map(|file| file.unwrap().path().file_stem().unwrap().to_string_lossy().into_owned())
        .collect();
    names.sort();
    for name in &names {
        let text = shipped(name);
        if plane == FLUID && text.contains("plane = \"requests\"") {
            continue;
        }
        for case in cases(&text, &[plane]) {
            let policy = case.policy.name;
            let own = run(&text, &policy, &[plane], 20).result.summary.outcome;
            let runs = over_seeds(&text, &policy, &[plane], seeds, 20);
            let (usual, often) = usual_outcome(&runs);
            println!("(\"{name}\", \"{policy}\", {own:?}, {usual:?}), // {often} of {seeds}");
            seen.push((name.clone(), policy, own, usual));
        }
    }
    let pinned: Vec<_> = pins
        .iter()
        .map(|(name, policy, own, usual)| (name.to_string(), policy.to_string(), *own, *usual))
        .collect();
    assert_eq!(seen, pinned);
}

#[test]
fn every_shipped_file_ends_as_pinned_in_the_fluid_plane() {
    assert_pinned(FLUID, 9, IN_FLUID);
}

#[test]
fn every_shipped_file_ends_as_pinned_request_by_request() {
    assert_pinned(REQUESTS, 3, IN_REQUESTS);
}
