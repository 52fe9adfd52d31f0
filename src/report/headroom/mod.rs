//! What arithmetic says of losing zones, in words and in JSON.

mod json;
mod lines;
mod text;
mod verdict;

pub use json::headroom_json;
pub use text::headroom_text;
pub use verdict::verdict as headroom_verdict;

use crate::experiment::contingency::Contingencies;
use crate::model::{Scenario, ZoneId};
use crate::report::words;

/// A scenario and what becomes of it when zones are lost.
#[derive(Debug, Clone, Copy)]
pub struct Headroom<'a> {
    /// What is told of.
    pub scenario: &'a Scenario,
    /// Every loss.
    pub found: &'a Contingencies,
}

impl Headroom<'_> {
    fn zone_names(&self, zones: &[ZoneId]) -> Vec<&str> {
        zones.iter().map(|zone| self.scenario.zones[zone.index()].name.as_str()).collect()
    }

    fn zones_after(&self, loss: Option<usize>) -> Vec<&str> {
        loss.map_or_else(Vec::new, |loss| self.zone_names(&self.found.losses[loss].zones))
    }
}
