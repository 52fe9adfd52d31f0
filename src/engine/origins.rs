//! Where tries come from, through time.

use crate::model::{OriginKind, Scenario};

/// An origin's state.
#[derive(Debug, Clone)]
pub struct OriginState {
    /// Multiple of its first tries, by events.
    pub surge: f64,
    /// First tries a second this step. Of a call edge: the calls of the last step.
    pub first_rps: f64,
    /// Retries that fall due this step, a second.
    pub retry_rps: f64,
}

impl OriginState {
    /// Every origin of a scenario, as it begins.
    #[must_use]
    pub fn all(scenario: &Scenario) -> Vec<Self> {
        let state = Self { surge: 1.0, first_rps: 0.0, retry_rps: 0.0 };
        vec![state; scenario.origins.len()]
    }

    /// Tries a second this step.
    #[must_use]
    pub const fn tries_rps(&self) -> f64 {
        self.first_rps + self.retry_rps
    }
}

/// First tries a second that a demand or a source sends, surges apart; none of a call edge.
#[must_use]
pub fn demand_rps(world: &super::world::World<'_>, origin: usize) -> Option<f64> {
    let origin = &world.scenario.origins[origin];
    match origin.kind {
        OriginKind::Demand => Some(world.settings[origin.to.index()].demand.get()),
        OriginKind::Source(source) => Some(world.sources[source.index()].demand.get()),
        OriginKind::Call { .. } => None,
    }
}

/// First tries and retries of users in this step; calls serve requests that are counted already.
#[must_use]
pub fn users_tries(world: &super::world::World<'_>) -> (f64, f64) {
    let (mut first_rps, mut retry_rps) = (0.0, 0.0);
    for (origin, state) in world.scenario.origins.iter().zip(&world.origins) {
        if !origin.is_call() {
            first_rps += state.first_rps;
            retry_rps += state.retry_rps;
        }
    }
    (first_rps * world.step_s, retry_rps * world.step_s)
}
