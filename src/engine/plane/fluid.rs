//! The fluid plane: each instance is one M/M/c/K station with mean and variance (MODEL §4.1).

use crate::engine::instances::Instances;
use crate::engine::world::World;
use crate::queueing::{Inflow, Load, Response, Stationary, advance, response};

/// What arrives at one instance.
#[derive(Debug, Clone, Copy)]
pub struct Arrivals {
    /// Tries a second.
    pub tries_rps: f64,
    /// Variance over Poisson's.
    pub dispersion: f64,
    /// See [`Inflow::choice`].
    pub choice: f64,
}

/// What happened at a pool's instances in one step, in tries.
#[derive(Debug, Clone, Copy, Default)]
pub struct Totals {
    /// Entered.
    pub admitted: f64,
    /// Left in time.
    pub completed: f64,
    /// Left after their client had given up.
    pub late: f64,
    /// Refused by a full queue or a deadline.
    pub rejected: f64,
    /// Sent to a dead instance, or failed by an event.
    pub lost: f64,
    /// In the system.
    pub in_flight: f64,
    /// Of those, waiting.
    pub queue: f64,
    answers: f64,
    waiting: f64,
    wait_s: f64,
    wait_square_s2: f64,
    service_s: f64,
}

impl Totals {
    fn add_latency(&mut self, answers: f64, latency: &Response) {
        let waiting = answers * latency.wait_chance;
        let mean_s = latency.wait_mean_s;
        self.answers += answers;
        self.waiting += waiting;
        self.wait_s += waiting * mean_s;
        self.wait_square_s2 += waiting * (latency.wait_variance_s2 + mean_s * mean_s);
        self.service_s += answers * latency.service_s;
    }

    /// The latency of all answers: waits of one mean and variance over the pool.
    #[must_use]
    pub fn latency(&self) -> Option<Response> {
        if self.answers <= 1e-12 {
            return None;
        }
        let wait_mean_s = if self.waiting > 0.0 { self.wait_s / self.waiting } else { 0.0 };
        let square = if self.waiting > 0.0 { self.wait_square_s2 / self.waiting } else { 0.0 };
        Some(Response {
            wait_chance: (self.waiting / self.answers).min(1.0),
            wait_mean_s,
            wait_variance_s2: (square - wait_mean_s * wait_mean_s).max(0.0),
            service_s: self.service_s / self.answers,
        })
    }
}

/// Fills an instance with the steady state of `tries_rps`; leaves it empty where there is none.
pub fn start(world: &mut World<'_>, pool: usize, i: usize, tries_rps: f64) {
    let rate = world.rate(pool, i);
    let probes_rps = world.probe_rps(pool, i);
    let table = world.tables.get(world.instances.table[i]);
    let erlangs = (tries_rps + probes_rps) / rate;
    let limit = table.limit().is_finite().then(|| table.limit() as u64);
    if erlangs <= 0.0 || (limit.is_none() && erlangs >= table.servers()) {
        return;
    }
    let state = Stationary::solve(table.servers() as u32, limit, erlangs);
    world.instances.mean[i] = state.mean;
    world.instances.variance[i] = state.variance;
    world.instances.tries[i] = state.mean * tries_rps / (tries_rps + probes_rps);
    let throughput_rps = rate * state.busy;
    world.instances.head_age_s[i] = ((state.mean - state.busy) / throughput_rps) as f32;
    world.pools[pool].out.in_flight += world.instances.tries[i];
}

