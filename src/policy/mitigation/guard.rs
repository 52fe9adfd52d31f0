//! A policy behind a cascade circuit breaker.

use super::breaker::{Breaker, BreakerAction, Trip};
use crate::model::PoolId;
use crate::policy::{Notice, Plan, Policy, PoolView, Redirect, View};

/// Rounding of a share.
const NEARLY: f64 = 1e-9;

/// Redirects as its policy does until the breaker trips.
pub struct Guarded {
    breaker: Breaker,
    policy: Box<dyn Policy>,
    /// Makes the policy anew, without memory.
    renew: Box<dyn Fn() -> Box<dyn Policy> + Send>,
    state: State,
    watch: Watch,
    was_pulled: bool,
}

enum State {
    Closed,
    Open(Open),
    HalfOpen { since_s: f64 },
}

struct Open {
    since_s: f64,
    /// What was moved when it tripped.
    moved: Vec<Redirect>,
    /// The policy as it was then.
    policy: Box<dyn Policy>,
}

/// What a breaker has seen so far.
#[derive(Default, Clone)]
struct Watch {
    /// What went where in the last step.
    flows: Vec<Redirect>,
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
        match &self.state {
            State::Open(open) => {
                let retry_s = self.breaker.retry_after.map(|after| open.since_s + after.get());
                if retry_s.is_some_and(|retry_s| view.time_s >= retry_s - NEARLY) {
                    self.half_open(view, plan);
                }
            }
            State::Closed | State::HalfOpen { .. } => {
                if let Some(trip) = self.trip(view) {
                    self.open(trip, view, plan);
                } else if let State::HalfOpen { since_s } = self.state
                    && view.time_s - since_s > self.breaker.window.get()
                {
                    self.close(plan);
                }
            }
        }
    }

    fn trip(&mut self, view: &View<'_>) -> Option<Trip> {
        let by_hand = self.breaker.by_hand_at.filter(|_| !self.was_pulled);
        if by_hand.is_some_and(|at| view.time_s >= at.get() - NEARLY)
            && !self.watch.flows.is_empty()
        {
            self.was_pulled = true;
            return Some(Trip::ByHand);
        }
        self.watch.trip(&self.breaker, view)
    }

    fn open(&mut self, trip: Trip, view: &View<'_>, plan: &mut Plan) {
        plan.notices.push(Notice::BreakerOpen { trip, action: self.breaker.action });
        self.state = State::Open(Open {
            since_s: view.time_s,
            moved: self.watch.flows.clone(),
            policy: self.policy.boxed(),
        });
    }

    /// What was held goes on from where it was; what was taken back begins anew.
    fn half_open(&mut self, view: &View<'_>, plan: &mut Plan) {
        plan.notices.push(Notice::BreakerHalfOpen);
        let half_open = State::HalfOpen { since_s: view.time_s };
        if let State::Open(open) = std::mem::replace(&mut self.state, half_open) {
            self.policy = match self.breaker.action {
                BreakerAction::Hold => open.policy,
                BreakerAction::Retract => (self.renew)(),
            };
        }
        self.watch.lost.clear();
    }

    fn close(&mut self, plan: &mut Plan) {
        plan.notices.push(Notice::BreakerClosed);
        self.state = State::Closed;
        self.watch.lost.clear();
    }
}

impl Policy for Guarded {
    fn route(&mut self, view: &View<'_>, plan: &mut Plan) {
        self.watch.look(view, self.breaker.window.get());
        self.step_state(view, plan);
        self.policy.route(view, plan);
        let is_well = |pool: &PoolView| pool.is_healthy && pool.drain_share == 0.0;
        let is_over = plan.redirects.is_empty() && view.pools.iter().all(is_well);
        match (&self.state, is_over) {
            // The shift that it tripped on is over.
            (State::Open(_) | State::HalfOpen { .. }, true) => self.close(plan),
            (State::Open(open), false) => match self.breaker.action {
                BreakerAction::Hold => hold(&open.moved, plan),
                BreakerAction::Retract => retract(&open.moved, plan),
            },
            _ => {}
        }
        self.watch.note_flows(view, plan);
    }

    fn boxed(&self) -> Box<dyn Policy> {
        // Breakers do not stand one behind another: nobody keeps a copy of one.
        (self.renew)()
    }
}

impl Watch {
    /// Notes which receivers have become unhealthy since the last step.
    fn look(&mut self, view: &View<'_>, window_s: f64) {
        let is_recent =
            |since_s: Option<f64>| since_s.is_some_and(|since_s| view.time_s - since_s <= window_s);
        self.lost.retain(|(_, lost_s)| view.time_s - lost_s <= window_s);
        for (index, pool) in view.pools.iter().enumerate() {
            let id = PoolId::from_index(index);
            let was_healthy = self.was_healthy.get(index).copied().unwrap_or(true);
            let received = || self.flows.iter().any(|flow| flow.to == id);
            if was_healthy
                && !pool.is_healthy
                && is_recent(self.shift_s)
                && received()
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
        for flow in &self.flows {
            let pool = flow.to;
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
        let had = |from: PoolId| self.flows.iter().any(|flow| flow.from == from);
        if plan.redirects.iter().any(|flow| !had(flow.from)) {
            self.shift_s = Some(view.time_s);
        }
        self.flows.clone_from(&plan.redirects);
    }
}

/// What was moved stays where it is, up to what would be moved now; nothing else is moved.
fn hold(moved: &[Redirect], plan: &mut Plan) {
    let wanted = std::mem::take(&mut plan.redirects);
    let of = |flows: &[Redirect], home: PoolId| -> f64 {
        flows.iter().filter(|flow| flow.from == home).map(|flow| flow.rps).sum()
    };
    for flow in &wanted {
        plan.kept_rps[flow.from.index()] += flow.rps;
    }
    for flow in moved {
        let (now_rps, then_rps) = (of(&wanted, flow.from), of(moved, flow.from));
        if now_rps > 0.0 && then_rps > 0.0 {
            plan.redirect(flow.from, flow.to, flow.rps * (now_rps / then_rps).min(1.0));
        }
    }
}

/// What would be moved of a home that had something moved is shed; of others it stays at home.
fn retract(moved: &[Redirect], plan: &mut Plan) {
    for flow in std::mem::take(&mut plan.redirects) {
        let home = flow.from.index();
        if moved.iter().any(|then| then.from == flow.from) {
            plan.shed_rps[home] += flow.rps;
        } else {
            plan.kept_rps[home] += flow.rps;
        }
    }
}
