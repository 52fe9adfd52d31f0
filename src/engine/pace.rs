//! How fast instances work, how many requests they serve at a time, and how many they hold.

use crate::model::{InstanceKind, Plane};

use super::instances::{LONG_AGO, flag};
use super::world::World;

/// How fast a pool's instances work at the moment, warm-up and dealt speeds apart.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pace {
    /// Completions a second of one busy worker of speed 1, calls apart; infinite where a request
    /// needs no service of its own.
    pub even_rate: f64,
    /// A request's time in calls, s.
    pub calls_s: f64,
    /// Most completions a second by what requests use up.
    consumed_rps: f64,
    /// The same by workers that calls free, at speed 1.
    workers_rps: f64,
    /// Is service all there is?
    is_plain: bool,
    /// Is the number of servers only what that leaves inside?
    is_by_rate: bool,
}

/// No request is held for less than this, s: a station without any service has to have a rate.
const SHORTEST_S: f64 = 1e-6;

impl Pace {
    /// Completions a second of one busy server, of `servers` (infinite without limit): the time
    /// that a request is held, or its share of what requests use up (MODEL §4.1).
    #[must_use]
    pub fn rate(&self, speed: f64, warmth: f64, servers: f64) -> f64 {
        let own_rate = self.even_rate * speed * warmth;
        if self.is_plain {
            return own_rate;
        }
        // Written so that a stall, and calls that never end, serve nothing.
        let held_s = self.own_s(speed * warmth) + self.calls_s;
        let held_rate = if held_s.is_finite() { 1.0 / held_s.max(SHORTEST_S) } else { 0.0 };
        let most_rps = self.most_rps(speed * warmth);
        if most_rps.is_finite() { held_rate.min(most_rps / servers) } else { held_rate }
    }

    /// Servers that share what requests use up: all, or as many as are inside (`mean`) where their
    /// number is only rounded up from what is used up. So nobody is held for longer than it takes,
    /// and what is used up is not exceeded.
    #[must_use]
    pub fn sharing(&self, servers: f64, mean: f64) -> f64 {
        if self.is_by_rate { servers.min(mean.max(1.0)) } else { servers }
    }

    /// A request's own service at a speed, s.
    #[must_use]
    pub fn own_s(&self, speed: f64) -> f64 {
        1.0 / (self.even_rate * speed)
    }

    /// Most completions a second of an instance of that speed by what requests use up.
    fn most_rps(&self, speed: f64) -> f64 {
        self.consumed_rps.min(self.workers_rps * speed)
    }
}

