//! Deep probes: a request each, in the queue with the others.

use super::clock::Nanos;
use super::flow::{Answer, Flow};
use super::station::Probe;
use super::tries::{PROBE, Stage, Try, TryRef};
use crate::engine::rng::Draws;

/// A probe that will be sent.
#[derive(Debug, Clone, Copy)]
pub struct Planned {
    pub at: Nanos,
    pub timeout: Nanos,
    pub draws: Draws,
}

impl Flow {
    /// Plans a probe of an instance; they are planned in the order in which they are sent.
    pub fn plan_probe(&mut self, station: u32, planned: Planned) {
        self.planned[station as usize].push_back(planned);
        self.events.probe(planned.at, station);
    }

    /// Sends the next probe that is planned for an instance.
    pub(super) fn send_probe(&mut self, station: u32) {
        let Some(planned) = self.planned[station as usize].pop_front() else { return };
        self.expire_probe(station as usize, self.now + 1);
        let waiting = match &self.plain {
            Some(plain) => plain.waiting_at(station as usize),
            None => self.stations[station as usize].queue.len(),
        };
        let there = &mut self.stations[station as usize];
        let (sent, deadline) = (self.now, self.now + planned.timeout);
        let is_admitted = there.is_up && there.inside < there.hard_limit;
        let wait = is_admitted.then(|| there.wait(waiting));
        there.probe = Some(Probe { at: TryRef::NONE, sent, deadline, wait });
        if !is_admitted {
            return;
        }
        let pool = there.pool;
        if let Some(plain) = &mut self.plain {
            let at = plain.name_probe();
            there.probe = Some(Probe { at, sent, deadline, wait });
            self.enter_probe_plainly(station as usize, at.serial, planned.draws);
            return;
        }
        let probe = Try::first(PROBE, pool, self.now, planned.draws);
        let one = self.tries.add(Try { station, ..probe });
        self.stations[station as usize].probe = Some(Probe { at: one, sent, deadline, wait });
        self.enter(one, station as usize, false);
    }

    /// A probe's work is done.
    pub(super) fn answer_probe(&mut self, one: TryRef, station: usize) {
        if let Some(there) = self.tries.get_mut(one) {
            there.stage = Stage::Calling;
        }
        self.release(one);
        self.tries.remove(one);
        let there = &mut self.stations[station];
        if let Some(probe) = there.probe
            && probe.at == one
            && self.now <= probe.deadline
        {
            there.probe = None;
            let (station, at) = (station as u32, self.now);
            self.answers.push(Answer { station, at, passed: true, probe });
        }
    }

    /// A probe whose time ended before `now` has failed.
    pub fn expire_probe(&mut self, station: usize, now: Nanos) {
        let there = &mut self.stations[station];
        if let Some(probe) = there.probe
            && probe.deadline < now
        {
            there.probe = None;
            let (station, at) = (station as u32, probe.deadline);
            self.answers.push(Answer { station, at, passed: false, probe });
        }
    }
}
