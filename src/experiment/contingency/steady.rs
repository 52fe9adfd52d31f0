//! One instance in its steady state: how long answers take, and when its probes begin to fail.
//!
//! The stationary M/M/c/K of MODEL §4.1 with Poisson arrivals, nobody calling or retrying more than
//! when all is well, calls at their unloaded latencies.

use crate::model::InstanceKind;
use crate::queueing::{Response, Stationary, stationary_response};

/// Most servers that a limit by rate is told by (as the engine has it).
const MOST_SERVERS: f64 = 20_000.0;
/// The share of probes that takes too long where they begin to fail.
const FAILING: f64 = 0.01;
/// The share of answers that a p99 leaves.
const SLOWEST_ANSWERS: f64 = 0.01;
/// Over so many times its capacity nobody looks for an instance's limits.
const MOST_UTILIZATION: f64 = 4.0;
/// How exactly a utilization is found.
const RESOLUTION: f64 = 1e-7;

/// Latency in a steady state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Latency {
    /// Its mean, s.
    pub mean_s: f64,
    /// What one answer in a hundred exceeds, s.
    pub p99_s: f64,
}

/// An instance of some speed, and what it serves beside tries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Instance {
    /// c; infinite without limit.
    servers: f64,
    /// K; infinite without limit.
    limit: f64,
    /// Completions a second of one busy server.
    rate: f64,
    probes_rps: f64,
    timeout_s: f64,
    /// Does a full queue refuse probes too? A queue that `max_wait` limits does not.
    holds_probes: bool,
}

impl Instance {
    /// An instance of that kind and speed; `calls_s` is a request's time in calls, none where it
    /// makes none.
    #[must_use]
    pub fn new(kind: &InstanceKind, speed: f64, calls_s: Option<f64>) -> Self {
        let makes_calls = calls_s.is_some();
        let own_s = kind.service_time.get() / speed;
        let held_s = own_s + calls_s.unwrap_or(0.0);
        let consumed = kind.resources.iter().filter_map(|resource| resource.rate_rps());
        let freed = kind.workers.filter(|_| !kind.holds_workers(makes_calls) && own_s > 0.0);
        let by_workers = freed.map(|workers| f64::from(workers) / own_s);
        let most_rps = consumed.chain(by_workers).fold(f64::INFINITY, f64::min);
        let fixed = kind.servers(makes_calls).map(f64::from);
        let by_rate = (held_s * most_rps - 1e-9).ceil().clamp(1.0, MOST_SERVERS);
        let servers = fixed.unwrap_or(if most_rps.is_finite() { by_rate } else { f64::INFINITY });
        let rate = (1.0 / held_s).min(most_rps / servers);
        let mut limit = kind.places(makes_calls).map_or(f64::INFINITY, |places| places as f64);
        if let (None, Some(queue)) = (fixed, kind.queue_limit) {
            limit = servers + queue as f64;
        }
        let mut holds_probes = limit.is_finite();
        if let Some(max_wait) = kind.max_wait.filter(|_| servers.is_finite()) {
            let admitted = (max_wait.get() * servers * rate + 1e-9).floor() + 1.0;
            holds_probes = limit <= servers + admitted;
            limit = limit.min(servers + admitted);
        }
        let check = &kind.health_check;
        let timeout_s = check.timeout.get();
        Self { servers, limit, rate, probes_rps: check.work_rps(), timeout_s, holds_probes }
    }

    /// Tries and probes; none without a steady state, or with nothing to do.
    fn steady_state(&self, tries_rps: f64) -> Option<Stationary> {
        let erlangs = (tries_rps + self.probes_rps) / self.rate;
        let is_steady = self.limit.is_finite() || erlangs < self.servers;
        if !erlangs.is_finite() || erlangs <= 0.0 || !is_steady {
            return None;
        }
        if self.servers.is_infinite() {
            return Some(Stationary::unlimited(erlangs));
        }
        let limit = self.limit.is_finite().then_some(self.limit as u64);
        Some(Stationary::solve(self.servers as u32, limit, erlangs))
    }

    fn response(&self, state: &Stationary) -> Response {
        stationary_response(state, self.servers, self.limit, self.rate)
    }

    /// The latency of tries that are admitted, when the instance is sent `tries_rps`; none without
    /// a steady state, or where nothing takes any time.
    #[must_use]
    pub fn latency(&self, tries_rps: f64) -> Option<Latency> {
        let response = self.response(&self.steady_state(tries_rps)?);
        let (mean_s, p99_s) = (response.mean_s(), response.quantile_s(SLOWEST_ANSWERS));
        (mean_s.is_finite() && p99_s.is_finite()).then_some(Latency { mean_s, p99_s })
    }

    /// The share of probes that are refused or take longer than their time-out; all without a
    /// steady state.
    fn failing_probes(&self, tries_rps: f64) -> f64 {
        let Some(state) = self.steady_state(tries_rps) else { return 1.0 };
        let refused = if self.holds_probes { state.block } else { 0.0 };
        refused + (1.0 - refused) * self.response(&state).tail(self.timeout_s)
    }

    /// The tries a second, as a share of `capacity_rps`, at which one deep probe in a hundred takes
    /// longer than its time-out: by bisection, as waits only grow with load. 0 where even an idle
    /// instance fails as many; none where no load does.
    #[must_use]
    pub fn probes_fail_at(&self, capacity_rps: f64) -> Option<f64> {
        let fails = |share: f64| self.failing_probes(share * capacity_rps) >= FAILING;
        if self.probes_rps <= 0.0 || !capacity_rps.is_finite() || !fails(MOST_UTILIZATION) {
            return None;
        }
        if fails(0.0) {
            return Some(0.0);
        }
        let (mut well, mut failing) = (0.0, MOST_UTILIZATION);
        while failing - well > RESOLUTION {
            let middle = 0.5 * (well + failing);
            if fails(middle) { failing = middle } else { well = middle }
        }
        Some(well)
    }
}
