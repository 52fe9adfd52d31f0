//! Who waits for what: the tries of one origin at one pool are a lane.
//!
//! A station knows how many tries are inside, not whose they are. Lanes follow that: who still
//! waits, by the number of the try, and who has given up and left the try behind. What leaves a
//! pool is a well-mixed part of its lanes; but the tries of the last time-out are kept by the step
//! in which they were admitted, since age decides who gives up.

use std::collections::VecDeque;

use crate::engine::world::World;
use crate::model::{Client, Plane, Scenario};

use super::ages::Ages;
use super::leaving::Leaving;
use super::requests::RequestFlows;
use super::sender::Sender;

/// Tries by their number, from the first.
pub type ByAttempt = Vec<f64>;

/// The tries of an origin at a pool.
#[derive(Debug, Clone, Default)]
pub struct Lane {
    /// The pool.
    pub to: usize,
    /// Inside, and somebody waits for them.
    pub waiting: ByAttempt,
    /// Inside, given up, and not tried again.
    pub given_up: f64,
    /// Inside, given up, and tried again.
    pub replaced: f64,
    /// Whose client gave up in this step.
    pub timed_out: ByAttempt,
    /// Left in this step after their client had given up.
    pub late: f64,
    /// Admitted by step, the latest first, for as long as a time-out; times `alive`.
    admitted: VecDeque<ByAttempt>,
    /// The share of these that did not die since.
    alive: f64,
}

impl Lane {
    /// Tries inside.
    #[must_use]
    pub fn inside(&self) -> f64 {
        self.waiting.iter().sum::<f64>() + self.given_up + self.replaced
    }

    /// Takes in what a pool admitted in this step.
    fn enter(&mut self, sent: &[f64], admitted_share: f64) {
        let mut entered: ByAttempt = sent.iter().map(|tries| tries * admitted_share).collect();
        let longest = self.waiting.len().max(entered.len());
        self.waiting.resize(longest, 0.0);
        self.timed_out.clear();
        self.timed_out.resize(longest, 0.0);
        for (waiting, tries) in self.waiting.iter_mut().zip(&entered) {
            *waiting += tries;
        }
        if self.alive < 1e-100 {
            self.admitted.clear();
            self.alive = 1.0;
        }
        entered.iter_mut().for_each(|tries| *tries /= self.alive);
        self.admitted.push_front(entered);
    }

    /// Fills the lane with what a steady flow, in tries a step, leaves inside.
    pub fn fill(&mut self, inside: f64, admitted: f64, steps: usize) {
        self.waiting = vec![inside];
        self.admitted = (0..steps).map(|_| vec![admitted]).collect();
    }

    /// Finds those who reach the age of `timeout_steps` in this step and are unanswered with
    /// probability `unanswered`.
    ///
    /// Tries are admitted evenly over a step, so that of those of `k` steps ago a share 1 − f is of
    /// age `k + f` at the step's end.
    fn time_out(&mut self, timeout_steps: f64, unanswered: f64) {
        let (whole, part) = (timeout_steps.floor(), timeout_steps.fract());
        let whole = whole.min(1e9) as usize;
        for (age, tries) in self.admitted.iter().enumerate().skip(whole) {
            let reach = match age - whole {
                0 => 1.0 - part,
                1 => part,
                // The time-out has become shorter.
                _ => 1.0,
            };
            for (timed_out, tries) in self.timed_out.iter_mut().zip(tries) {
                *timed_out += tries * self.alive * reach * unanswered;
            }
        }
        self.admitted.truncate(whole + 1);
        for (timed_out, waiting) in self.timed_out.iter_mut().zip(&self.waiting) {
            *timed_out = timed_out.min(*waiting);
        }
    }

    /// A share of what is inside dies; returns how many of these nobody waited for. Those that
    /// somebody waited for are added to `lost`.
    fn die(&mut self, share: f64, lost: &mut ByAttempt) -> f64 {
        let late = share * (self.given_up + self.replaced);
        self.given_up -= share * self.given_up;
        self.replaced -= share * self.replaced;
        lost.resize(lost.len().max(self.waiting.len()), 0.0);
        for (lost, waiting) in lost.iter_mut().zip(&mut self.waiting) {
            *lost += share * *waiting;
            *waiting -= share * *waiting;
        }
        self.alive *= 1.0 - share;
        late
    }
}

/// What one step did with a pool's tries.
#[derive(Debug, Clone, Default)]
pub struct PoolFlow {
    /// Sent here.
    pub incoming: f64,
    /// Of those: refused by a full queue, a limit or a deadline.
    pub rejected: f64,
    /// Of those: failed at once.
    pub lost: f64,
    /// Who left, and how long answers take.
    pub leaving: Leaving,
}

