//! What an origin does: its first tries, time-outs and retries.

use std::collections::VecDeque;

use super::arrival::Process;
use super::clock::{Nanos, seconds};
use super::tries::TryRef;
use crate::engine::retry::Bucket;
use crate::engine::rng::Stream;
use crate::model::Client;

/// An origin of tries.
#[derive(Debug)]
pub struct Sender {
    /// The pool that its tries are for.
    pub home: u32,
    /// Does it serve requests of a pool?
    pub is_call: bool,
    /// First tries; none of a call edge.
    pub process: Option<Process>,
    /// What is drawn for its tries.
    pub draws: Stream,
    /// How it behaves.
    pub client: Client,
    /// From when on it sends first tries: its own warm-up, whatever the others need.
    pub starts_at: Nanos,
    /// Its time-out, ns; none when it waits for ever.
    pub timeout: Option<Nanos>,
    /// Does anything happen when that is over, but that an answer is late?
    pub has_alarm: bool,
    /// Tokens for its retries.
    pub bucket: Bucket,
    /// When tokens that come with time were last added.
    pub refilled_at: Nanos,
    /// First tries this step.
    pub first: u64,
    /// First tries a second: of calls, about over the last second.
    pub first_rps: f64,
    /// Retries sent this step that were not planned before it.
    pub at_once: u64,
    /// Retries that fall due, by step from this one on.
    pub due: VecDeque<u32>,
    /// Time-outs to come, the earliest first.
    pub alarms: VecDeque<(Nanos, TryRef)>,
    /// When its next alarm is planned.
    pub alarm_at: Option<Nanos>,
}

impl Sender {
    /// Counts a retry that falls due so many steps from now.
    pub fn count_due(&mut self, steps: usize) {
        // Beyond a day of steps nobody asks yet.
        const FARTHEST: usize = 200_000;
        if steps == 0 || steps > FARTHEST {
            return;
        }
        if self.due.len() <= steps {
            self.due.resize(steps + 1, 0);
        }
        self.due[steps] += 1;
    }

    /// Ends a step; returns the retries that the next one begins with, as far as is known: those
    /// that fall due, and as many at once as in this one.
    pub fn end_step(&mut self) -> u64 {
        self.due.pop_front();
        let due = self.due.front().copied().unwrap_or(0);
        u64::from(due) + std::mem::take(&mut self.at_once)
    }

    /// Takes the token of one retry, if there is one.
    pub fn take_token(&mut self, now: Nanos) -> bool {
        let passed = now - std::mem::replace(&mut self.refilled_at, now);
        self.bucket.refill(&self.client, seconds(passed));
        self.bucket.take_one(&self.client)
    }

    /// Puts a try among those to be given up.
    pub fn set_alarm(&mut self, at: Nanos, one: TryRef) {
        if self.alarms.back().is_none_or(|last| last.0 <= at) {
            self.alarms.push_back((at, one));
        } else {
            // The time-out has become shorter.
            let place = self.alarms.partition_point(|alarm| alarm.0 <= at);
            self.alarms.insert(place, (at, one));
        }
    }
}
