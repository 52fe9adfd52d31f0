//! What would have changed the verdict: for each lever the smallest change that flips it.

mod attempts;
mod grid;
mod headroom;
mod ramp;
mod search;
mod shed;
mod timeout;

use serde::Serialize;

use crate::metric::{Outcome, RunResult};
use crate::policy::Case;

use super::trials::{Goal, Trials, tally};
use super::{Effort, Facts, Tally};
use grid::Grid;
use search::search;

/// What can be turned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum LeverKind {
    /// The least headroom of load that pools have, as the file begins.
    Headroom,
    /// Time in which an edge's flow grows to its full share.
    Ramp,
    /// Utilization above which traffic is shed.
    Shed,
    /// Time-out of deep probes.
    ProbeTimeout,
    /// Most tries of a request.
    MaxAttempts,
}

/// One value of a lever, and what came of it.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Side {
    /// The value, in the lever's unit; of the file's own case where nothing was changed.
    pub value: f64,
    /// Is it the file as it is?
    pub is_as_it_is: bool,
    /// In how many runs the verdict is the better one.
    pub holds: Tally,
    /// Mean share of requests refused on purpose.
    pub shed_ratio: f64,
    /// Share of requests answered in time in the run with the file's own seed.
    pub goodput_ratio: f64,
    /// `--set` arguments that reproduce it; empty for the file as it is, and where none do: a
    /// policy's own `set` stands above them.
    pub sets: Vec<String>,
}

/// What a search found.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Found {
    /// Between these two values the verdict flips.
    Flips {
        /// The nearest value at which it is the better one in nine of ten runs.
        holds_at: Side,
        /// The nearest at which it is in one of ten at most; the file's own where none is.
        fails_at: Side,
    },
    /// It does not flip, not even at the end of the range.
    Never {
        /// The end of the range.
        at: Side,
    },
}

impl Found {
    /// Every side that was found.
    pub fn sides_mut(&mut self) -> Vec<&mut Side> {
        match self {
            Self::Flips { holds_at, fails_at } => vec![holds_at, fails_at],
            Self::Never { at } => vec![at],
        }
    }
}

/// A lever and what it would do.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Lever {
    /// Which.
    pub kind: LeverKind,
    /// Its value in the file; none where the file has none.
    pub value: Option<f64>,
    /// The end of the range that was searched.
    pub until: f64,
    /// Values are this far apart.
    pub resolution: f64,
    /// What came of it.
    pub found: Found,
    /// Of a ramp that holds: in how many runs it still does when the run is twice as long.
    pub holds_twice_as_long: Option<Tally>,
}

/// What would have changed the verdict.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Levers {
    /// What is asked of a run.
    pub goal: Goal,
    /// Was the goal missed, so that values are sought at which it is met?
    pub is_missed: bool,
    /// How the file as it is fares with the same seeds.
    pub as_it_is: Tally,
    /// Each lever that the file has; empty where chance alone flips the verdict.
    pub levers: Vec<Lever>,
}

/// Searches every lever that the file has. `Some(None)` where the run ends before there is a
/// verdict; none when cancelled.
pub fn levers(
    case: &Case,
    result: &RunResult,
    facts: &Facts,
    effort: &Effort,
    trials: &Trials<'_>,
) -> Option<Option<Levers>> {
    let summary = &result.summary;
    if summary.outcome == Outcome::Stable && !summary.is_judged {
        return Some(None);
    }
    let goal = match (facts.losses.is_empty(), summary.recovered) {
        (false, _) => Goal::NoneLost,
        // What the trigger itself costs, nothing gives back: the question is what comes after.
        (true, Some(false)) => Goal::Recovers,
        (true, _) => Goal::Stable,
    };
    let is_missed = !goal.holds(summary);
    let summaries = trials.summaries(case, effort.lever_seeds)?;
    let as_it_is = tally(&summaries, goal);
    let mut found = Levers { goal, is_missed, as_it_is, levers: Vec::new() };
    let is_chance = if is_missed { as_it_is.is_most() } else { as_it_is.is_few() };
    if is_chance {
        return Some(Some(found));
    }
    let asked = Asked { case, facts, goal, is_missed };
    let dials = [
        headroom::dial(&asked),
        ramp::dial(&asked),
        shed::dial(&asked),
        timeout::dial(&asked),
        attempts::dial(&asked),
    ];
    // A range shorter than its resolution has nothing to try.
    for dial in dials.into_iter().flatten().filter(|dial| dial.grid.last() > 0) {
        found.levers.push(search(&asked, &dial, &summaries, effort, trials)?);
    }
    Some(Some(found))
}

/// What levers are asked.
struct Asked<'a> {
    case: &'a Case,
    facts: &'a Facts,
    goal: Goal,
    is_missed: bool,
}
