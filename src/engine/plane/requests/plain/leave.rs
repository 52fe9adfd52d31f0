//! Tries and probes leave: answered, or as their instance dies.

use super::super::books::End;
use super::super::clock::Nanos;
use super::super::flow::{Answer, Flow};
use super::super::tries::PROBE;
use super::super::work::Moved;
use super::lane::Work;
use super::{Plain, probe_named};
use crate::engine::retry::Failure;

impl Flow {
    /// Does a pool's work that is done before a time.
    #[inline]
    pub(in super::super) fn catch_up(&mut self, pool: usize, until: Nanos) {
        let first = self.plain.as_ref().and_then(|plain| plain.working[pool].first());
        if first.is_some_and(|work| work.done_at < until) {
            self.complete(pool, until);
        }
    }

    fn complete(&mut self, pool: usize, until: Nanos) {
        let Some(plain) = &mut self.plain else { return };
        let desk = &mut self.desks[pool];
        let working = &mut plain.working[pool];
        while let Some(&done) = working.first()
            && done.done_at < until
        {
            let (now, station) = (done.done_at, done.station as usize);
            let there = &mut self.stations[station];
            let left = i128::from(self.end - now);
            let is_free = there.busy <= there.servers;
            match if is_free { plain.waiting[station].pop_front() } else { None } {
                Some(guest) => {
                    let at = (done.station, &*there);
                    let next = Work::begin(now, guest, at, desk, self.distributions[pool]);
                    working.replace_first(next);
                }
                None => {
                    working.remove_first();
                    there.busy -= 1;
                    desk.busy -= 1;
                    desk.now.busy_time -= left;
                }
            }
            there.inside -= 1;
            desk.present -= 1;
            desk.now.present_time -= left;
            desk.count_done(done.redirected);
            if done.origin == PROBE {
                if let Some(probe) = there.probe
                    && probe.at == probe_named(done.sent)
                    && now <= probe.deadline
                {
                    there.probe = None;
                    let station = done.station;
                    self.answers.push(Answer { station, at: now, passed: true, probe });
                }
                continue;
            }
            there.tries -= 1;
            desk.inside -= 1;
            desk.now.inside_time -= left;
            let latency = now - done.sent;
            desk.record(latency);
            let timeout = self.senders[done.origin as usize].timeout;
            if timeout.is_some_and(|timeout| latency > timeout) {
                desk.now.late += 1;
                self.books.end(done.sent, End::Late);
            } else {
                desk.now.completed += 1;
                self.books.end(done.sent, End::Completed);
            }
        }
    }

    /// An instance has died: everyone inside is lost, or late where the client has given up.
    pub(in super::super) fn lose_plainly(&mut self, station: usize) {
        let Some(plain) = &mut self.plain else { return };
        let pool = self.stations[station].pool as usize;
        let counts = &mut self.desks[pool].now;
        for (origin, sent) in plain.take(pool, station) {
            if origin == PROBE {
                continue;
            }
            let timeout = self.senders[origin as usize].timeout;
            if timeout.is_some_and(|timeout| self.now - sent > timeout) {
                counts.late += 1;
                self.books.end(sent, End::Late);
            } else {
                counts.lost += 1;
                counts.died_inside += 1;
                self.books.end(sent, End::Failed(Failure::Lost));
            }
        }
    }
}

impl Plain {
    /// Takes everyone out of an instance: where they came from, and when they were sent.
    fn take(&mut self, pool: usize, station: usize) -> Vec<(u32, Nanos)> {
        let waiting = self.waiting[station].drain(..);
        let mut all: Vec<_> = waiting.map(|guest| (guest.origin, guest.sent)).collect();
        self.working[pool].retain(|work| {
            let is_there = work.station as usize == station;
            if is_there {
                all.push((work.origin, work.sent));
            }
            !is_there
        });
        all
    }

    /// Work that is under way goes on at another speed.
    pub fn reschedule(&mut self, now: Nanos, changes: &[Moved]) {
        for working in &mut self.working {
            working.change(|work| {
                if let Some(moved) = Moved::of(changes, work.station) {
                    (work.left, work.done_at) = moved.go_on(now, work.done_at, work.left);
                }
            });
        }
    }
}
