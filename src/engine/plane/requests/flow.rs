//! How tries move: they are sent, admitted, worked on, call other pools, and leave.

use std::collections::VecDeque;

use super::books::{End, ExactBooks};
use super::choose;
use super::clock::{Clock, FAR, Nanos, nanos};
use super::desk::Desk;
use super::event::{Events, What};
use super::probes::Planned;
use super::sender::Sender;
use super::station::{Probe, Station};
use super::tries::{PROBE, Stage, Tries, Try, TryRef};
use crate::engine::origins::UsersTries;
use crate::engine::retry::{Failure, backoff_s, may_retry};
use crate::engine::rng::Draws;
use crate::model::{Call, CallMode, ServiceDistribution};

/// What a draw of a try is for.
pub mod purpose {
    pub const WAY: u64 = 0;
    pub const INSTANCE: u64 = 1;
    pub const ERROR: u64 = 2;
    pub const WORK: u64 = 3;
    pub const BACKOFF: u64 = 4;
    pub const PLACE: u64 = 5;
    /// One for each edge that a request calls a fraction of times along.
    pub const CALLS: u64 = 16;
    /// One for each instance that is compared.
    pub const CHOICES: u64 = 1 << 32;
}

/// What remains to be done in the same instant.
#[derive(Debug, Clone, Copy)]
enum Todo {
    Send(TryRef),
    /// At an instance, whose next it is when this one has gone.
    Work(TryRef, u32),
    Call(TryRef),
    Finish(TryRef),
}

/// An instance that ran out of something.
#[derive(Debug, Clone, Copy)]
pub struct Crash {
    pub station: u32,
    pub resource: u32,
    pub at: Nanos,
}

/// A probe's outcome.
#[derive(Debug, Clone, Copy)]
pub struct Answer {
    pub station: u32,
    pub at: Nanos,
    pub passed: bool,
}

/// How a pool's requests call others.
#[derive(Debug, Clone, Default)]
pub struct CallPlan {
    /// The pool's calls.
    pub calls: Vec<Call>,
    /// The origin of each.
    pub origins: Vec<u32>,
    /// All at once?
    pub mode: CallMode,
}

/// Everything that moves.
#[derive(Debug)]
pub struct Flow {
    pub clock: Clock,
    pub now: Nanos,
    /// End of the step under way.
    pub end: Nanos,
    /// Steps since the plane's time 0.
    pub step: u64,
    pub tries: Tries,
    pub events: Events,
    pub stations: Vec<Station>,
    pub desks: Vec<Desk>,
    pub senders: Vec<Sender>,
    pub call_plans: Vec<CallPlan>,
    pub distributions: Vec<ServiceDistribution>,
    pub books: ExactBooks,
    /// Users' tries of the step under way.
    pub users_tries: UsersTries,
    pub crashes: Vec<Crash>,
    pub answers: Vec<Answer>,
    /// Probes that will be sent, by instance.
    pub planned: Vec<VecDeque<Planned>>,
    todo: Vec<Todo>,
    gathered: Vec<(u64, TryRef)>,
}

impl Flow {
    pub fn new(clock: Clock) -> Self {
        Self {
            clock,
            now: 0,
            end: 0,
            step: 0,
            tries: Tries::default(),
            events: Events::default(),
            stations: Vec::new(),
            desks: Vec::new(),
            senders: Vec::new(),
            call_plans: Vec::new(),
            distributions: Vec::new(),
            books: ExactBooks::new(vec![(f64::NEG_INFINITY, 0)]),
            users_tries: UsersTries::default(),
            crashes: Vec::new(),
            answers: Vec::new(),
            planned: Vec::new(),
            todo: Vec::new(),
            gathered: Vec::new(),
        }
    }

