//! One instance: a station with mean and variance of the number in system.

use super::leaving::Leaving;
use super::usage::Usage;
use crate::engine::instances::{Instances, flag};
use crate::engine::pace::Pace;
use crate::engine::world::World;
use crate::queueing::{Inflow, Load, Response, Stationary, advance, response};

/// How requests arrive at one instance; see the fields of that name of [`Inflow`].
#[derive(Debug, Clone, Copy)]
pub struct ArrivalProcess {
    /// Variance over Poisson's.
    pub dispersion: f64,
    /// How much an arrival prefers the less loaded.
    pub choice: f64,
    /// The share of the variance that instances have in common.
    pub in_common: f64,
}

impl ArrivalProcess {
    /// What one instance sees of many independent senders.
    pub const POISSON: Self = Self { dispersion: 1.0, choice: 0.0, in_common: 0.0 };
}

/// What the instances of a pool have in common during one step.
#[derive(Debug, Clone)]
pub struct Context {
    pool: usize,
    step_s: f64,
    pace: Pace,
    arrivals: ArrivalProcess,
    is_row: bool,
    has_warm_up: bool,
    /// Do deadlines admit another queue, or calls another number at a time, as rates change?
    has_moving_places: bool,
    makes_calls: bool,
    /// Clients that give up: the share of the tries inside that are theirs, and when, s. Empty
    /// where lanes tell who gives up.
    patience: Vec<(f64, f64)>,
    /// Where there are lanes: when the clients of those that lead here give up, s.
    timeouts: Option<Vec<f64>>,
}

impl Context {
    /// The step under way at a pool.
    #[must_use]
    pub fn new(
        world: &World<'_>,
        pool: usize,
        pace: Pace,
        arrivals: ArrivalProcess,
        is_row: bool,
    ) -> Self {
        let kind = world.kind(pool);
        let has_deadline = kind.max_wait.is_some();
        let has_warm_up = kind.warm_up.get() > 0.0;
        let timeouts = world.lanes.as_ref().map(|lanes| lanes.timeouts_s(world, pool));
        let patience = if timeouts.is_some() { Vec::new() } else { world.patience(pool) };
        let patience = patience.into_iter();
        let has_moving_limit = has_deadline && (has_warm_up || kind.redirect_cost != 1.0);
        let makes_calls = world.calls_s[pool].is_some();
        let has_moving_servers = timeouts.is_some() && world.has_moving_servers(pool);
        Self {
            pool,
            step_s: world.step_s,
            pace,
            arrivals,
            is_row,
            has_warm_up,
            has_moving_places: has_moving_limit
                || has_moving_servers
                || makes_calls && has_deadline,
            makes_calls,
            timeouts,
            patience: patience.filter_map(|(share, end)| Some((share, end?))).collect(),
        }
    }
}

/// What happened at a pool's instances in one step, in tries.
#[derive(Debug, Clone, Default)]
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
    /// What was used of resources.
    pub usage: Usage,
    /// What lanes need to know.
    pub leaving: Leaving,
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
    let Some(state) = steady_state(world, pool, i, tries_rps) else {
        world.instances.clear_load(i);
        return;
    };
    world.instances.mean[i] = state.mean;
    world.instances.variance[i] = state.variance;
    world.instances.tries[i] = state.mean * tries_rps / (tries_rps + probes_rps);
    let throughput_rps = rate * state.busy;
    let wait_s = ((state.mean - state.busy) / throughput_rps) as f32;
    if let Some(serving) = world.instances.serving.get_mut(i) {
        *serving = state.busy * tries_rps / (tries_rps + probes_rps);
    }
    world.instances.head_age_s[i] = wait_s;
    world.instances.served_wait_s[i] = wait_s;
    world.pools[pool].out.in_flight += world.instances.tries[i];
}

/// The steady state of an instance that is sent `tries_rps`; none where there is none, or nothing.
#[must_use]
pub fn steady_state(
    world: &World<'_>,
    pool: usize,
    i: usize,
    tries_rps: f64,
) -> Option<Stationary> {
    let table = world.tables.get(world.instances.table[i]);
    let erlangs = (tries_rps + world.probe_rps(pool, i)) / world.rate(pool, i);
    let limit = table.limit().is_finite().then(|| table.limit() as u64);
    if erlangs.is_nan() || erlangs <= 0.0 || (limit.is_none() && erlangs >= table.servers()) {
        None
    } else if table.servers() == f64::INFINITY {
        Some(Stationary::unlimited(erlangs))
    } else {
        Some(Stationary::solve(table.servers() as u32, limit, erlangs))
    }
}

