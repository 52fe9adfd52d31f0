//! Did the fleet come back, and when?

use std::collections::VecDeque;

use crate::engine::Snapshot;
use crate::model::{Event, Scenario};

use super::users::Users;
use super::{Metric, Summary};

/// The completed share is taken over this long.
const WINDOW_S: f64 = 60.0;
/// Recovered at this share of the completed share before the trigger.
const ENOUGH: f64 = 0.99;

/// Follows the completed share of the requests that ended in the last minute.
pub struct Recovery {
    trigger_s: f64,
    trigger_ends: bool,
    users: Users,
    /// All that had completed, and all that had ended, at the end of each step of the last minute.
    recent: VecDeque<Ended>,
    now: Ended,
    before: Option<f64>,
    /// Was there a whole minute after the trigger to go by?
    had_window: bool,
    /// End of the first window since which every one was good enough.
    good_since_s: Option<f64>,
}

/// Requests since the start of the run.
#[derive(Debug, Clone, Copy, Default)]
struct Ended {
    at_s: f64,
    completed: f64,
    all: f64,
}

impl Ended {
    /// Completed ÷ ended since an earlier moment; 1 when nothing ended.
    fn completed_share_since(&self, earlier: &Self) -> f64 {
        let all = self.all - earlier.all;
        if all > 0.0 { (self.completed - earlier.completed) / all } else { 1.0 }
    }
}

impl Recovery {
    /// For a scenario whose window begins at `trigger_s`.
    pub fn new(scenario: &Scenario, trigger_s: f64) -> Self {
        let end_s = scenario.simulation.duration.get();
        let ends = |event: &Event| event.until.is_some_and(|until| until.get() <= end_s);
        let mut first = scenario.events.iter().filter(|event| event.at.get() == trigger_s);
        Self {
            trigger_s,
            trigger_ends: !scenario.events.is_empty() && first.all(ends),
            users: Users::new(scenario),
            recent: VecDeque::new(),
            now: Ended::default(),
            before: None,
            had_window: false,
            good_since_s: None,
        }
    }

    /// Completed ÷ ended over the last minute, or as much of it as there is.
    fn completed_share(&self) -> f64 {
        self.recent.front().map_or(1.0, |oldest| self.now.completed_share_since(oldest))
    }

    /// Drops what is older than a minute before `now`, but for the last.
    fn forget(&mut self) {
        while self.recent.len() > 1 && self.recent[1].at_s <= self.now.at_s - WINDOW_S + 1e-9 {
            self.recent.pop_front();
        }
    }
}

impl Metric for Recovery {
    fn mark_s(&self) -> Option<f64> {
        self.users.mark_s().filter(|_| self.trigger_ends)
    }

    fn step(&mut self, snapshot: &Snapshot<'_>) {
        if !self.trigger_ends {
            return;
        }
        let began_s = snapshot.time_s - snapshot.step_s;
        if self.before.is_none() && snapshot.began_at_or_after(self.trigger_s) {
            self.before = Some(self.completed_share());
            self.recent.clear();
        }
        if self.recent.is_empty() {
            self.recent.push_back(Ended { at_s: began_s, ..self.now });
        }
        self.now.at_s = snapshot.time_s;
        let ended = self.users.step(snapshot);
        self.now.completed += ended.completed;
        self.now.all += ended.all;
        self.forget();
        let has_window = snapshot.time_s >= self.trigger_s + WINDOW_S - 1e-9;
        if let (Some(before), true) = (self.before, has_window) {
            self.had_window = true;
            if self.completed_share() >= ENOUGH * before {
                self.good_since_s.get_or_insert(snapshot.time_s);
            } else {
                self.good_since_s = None;
            }
        }
        self.recent.push_back(self.now);
    }

    fn finish(&mut self, summary: &mut Summary) {
        // In a shorter run the fault itself is part of every window.
        let is_told = self.trigger_ends && self.had_window;
        summary.recovered = is_told.then_some(self.good_since_s.is_some());
        let start_s = |end_s: f64| (end_s - WINDOW_S - self.trigger_s).max(0.0);
        summary.time_to_recover_s = self.good_since_s.map(start_s);
    }
}
