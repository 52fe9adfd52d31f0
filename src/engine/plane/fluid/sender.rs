//! One origin's failed tries, and when they are tried again (MODEL §6).

use std::collections::VecDeque;

use crate::engine::origins::OriginState;
use crate::engine::retry::{Failure, backoff_s, may_retry};
use crate::model::{Client, Jitter, MOST_ATTEMPTS, Retry};

use super::lanes::{ByAttempt, Lane};
use super::requests::RequestFlows;

/// An origin's tries.
#[derive(Debug, Clone, Default)]
pub struct Sender {
    /// Are they calls, which are no users' requests?
    pub is_call: bool,
    /// This step's tries by number.
    pub mix: ByAttempt,
    /// Tries that fall due in the steps to come, by number.
    pub due: VecDeque<ByAttempt>,
    /// Where they are.
    pub lanes: Vec<Lane>,
    /// What failed.
    pub failed: Failed,
    /// What a try meets.
    pub tried: Tried,
    /// The share of the retries wanted that the budget granted.
    pub granted: f64,
}

/// Tries that failed in this step, by number.
#[derive(Debug, Clone, Default)]
pub struct Failed {
    /// Refused on purpose.
    pub shed: ByAttempt,
    /// Refused by a pool.
    pub rejected: ByAttempt,
    /// Lost at once.
    pub lost: ByAttempt,
    /// Lost inside: an instance died, or a call failed.
    pub inside: ByAttempt,
}

impl Failed {
    /// Adds tries that a pool refused or lost.
    pub fn add(&mut self, sent: &[f64], rejected: f64, lost: f64) {
        add(&mut self.rejected, sent, rejected);
        add(&mut self.lost, sent, lost);
    }

    fn clear(&mut self) {
        for tries in [&mut self.shed, &mut self.rejected, &mut self.lost, &mut self.inside] {
            tries.clear();
        }
    }
}

/// Adds a share of some tries to others.
pub fn add(to: &mut ByAttempt, tries: &[f64], share: f64) {
    if share != 0.0 {
        to.resize(to.len().max(tries.len()), 0.0);
        for (sum, tries) in to.iter_mut().zip(tries) {
            *sum += tries * share;
        }
    }
}

/// What the tries of one step meet, summed.
#[derive(Debug, Clone, Copy, Default)]
pub struct Tried {
    tries: f64,
    failed: f64,
    shed: f64,
    time_s: f64,
}

impl Tried {
    /// Adds tries that a pool was sent, of which it admits a share; of these a share `beyond` is
    /// given up, and calls fail a share of the others. `until_s` is the mean time until a try is
    /// answered or given up.
    pub fn add(&mut self, sent: f64, admitted: f64, beyond: f64, until_s: f64, call_failure: f64) {
        let fails_inside = beyond + (1.0 - beyond) * call_failure;
        self.tries += sent;
        self.failed += sent * (1.0 - admitted + admitted * fails_inside);
        if sent * admitted > 0.0 {
            self.time_s += sent * admitted * until_s;
        }
    }

    /// Has nothing been tried?
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.tries <= 0.0
    }

    /// Adds tries that were refused on purpose.
    pub fn add_shed(&mut self, shed: f64) {
        self.tries += shed;
        self.shed += shed;
    }

    /// How a call goes, retries included: the chance that it fails for good, and its mean time, s,
    /// from the first try until it is answered or has failed. `granted` is the share of retries
    /// that the budget grants.
    #[must_use]
    pub fn call(&self, client: &Client, granted: f64) -> (f64, f64) {
        if self.tries <= 0.0 {
            return (0.0, 0.0);
        }
        let (failed, shed) = (self.failed / self.tries, self.shed / self.tries);
        let try_s = self.time_s / self.tries;
        let (mut reached, mut fails, mut time_s) = (1.0, 0.0, 0.0);
        for attempt in 1.. {
            let again = |failure| if may_retry(client, failure, attempt) { granted } else { 0.0 };
            let again = failed * again(Failure::Rejected) + shed * again(Failure::Shed);
            time_s += reached * try_s;
            fails += reached * (failed + shed - again);
            reached *= again;
            if reached < 1e-12 || attempt >= 16 * MOST_ATTEMPTS {
                break;
            }
            if let Some(retry) = &client.retry {
                time_s += reached * backoff_s(retry, attempt, 0.5);
            }
        }
        (fails.min(1.0), time_s)
    }
}