    /// Lets everything happen that happens before `end`.
    pub fn run_until(&mut self, end: Nanos) {
        self.settle();
        loop {
            let (arrival_at, sender) = self.next_arrival();
            let event_at = self.events.next_at();
            let at = arrival_at.min(event_at);
            if at >= end {
                break;
            }
            self.now = at;
            if arrival_at > at && !self.events.has_due_at(at) {
                self.happen();
            } else if event_at > at && self.is_alone(sender, at) {
                let one = self.arrive_one(sender);
                self.send(one);
            } else {
                self.arrive_together(at);
            }
            self.settle();
        }
        self.now = end;
    }

    /// When the next first tries come, and of which origin.
    fn next_arrival(&self) -> (Nanos, usize) {
        let mut next = (Nanos::MAX, 0);
        for (index, sender) in self.senders.iter().enumerate() {
            if let Some(process) = &sender.process
                && process.next_at < next.0
            {
                next = (process.next_at, index);
            }
        }
        next
    }

    /// Does just one try come now?
    fn is_alone(&self, sender: usize, at: Nanos) -> bool {
        let others = self.senders.iter().enumerate().skip(sender + 1);
        let comes = |other: &Sender| other.process.as_ref().is_some_and(|p| p.next_at == at);
        self.senders[sender].process.as_ref().is_some_and(super::arrival::Process::is_single)
            && !others.into_iter().any(|(_, other)| comes(other))
    }

    fn arrive_one(&mut self, sender: usize) -> TryRef {
        let first = self.senders[sender].process.as_ref().map_or(0, |process| process.count);
        if let Some(process) = &mut self.senders[sender].process {
            process.arrive(&self.clock);
        }
        self.bear(sender as u32, first, TryRef::NONE, None)
    }

    /// First tries and retries of one instant, in an order drawn from the seed.
    fn arrive_together(&mut self, at: Nanos) {
        let mut gathered = std::mem::take(&mut self.gathered);
        for sender in 0..self.senders.len() {
            while let Some(process) = &mut self.senders[sender].process
                && process.next_at == at
            {
                let first = process.count;
                let count = process.arrive(&self.clock);
                for number in first..first + count {
                    let one = self.bear(sender as u32, number, TryRef::NONE, None);
                    gathered.push((self.place(one), one));
                }
            }
        }
        while self.events.has_due_at(at) {
            if let Some(What::Due(one)) = self.events.pop()
                && self.tries.get(one).is_some()
            {
                gathered.push((self.place(one), one));
            }
        }
        gathered.sort_unstable_by_key(|(place, one)| (*place, one.index));
        for (_, one) in gathered.drain(..) {
            self.send(one);
            self.settle();
        }
        self.gathered = gathered;
    }

    fn place(&self, one: TryRef) -> u64 {
        self.tries.get(one).map_or(0, |there| there.draws.bits(purpose::PLACE))
    }

    /// A request's first try.
    fn bear(&mut self, origin: u32, number: u64, parent: TryRef, of: Option<Draws>) -> TryRef {
        let sender = &mut self.senders[origin as usize];
        sender.first += 1;
        let draws = of.unwrap_or_else(|| Draws::of(sender.draws, number));
        sender.bucket.deposit(&sender.client, 1.0, sender.first_rps);
        self.desks[sender.home as usize].now.first += 1;
        if !sender.is_call {
            self.books.arrive(self.now);
            self.users_tries.first += 1.0;
        }
        self.tries.add(Try {
            serial: 0,
            origin,
            station: u32::MAX,
            pool: sender.home,
            attempt: 1,
            stage: Stage::Outside,
            timed_out: false,
            is_last: false,
            redirected: false,
            born: self.now,
            sent: self.now,
            parent,
            call: 0,
            calls_left: 0,
            calls_open: 0,
            work_left: 0.0,
            draws,
        })
    }

    /// Does what remains to be done in this instant.
    fn settle(&mut self) {
        while let Some(todo) = self.todo.pop() {
            match todo {
                Todo::Send(one) => self.send(one),
                Todo::Work(one, station) => self.work_if_there(one, station as usize),
                Todo::Call(one) => self.call(one),
                Todo::Finish(one) => self.finish(one),
            }
        }
    }