/// A step that moves L and V by less than this share moves nothing.
const STILL: f64 = 1e-12;

/// So few tries are none.
const NOTHING: f64 = 1e-9;

/// Moves one living instance by one step; tells whether that left it as it was.
pub fn serve(
    world: &mut World<'_>,
    context: &Context,
    i: usize,
    tries_rps: f64,
    totals: &mut Totals,
) -> bool {
    let step_s = context.step_s;
    let pool = context.pool;
    if context.has_moving_places {
        world.choose_table(pool, i);
    }
    let speed = world.instances.speed[i];
    let warmth = if context.has_warm_up { world.warmth(world.kind(pool), i) } else { 1.0 };
    let table = world.tables.get(world.instances.table[i]);
    let sharing = context.pace.sharing(table.servers(), world.instances.mean[i]);
    let rate = context.pace.rate(speed, warmth, sharing);
    let before = Load { mean: world.instances.mean[i], variance: world.instances.variance[i] };
    let inflow = Inflow {
        tries_rps,
        probes_rps: world.probe_rps(pool, i),
        probes_bypass_limit: world.instances.has(i, flag::BY_DEADLINE),
        rate,
        dispersion: context.arrivals.dispersion,
        choice: context.arrivals.choice,
        in_common: context.arrivals.in_common,
    };
    let mut load = before;
    let flow = advance(table, &mut load, &inflow, step_s);
    let tries_there = world.instances.tries[i] + flow.admitted_tries;
    let all_there = before.mean + flow.admitted_tries + flow.admitted_probes;
    let left_share = if all_there > 0.0 { (flow.completed / all_there).min(1.0) } else { 0.0 };
    let mut answers = tries_there * left_share;
    if tries_rps == 0.0 && tries_there < NOTHING {
        // The last of a queue that nothing enters is not halved for ever.
        answers = tries_there;
        load.mean = (load.mean - tries_there * (1.0 - left_share)).max(0.0);
    }
    let queue = (load.mean - flow.busy).max(0.0);
    let had_wait_s = f64::from(world.instances.served_wait_s[i]);
    let served = Served { queue, busy: flow.busy, completed: flow.completed };
    let admitted = flow.admitted_tries + flow.admitted_probes;
    let known_s = world.lanes.as_mut().and_then(|lanes| lanes.ages_at(i).step(admitted, queue));
    let known_s = known_s.map(|steps| steps * step_s);
    let wait_s = age_queue(&mut world.instances, i, step_s, &served, admitted, known_s);
    let mut late = 0.0;
    if let Some(timeouts_s) = &context.timeouts {
        let latency = latency_of_leavers(&response(table, &load, rate), wait_s);
        let weight = flow.admitted_tries.max(former_inflow(tries_there, &latency, step_s));
        totals.leaving.add(weight, answers, &latency, timeouts_s);
        if context.is_row && answers > 0.0 {
            totals.add_latency(answers, &latency);
        }
    } else if answers > 0.0 && (context.is_row || !context.patience.is_empty()) {
        let latency = latency_of_leavers(&response(table, &load, rate), wait_s);
        for (share, timeout_s) in &context.patience {
            late += answers * share * latency.tail(*timeout_s);
        }
        if context.is_row {
            totals.add_latency(answers, &latency);
        }
    }
    let tries = (tries_there - answers).max(0.0);
    let is_still = (load.mean - before.mean).abs() <= STILL * (load.mean + 1.0)
        && (load.variance - before.variance).abs() <= STILL * (load.variance + 1.0)
        && (tries - world.instances.tries[i]).abs() <= STILL * (tries + 1.0)
        && (wait_s - had_wait_s).abs() <= 1e-6 * wait_s;
    world.instances.mean[i] = load.mean;
    world.instances.variance[i] = load.variance;
    world.instances.tries[i] = tries;
    totals.admitted += flow.admitted_tries;
    totals.completed += answers - late;
    totals.late += late;
    totals.rejected += (tries_rps * step_s - flow.admitted_tries).max(0.0);
    totals.in_flight += tries;
    let busy = if rate > 0.0 { flow.completed / rate } else { flow.busy * step_s };
    totals.usage.busy_s += busy;
    totals.usage.done += flow.completed;
    totals.usage.inside += 0.5 * (before.mean + load.mean);
    if context.makes_calls {
        let own_s = if rate > 0.0 { context.pace.own_s(speed * warmth) } else { 0.0 };
        totals.usage.own_s += flow.completed * own_s;
        let serving = if load.mean > 0.0 { flow.busy * tries / load.mean } else { 0.0 };
        totals.leaving.entered += (answers + serving - world.instances.serving[i]).max(0.0);
        world.instances.serving[i] = serving;
    }
    if context.is_row && load.mean > 0.0 {
        totals.queue += queue.min(load.mean) * tries / load.mean;
    }
    is_still
}

