//! The fallback that answers users' tries that were refused, as rates.

use std::collections::VecDeque;

use crate::engine::world::World;
use crate::policy;

/// A fallback under way.
#[derive(Debug)]
pub struct Fallback {
    spec: policy::Fallback,
    /// Tries that wait for it, by the pool whose they were.
    waiting: Vec<f64>,
    /// Tries whose answers are under way, by pool.
    under_way: Vec<f64>,
    /// Answers by the step in which they come, from this one on.
    due: VecDeque<Vec<(usize, f64)>>,
    /// The share of users' refused tries that it takes in this step.
    pub taken_share: f64,
}

impl Fallback {
    /// One that is idle.
    #[must_use]
    pub fn new(spec: policy::Fallback, pools: usize) -> Self {
        Self {
            spec,
            waiting: vec![0.0; pools],
            under_way: vec![0.0; pools],
            due: VecDeque::new(),
            taken_share: 0.0,
        }
    }

    /// The share that it takes of so many refused tries.
    fn share_of(&self, refused: f64, step_s: f64) -> f64 {
        let waiting: f64 = self.waiting.iter().sum();
        let places = (self.spec.queue_limit - waiting).max(0.0);
        let room = self.spec.capacity.get() * step_s + places;
        if refused > room { room / refused } else { 1.0 }
    }

    /// Begins answers, as many as its capacity allows in a step.
    fn begin(&mut self, taken: &[f64], step_s: f64, steps_left: u32) {
        for (waiting, taken) in self.waiting.iter_mut().zip(taken) {
            *waiting += taken;
        }
        let all: f64 = self.waiting.iter().sum();
        if all <= 0.0 {
            return;
        }
        let begun_share = (self.spec.capacity.get() * step_s / all).min(1.0);
        // Begun evenly over this step, they are answered evenly over a step that much later.
        let latency = self.spec.latency.get() / step_s;
        let first = (latency.floor()).min(f64::from(steps_left)) as usize;
        let late_share = latency.fract();
        self.due.resize_with(self.due.len().max(first + 2), Vec::new);
        for (pool, waiting) in self.waiting.iter_mut().enumerate().filter(|(_, w)| **w > 0.0) {
            // What is worked off is gone, but for rounding.
            let begun = if begun_share >= 1.0 { *waiting } else { *waiting * begun_share };
            *waiting -= begun;
            self.under_way[pool] += begun;
            let late = begun * late_share;
            self.due[first].push((pool, begun - late));
            self.due[first + 1].push((pool, late));
        }
    }
}

/// Hands users' tries that the plan refuses to the fallback, as many as it takes, and shows what it
/// answers in this step.
pub fn fall_back(world: &mut World<'_>) {
    let Some(mut fallback) = world.fallback.take() else { return };
    let step_s = world.step_s;
    let mut refused: Vec<f64> = world.pools.iter().map(|pool| pool.out.shed).collect();
    for (refused, calls) in refused.iter_mut().zip(call_shares(world)) {
        *refused *= 1.0 - calls;
    }
    fallback.taken_share = fallback.share_of(refused.iter().sum(), step_s);
    for (refused, pool) in refused.iter_mut().zip(&mut world.pools) {
        *refused *= fallback.taken_share;
        pool.out.shed -= *refused;
        pool.out.degraded = 0.0;
    }
    let steps_left = world.scenario.simulation.steps() - world.step;
    fallback.begin(&refused, step_s, steps_left);
    for (pool, answered) in fallback.due.pop_front().unwrap_or_default() {
        world.pools[pool].out.degraded += answered;
        fallback.under_way[pool] -= answered;
    }
    for (pool, state) in world.pools.iter_mut().enumerate() {
        state.out.deferred = fallback.waiting[pool] + fallback.under_way[pool].max(0.0);
    }
    world.fallback = Some(fallback);
}

/// The share of each pool's tries that are calls: the fallback answers users alone.
fn call_shares(world: &World<'_>) -> Vec<f64> {
    let mut shares = vec![0.0; world.pools.len()];
    for (origin, state) in world.scenario.origins.iter().zip(&world.origins) {
        let demand_rps = world.pools[origin.to.index()].demand_rps;
        if origin.is_call() && demand_rps > 0.0 {
            shares[origin.to.index()] += state.tries_rps() / demand_rps;
        }
    }
    shares
}
