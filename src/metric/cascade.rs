//! How far the failure spread: redirects, and pools lost that no event hit.

use crate::engine::{Happening, LogEntry};
use crate::model::Scenario;

use super::hit::hit_pools;
use super::{Metric, Summary};

/// `cascade_propagation_count` and the times of the first redirect and the first propagation.
pub struct Cascade {
    trigger_s: f64,
    is_hit: Vec<bool>,
    has_spread_to: Vec<bool>,
    first_redirect_s: Option<f64>,
    first_propagation_s: Option<f64>,
}

impl Cascade {
    /// For a scenario whose window begins at `trigger_s`.
    pub fn new(scenario: &Scenario, trigger_s: f64) -> Self {
        Self {
            trigger_s,
            is_hit: hit_pools(scenario),
            has_spread_to: vec![false; scenario.pools.len()],
            first_redirect_s: None,
            first_propagation_s: None,
        }
    }
}

impl Metric for Cascade {
    fn happened(&mut self, entry: &LogEntry) {
        match entry.what {
            Happening::RedirectStart { .. } => {
                self.first_redirect_s.get_or_insert(entry.time_s);
            }
            Happening::PoolUnhealthy { pool, .. } if !self.is_hit[pool.index()] => {
                self.first_propagation_s.get_or_insert(entry.time_s);
                if self.first_redirect_s.is_some() {
                    self.has_spread_to[pool.index()] = true;
                }
            }
            _ => {}
        }
    }

    fn finish(&mut self, summary: &mut Summary) {
        let from_trigger = |time_s: f64| time_s - self.trigger_s;
        let count = self.has_spread_to.iter().filter(|spread| **spread).count();
        summary.cascade_propagation_count = count as u32;
        summary.time_to_first_redirect_s = self.first_redirect_s.map(from_trigger);
        summary.time_to_first_propagation_s = self.first_propagation_s.map(from_trigger);
    }
}
