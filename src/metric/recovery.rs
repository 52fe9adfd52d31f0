//! Did the fleet come back, and when?

use std::collections::VecDeque;

use crate::engine::Snapshot;
use crate::model::Scenario;

use super::{Metric, Summary};

/// The completed share is taken over this long.
const WINDOW_S: f64 = 60.0;
/// Recovered at this share of the completed share before the trigger.
const ENOUGH: f64 = 0.99;

/// Follows the completed share of the requests that ended in the last minute.
pub struct Recovery {
    trigger_s: f64,
    trigger_ends: bool,
    /// Completed and ended, by step of the last minute.
    recent: VecDeque<(f64, f64)>,
    before: Option<f64>,
    /// End of the first window since which every one was good enough.
    good_since_s: Option<f64>,
}

impl Recovery {
    /// For a scenario whose window begins at `trigger_s`.
    pub fn new(scenario: &Scenario, trigger_s: f64) -> Self {
        let mut first = scenario.events.iter().filter(|event| event.at.get() == trigger_s);
        let trigger_ends = !scenario.events.is_empty() && first.all(|event| event.until.is_some());
        Self { trigger_s, trigger_ends, recent: VecDeque::new(), before: None, good_since_s: None }
    }

    /// Completed ÷ ended over the last minute; 1 when nothing ended.
    fn completed_share(&self) -> f64 {
        let sum = |of: fn(&(f64, f64)) -> f64| self.recent.iter().map(of).sum::<f64>();
        let ended = sum(|step| step.1);
        if ended > 0.0 { sum(|step| step.0) / ended } else { 1.0 }
    }
}

impl Metric for Recovery {
    fn step(&mut self, snapshot: &Snapshot<'_>) {
        if !self.trigger_ends {
            return;
        }
        if self.before.is_none() && snapshot.time_s > self.trigger_s + 1e-9 {
            self.before = Some(self.completed_share());
            self.recent.clear();
        }
        let (mut completed, mut ended) = (0.0, 0.0);
        for pool in snapshot.pools {
            completed += pool.completed;
            ended += pool.completed + pool.late + pool.shed + pool.rejected + pool.lost;
        }
        self.recent.push_back((completed, ended));
        if self.recent.len() as f64 * snapshot.step_s > WINDOW_S + 1e-9 {
            self.recent.pop_front();
        }
        let has_window = snapshot.time_s >= self.trigger_s + WINDOW_S - 1e-9;
        if let (Some(before), true) = (self.before, has_window) {
            if self.completed_share() >= ENOUGH * before {
                self.good_since_s.get_or_insert(snapshot.time_s);
            } else {
                self.good_since_s = None;
            }
        }
    }

    fn finish(&mut self, summary: &mut Summary) {
        summary.recovered = self.trigger_ends.then_some(self.good_since_s.is_some());
        let start_s = |end_s: f64| (end_s - WINDOW_S - self.trigger_s).max(0.0);
        summary.time_to_recover_s = self.good_since_s.map(start_s);
    }
}
