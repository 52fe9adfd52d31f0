//! Where tries come from, through time.

use crate::model::{Client, OriginKind, Scenario};

use super::retry::Bucket;
use super::world::World;

/// An origin's state.
#[derive(Debug, Clone)]
pub struct OriginState {
    /// Multiple of its first tries, by events.
    pub surge: f64,
    /// First tries a second this step. Of a call edge: the calls of the last step.
    pub first_rps: f64,
    /// Retries that fall due this step, a second.
    pub retry_rps: f64,
    /// What its retries may take.
    pub bucket: Bucket,
}

/// Tries of users in one step; calls between pools serve requests that are counted already.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct UsersTries {
    /// First tries.
    pub first: f64,
    /// Retries.
    pub retries: f64,
}

impl OriginState {
    /// Every origin of a scenario, as it begins.
    #[must_use]
    pub fn all(scenario: &Scenario) -> Vec<Self> {
        let begin = |client: &Client| Self {
            surge: 1.0,
            first_rps: 0.0,
            retry_rps: 0.0,
            bucket: Bucket::new(client),
        };
        let origins = scenario.origins.iter();
        origins.map(|origin| begin(&scenario.clients[origin.client.index()])).collect()
    }

    /// Tries a second this step.
    #[must_use]
    pub const fn tries_rps(&self) -> f64 {
        self.first_rps + self.retry_rps
    }
}

/// First tries a second that a demand or a source sends, surges apart; none of a call edge.
#[must_use]
pub fn demand_rps(world: &World<'_>, origin: usize) -> Option<f64> {
    let origin = &world.scenario.origins[origin];
    match origin.kind {
        OriginKind::Demand => Some(world.settings[origin.to.index()].demand.get()),
        OriginKind::Source(source) => Some(world.sources[source.index()].demand.get()),
        OriginKind::Call { .. } => None,
    }
}

/// How an origin's clients behave now.
#[must_use]
pub fn client_of<'w>(world: &'w World<'_>, origin: usize) -> &'w Client {
    &world.clients[world.scenario.origins[origin].client.index()]
}