    fn happen(&mut self) {
        match self.events.pop() {
            Some(What::Due(one)) => self.todo.push(Todo::Send(one)),
            Some(What::Probe(station)) => self.send_probe(station),
            Some(What::Done(one)) => self.worked(one),
            Some(What::Alarm(origin)) => self.alarm(origin as usize),
            None => {}
        }
    }

    /// A try sets out from its client.
    fn send(&mut self, one: TryRef) {
        let Some(&there) = self.tries.get(one) else { return };
        let home = there.pool as usize;
        if there.attempt > 1 {
            self.desks[home].now.retries += 1;
            if !self.senders[there.origin as usize].is_call {
                self.users_tries.retries += 1.0;
            }
        }
        let Some(to) = choose::way(&self.desks[home], home, there.draws) else {
            self.desks[home].now.shed += 1;
            self.fail(one, Failure::Shed);
            return;
        };
        let redirected = to != home;
        if redirected {
            self.desks[home].now.redirected_out += 1;
            self.desks[to].now.redirected_in += 1;
        }
        let Some(station) = choose::instance(&mut self.desks[to], &self.stations, there.draws)
        else {
            self.desks[to].now.lost += 1;
            self.fail(one, Failure::Lost);
            return;
        };
        let now = self.now;
        if let Some(there) = self.tries.get_mut(one) {
            there.pool = to as u32;
            there.station = station;
            there.redirected = redirected;
            there.sent = now;
        }
        self.admit(one, station as usize, there.draws);
    }

    fn admit(&mut self, one: TryRef, station: usize, draws: Draws) {
        let there = &self.stations[station];
        let pool = there.pool as usize;
        let error_share = self.desks[pool].error_share;
        let fails = error_share > 0.0 && draws.uniform(purpose::ERROR) < error_share;
        let failure = if !there.is_up || fails {
            Failure::Lost
        } else if there.inside >= there.crash_room {
            self.crash(station);
            Failure::Lost
        } else if there.inside >= there.limit {
            Failure::Rejected
        } else {
            self.enter(one, station, true);
            return;
        };
        match failure {
            Failure::Rejected => self.desks[pool].now.rejected += 1,
            _ => self.desks[pool].now.lost += 1,
        }
        self.fail(one, failure);
    }

    /// A try or a probe enters an instance.
    pub(super) fn enter(&mut self, one: TryRef, station: usize, is_try: bool) {
        let left = (self.end - self.now) as i64;
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
        let there = &mut self.stations[station];
        if there.busy < there.servers {
            self.take_server(station);
            self.work(one);
        } else {
            there.queue.push_back(one);
            self.set_stage(one, Stage::Queued);
        }
    }

    fn set_stage(&mut self, one: TryRef, stage: Stage) {
        if let Some(there) = self.tries.get_mut(one) {
            there.stage = stage;
        }
    }

    /// A client begins to wait.
    fn give_time(&mut self, one: TryRef) {
        let Some(there) = self.tries.get(one) else { return };
        let origin = there.origin;
        let sender = &mut self.senders[origin as usize];
        if let (true, Some(timeout)) = (sender.has_alarm, sender.timeout) {
            let at = self.now + timeout;
            sender.set_alarm(at, one);
            if sender.alarm_at.is_none_or(|planned| at < planned) {
                sender.alarm_at = Some(at);
                self.events.alarm(at, origin);
            }
        }
    }

    fn take_server(&mut self, station: usize) {
        let left = (self.end - self.now) as i64;
        let there = &mut self.stations[station];
        there.busy += 1;
        let desk = &mut self.desks[there.pool as usize];
        desk.busy += 1;
        desk.now.busy_time += left;
    }

