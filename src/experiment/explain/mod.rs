//! Why a run went as it did: its causal story, and what would have changed it.
//!
//! Everything is computed from the run's events and series, and by simulation of the same file with
//! one thing changed. Times of facts are seconds from the trigger (from the start of a run without
//! events); names are those of the file.

mod alerts;
mod cause;
mod effort;
mod facts;
mod lever;
mod losses;
mod probes;
mod response;
mod return_point;
mod rows;
mod shift;
mod shortage;
mod tally;
mod traffic;
mod trials;

pub use alerts::AlertFact;
pub use cause::{Detection, EventFact, InstanceOut, PoolOut};
pub use effort::Effort;
pub use facts::{Ending, Facts};
pub use lever::{Found, Lever, LeverKind, Levers, Side};
pub use losses::{FailedProbe, Loss};
pub use probes::{Streak, streaks};
pub use response::{Crashes, Response, Scaling};
pub use return_point::{Checked, ReturnPoint};
pub use shift::{Home, Receiver, Shift};
pub use shortage::Shortage;
pub use tally::Tally;
pub use traffic::{PoolTraffic, Traffic};
pub use trials::Goal;

use crate::metric::{RunResult, simulate};
use crate::policy::Case;

use super::{Jobs, Watch};
use trials::Trials;

/// A run and its story.
#[derive(Debug, Clone)]
pub struct Explanation {
    /// The run.
    pub result: RunResult,
    /// What can be read off it.
    pub facts: Facts,
    /// The last moment at which taking back what was redirected still helps; none where nothing
    /// was redirected, or no further pool was lost after it.
    pub return_point: Option<ReturnPoint>,
    /// What would have changed the verdict; none where the run ends before there is one.
    pub levers: Option<Levers>,
}

/// Simulates a case and explains it. A row of the run's timeline covers `row_steps` steps. The
/// searches run on the case's plane; their results do not depend on the number of threads. None
/// when cancelled.
#[must_use]
pub fn explain(
    case: &Case,
    row_steps: u32,
    effort: &Effort,
    jobs: Jobs,
    watch: Watch<'_>,
) -> Option<Explanation> {
    let trials = Trials { jobs, watch };
    let result = simulate(case, row_steps);
    (watch.on_done)();
    let failures = probes::failures(case);
    (watch.on_done)();
    let facts = Facts::new(&case.scenario, &result, &failures);
    let return_point = return_point::find(case, &facts, effort, &trials)?;
    let levers = lever::levers(case, &result, &facts, effort, &trials)?;
    Some(Explanation { result, facts, return_point, levers })
}
