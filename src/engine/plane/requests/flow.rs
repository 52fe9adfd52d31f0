//! How tries move: they are sent, admitted, worked on, call other pools, and leave.

use std::collections::VecDeque;

use super::arrival::Process;
use super::books::{End, ExactBooks};
use super::choose;
use super::clock::{Clock, Nanos};
use super::coming::Coming;
use super::desk::Desk;
use super::event::{Events, What};
use super::fallback::Fallback;
use super::plain::Plain;
use super::probes::Planned;
use super::sender::Sender;
use super::station::{Probe, Station};
use super::tries::{Tries, Try, TryRef};
use crate::engine::origins::UsersTries;
use crate::engine::retry::Failure;
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
pub(super) enum Todo {
    Send(TryRef),
    /// Begin the work of one that has just been given a server.
    Work(TryRef),
    /// An instance has a worker for whoever waits longest.
    Worker(u32),
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
    /// What was asked.
    pub probe: Probe,
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
    /// Whose first tries come next.
    pub coming: Coming,
    /// What answers users' tries that were refused.
    pub fallback: Option<Fallback>,
    /// What is inside instances, where all is served plainly; else `tries` has it.
    pub plain: Option<Plain>,
    pub(super) todo: Vec<Todo>,
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
            coming: Coming::default(),
            fallback: None,
            plain: None,
            todo: Vec::new(),
            gathered: Vec::new(),
        }
    }

    /// Lets everything happen that happens before `end`.
    pub fn run_until(&mut self, end: Nanos) {
        self.settle();
        self.coming.look(&self.senders);
        loop {
            let (arrival_at, sender) = self.coming.next();
            let event_at = self.events.next_at();
            let at = arrival_at.min(event_at);
            if at >= end {
                break;
            }
            self.now = at;
            let has_due = event_at == at && self.events.has_due_at(at);
            if arrival_at > at && !has_due {
                self.happen();
            } else if !has_due && self.is_alone(sender) {
                let one = self.arrive_one(sender);
                self.send(one);
            } else {
                self.arrive_together(at);
            }
            self.settle();
        }
        self.now = end;
    }

    /// Does just one try of an origin come next, and of no other in that instant?
    #[inline]
    pub(super) fn is_alone(&self, sender: usize) -> bool {
        let process = self.senders[sender].process.as_ref();
        process.is_some_and(Process::is_single) && !self.coming.is_tied()
    }

    /// First tries of an origin whose time has come: the number of the first, and how many.
    #[inline(always)]
    pub(super) fn take_arrivals(&mut self, sender: usize) -> (u64, u64) {
        let Some(process) = &mut self.senders[sender].process else { return (0, 0) };
        let first = process.count;
        let count = process.arrive(&self.clock);
        self.coming.advance(process.next_at);
        (first, count)
    }

    pub(super) fn arrive_one(&mut self, sender: usize) -> TryRef {
        let (number, _) = self.take_arrivals(sender);
        self.bear(sender as u32, number, TryRef::NONE, None)
    }

    /// First tries and retries of one instant, in an order drawn from the seed.
    pub(super) fn arrive_together(&mut self, at: Nanos) {
        let mut gathered = std::mem::take(&mut self.gathered);
        while let (next_at, sender) = self.coming.next()
            && next_at == at
        {
            let (first, count) = self.take_arrivals(sender);
            for number in first..first + count {
                let one = self.bear(sender as u32, number, TryRef::NONE, None);
                gathered.push((self.place(one), one));
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

    pub(super) fn place(&self, one: TryRef) -> u64 {
        self.tries.get(one).map_or(0, |there| there.draws.bits(purpose::PLACE))
    }

    /// A request's first try.
    pub(super) fn bear(
        &mut self,
        origin: u32,
        number: u64,
        parent: TryRef,
        of: Option<Draws>,
    ) -> TryRef {
        let sender = &mut self.senders[origin as usize];
        sender.first += 1;
        let draws = of.unwrap_or_else(|| Draws::of(sender.draws, number));
        sender.bucket.deposit(&sender.client, 1.0, sender.first_rps);
        self.desks[sender.home as usize].now.first += 1;
        if !sender.is_call {
            self.books.arrive(self.now);
            self.users_tries.first += 1.0;
        }
        let one = Try::first(origin, sender.home, self.now, draws);
        self.tries.add(Try { parent, ..one })
    }

    /// Does what remains to be done in this instant.
    pub(super) fn settle(&mut self) {
        while let Some(todo) = self.todo.pop() {
            match todo {
                Todo::Send(one) => self.send(one),
                Todo::Work(one) => self.work(one),
                Todo::Worker(station) => self.fill_workers(station as usize),
                Todo::Call(one) => self.call(one),
                Todo::Finish(one) => self.finish(one),
            }
        }
    }

    pub(super) fn happen(&mut self) {
        match self.events.pop() {
            Some(What::Due(one)) => self.todo.push(Todo::Send(one)),
            Some(What::Probe(station)) => self.send_probe(station),
            Some(What::Done(one)) => self.worked(one),
            Some(What::Alarm(origin)) => self.alarm(origin as usize),
            None => {}
        }
    }

    /// A try sets out from its client.
    pub(super) fn send(&mut self, one: TryRef) {
        let Some(there) = self.tries.get(one) else { return };
        let (home, draws) = (there.pool as usize, there.draws);
        if there.attempt > 1 {
            self.desks[home].now.retries += 1;
            if !self.senders[there.origin as usize].is_call {
                self.users_tries.retries += 1.0;
            }
        }
        let Some(to) = choose::way(&self.desks[home], home, draws) else {
            let (origin, born) = (there.origin as usize, there.born);
            if self.falls_back(origin, born) {
                self.tries.remove(one);
            } else {
                self.desks[home].now.shed += 1;
                self.fail(one, Failure::Shed);
            }
            return;
        };
        let redirected = to != home;
        if redirected {
            self.desks[home].now.redirected_out += 1;
            self.desks[to].now.redirected_in += 1;
        }
        let Some(station) = choose::instance(&mut self.desks[to], &self.stations, draws) else {
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
        self.admit(one, station as usize, draws);
    }

    /// Lets the fallback take a user's try that was refused; false where it does not.
    pub(super) fn falls_back(&mut self, origin: usize, born: Nanos) -> bool {
        let sender = &self.senders[origin];
        let Some(fallback) = self.fallback.as_mut().filter(|_| !sender.is_call) else {
            return false;
        };
        let is_taken = fallback.take(self.now, sender.home, born);
        let desk = &mut self.desks[sender.home as usize];
        desk.deferred += u64::from(is_taken);
        desk.now.deferred += u64::from(is_taken);
        is_taken
    }

    /// Lets the fallback answer what it does before the end of the step.
    pub(super) fn answer_deferred(&mut self) {
        let Some(fallback) = &mut self.fallback else { return };
        while let Some(answered) = fallback.answer_before(self.end) {
            let desk = &mut self.desks[answered.home as usize];
            desk.deferred -= 1;
            desk.now.degraded += 1;
            self.books.end(answered.born, End::Degraded);
        }
    }
}