    /// Begins the work of one that was offered a worker; the next has it when that one gave up
    /// meanwhile.
    fn work_if_there(&mut self, one: TryRef, station: usize) {
        if self.tries.get(one).is_some() {
            self.work(one);
        } else if self.stations[station].working < self.stations[station].workers {
            self.offer_worker(station);
        }
    }

    /// Begins the work of one that has a server, as soon as it has a worker.
    fn work(&mut self, one: TryRef) {
        let Some(&there) = self.tries.get(one) else { return };
        let station = &mut self.stations[there.station as usize];
        if station.working >= station.workers {
            station.ready.push_back(one);
            self.set_stage(one, Stage::Ready);
            return;
        }
        station.working += 1;
        let (mean, pool) = (station.mean, station.pool as usize);
        let left = (self.end - self.now) as i64;
        let desk = &mut self.desks[pool];
        desk.working += 1;
        desk.now.working_time += left;
        let cost = if there.redirected { desk.redirect_cost } else { 1.0 };
        let work = cost * drawn_work(self.distributions[pool], there.draws);
        if let Some(there) = self.tries.get_mut(one) {
            there.stage = Stage::Working;
            there.work_left = work;
        }
        if mean <= 0.0 {
            self.worked(one);
            return;
        }
        let length = (work * mean).round().max(1.0);
        let at = if length < FAR as f64 { self.now + length as Nanos } else { FAR };
        self.events.done(at, one);
    }

    /// A piece of work is done.
    fn worked(&mut self, one: TryRef) {
        let Some(&there) = self.tries.get(one) else { return };
        let station = there.station as usize;
        self.free_worker(station);
        let desk = &mut self.desks[there.pool as usize];
        desk.now.work_done += if there.redirected { desk.redirect_cost } else { 1.0 };
        if there.origin == PROBE {
            self.answer_probe(one, station);
        } else if desk.calls {
            self.begin_calls(one);
        } else {
            self.finish(one);
        }
    }

    fn free_worker(&mut self, station: usize) {
        let left = (self.end - self.now) as i64;
        let there = &mut self.stations[station];
        there.working -= 1;
        let desk = &mut self.desks[there.pool as usize];
        desk.working -= 1;
        desk.now.working_time -= left;
        // There may be fewer workers now than work.
        if there.working < there.workers {
            self.offer_worker(station);
        }
    }

    /// Lets the first that waits for a worker have one; is there anyone?
    fn offer_worker(&mut self, station: usize) -> bool {
        while let Some(next) = self.stations[station].ready.pop_front() {
            if self.tries.get(next).is_some() {
                self.todo.push(Todo::Work(next, station as u32));
                return true;
            }
        }
        false
    }

    /// Gives free workers to those that wait for one.
    pub fn fill_workers(&mut self, station: usize) {
        let there = &self.stations[station];
        let mut free = there.workers.saturating_sub(there.working);
        while free > 0 && self.offer_worker(station) {
            free -= 1;
        }
    }

    /// One that was inside leaves: its server serves the next.
    pub(super) fn release(&mut self, one: TryRef) {
        let Some(&there) = self.tries.get(one) else { return };
        if there.stage == Stage::Outside {
            return;
        }
        let left = (self.end - self.now) as i64;
        let index = there.station as usize;
        let station = &mut self.stations[index];
        let desk = &mut self.desks[station.pool as usize];
        station.inside -= 1;
        desk.present -= 1;
        desk.now.present_time -= left;
        if there.origin != PROBE {
            station.tries -= 1;
            desk.inside -= 1;
            desk.now.inside_time -= left;
        }
        self.set_stage(one, Stage::Outside);
        match there.stage {
            Stage::Outside | Stage::Queued => {}
            Stage::Working => {
                self.free_worker(index);
                self.free_server(index);
            }
            Stage::Ready | Stage::Calling => self.free_server(index),
        }
    }