/// Moves one living instance by one step.
pub fn serve(
    world: &mut World<'_>,
    pool: usize,
    i: usize,
    arrivals: &Arrivals,
    is_row: bool,
    totals: &mut Totals,
) {
    let step_s = world.step_s;
    let rate = world.rate(pool, i);
    let kind = world.kind(pool);
    let has_warm_up = kind.warm_up.get() > 0.0 || kind.redirect_cost != 1.0;
    let has_deadline = kind.max_wait.is_some();
    if has_deadline && has_warm_up {
        world.choose_table(pool, i);
    }
    let mut load = Load { mean: world.instances.mean[i], variance: world.instances.variance[i] };
    let inflow = Inflow {
        tries_rps: arrivals.tries_rps,
        probes_rps: world.probe_rps(pool, i),
        probes_bypass_limit: has_deadline,
        rate,
        dispersion: arrivals.dispersion,
        choice: arrivals.choice,
    };
    let before = load.mean;
    let table = world.tables.get(world.instances.table[i]);
    let flow = advance(table, &mut load, &inflow, step_s);
    let tries_there = world.instances.tries[i] + flow.admitted_tries;
    let all_there = before + flow.admitted_tries + flow.admitted_probes;
    let left_share = if all_there > 0.0 { (flow.completed / all_there).min(1.0) } else { 0.0 };
    let answers = tries_there * left_share;
    let busy = if rate > 0.0 { flow.completed / (rate * step_s) } else { table.servers() };
    let queue = (load.mean - busy).max(0.0);
    let aging =
        age_queue(&mut world.instances, i, step_s, queue, flow.completed, flow.admitted_tries);
    let mut late = 0.0;
    let timeout = world.clients[world.settings[pool].client.index()].timeout;
    if answers > 0.0 && (is_row || timeout.is_some()) {
        let mut latency = response(table, &load, rate);
        // Those who leave now waited in the queue of the past, not in that which arrivals find.
        latency.wait_mean_s *= aging;
        latency.wait_variance_s2 *= aging * aging;
        if let Some(timeout) = timeout {
            late = answers * latency.tail(timeout.get());
        }
        if is_row {
            totals.add_latency(answers, &latency);
        }
    }
    world.instances.mean[i] = load.mean;
    world.instances.variance[i] = load.variance;
    let tries = (tries_there - answers).max(0.0);
    world.instances.tries[i] = tries;
    totals.admitted += flow.admitted_tries;
    totals.completed += answers - late;
    totals.late += late;
    totals.rejected += arrivals.tries_rps * step_s - flow.admitted_tries;
    totals.in_flight += tries;
    if is_row && load.mean > 0.0 {
        totals.queue += queue.min(load.mean) * tries / load.mean;
    }
}

/// Ages an instance's queue by one step; returns how long those who leave have waited over how long
/// the same queue takes at the present throughput: 1 in a steady state, below 1 while it grows.
///
/// First in, first out, with ages evenly spread between the youngest's and the oldest's: the oldest's
/// grows by a second a second, less what has left. Exact for constant arrivals, for a stall, and for
/// a queue that drains.
fn age_queue(
    instances: &mut Instances,
    i: usize,
    step_s: f64,
    queue: f64,
    completed: f64,
    admitted: f64,
) -> f64 {
    let oldest_s = f64::from(instances.head_age_s[i]);
    let youngest_s = f64::from(instances.tail_age_s[i]);
    let spread_s = (oldest_s - youngest_s).max(0.0);
    if queue < 1e-9 {
        instances.head_age_s[i] = 0.0;
        instances.tail_age_s[i] = 0.0;
        return 1.0;
    }
    let x = completed / queue;
    let spread_s = (spread_s + step_s * (1.0 + 0.5 * x)) / (1.0 + x + 0.5 * x * x);
    let oldest_s = youngest_s + spread_s;
    instances.head_age_s[i] = oldest_s as f32;
    // Without new arrivals the youngest ages too.
    let density_rps = queue / spread_s;
    let fresh = 2.0 * admitted / (step_s * density_rps);
    instances.tail_age_s[i] =
        if fresh >= 1.0 { 0.0 } else { (youngest_s + step_s * (1.0 - fresh)).min(oldest_s) as f32 };
    if completed <= 0.0 {
        return 1.0;
    }
    (oldest_s * completed / (queue * step_s)).clamp(0.0, 1e3)
}

/// The share of an instance's tries whose client has given up.
#[must_use]
pub fn given_up_share(world: &World<'_>, pool: usize, i: usize) -> f64 {
    let Some(timeout) = world.clients[world.settings[pool].client.index()].timeout else {
        return 0.0;
    };
    share_older(world, pool, i, timeout.get())
}

/// The share of an instance's tries that have been in the system for longer than `age_s`.
#[must_use]
pub fn share_older(world: &World<'_>, pool: usize, i: usize, age_s: f64) -> f64 {
    let mean = world.instances.mean[i];
    if mean <= 0.0 {
        return 0.0;
    }
    let table = world.tables.get(world.instances.table[i]);
    let load = Load { mean, variance: world.instances.variance[i] };
    let busy = table.closure(load.mean, load.variance).busy.min(mean);
    let oldest_s = f64::from(world.instances.head_age_s[i]);
    let youngest_s = f64::from(world.instances.tail_age_s[i]);
    let waiting_older = if oldest_s > youngest_s {
        ((oldest_s - age_s) / (oldest_s - youngest_s)).clamp(0.0, 1.0)
    } else {
        f64::from(u8::from(oldest_s > age_s))
    };
    // What is being served entered service at the oldest's age, an exponential time ago.
    let nominal_s = world.kind(pool).service_time.get();
    let rate = world.rate(pool, i);
    let service_s = if rate > 0.0 { 1.0 / rate } else { nominal_s };
    let in_service_older = libm::exp(-(age_s - oldest_s).max(0.0) / service_s);
    (busy * in_service_older + (mean - busy) * waiting_older) / mean
}
