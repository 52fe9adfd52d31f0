//! How a try is served: admission, servers, workers, and the way out.

use super::admission::{Admission, admission};
use super::books::End;
use super::flow::{Flow, Todo};
use super::tries::{PROBE, Stage, TryRef};
use super::work;
use crate::engine::retry::Failure;
use crate::engine::rng::Draws;

impl Flow {
    pub(super) fn admit(&mut self, one: TryRef, station: usize, draws: Draws) {
        let there = &self.stations[station];
        let pool = there.pool as usize;
        let failure = match admission(&self.desks[pool], there, draws) {
            Admission::Enters => {
                self.enter(one, station, true);
                return;
            }
            Admission::Rejected => Failure::Rejected,
            Admission::Lost => Failure::Lost,
            Admission::Crashes => {
                self.crash(station);
                Failure::Lost
            }
        };
        match failure {
            Failure::Rejected => self.desks[pool].now.rejected += 1,
            _ => self.desks[pool].now.lost += 1,
        }
        self.fail(one, failure);
    }

    /// A try or a probe enters an instance.
    pub(super) fn enter(&mut self, one: TryRef, station: usize, is_try: bool) {
        let left = i128::from(self.end - self.now);
        let there = &mut self.stations[station];
        let desk = &mut self.desks[there.pool as usize];
        there.inside += 1;
        desk.present += 1;
        desk.now.present_time += left;
        if is_try {
            there.tries += 1;
            desk.inside += 1;
            desk.now.inside_time += left;
            desk.now.peak = desk.now.peak.max(desk.inside);
            self.give_time(one);
        }
        self.tries.come_in(one);
        let there = &mut self.stations[station];
        if there.busy < there.servers {
            self.take_server(station);
            self.work(one);
        } else {
            there.queue.push_back(one);
            self.set_stage(one, Stage::Queued);
        }
    }

    pub(super) fn set_stage(&mut self, one: TryRef, stage: Stage) {
        if let Some(there) = self.tries.get_mut(one) {
            there.stage = stage;
        }
    }

    /// A client begins to wait.
    pub(super) fn give_time(&mut self, one: TryRef) {
        let Some(there) = self.tries.get(one) else { return };
        let origin = there.origin;
        let sender = &mut self.senders[origin as usize];
        if let (true, Some(timeout)) = (sender.has_alarm, sender.timeout) {
            let at = self.now + timeout;
            // Who has left meanwhile needs no alarm, however long the time-out.
            while sender.alarms.front().is_some_and(|first| self.tries.get(first.1).is_none()) {
                sender.alarms.pop_front();
            }
            sender.set_alarm(at, one);
            if sender.alarm_at.is_none_or(|planned| at < planned) {
                sender.alarm_at = Some(at);
                self.events.alarm(at, origin);
            }
        }
    }

    pub(super) fn take_server(&mut self, station: usize) {
        let left = i128::from(self.end - self.now);
        let there = &mut self.stations[station];
        there.busy += 1;
        let desk = &mut self.desks[there.pool as usize];
        desk.busy += 1;
        desk.now.busy_time += left;
    }

    /// Begins the work of one that has a server, as soon as it has a worker: those that wait for
    /// one already are first.
    pub(super) fn work(&mut self, one: TryRef) {
        let Some(there) = self.tries.get_mut(one) else { return };
        let station = &mut self.stations[there.station as usize];
        if station.working >= station.workers || !station.ready.is_empty() {
            station.ready.push_back(one);
            there.stage = Stage::Ready;
            return;
        }
        self.begin_work(one);
    }

    fn begin_work(&mut self, one: TryRef) {
        let Some(there) = self.tries.get_mut(one) else { return };
        let station = &mut self.stations[there.station as usize];
        station.working += 1;
        let (mean, pool) = (station.mean, station.pool as usize);
        let left = i128::from(self.end - self.now);
        let desk = &mut self.desks[pool];
        desk.working += 1;
        desk.now.working_time += left;
        let cost = if there.redirected { desk.redirect_cost } else { 1.0 };
        let work = cost * work::drawn(self.distributions[pool], there.draws);
        there.stage = Stage::Working;
        there.work_left = work;
        if mean <= 0.0 {
            self.worked(one);
            return;
        }
        self.events.done(work::done_at(self.now, work, mean), one);
    }

