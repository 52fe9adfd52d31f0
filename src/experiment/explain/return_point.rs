//! The point of no return: the last moment at which taking back and shedding everything that was
//! redirected still saves every further pool.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::policy::{Breaker, BreakerAction, Case};
use crate::units::Seconds;

use super::trials::{Goal, Trials};
use super::{Effort, Facts};

/// A moment that was tried.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Checked {
    /// When everything was taken back, from the trigger.
    pub time_to_s: f64,
    /// Seeds in which no further pool was lost.
    pub saved: u32,
}

/// The point of no return.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ReturnPoint {
    /// The last moment, in whole seconds from the trigger, at which taking back still saves every
    /// further pool in most seeds; none where it does not even at the first redirect.
    pub time_to_s: Option<f64>,
    /// From the first redirect to it.
    pub after_redirect_s: Option<f64>,
    /// From it to the first further instance out of rotation; below 0 when that comes first.
    pub before_ejection_s: Option<f64>,
    /// Searched from here on, the first redirect, from the trigger.
    pub from_s: f64,
    /// Up to here, the loss of the first further pool.
    pub until_s: f64,
    /// Seeds of each moment.
    pub seeds: u32,
    /// Of those, how many have to be saved.
    pub enough: u32,
    /// Every moment that was tried, by time.
    pub checked: Vec<Checked>,
}

/// Searches it by bisection to a second, and checks its neighbours. `Some(None)` where nothing was
/// redirected or no further pool was lost after that; none when cancelled.
pub fn find(
    case: &Case,
    facts: &Facts,
    effort: &Effort,
    trials: &Trials<'_>,
) -> Option<Option<ReturnPoint>> {
    let redirect = facts.shift.as_ref().map(|shift| shift.time_to_s);
    let after = |redirect_s: f64| facts.losses.iter().find(|loss| loss.time_to_s > redirect_s);
    let Some((from_s, loss)) = redirect.and_then(|from_s| Some((from_s, after(from_s)?))) else {
        return Some(None);
    };
    let until_s = loss.time_to_s;
    let mut search = Search { case, facts, effort, trials, saved: BTreeMap::new() };
    let last = search.last(from_s.ceil() as i64, until_s.floor() as i64)?;
    let time_to_s = last.map(|second| second as f64);
    let ejection_s = facts.first_ejection.as_ref().map(|out| out.time_to_s);
    let checked = search.saved.into_iter();
    Some(Some(ReturnPoint {
        time_to_s,
        after_redirect_s: time_to_s.map(|time_to_s| time_to_s - from_s),
        before_ejection_s: time_to_s.zip(ejection_s).map(|(last_s, out_s)| out_s - last_s),
        from_s,
        until_s,
        seeds: effort.return_seeds,
        enough: effort.return_enough,
        checked: checked
            .map(|(second, saved)| Checked { time_to_s: second as f64, saved })
            .collect(),
    }))
}

struct Search<'a> {
    case: &'a Case,
    facts: &'a Facts,
    effort: &'a Effort,
    trials: &'a Trials<'a>,
    /// By second from the trigger: seeds in which no further pool was lost.
    saved: BTreeMap<i64, u32>,
}

impl Search<'_> {
    /// The last second at which it helps, from `first` to `last`; `Some(None)` without any.
    fn last(&mut self, first: i64, last: i64) -> Option<Option<i64>> {
        if !self.helps(first)? {
            return Some(None);
        }
        let (mut helps, mut is_late) = (first, last.max(first) + 1);
        if self.helps(is_late - 1)? {
            helps = is_late - 1;
        }
        while is_late - helps > 1 {
            let middle = helps + (is_late - helps) / 2;
            if self.helps(middle)? {
                helps = middle;
            } else {
                is_late = middle;
            }
        }
        // Chance may hide a later moment behind one that just fails.
        while helps + 2 <= last {
            self.helps(helps + 1)?;
            if !self.helps(helps + 2)? {
                break;
            }
            helps += 2;
        }
        if helps > first {
            self.helps(helps - 1)?;
        }
        Some(Some(helps))
    }

    fn helps(&mut self, second: i64) -> Option<bool> {
        if !self.saved.contains_key(&second) {
            let case = self.taken_back(second as f64);
            let tally = self.trials.tally(&case, self.effort.return_seeds, Goal::NoneSpread)?;
            self.saved.insert(second, tally.holds);
        }
        Some(self.saved[&second] >= self.effort.return_enough)
    }

    /// The case in which a person takes back and sheds what was redirected, from then on for good.
    fn taken_back(&self, time_to_s: f64) -> Case {
        let mut case = self.case.clone();
        let at_s = self.facts.trigger_s.unwrap_or(0.0) + time_to_s;
        let own = case.policy.mitigations.breaker;
        case.policy.mitigations.breaker = Some(Breaker {
            by_hand_at: Seconds::new(at_s).ok(),
            by_hand_action: BreakerAction::Retract,
            retry_after: None,
            ..own.unwrap_or(BY_HAND)
        });
        case
    }
}

/// A breaker that only a person trips.
const BY_HAND: Breaker = Breaker {
    max_pools: None,
    window: Seconds::ZERO,
    max_instances_out: None,
    max_wait: None,
    by_hand_at: None,
    action: BreakerAction::Retract,
    by_hand_action: BreakerAction::Retract,
    retry_after: None,
};
