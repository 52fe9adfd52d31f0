//! How much retries multiply the load.

use std::collections::VecDeque;

use crate::engine::Snapshot;

use super::{Metric, Summary};

/// Tries are compared with first tries over this long.
const WINDOW_S: f64 = 10.0;

/// `peak_amplification`: the largest tries ÷ first tries of users over ten seconds, a window that
/// ends with each step; over the whole run when it is shorter.
#[derive(Default)]
pub struct Amplification {
    /// What had been tried at the end of each step of the last window.
    recent: VecDeque<Tries>,
    now: Tries,
    had_window: bool,
    peak: Option<f64>,
}

/// Tries of users since the start of the run.
#[derive(Debug, Clone, Copy, Default)]
struct Tries {
    at_s: f64,
    first: f64,
    retries: f64,
}

impl Tries {
    /// Tries ÷ first tries since an earlier moment; none without first tries.
    fn amplification_since(&self, earlier: &Self) -> Option<f64> {
        let first = self.first - earlier.first;
        (first > 0.0).then(|| 1.0 + (self.retries - earlier.retries) / first)
    }
}

impl Metric for Amplification {
    fn step(&mut self, snapshot: &Snapshot<'_>) {
        let began_s = snapshot.time_s - snapshot.step_s;
        if self.recent.is_empty() {
            self.recent.push_back(Tries { at_s: began_s, ..self.now });
        }
        self.now = Tries {
            at_s: snapshot.time_s,
            first: self.now.first + snapshot.first_tries,
            retries: self.now.retries + snapshot.retries,
        };
        let from_s = snapshot.time_s - WINDOW_S + 1e-9 * snapshot.step_s;
        while self.recent.get(1).is_some_and(|next| next.at_s <= from_s) {
            self.recent.pop_front();
        }
        let oldest = self.recent.front().filter(|oldest| oldest.at_s <= from_s);
        if let Some(oldest) = oldest {
            self.had_window = true;
            if let Some(now) = self.now.amplification_since(oldest) {
                self.peak = Some(self.peak.map_or(now, |peak| peak.max(now)));
            }
        }
        self.recent.push_back(self.now);
    }

    fn finish(&mut self, summary: &mut Summary) {
        let whole = || self.now.amplification_since(&Tries::default());
        summary.peak_amplification = if self.had_window { self.peak } else { whole() };
    }
}
