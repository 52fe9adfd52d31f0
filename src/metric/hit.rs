//! Which pools the scenario's events hit: they are victims of the fault, not of the cascade.

use crate::model::Scenario;

/// By pool: is it the subject of any event?
#[must_use]
pub fn hit_pools(scenario: &Scenario) -> Vec<bool> {
    let mut hit = vec![false; scenario.pools.len()];
    for event in &scenario.events {
        for pool in scenario.pools_hit_by(&event.action) {
            hit[pool.index()] = true;
        }
    }
    hit
}
