//! A policy behind a cascade circuit breaker.

use super::breaker::{Breaker, BreakerAction, Trip};
use super::stopped;
use crate::model::PoolId;
use crate::policy::{Notice, Plan, Policy, PoolView, Redirect, View};

/// Rounding of a share.
const NEARLY: f64 = 1e-9;

/// Redirects as its policy does until the breaker trips.
pub struct Guarded {
    breaker: Breaker,
    /// As it was when the breaker tripped, while that is open.
    policy: Box<dyn Policy>,
    /// Makes the policy anew, without memory.
    renew: Box<dyn Fn() -> Box<dyn Policy> + Send>,
    state: State,
    watch: Watch,
    was_pulled: bool,
}

#[derive(Debug)]
enum State {
    Closed,
    Open(Open),
    HalfOpen { since_s: f64 },
}

#[derive(Debug)]
struct Open {
    since_s: f64,
    action: BreakerAction,
    /// What was moved when it tripped.
    moved: Vec<Redirect>,
}

/// What a breaker has seen so far.
#[derive(Debug, Default)]
struct Watch {
    /// What went where in the last step.
    flows: Vec<Redirect>,
    /// By pool: did it receive then, and did traffic of it go elsewhere?
    receives: Vec<bool>,
    sends: Vec<bool>,
    /// When traffic of a pool last began to go elsewhere.
    shift_s: Option<f64>,
    was_healthy: Vec<bool>,
    /// Receivers that became unhealthy, and when; each once.
    lost: Vec<(PoolId, f64)>,
}

impl Guarded {
    /// Puts what `renew` makes behind a breaker.
    pub fn new(breaker: Breaker, renew: Box<dyn Fn() -> Box<dyn Policy> + Send>) -> Self {
        let policy = renew();
        let (state, watch) = (State::Closed, Watch::default());
        Self { breaker, policy, renew, state, watch, was_pulled: false }
    }

    fn step_state(&mut self, view: &View<'_>, plan: &mut Plan) {
        if self.is_pulled(view) {
            self.open(Trip::ByHand, self.breaker.by_hand_action, view, plan);
            return;
        }
        match &self.state {
            State::Open(open) => {
                let retry_s = self.breaker.retry_after.map(|after| open.since_s + after.get());
                if retry_s.is_some_and(|retry_s| view.time_s >= retry_s - NEARLY) {
                    self.half_open(view, plan);
                }
            }
            State::Closed | State::HalfOpen { .. } => {
                if let Some(trip) = self.watch.trip(&self.breaker, view) {
                    self.open(trip, self.breaker.action, view, plan);
                } else if let State::HalfOpen { since_s } = self.state
                    && view.time_s - since_s > self.breaker.window.get()
                {
                    self.close(plan);
                }
            }
        }
    }

    /// Does a person trip it now, be it open or not?
    fn is_pulled(&mut self, view: &View<'_>) -> bool {
        let is_time = self.breaker.by_hand_at.is_some_and(|at| view.time_s >= at.get() - NEARLY);
        let is_pulled = is_time && !self.was_pulled && !self.watch.flows.is_empty();
        self.was_pulled |= is_pulled;
        is_pulled
    }

    fn open(&mut self, trip: Trip, action: BreakerAction, view: &View<'_>, plan: &mut Plan) {
        plan.notices.push(Notice::BreakerOpen { trip, action });
        let moved = self.watch.flows.clone();
        self.state = State::Open(Open { since_s: view.time_s, action, moved });
    }

    /// What was held goes on from where it was; what was taken back begins anew.
    fn half_open(&mut self, view: &View<'_>, plan: &mut Plan) {
        plan.notices.push(Notice::BreakerHalfOpen);
        if let State::Open(Open { action: BreakerAction::Retract, .. }) = self.state {
            self.policy = (self.renew)();
        }
        self.state = State::HalfOpen { since_s: view.time_s };
        self.watch.lost.clear();
        self.watch.shift_s = Some(view.time_s);
    }

    fn close(&mut self, plan: &mut Plan) {
        plan.notices.push(Notice::BreakerClosed);
        if let State::Open(_) = self.state {
            // What it remembers has not been moved since.
            self.policy = (self.renew)();
        }
        self.state = State::Closed;
        self.watch.lost.clear();
    }
}

impl Policy for Guarded {
    fn route(&mut self, view: &View<'_>, plan: &mut Plan) {
        self.watch.look(view, self.breaker.window.get());
        self.step_state(view, plan);
        let is_well = |pool: &PoolView| pool.is_healthy && pool.drain_share == 0.0;
        let is_over = view.pools.iter().all(is_well);
        match &self.state {
            State::Open(open) => {
                // What is not moved must not be remembered as if it were.
                (self.renew)().route(view, plan);
                if is_over && plan.redirects.is_empty() {
                    self.close(plan);
                } else {
                    match open.action {
                        BreakerAction::Hold => stopped::hold(&open.moved, view, plan),
                        BreakerAction::Retract => stopped::retract(&open.moved, view, plan),
                    }
                }
            }
            State::HalfOpen { .. } => {
                self.policy.route(view, plan);
                if is_over && plan.redirects.is_empty() {
                    self.close(plan);
                }
            }
            State::Closed => self.policy.route(view, plan),
        }
        self.watch.note_flows(view, plan);
    }
}

impl Watch {
    /// Notes which receivers have become unhealthy since the last step.
    fn look(&mut self, view: &View<'_>, window_s: f64) {
        self.lost.retain(|(_, lost_s)| view.time_s - lost_s <= window_s);
        let is_recent = self.shift_s.is_some_and(|since_s| view.time_s - since_s <= window_s);
        for (index, pool) in view.pools.iter().enumerate() {
            let id = PoolId::from_index(index);
            let was_healthy = self.was_healthy.get(index).copied().unwrap_or(true);
            let received = self.receives.get(index).copied().unwrap_or(false);
            if is_recent
                && was_healthy
                && !pool.is_healthy
                && received
                && self.lost.iter().all(|(known, _)| *known != id)
            {
                self.lost.push((id, view.time_s));
            }
        }
        self.was_healthy.clear();
        self.was_healthy.extend(view.pools.iter().map(|pool| pool.is_healthy));
    }

    fn trip(&self, breaker: &Breaker, view: &View<'_>) -> Option<Trip> {
        let count = self.lost.len() as u32;
        if breaker.max_pools.is_some_and(|most| count > most) {
            return Some(Trip::Pools { count });
        }
        let receivers = self.receives.iter().enumerate().filter(|(_, receives)| **receives);
        for pool in receivers.map(|(index, _)| PoolId::from_index(index)) {
            let receiver = view.pool(pool);
            let share = 1.0 - receiver.share_in_rotation;
            if breaker.max_instances_out.is_some_and(|most| share > most.get() + NEARLY) {
                return Some(Trip::InstancesOut { pool, share });
            }
            let wait_s = receiver.reported_wait_s;
            if breaker.max_wait.is_some_and(|most| wait_s > most.get()) {
                return Some(Trip::Wait { pool, wait_s });
            }
        }
        None
    }

    fn note_flows(&mut self, view: &View<'_>, plan: &Plan) {
        self.sends.resize(view.pools.len(), false);
        if plan.redirects.iter().any(|flow| !self.sends[flow.from.index()]) {
            self.shift_s = Some(view.time_s);
        }
        self.flows.clone_from(&plan.redirects);
        self.receives.clear();
        self.receives.resize(view.pools.len(), false);
        self.sends.fill(false);
        for flow in &self.flows {
            self.receives[flow.to.index()] = true;
            self.sends[flow.from.index()] = true;
        }
    }
}
