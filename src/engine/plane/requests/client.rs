//! What clients do when a try fails or takes too long.

use super::books::End;
use super::clock::nanos;
use super::flow::{Flow, Todo, purpose};
use super::tries::{Stage, Try, TryRef};
use crate::engine::retry::{Failure, backoff_s, may_retry};

impl Flow {
    /// Has the client of a try that is or was inside given up?
    pub(super) fn is_given_up(&self, there: &Try) -> bool {
        let sender = &self.senders[there.origin as usize];
        // Once given up it stays so, also when the client's time-out ends in the run.
        if sender.has_alarm || there.timed_out {
            return there.timed_out;
        }
        sender.timeout.is_some_and(|timeout| self.now - there.sent > timeout)
    }

    /// A try whose client has given up leaves the system.
    pub(super) fn leave_late(&mut self, one: TryRef, there: &Try) {
        self.desks[there.pool as usize].now.late += 1;
        let sender = &self.senders[there.origin as usize];
        if !sender.is_call && (there.is_last || !there.timed_out) {
            self.books.end(there.born, End::Late);
        }
        self.tries.remove(one);
    }

    /// A try that is nowhere any more has failed: its client tries again, or that was it.
    pub(super) fn fail(&mut self, one: TryRef, failure: Failure) {
        let Some(&there) = self.tries.get(one) else { return };
        if self.decide(&there, failure) {
            let next = self.tries.renew(one);
            self.retry(next, &there);
            return;
        }
        self.tries.remove(one);
        if self.senders[there.origin as usize].is_call {
            self.abandon(there.parent);
        } else {
            self.books.end(there.born, End::Failed(failure));
        }
    }

    /// Does a client try again?
    pub(super) fn decide(&mut self, there: &Try, failure: Failure) -> bool {
        let sender = &mut self.senders[there.origin as usize];
        let is_wanted = !sender.is_call || self.tries.get(there.parent).is_some();
        is_wanted
            && may_retry(&sender.client, failure, there.attempt)
            && sender.take_token(self.now)
    }

    /// Plans the try after `last`, at a place of its own.
    pub(super) fn retry(&mut self, next: TryRef, last: &Try) {
        let sender = &mut self.senders[last.origin as usize];
        let wait_s = sender.client.retry.map_or(0.0, |retry| {
            backoff_s(&retry, last.attempt, last.draws.uniform(purpose::BACKOFF))
        });
        let draws = last.draws.child(0);
        let at = self.now + nanos(wait_s);
        let home = sender.home;
        if let Some(there) = self.tries.get_mut(next) {
            let serial = there.serial;
            *there = Try {
                serial,
                station: u32::MAX,
                pool: home,
                attempt: last.attempt + 1,
                stage: Stage::Outside,
                timed_out: false,
                is_last: false,
                redirected: false,
                calls_open: 0,
                draws,
                ..*last
            };
        }
        if at == self.now {
            sender.at_once += 1;
            self.todo.push(Todo::Send(next));
            return;
        }
        let first_step = self.clock.step_s * 1e9;
        let steps = (at as f64 / first_step + 1e-9).floor() as u64;
        sender.count_due(steps.saturating_sub(self.step) as usize);
        if at < self.end {
            sender.at_once += 1;
        }
        self.events.due(at, draws.bits(purpose::PLACE), next);
    }

    /// The time-outs of an origin that end now.
    pub(super) fn alarm(&mut self, origin: usize) {
        let now = self.now;
        if self.senders[origin].alarm_at == Some(now) {
            self.senders[origin].alarm_at = None;
        }
        while let Some(&(at, one)) = self.senders[origin].alarms.front()
            && (at <= now || self.tries.get(one).is_none())
        {
            self.senders[origin].alarms.pop_front();
            if at <= now {
                self.time_out(one);
            }
        }
        if let Some(&(at, _)) = self.senders[origin].alarms.front()
            && self.senders[origin].alarm_at.is_none_or(|planned| at < planned)
        {
            self.senders[origin].alarm_at = Some(at);
            self.events.alarm(at, origin as u32);
        }
    }

    /// A client gives up a try.
    pub(super) fn time_out(&mut self, one: TryRef) {
        let Some(&there) = self.tries.get(one) else { return };
        let tries_again = self.decide(&there, Failure::TimedOut);
        if let Some(there) = self.tries.get_mut(one) {
            there.timed_out = true;
            there.is_last = !tries_again;
            there.parent = TryRef::NONE;
        }
        if tries_again {
            let next = self.tries.add(there);
            self.retry(next, &there);
        } else if self.senders[there.origin as usize].is_call {
            self.abandon(there.parent);
        }
        if self.senders[there.origin as usize].client.cancel
            && let Some(&there) = self.tries.get(one)
        {
            self.release(one);
            self.leave_late(one, &there);
        }
    }
}
