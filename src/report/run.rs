//! A result together with the scenario that its ids point into.

use crate::metric::RunResult;
use crate::model::{Pool, PoolId, Scenario, ZoneId};
use crate::policy::Case;

/// One run, as reports see it.
#[derive(Debug, Clone, Copy)]
pub struct Run<'a> {
    /// The world that was run.
    pub scenario: &'a Scenario,
    /// What came of it.
    pub result: &'a RunResult,
}

impl<'a> Run<'a> {
    /// The policy's name in the file.
    #[must_use]
    pub fn policy(&self) -> &'a str {
        &self.result.policy
    }

    /// The pool of that id.
    #[must_use]
    pub fn pool(&self, pool: PoolId) -> &'a Pool {
        &self.scenario.pools[pool.index()]
    }

    /// The name of a zone.
    #[must_use]
    pub fn zone_name(&self, zone: ZoneId) -> &'a str {
        &self.scenario.zones[zone.index()].name
    }

    /// The name of a phase.
    #[must_use]
    pub fn phase_name(&self, phase: u32) -> &'a str {
        &self.scenario.phases[phase as usize].name
    }

    /// The names of every pool's resources, by pool.
    #[must_use]
    pub fn resource_names(&self) -> Vec<Vec<&'a str>> {
        let pools = (0..self.scenario.pools.len()).map(PoolId::from_index);
        pools.map(|pool| self.scenario.resource_names(pool).collect()).collect()
    }
}

/// Pairs cases with their results, which are in the same order.
#[must_use]
pub fn runs<'a>(cases: &'a [Case], results: &'a [RunResult]) -> Vec<Run<'a>> {
    debug_assert_eq!(cases.len(), results.len(), "a result a case");
    let pairs = cases.iter().zip(results);
    pairs.map(|(case, result)| Run { scenario: &case.scenario, result }).collect()
}