/// Tries a step that have come to where nobody comes any more, by Little's law: those that are
/// inside came over one latency. Never quite nothing, where anybody is inside.
fn former_inflow(tries: f64, latency: &Response, step_s: f64) -> f64 {
    let mean_s = latency.mean_s();
    let over_steps = if mean_s.is_finite() { 1.0 + mean_s / step_s } else { 1.0 / NOTHING };
    tries / over_steps
}

/// What a step left at an instance.
struct Served {
    /// Those that wait.
    queue: f64,
    /// Those being served.
    busy: f64,
    /// Those that left.
    completed: f64,
}

/// Ages an instance's queue by one step; returns how long those who leave had waited on average.
///
/// First in, first out, with ages evenly spread between the youngest's and the oldest's: the
/// oldest's grows by a second a second, less what has left. Exact for constant arrivals, for a
/// stall, and for a queue that drains. Those being served keep the wait with which they entered
/// service. Where lanes know the age of those who enter service, they say so.
fn age_queue(
    instances: &mut Instances,
    i: usize,
    step_s: f64,
    served: &Served,
    admitted: f64,
    known_s: Option<f64>,
) -> f64 {
    let &Served { queue, busy, completed } = served;
    let mut oldest_s = 0.0;
    let mut youngest_s = 0.0;
    let mut entered = admitted;
    if queue >= 1e-9 {
        youngest_s = f64::from(instances.tail_age_s[i]);
        let spread_s = (f64::from(instances.head_age_s[i]) - youngest_s).max(0.0);
        let x = completed / queue;
        let spread_s = (spread_s + step_s * (1.0 + 0.5 * x)) / (1.0 + x + 0.5 * x * x);
        oldest_s = known_s.unwrap_or(youngest_s + spread_s);
        // Without new arrivals the youngest ages too.
        let fresh = 2.0 * admitted * spread_s / (step_s * queue);
        youngest_s = if fresh >= 1.0 { 0.0 } else { youngest_s + step_s * (1.0 - fresh) };
        youngest_s = youngest_s.min(oldest_s);
        entered = completed;
    }
    instances.head_age_s[i] = oldest_s as f32;
    instances.tail_age_s[i] = youngest_s as f32;
    let had_s = f64::from(instances.served_wait_s[i]);
    let new_share = if busy + entered > 0.0 { entered / (busy + entered) } else { 1.0 };
    let wait_s = had_s + new_share * (oldest_s - had_s);
    instances.served_wait_s[i] = wait_s as f32;
    wait_s
}

/// The latency of those who leave now, who had waited `wait_s` on average: the waits that arrivals
/// find now, stretched or squeezed to that mean. In a steady state the two are the same.
fn latency_of_leavers(of_arrivals: &Response, wait_s: f64) -> Response {
    let mut latency = *of_arrivals;
    let mean_s = latency.wait_chance * latency.wait_mean_s;
    if wait_s > 2.0 * mean_s && wait_s > 1e-3 * latency.service_s {
        // The queue they stood in is gone: all of them waited, for about as long.
        latency.wait_chance = 1.0;
        latency.wait_mean_s = wait_s;
        latency.wait_variance_s2 = 0.01 * wait_s * wait_s;
    } else if mean_s > 0.0 {
        let stretch = wait_s / mean_s;
        latency.wait_mean_s *= stretch;
        latency.wait_variance_s2 *= stretch * stretch;
    }
    latency
}

/// The share of an instance's tries whose client has given up; a client that never does is taken to
/// have after `endless_s`, if given.
#[must_use]
pub fn given_up_share(world: &World<'_>, pool: usize, i: usize, endless_s: Option<f64>) -> f64 {
    let given_up = |(share, timeout_s): (f64, Option<f64>)| {
        let end_s = timeout_s.or(endless_s)?;
        Some(share * share_older(world, pool, i, end_s))
    };
    world.patience(pool).into_iter().filter_map(given_up).sum()
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
    // What is being served entered service after its wait, an exponential time ago.
    let waited_s = f64::from(world.instances.served_wait_s[i]);
    let nominal_s = world.kind(pool).service_time.get();
    let rate = world.rate(pool, i);
    let service_s = if rate > 0.0 { 1.0 / rate } else { nominal_s };
    let in_service_older = libm::exp(-(age_s - waited_s).max(0.0) / service_s);
    (busy * in_service_older + (mean - busy) * waiting_older) / mean
}