impl PoolFlow {
    /// The shares of what is sent here that are admitted, rejected and lost. Where nothing is sent,
    /// all would be admitted, if anything serves.
    #[must_use]
    pub fn shares(&self, serves: bool) -> [f64; 3] {
        if self.incoming <= 0.0 {
            return if serves { [1.0, 0.0, 0.0] } else { [0.0, 0.0, 1.0] };
        }
        let (rejected, lost) = (self.rejected / self.incoming, self.lost / self.incoming);
        [(1.0 - rejected - lost).max(0.0), rejected, lost]
    }
}

/// Every lane.
#[derive(Debug, Clone, Default)]
pub struct Lanes {
    /// By origin.
    pub senders: Vec<Sender>,
    /// By pool.
    pub flows: Vec<PoolFlow>,
    /// Lanes by pool: origin and its lane.
    pub to_pool: Vec<Vec<(usize, usize)>>,
    /// The clients of the lanes of each pool.
    pub clients_at: Vec<Vec<usize>>,
    /// What became of users' requests.
    pub requests: RequestFlows,
    /// How old those are that wait, by instance.
    pub ages: Vec<Ages>,
}

impl Lanes {
    /// The lanes of a scenario as it begins: home. None where nobody retries, cancels or calls:
    /// then books are kept without them.
    #[must_use]
    pub fn of(scenario: &Scenario) -> Option<Self> {
        let acts = |client: &Client| client.retry.is_some() || client.cancel;
        let clients = scenario.origins.iter().map(|o| &scenario.clients[o.client.index()]);
        let is_fluid = scenario.simulation.plane == Plane::Fluid;
        if !is_fluid || !scenario.has_calls() && !clients.clone().any(acts) {
            return None;
        }
        let mut lanes = Self {
            senders: scenario.origins.iter().map(|_| Sender::default()).collect(),
            flows: vec![PoolFlow::default(); scenario.pools.len()],
            to_pool: vec![Vec::new(); scenario.pools.len()],
            clients_at: vec![Vec::new(); scenario.pools.len()],
            requests: RequestFlows::default(),
            ages: Vec::new(),
        };
        for (o, origin) in scenario.origins.iter().enumerate() {
            lanes.lane(o, origin.client.index(), origin.to.index());
        }
        Some(lanes)
    }

    /// The ages of those that wait at an instance.
    pub fn ages_at(&mut self, i: usize) -> &mut Ages {
        if self.ages.len() <= i {
            self.ages.resize(i + 1, Ages::default());
        }
        &mut self.ages[i]
    }

    /// The number of an origin's lane to a pool; opens it if need be.
    pub fn lane(&mut self, origin: usize, client: usize, to: usize) -> usize {
        let lanes = &mut self.senders[origin].lanes;
        if let Some(lane) = lanes.iter().position(|lane| lane.to == to) {
            return lane;
        }
        lanes.push(Lane { to, alive: 1.0, ..Lane::default() });
        let lane = lanes.len() - 1;
        self.to_pool[to].push((origin, lane));
        if !self.clients_at[to].contains(&client) {
            self.clients_at[to].push(client);
        }
        lane
    }

    /// When the clients of a pool's lanes give up, s; never is infinite.
    #[must_use]
    pub fn timeouts_s(&self, world: &World<'_>, pool: usize) -> Vec<f64> {
        let timeout_s = |&c: &usize| world.clients[c].timeout.map_or(f64::INFINITY, |t| t.get());
        self.clients_at[pool].iter().map(timeout_s).collect()
    }

    /// The share of tries at a pool that a client would give up, and the mean time until it is
    /// answered or gives up, s.
    #[must_use]
    pub fn beyond(&self, world: &World<'_>, pool: usize, client: usize) -> (f64, f64) {
        let leaving = &self.flows[pool].leaving;
        let idle = world.idle_response(pool);
        match world.clients[client].timeout {
            None => (0.0, leaving.mean_s(&idle)),
            Some(timeout) => {
                let number = self.clients_at[pool].iter().position(|&c| c == client);
                leaving.beyond(number.unwrap_or(usize::MAX), timeout.get(), &idle)
            }
        }
    }

    /// Takes `tries` of those inside a pool away, which die; returns how many of these nobody
    /// waited for.
    pub fn die(&mut self, pool: usize, tries: f64) -> f64 {
        let inside = self.inside(pool);
        if inside <= 0.0 {
            return 0.0;
        }
        let share = (tries / inside).min(1.0);
        let mut late = 0.0;
        for &(origin, lane) in &self.to_pool[pool] {
            let sender = &mut self.senders[origin];
            let lane = &mut sender.lanes[lane];
            let is_last = lane.given_up / (lane.given_up + lane.replaced).max(1e-300);
            let late_here = lane.die(share, &mut sender.failed.inside);
            if !sender.is_call {
                self.requests.late += late_here * is_last;
            }
            late += late_here;
        }
        late.min(tries)
    }