    /// A piece of work is done.
    pub(super) fn worked(&mut self, one: TryRef) {
        let Some(there) = self.tries.get(one) else { return };
        let (station, pool) = (there.station as usize, there.pool as usize);
        let (origin, redirected) = (there.origin, there.redirected);
        self.free_worker(station);
        let desk = &mut self.desks[pool];
        desk.count_done(redirected);
        if origin == PROBE {
            self.answer_probe(one, station);
        } else if desk.calls {
            self.begin_calls(one);
        } else {
            self.finish(one);
        }
    }

    pub(super) fn free_worker(&mut self, station: usize) {
        let left = i128::from(self.end - self.now);
        let there = &mut self.stations[station];
        there.working -= 1;
        let desk = &mut self.desks[there.pool as usize];
        desk.working -= 1;
        desk.now.working_time -= left;
        if !there.ready.is_empty() {
            self.offer_workers(station);
        }
    }

    /// Lets those that wait for a worker have what is free, next in this instant.
    pub fn offer_workers(&mut self, station: usize) {
        self.todo.push(Todo::Worker(station as u32));
    }

    /// Gives free workers to those that wait for one, the longest first; there may be fewer workers
    /// now than work.
    pub(super) fn fill_workers(&mut self, station: usize) {
        while self.stations[station].working < self.stations[station].workers
            && let Some(next) = self.stations[station].ready.pop_front()
        {
            self.begin_work(next);
        }
    }

    /// One that was inside leaves: its server serves the next.
    pub(super) fn release(&mut self, one: TryRef) {
        let Some(there) = self.tries.get_mut(one) else { return };
        let (index, origin) = (there.station as usize, there.origin);
        let stage = std::mem::replace(&mut there.stage, Stage::Outside);
        if stage == Stage::Outside {
            return;
        }
        self.tries.go_out(one);
        let left = i128::from(self.end - self.now);
        let station = &mut self.stations[index];
        let desk = &mut self.desks[station.pool as usize];
        station.inside -= 1;
        desk.present -= 1;
        desk.now.present_time -= left;
        if origin != PROBE {
            station.tries -= 1;
            desk.inside -= 1;
            desk.now.inside_time -= left;
        }
        match stage {
            Stage::Outside | Stage::Queued => {}
            Stage::Working => {
                self.free_worker(index);
                self.free_server(index);
            }
            Stage::Ready | Stage::Calling => self.free_server(index),
        }
    }

    pub(super) fn free_server(&mut self, station: usize) {
        let left = i128::from(self.end - self.now);
        let there = &mut self.stations[station];
        there.busy -= 1;
        let desk = &mut self.desks[there.pool as usize];
        desk.busy -= 1;
        desk.now.busy_time -= left;
        self.fill_servers(station);
    }

    /// Gives free servers to those that wait for one.
    pub fn fill_servers(&mut self, station: usize) {
        while self.stations[station].busy < self.stations[station].servers {
            let Some(next) = self.stations[station].queue.pop_front() else { break };
            if self.tries.get(next).is_some() {
                self.take_server(station);
                self.set_stage(next, Stage::Ready);
                self.todo.push(Todo::Work(next));
            }
        }
    }

    /// A try leaves its instance with an answer.
    pub(super) fn finish(&mut self, one: TryRef) {
        let Some(&there) = self.tries.get(one) else { return };
        // Whatever it did last, it has only its server left to give back.
        self.set_stage(one, Stage::Calling);
        self.release(one);
        let desk = &mut self.desks[there.pool as usize];
        desk.record(self.now - there.sent);
        if self.is_given_up(&there) {
            self.leave_late(one, &there);
            return;
        }
        self.desks[there.pool as usize].now.completed += 1;
        self.tries.remove(one);
        if self.senders[there.origin as usize].is_call {
            self.answered(there.parent);
        } else {
            self.books.end(there.born, End::Completed);
        }
    }
}
