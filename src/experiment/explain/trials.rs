//! One case with many seeds, in parallel.

use serde::Serialize;

use crate::experiment::compare::in_order;
use crate::experiment::{Jobs, Watch};
use crate::metric::{Outcome, Summary, simulate};
use crate::policy::Case;

use super::Tally;

/// What a run is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Goal {
    /// That no pool is lost that no event hit.
    NoneLost,
    /// That no further pool turns unhealthy once traffic has been moved.
    NoneSpread,
    /// That the fleet recovers once the trigger has ended.
    Recovers,
    /// That the outcome is stable.
    Stable,
}

impl Goal {
    /// Did a run meet it?
    #[must_use]
    pub fn holds(self, summary: &Summary) -> bool {
        match self {
            Self::NoneLost => summary.time_to_first_propagation_s.is_none(),
            Self::NoneSpread => summary.cascade_propagation_count == 0,
            Self::Recovers => summary.recovered == Some(true),
            Self::Stable => summary.outcome == Outcome::Stable,
        }
    }
}

/// How trials are run.
pub struct Trials<'a> {
    /// How many at once.
    pub jobs: Jobs,
    /// What looks on.
    pub watch: Watch<'a>,
}

impl Trials<'_> {
    /// Runs a case with the seeds from its own on, so many. None when cancelled.
    pub fn summaries(&self, case: &Case, seeds: u32) -> Option<Vec<Summary>> {
        let seeds: Vec<u64> = (0..u64::from(seeds)).collect();
        in_order(&seeds, self.jobs, self.watch, |seed| {
            let mut case = case.clone();
            let simulation = &mut case.scenario.simulation;
            simulation.seed = simulation.seed.wrapping_add(*seed);
            // Without rows but the last.
            simulate(&case, u32::MAX).summary
        })
    }

    /// In how many of so many seeds a goal is met. None when cancelled.
    pub fn tally(&self, case: &Case, seeds: u32, goal: Goal) -> Option<Tally> {
        let summaries = self.summaries(case, seeds)?;
        Some(tally(&summaries, goal))
    }
}

/// In how many runs a goal is met.
pub fn tally(summaries: &[Summary], goal: Goal) -> Tally {
    let holds = summaries.iter().filter(|summary| goal.holds(summary)).count();
    Tally::new(holds as u32, summaries.len() as u32)
}