impl World<'_> {
    /// How fast a pool's instances work at the moment.
    #[must_use]
    pub fn pace(&self, pool: usize) -> Pace {
        let kind = self.kind(pool);
        let state = &self.pools[pool];
        let makes_calls = self.calls_s[pool].is_some();
        let cost = self.cost(pool);
        let own_s = kind.service_time.get();
        let even_rate = self.even_rate(pool);
        let consumed = kind.resources.iter().filter_map(|resource| resource.rate_rps());
        let freed = kind.workers.filter(|_| !kind.holds_workers(makes_calls));
        let pace = Pace {
            even_rate,
            calls_s: state.calls_s,
            consumed_rps: consumed.fold(f64::INFINITY, f64::min) / cost,
            workers_rps: freed.map_or(f64::INFINITY, |count| f64::from(count) * even_rate),
            is_plain: false,
            is_by_rate: kind.servers(makes_calls).is_none(),
        };
        let is_plain = !makes_calls && own_s > 0.0 && pace.consumed_rps == f64::INFINITY;
        Pace { is_plain, ..pace }
    }

    /// Completions a second of one busy worker of speed 1, calls apart; infinite where a request
    /// needs no service of its own.
    #[must_use]
    pub fn even_rate(&self, pool: usize) -> f64 {
        let speed = self.pools[pool].modifiers.speed;
        let own_s = self.kind(pool).service_time.get();
        // A stopped process does nothing, whether or not there is anything to do.
        if speed > 0.0 { speed / (own_s * self.cost(pool)) } else { 0.0 }
    }

    /// Work of an average try inside, in tries at home.
    fn cost(&self, pool: usize) -> f64 {
        1.0 + self.pools[pool].redirected_share * (self.kind(pool).redirect_cost - 1.0)
    }

    /// Completions a second of one busy server of an instance.
    #[must_use]
    pub fn rate(&self, pool: usize, i: usize) -> f64 {
        let servers = self.tables.get(self.instances.table[i]).servers();
        self.rate_of(pool, i, self.pace(pool).sharing(servers, self.instances.mean[i]))
    }

    fn rate_of(&self, pool: usize, i: usize, servers: f64) -> f64 {
        let warmth = self.warmth(self.kind(pool), i);
        self.pace(pool).rate(self.instances.speed[i], warmth, servers)
    }

    /// How much of its speed a new instance has reached: from a tenth to all over `warm_up`.
    #[must_use]
    pub fn warmth(&self, kind: &InstanceKind, i: usize) -> f64 {
        ramp(self.instances.up_at[i], self.step, kind.warm_up.get(), self.step_s)
    }

    /// Its share of traffic relative to an old instance: from a tenth to all over `slow_start`.
    #[must_use]
    pub fn traffic_weight(&self, kind: &InstanceKind, i: usize) -> f64 {
        ramp(self.instances.rotation_since[i], self.step, kind.slow_start.get(), self.step_s)
    }

    /// How many requests an instance serves and holds at a time. `max_wait` limits the queue to
    /// ⌊max_wait · c · r⌋ + 1 places (over 1,000 places, to three digits: each number is a table).
    ///
    /// Where nothing but what requests use up, R a second, limits an instance, as many are served
    /// at a time as R a second are inside when nothing waits: c = ⌈s · R⌉, each at R ÷ c.
    #[must_use]
    pub fn places(&self, pool: usize, i: usize) -> Places {
        let kind = self.kind(pool);
        let makes_calls = self.calls_s[pool].is_some();
        let servers = kind.servers(makes_calls);
        let hard_limit = kind.places(makes_calls);
        let mut places = Places { servers, limit: hard_limit, hard_limit, by_deadline: false };
        if servers.is_none() {
            places.servers = self.servers_by_rate(pool, i);
            let queue = kind.queue_limit.zip(places.servers);
            places.hard_limit = queue.map(|(queue, c)| queue.saturating_add(u64::from(c)));
            places.limit = places.hard_limit;
        }
        if let Some((max_wait, servers)) = kind.max_wait.zip(places.servers) {
            let rate = self.rate_of(pool, i, f64::from(servers));
            let served = max_wait.get() * f64::from(servers) * rate;
            places.limit_by_deadline(u64::from(servers), served);
        }
        places
    }

    fn servers_by_rate(&self, pool: usize, i: usize) -> Option<u32> {
        const MOST: f64 = 20_000.0;
        const MANY: f64 = 1_000.0;
        let pace = self.pace(pool);
        let speed = self.instances.speed[i] * self.warmth(self.kind(pool), i);
        let most_rps = pace.most_rps(speed);
        let held_s = pace.own_s(speed) + pace.calls_s;
        if most_rps <= 0.0 || !held_s.is_finite() {
            // Nothing moves: any number will do, so the last one stays.
            let had = self.tables.get(self.instances.table[i]).servers();
            return Some(if had.is_finite() { had as u32 } else { 1 });
        }
        let inside = (held_s * most_rps - 1e-9).ceil().clamp(1.0, MOST);
        let kind = self.kind(pool);
        if inside > MANY && kind.queue_limit.is_none() && kind.max_wait.is_none() {
            // So many hardly wait by chance: a server for each of them, that share the rate.
            return None;
        }
        most_rps.is_finite().then(|| up_the_ladder(inside) as u32)
    }

    /// Does an instance's number of servers change with the latency of its calls or its speed?
    #[must_use]
    pub fn has_moving_servers(&self, pool: usize) -> bool {
        let makes_calls = self.calls_s[pool].is_some();
        let kind = self.kind(pool);
        kind.servers(makes_calls).is_none() && kind.consumed_rps(makes_calls).is_finite()
    }

    /// Picks the table of an instance's servers and places.
    pub fn choose_table(&mut self, pool: usize, i: usize) {
        if self.scenario.simulation.plane != Plane::Fluid {
            return;
        }
        let Places { servers, limit, by_deadline, .. } = self.places(pool, i);
        self.instances.mark(i, flag::BY_DEADLINE, by_deadline);
        self.instances.table[i] = self.tables.find(servers, limit, &self.instances.table);
    }
}

/// How many requests an instance serves and holds at a time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Places {
    /// Served at a time, c; without limit if none.
    pub servers: Option<u32>,
    /// Tries that are admitted, K; without limit if none.
    pub limit: Option<u64>,
    /// The same without `max_wait`, which probes ignore.
    pub hard_limit: Option<u64>,
    /// Is it `max_wait` that limits tries?
    pub by_deadline: bool,
}

impl Places {
    /// Limits tries by `max_wait`, within which `served` are served, `servers` at a time: to the
    /// servers and ⌊served⌋ + 1 that wait.
    pub fn limit_by_deadline(&mut self, servers: u64, served: f64) {
        let admitted = ((served + 1e-9).floor() as u64).min(MOST_PLACES) + 1;
        let limit = servers.saturating_add(in_three_digits(admitted));
        self.by_deadline = self.hard_limit.is_none_or(|hard_limit| limit < hard_limit);
        self.limit = Some(self.hard_limit.map_or(limit, |hard_limit| hard_limit.min(limit)));
    }
}

/// Rounds a number of servers over 100 up to one of a few, a tenth apart: each is a table, and the
/// latency of calls moves at every step.
fn up_the_ladder(servers: f64) -> f64 {
    let mut rung = 100.0;
    if servers <= rung {
        return servers;
    }
    while rung < servers {
        rung = (rung * 1.1_f64).floor();
    }
    rung
}

/// Where places are as good as without limit.
const MOST_PLACES: u64 = 1_000_000_000_000_000;

/// Rounds down to three digits.
fn in_three_digits(places: u64) -> u64 {
    let unit = 10_u64.pow(places.max(1).ilog10().saturating_sub(2));
    if places > 1_000 { places / unit * unit } else { places }
}

/// Where new instances' ramps of speed and share begin.
const RAMP_START: f64 = 0.1;

/// A linear ramp from a tenth to 1 over `length_s` since a boundary.
fn ramp(since: i32, step: u32, length_s: f64, step_s: f64) -> f64 {
    if length_s <= 0.0 || since == LONG_AGO {
        return 1.0;
    }
    let age_s = (f64::from(step) - f64::from(since)).max(0.0) * step_s;
    (RAMP_START + (1.0 - RAMP_START) * age_s / length_s).min(1.0)
}
