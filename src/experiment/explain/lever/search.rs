//! Bisection of one lever.

use std::collections::BTreeMap;

use super::super::trials::{Trials, tally};
use super::{Asked, Effort, Found, Grid, Lever, LeverKind, Side};
use crate::metric::Summary;
use crate::policy::Case;
use crate::units::Seconds;

/// A lever of a file.
pub struct Dial<'a> {
    /// Which.
    pub kind: LeverKind,
    /// Its value in the file, if it has one.
    pub value: Option<f64>,
    /// What is tried.
    pub grid: Grid,
    /// The case with a value, and the `--set` arguments that make it so.
    pub turn: Box<dyn Fn(f64) -> (Case, Vec<String>) + 'a>,
}

/// Finds where a lever flips the verdict. `as_it_is` are the runs of the file's own value. None
/// when cancelled.
pub fn search(
    asked: &Asked<'_>,
    dial: &Dial<'_>,
    as_it_is: &[Summary],
    effort: &Effort,
    trials: &Trials<'_>,
) -> Option<Lever> {
    let mut known = BTreeMap::new();
    known.insert(0, side(asked, dial, 0, Vec::new(), as_it_is));
    let mut search = Search { asked, dial, effort, trials, known };
    let last = dial.grid.last();
    let found = match search.flip(last)? {
        Some((to, back)) => {
            let (there, here) = (search.side(to)?, search.side(back)?);
            let (holds_at, fails_at) = if asked.is_missed { (there, here) } else { (here, there) };
            Found::Flips { holds_at, fails_at }
        }
        None => Found::Never { at: search.side(last)? },
    };
    let holds_twice_as_long = match &found {
        Found::Flips { holds_at, .. } if asked.is_missed && dial.kind == LeverKind::Ramp => {
            search.twice_as_long(holds_at.value)?
        }
        _ => None,
    };
    Some(Lever {
        kind: dial.kind,
        value: dial.value,
        until: dial.grid.until,
        resolution: dial.grid.resolution,
        found,
        holds_twice_as_long,
    })
}

struct Search<'a> {
    asked: &'a Asked<'a>,
    dial: &'a Dial<'a>,
    effort: &'a Effort,
    trials: &'a Trials<'a>,
    /// By place on the grid.
    known: BTreeMap<u32, Side>,
}

impl Search<'_> {
    /// The place nearest to the file's own at which the verdict is flipped, and the nearest to that
    /// at which it is not at all. `Some(None)` where it is not even at the end.
    fn flip(&mut self, last: u32) -> Option<Option<(u32, u32)>> {
        if last == 0 || !self.is_flipped(last)? {
            return Some(None);
        }
        let (mut stays, mut flipped) = (0, last);
        while flipped - stays > 1 {
            let middle = stays + (flipped - stays) / 2;
            if self.is_flipped(middle)? {
                flipped = middle;
            } else {
                stays = middle;
            }
        }
        let (mut back, mut edge) = (0, flipped);
        while edge - back > 1 {
            let middle = back + (edge - back) / 2;
            if self.is_as_before(middle)? {
                back = middle;
            } else {
                edge = middle;
            }
        }
        Some(Some((flipped, back)))
    }

    fn is_flipped(&mut self, place: u32) -> Option<bool> {
        let holds = self.side(place)?.holds;
        Some(if self.asked.is_missed { holds.is_most() } else { holds.is_few() })
    }

    fn is_as_before(&mut self, place: u32) -> Option<bool> {
        let holds = self.side(place)?.holds;
        Some(if self.asked.is_missed { holds.is_few() } else { holds.is_most() })
    }

    fn side(&mut self, place: u32) -> Option<Side> {
        if let Some(known) = self.known.get(&place) {
            return Some(known.clone());
        }
        let (case, sets) = (self.dial.turn)(self.dial.grid.value(place));
        let summaries = self.trials.summaries(&case, self.effort.lever_seeds)?;
        let side = side(self.asked, self.dial, place, sets, &summaries);
        self.known.insert(place, side.clone());
        Some(side)
    }

    /// A ramp may only put off what it seems to prevent. `Some(None)` where a run cannot be longer.
    fn twice_as_long(&self, value: f64) -> Option<Option<super::Tally>> {
        let (mut case, _) = (self.dial.turn)(value);
        let simulation = &mut case.scenario.simulation;
        let Ok(duration) = Seconds::new(2.0 * simulation.duration.get()) else {
            return Some(None);
        };
        simulation.duration = duration;
        let seeds = self.effort.lever_seeds;
        self.trials.tally(&case, seeds, self.asked.goal).map(Some)
    }
}

fn side(
    asked: &Asked<'_>,
    dial: &Dial<'_>,
    place: u32,
    sets: Vec<String>,
    summaries: &[Summary],
) -> Side {
    let shed: f64 = summaries.iter().map(|summary| summary.shed_ratio).sum();
    Side {
        value: dial.grid.value(place),
        is_as_it_is: place == 0,
        holds: tally(summaries, asked.goal),
        shed_ratio: shed / summaries.len().max(1) as f64,
        goodput_ratio: summaries.first().map_or(0.0, |summary| summary.goodput_ratio),
        sets,
    }
}
