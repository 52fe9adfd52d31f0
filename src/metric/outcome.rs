//! The outcome, and when it came to the worst.

use crate::engine::{Happening, LogEntry, RequestBook, Snapshot};
use crate::model::Scenario;

use super::hit::hit_pools;
use super::shares::book_from;
use super::{Metric, Outcome, Summary};

/// More than this share of requests not completed in time is `degraded`.
const DEGRADED: f64 = 0.001;

/// The first of MODEL §10's outcomes that holds.
pub struct Verdict {
    trigger_s: f64,
    is_hit: Vec<bool>,
    detected_by_s: f64,
    after_detection: RequestBook,
    full_outage_s: Option<f64>,
    nothing_in_rotation_s: Option<f64>,
    bystander_lost: bool,
}

impl Verdict {
    /// For a scenario whose window begins at `trigger_s`.
    pub fn new(scenario: &Scenario, trigger_s: f64) -> Self {
        Self {
            trigger_s,
            is_hit: hit_pools(scenario),
            detected_by_s: scenario.detection_deadline_s(),
            after_detection: RequestBook::default(),
            full_outage_s: None,
            nothing_in_rotation_s: None,
            bystander_lost: false,
        }
    }

    fn outcome(&self) -> Outcome {
        let book = &self.after_detection;
        let waiting = book.unfinished - book.given_up;
        let failed = book.arrived - book.completed - waiting;
        if self.full_outage_s.is_some() {
            Outcome::FullOutage
        } else if self.bystander_lost {
            Outcome::PartialOutage
        } else if book.share(failed) > DEGRADED {
            Outcome::Degraded
        } else {
            Outcome::Stable
        }
    }
}

impl Metric for Verdict {
    fn mark_s(&self) -> Option<f64> {
        Some(self.detected_by_s)
    }

    fn happened(&mut self, entry: &LogEntry) {
        if let Happening::PoolUnhealthy { pool, .. } = entry.what {
            self.bystander_lost |= !self.is_hit[pool.index()];
        }
    }

    fn step(&mut self, snapshot: &Snapshot<'_>) {
        self.after_detection = book_from(snapshot, self.detected_by_s);
        if !snapshot.pools.iter().any(|pool| pool.is_healthy) {
            self.full_outage_s.get_or_insert(snapshot.time_s);
        }
        if !snapshot.pools.iter().any(|pool| pool.in_rotation > 0) {
            self.nothing_in_rotation_s.get_or_insert(snapshot.time_s);
        }
    }

    fn finish(&mut self, summary: &mut Summary) {
        let from_trigger = |time_s: f64| time_s - self.trigger_s;
        summary.outcome = self.outcome();
        summary.is_judged = self.after_detection.arrived > 0.0;
        summary.time_to_full_outage_s = self.full_outage_s.map(from_trigger);
        summary.time_to_nothing_in_rotation_s = self.nothing_in_rotation_s.map(from_trigger);
    }
}