impl Sender {
    /// Decides which of the failed tries are tried again and when; the others have failed for good.
    pub fn decide(
        &mut self,
        client: &Client,
        state: &mut OriginState,
        step_s: f64,
        steps_left: usize,
        requests: &mut RequestFlows,
    ) {
        let failed = std::mem::take(&mut self.failed);
        let mut timed_out = ByAttempt::new();
        for lane in &self.lanes {
            add(&mut timed_out, &lane.timed_out, 1.0);
        }
        let kinds = [
            (Failure::Shed, &failed.shed),
            (Failure::Rejected, &failed.rejected),
            (Failure::Lost, &failed.lost),
            (Failure::Lost, &failed.inside),
            (Failure::TimedOut, &timed_out),
        ];
        let is_last = |place: usize| place + 1 >= MOST_ATTEMPTS as usize;
        let wanted = |failure: Failure, tries: &ByAttempt| -> f64 {
            let numbered = tries.iter().zip(1_u32..);
            numbered.filter(|(_, n)| may_retry(client, failure, *n)).map(|(tries, _)| tries).sum()
        };
        let wanted: f64 = kinds.iter().map(|(failure, tries)| wanted(*failure, tries)).sum();
        let granted = state.bucket.take(client, wanted, state.first_rps, step_s);
        if wanted > 0.0 {
            self.granted = granted / wanted;
        } else {
            // With nothing to grant, whatever there is would be.
            self.granted = 1.0;
        }
        let mut again = ByAttempt::new();
        for (kind, (failure, tries)) in kinds.iter().enumerate() {
            for (place, (tries, number)) in tries.iter().zip(1_u32..).enumerate() {
                let share = if may_retry(client, *failure, number) { self.granted } else { 0.0 };
                let to = if is_last(place) { place } else { place + 1 };
                again.resize(again.len().max(to + 1), 0.0);
                again[to] += tries * share;
                if !self.is_call {
                    requests.end(kind, place == 0, tries * (1.0 - share));
                }
            }
        }
        self.leave_behind(client, requests);
        self.schedule(client, &again, step_s, steps_left);
        self.failed = failed;
        self.failed.clear();
        let due = self.due.pop_front().unwrap_or_default();
        state.retry_rps = due.iter().sum::<f64>() / step_s;
        self.mix = due;
        if self.mix.is_empty() {
            self.mix.push(0.0);
        }
    }

    /// Whose client has given up stays inside, or has left with it.
    fn leave_behind(&mut self, client: &Client, requests: &mut RequestFlows) {
        for lane in &mut self.lanes {
            let (mut last, mut replaced) = (0.0, 0.0);
            for (tries, number) in lane.timed_out.iter().zip(1_u32..) {
                let again = may_retry(client, Failure::TimedOut, number);
                let share = if again { self.granted } else { 0.0 };
                replaced += tries * share;
                last += tries * (1.0 - share);
            }
            lane.timed_out.fill(0.0);
            if client.cancel {
                if !self.is_call {
                    requests.late += last;
                }
            } else {
                lane.given_up += last;
                lane.replaced += replaced;
            }
            let behind = lane.given_up + lane.replaced;
            if lane.late > 0.0 && behind > 0.0 {
                let share = (lane.late / behind).min(1.0);
                if !self.is_call {
                    requests.late += lane.given_up * share;
                }
                lane.given_up -= lane.given_up * share;
                lane.replaced -= lane.replaced * share;
            }
            lane.late = 0.0;
        }
    }

    /// Spreads retries over the steps in which they fall due. `again` is by the retry's number.
    fn schedule(&mut self, client: &Client, again: &[f64], step_s: f64, steps_left: usize) {
        let Some(retry) = &client.retry else { return };
        for (place, &tries) in again.iter().enumerate().skip(1) {
            if tries > 0.0 {
                let backoff = Delay::of(retry, place as u32, step_s);
                let last = backoff.last_step().min(steps_left.max(1));
                let mut left = tries;
                for step in 1..=last {
                    // What falls due after the end never does: it may wait in the last step's
                    // place.
                    let share = if step == last { left } else { tries * backoff.share(step) };
                    left -= share;
                    self.add_due(step - 1, place, share);
                }
            }
        }
    }

    fn add_due(&mut self, step: usize, place: usize, tries: f64) {
        if self.due.len() <= step {
            self.due.resize_with(step + 1, ByAttempt::new);
        }
        let due = &mut self.due[step];
        due.resize(due.len().max(place + 1), 0.0);
        due[place] += tries;
    }
}

/// A back-off in steps, from a failure somewhere in this step: `fixed`, and up to `drawn` more.
struct Delay {
    fixed: f64,
    drawn: f64,
}

impl Delay {
    fn of(retry: &Retry, attempt: u32, step_s: f64) -> Self {
        let full = backoff_s(retry, attempt, 1.0) / step_s;
        match retry.jitter {
            Jitter::None => Self { fixed: full, drawn: 0.0 },
            Jitter::Full => Self { fixed: 0.0, drawn: full },
        }
    }

    fn last_step(&self) -> usize {
        (self.fixed + self.drawn + 1.0).ceil().clamp(1.0, 1e9) as usize
    }

    /// The share that falls due in the step that is so many steps later; what would fall due in
    /// this one does in the next.
    fn share(&self, step: usize) -> f64 {
        let step = step as f64;
        let from = if step <= 1.0 { 0.0 } else { self.before(step) };
        self.before(step + 1.0) - from
    }

    /// The share that falls due before so many steps from this one's beginning: the failure is
    /// evenly somewhere in this step.
    fn before(&self, steps: f64) -> f64 {
        self.integral(steps) - self.integral(steps - 1.0)
    }

    /// ∫ P(delay ≤ v) dv up to `steps`.
    fn integral(&self, steps: f64) -> f64 {
        let over = steps - self.fixed;
        if over <= 0.0 {
            0.0
        } else if over < self.drawn {
            0.5 * over * over / self.drawn
        } else {
            over - 0.5 * self.drawn
        }
    }
}