    fn free_server(&mut self, station: usize) {
        let left = (self.end - self.now) as i64;
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
                self.todo.push(Todo::Work(next, station as u32));
            }
        }
    }

    /// A request has done its own work and calls other pools.
    fn begin_calls(&mut self, one: TryRef) {
        let Some(there) = self.tries.get_mut(one) else { return };
        there.stage = Stage::Calling;
        there.call = 0;
        there.calls_open = 0;
        let (pool, draws) = (there.pool as usize, there.draws);
        match self.call_plans[pool].mode {
            CallMode::Sequence => {
                self.prepare_edge(one, 0);
                self.call(one);
            }
            CallMode::Parallel => {
                let counts: Vec<u32> = (0..self.call_plans[pool].calls.len())
                    .map(|edge| call_count(&self.call_plans[pool].calls[edge], draws, edge))
                    .collect();
                if let Some(there) = self.tries.get_mut(one) {
                    there.calls_open = counts.iter().sum();
                    if there.calls_open == 0 {
                        self.finish(one);
                        return;
                    }
                }
                for (edge, count) in counts.into_iter().enumerate() {
                    for number in 0..count {
                        let call = self.bear_call(one, pool, draws, edge, number);
                        self.todo.push(Todo::Send(call));
                    }
                }
            }
        }
    }

    fn prepare_edge(&mut self, one: TryRef, edge: usize) {
        let Some(&there) = self.tries.get(one) else { return };
        let call = self.call_plans[there.pool as usize].calls.get(edge);
        let count = call.map_or(0, |call| call_count(call, there.draws, edge));
        if let Some(there) = self.tries.get_mut(one) {
            there.call = edge as u32;
            there.calls_left = count;
        }
    }

    /// Makes the next call of a sequence, or is done with them.
    fn call(&mut self, one: TryRef) {
        loop {
            let Some(there) = self.tries.get_mut(one) else { return };
            let (pool, edge, draws) = (there.pool as usize, there.call as usize, there.draws);
            if there.calls_left > 0 {
                there.calls_left -= 1;
                there.calls_open = 1;
                let number = there.calls_left;
                let call = self.bear_call(one, pool, draws, edge, number);
                self.todo.push(Todo::Send(call));
                return;
            }
            if edge + 1 >= self.call_plans[pool].calls.len() {
                self.finish(one);
                return;
            }
            self.prepare_edge(one, edge + 1);
        }
    }

    fn bear_call(&mut self, of: TryRef, pool: usize, draws: Draws, edge: usize, n: u32) -> TryRef {
        let origin = self.call_plans[pool].origins[edge];
        let own = draws.child(purpose::CALLS + ((edge as u64) << 32 | u64::from(n)));
        self.bear(origin, 0, of, Some(own))
    }

    /// A call of a request has been answered.
    fn answered(&mut self, parent: TryRef) {
        let Some(there) = self.tries.get_mut(parent) else { return };
        there.calls_open -= 1;
        if there.calls_open > 0 {
            return;
        }
        match self.call_plans[there.pool as usize].mode {
            CallMode::Sequence => self.todo.push(Todo::Call(parent)),
            CallMode::Parallel => self.todo.push(Todo::Finish(parent)),
        }
    }

    /// A call of a request has failed for good, and so does the request.
    fn abandon(&mut self, parent: TryRef) {
        let Some(&there) = self.tries.get(parent) else { return };
        self.release(parent);
        if self.is_given_up(&there) {
            self.leave_late(parent, &there);
            return;
        }
        self.desks[there.pool as usize].now.lost += 1;
        self.fail(parent, Failure::Lost);
    }

    /// A try leaves its instance with an answer.
    fn finish(&mut self, one: TryRef) {
        let Some(&there) = self.tries.get(one) else { return };
        if there.stage != Stage::Calling {
            // Its own work was the last of it: worker and server are free already or now.
            self.set_stage(one, Stage::Calling);
        }
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

    /// Has the client of a try that is or was inside given up?
    fn is_given_up(&self, there: &Try) -> bool {
        let sender = &self.senders[there.origin as usize];
        if sender.has_alarm {
            return there.timed_out;
        }
        sender.timeout.is_some_and(|timeout| self.now - there.sent > timeout)
    }

    /// A try whose client has given up leaves the system.
    fn leave_late(&mut self, one: TryRef, there: &Try) {
        self.desks[there.pool as usize].now.late += 1;
        let sender = &self.senders[there.origin as usize];
        if !sender.is_call && (there.is_last || !sender.has_alarm) {
            self.books.end(there.born, End::Late);
        }
        self.tries.remove(one);
    }

    /// A try that is nowhere any more has failed: its client tries again, or that was it.
    fn fail(&mut self, one: TryRef, failure: Failure) {
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
    fn decide(&mut self, there: &Try, failure: Failure) -> bool {
        let sender = &mut self.senders[there.origin as usize];
        let is_wanted = !sender.is_call || self.tries.get(there.parent).is_some();
        is_wanted
            && may_retry(&sender.client, failure, there.attempt)
            && sender.take_token(self.now)
    }

    /// Plans the try after `last`, at a place of its own.
    fn retry(&mut self, next: TryRef, last: &Try) {
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
    fn alarm(&mut self, origin: usize) {
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
    fn time_out(&mut self, one: TryRef) {
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

    /// An instance runs out of something and dies.
    fn crash(&mut self, station: usize) {
        let resource = self.stations[station].crash_resource;
        self.crashes.push(Crash { station: station as u32, resource, at: self.now });
        self.kill(station);
    }

    /// An instance dies: everything inside is lost, or late where the client has given up.
    pub fn kill(&mut self, station: usize) {
        let left = self.end.saturating_sub(self.now) as i64;
        let inside = self.tries.at_station(station as u32);
        let there = &mut self.stations[station];
        let desk = &mut self.desks[there.pool as usize];
        desk.present -= there.inside;
        desk.inside -= there.tries;
        desk.busy -= there.busy;
        desk.working -= there.working;
        desk.now.present_time -= left * there.inside as i64;
        desk.now.inside_time -= left * there.tries as i64;
        desk.now.busy_time -= left * there.busy as i64;
        desk.now.working_time -= left * there.working as i64;
        there.is_up = false;
        let probe = there.probe;
        there.clear();
        there.probe = probe.map(|probe| Probe { at: TryRef::NONE, ..probe });
        // All have left before the first fails: a call that was redirected may die with its caller.
        for one in &inside {
            self.set_stage(*one, Stage::Outside);
        }
        for one in inside {
            let Some(&there) = self.tries.get(one) else { continue };
            if there.origin == PROBE {
                self.tries.remove(one);
            } else if self.is_given_up(&there) {
                self.leave_late(one, &there);
            } else {
                let counts = &mut self.desks[there.pool as usize].now;
                counts.lost += 1;
                counts.died_inside += 1;
                self.fail(one, Failure::Lost);
            }
        }
    }
}

/// Work in mean service times.
fn drawn_work(distribution: ServiceDistribution, draws: Draws) -> f64 {
    match distribution {
        ServiceDistribution::Exponential => draws.exponential(purpose::WORK),
        ServiceDistribution::Deterministic => 1.0,
        ServiceDistribution::Lognormal { cv } => {
            let variance = libm::log1p(cv * cv);
            let normal = crate::queueing::normal_quantile(draws.uniform(purpose::WORK));
            libm::exp(variance.sqrt() * normal - 0.5 * variance)
        }
    }
}

/// How many calls a request makes along an edge.
fn call_count(call: &Call, draws: Draws, edge: usize) -> u32 {
    let whole = call.per_request.floor();
    let one_more = draws.uniform(purpose::CALLS + edge as u64) < call.per_request - whole;
    whole as u32 + u32::from(one_more)
}