    /// Counts, at the end, the tries inside a pool whose client has given up, and those that are
    /// among `old` and whose client never does. Also notes users' requests of which these are the
    /// last tries.
    pub fn count_given_up(&mut self, world: &World<'_>, pool: usize, old: f64) -> f64 {
        let old_share = old / self.inside(pool).max(1e-300);
        let mut total = 0.0;
        for &(origin, lane) in &self.to_pool[pool] {
            let client = &world.clients[world.scenario.origins[origin].client.index()];
            let sender = &self.senders[origin];
            let lane = &sender.lanes[lane];
            let waiting: f64 = lane.waiting.iter().sum();
            let endless = if client.timeout.is_none() { waiting * old_share.min(1.0) } else { 0.0 };
            total += lane.given_up + lane.replaced + endless;
            if !sender.is_call {
                self.requests.given_up += lane.given_up + endless;
            }
        }
        total
    }

    fn inside(&self, pool: usize) -> f64 {
        let lanes = self.to_pool[pool].iter();
        lanes.map(|&(origin, lane)| self.senders[origin].lanes[lane].inside()).sum()
    }

    /// The tries of an origin at a pool: `sent` by number, of which the pool did what it did with
    /// all that was sent there.
    pub fn send(&mut self, world: &World<'_>, origin: usize, to: usize, share: f64) {
        let client = world.scenario.origins[origin].client.index();
        let lane = self.lane(origin, client, to);
        let serves = world.pools[to].out.in_rotation > 0;
        let [admitted, rejected, lost] = self.flows[to].shares(serves);
        let (beyond, until_s) = self.beyond(world, to, client);
        let call_failure = world.pools[to].call_failure;
        let sender = &mut self.senders[origin];
        let sent: ByAttempt = sender.mix.iter().map(|tries| tries * share).collect();
        let total: f64 = sent.iter().sum();
        sender.failed.add(&sent, rejected, lost);
        sender.tried.add(total, admitted, beyond, until_s, call_failure);
        sender.lanes[lane].enter(&sent, admitted);
    }

    /// What leaves a pool, lane by lane; tells how many had been given up, were failed by a call,
    /// and were given up just now and taken out of the queue.
    pub fn leave(&mut self, world: &World<'_>, pool: usize) -> Left {
        let inside = self.inside(pool);
        let answers = self.flows[pool].leaving.answers.min(inside);
        let mut left = Left::default();
        let ids = std::mem::take(&mut self.to_pool[pool]);
        for &(origin, lane) in &ids {
            let client = world.scenario.origins[origin].client.index();
            let timeout = world.clients[client].timeout;
            let cancels = world.clients[client].cancel;
            let (beyond, _) = self.beyond(world, pool, client);
            let sender = &mut self.senders[origin];
            let here = &mut sender.lanes[lane];
            if let Some(timeout) = timeout {
                here.time_out(timeout.get() / world.step_s, beyond);
            } else {
                here.admitted.clear();
            }
            let mine = if inside > 0.0 { answers * here.inside() / inside } else { 0.0 };
            if !cancels {
                for (waiting, timed_out) in here.waiting.iter_mut().zip(&here.timed_out) {
                    *waiting -= timed_out;
                }
            }
            let waiting: f64 = here.waiting.iter().sum();
            let behind = if cancels { 0.0 } else { here.timed_out.iter().sum() };
            let behind = behind + here.given_up + here.replaced;
            // Of those who leave, as many are late as the latency says, if so many are there.
            here.late = (mine * beyond).max(mine - waiting).min(behind);
            let in_time = (mine - here.late).min(waiting);
            let leave = if waiting > 0.0 { in_time / waiting } else { 0.0 };
            let failing = world.pools[pool].call_failure;
            let longest = sender.failed.inside.len().max(here.waiting.len());
            sender.failed.inside.resize(longest, 0.0);
            for (waiting, failed) in here.waiting.iter_mut().zip(&mut sender.failed.inside) {
                *failed += *waiting * leave * failing;
                *waiting -= *waiting * leave;
            }
            if cancels {
                for (waiting, timed_out) in here.waiting.iter_mut().zip(&mut here.timed_out) {
                    *timed_out = timed_out.min(*waiting);
                    *waiting -= *timed_out;
                }
                left.cancelled += here.timed_out.iter().sum::<f64>();
            }
            left.late += here.late;
            left.failed += in_time * failing;
            if !sender.is_call {
                self.requests.completed += in_time * (1.0 - failing);
            }
        }
        self.to_pool[pool] = ids;
        left
    }
}

/// How the tries that left a pool in one step ended, unless in time.
#[derive(Debug, Clone, Copy, Default)]
pub struct Left {
    /// Their client had given up.
    pub late: f64,
    /// A call failed for good.
    pub failed: f64,
    /// Their client gave up, and took them out of the queue.
    pub cancelled: f64,
}
