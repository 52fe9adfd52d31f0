//! Which probes failed, and which of them took instances out of rotation.

use crate::engine::{self, Happening, LogEntry, Observer, ProbeFailure, Snapshot};
use crate::policy::Case;

/// Listens to failed probes only.
#[derive(Default)]
struct Listener(Vec<ProbeFailure>);

impl Observer for Listener {
    fn start(&mut self, _snapshot: &Snapshot<'_>) {}
    fn happened(&mut self, _entry: &LogEntry) {}
    fn step(&mut self, _snapshot: &Snapshot<'_>) {}

    fn wants_probes(&self) -> bool {
        true
    }

    fn probe_failed(&mut self, failure: &ProbeFailure) {
        self.0.push(*failure);
    }
}

/// Every probe that fails at a living instance in a run of the case. Whether anybody listens
/// changes nothing else: the run is the same as one that is measured.
pub fn failures(case: &Case) -> Vec<ProbeFailure> {
    let mut listener = Listener::default();
    engine::run(case, u32::MAX, &mut listener);
    listener.0
}

/// Failures in a row that took an instance out of rotation.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Streak {
    /// The first.
    pub first: ProbeFailure,
    /// The last.
    pub last: ProbeFailure,
}

/// Every streak of failures that took an instance out of rotation, in the order of the log: stray
/// failures, which any instance has now and then, are not among them. `threshold` is how many in a
/// row it takes at a pool, by pool.
#[must_use]
pub fn streaks(log: &[LogEntry], failures: &[ProbeFailure], threshold: &[u32]) -> Vec<Streak> {
    let mut sorted: Vec<&ProbeFailure> = failures.iter().collect();
    // Stable: an instance's failures stay in the order in which they took effect.
    sorted.sort_by_key(|failure| (failure.pool, failure.instance));
    let mut found = Vec::new();
    for entry in log {
        let Happening::InstanceUnhealthy { pool, instance } = entry.what else { continue };
        let of = |failure: &&ProbeFailure| (failure.pool, failure.instance);
        let from = sorted.partition_point(|failure| of(failure) < (pool, instance));
        let own = sorted[from..].partition_point(|failure| of(failure) == (pool, instance));
        let own = &sorted[from..from + own];
        let by_then = own.partition_point(|failure| failure.time_s <= entry.time_s + 1e-9);
        let length = threshold[pool.index()] as usize;
        // An instance that died on the way has fewer.
        let first = by_then.checked_sub(length).and_then(|first| own.get(first));
        let ends = first.zip(by_then.checked_sub(1).and_then(|last| own.get(last)));
        found.extend(ends.map(|(first, last)| Streak { first: **first, last: **last }));
    }
    found
}
