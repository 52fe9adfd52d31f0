//! One station through time: mean and variance of the number in system (MODEL §4.1).
//!
//! The pointwise stationary approximation (Rider 1976; Wang, Tipper & Banerjee 1996) with a second
//! moment. Steps are linearly implicit in L and exponentially fitted in V, so service times far
//! below the step are stable, and are halved where a transient bends within the step.

use super::stationary::Stationary;
use super::table::{Closure, Table, Tails};
use super::wait::Response;

/// Moments of the number in system.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Load {
    /// L.
    pub mean: f64,
    /// V.
    pub variance: f64,
}

/// What arrives at a station, and how fast it works.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Inflow {
    /// Tries a second.
    pub tries_rps: f64,
    /// Probes that are work, a second.
    pub probes_rps: f64,
    /// Are probes admitted whatever the queue? (A queue limit by `max_wait` does not hold them.)
    pub probes_bypass_limit: bool,
    /// Completions a second of one busy server, r.
    pub rate: f64,
    /// Variance of arrivals ÷ Poisson's: 1, or 1/n strictly in turn over n stations.
    pub dispersion: f64,
    /// Mean of the largest of as many standard normals as there are stations compared for each
    /// arrival: how far below the mean the chosen station is. 0 when stations are not compared.
    pub choice: f64,
    /// 1 ÷ the stations that arrivals choose among: the share of the variance that they have in
    /// common, which no choice can level.
    pub in_common: f64,
}

/// What happened during a step, in requests.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Flow {
    /// Tries that entered.
    pub admitted_tries: f64,
    /// Probes that entered.
    pub admitted_probes: f64,
    /// Requests that left, tries and probes.
    pub completed: f64,
    /// Servers that are busy at the end, on average.
    pub busy: f64,
}

/// A step is halved at most this often.
const MOST_HALVINGS: i32 = 8;
/// Local error in L that is accepted, as a share of L + c.
const TOLERANCE: f64 = 2e-3;
/// A change of L within a step below this share of L + c is taken as straight.
const STRAIGHT: f64 = 5e-3;

/// Moves `load` by `step_s`; the number in system changes by exactly what entered less what left.
pub fn advance(table: &Table, load: &mut Load, inflow: &Inflow, step_s: f64) -> Flow {
    if table.servers() == f64::INFINITY {
        return advance_unlimited(load, inflow, step_s);
    }
    let least_s = step_s * libm::ldexp(1.0, -MOST_HALVINGS);
    let mut total = Flow::default();
    let mut left_s = step_s;
    let mut try_s = step_s;
    let mut here = table.closure(load.mean, load.variance);
    loop {
        try_s = try_s.min(left_s);
        let (next, flow, bend) = attempt(table, load, inflow, &here, try_s);
        let scale = load.mean + table.servers();
        let is_last = try_s >= left_s * (1.0 - 1e-12);
        if (next.mean - load.mean).abs() > STRAIGHT * scale {
            let there = table.closure(next.mean, next.variance);
            let error = 0.5 * try_s * (net_rps(inflow, &there) - bend).abs();
            if error > TOLERANCE * scale && try_s > least_s {
                try_s *= 0.5;
                continue;
            }
            here = there;
            total.busy = here.busy;
        } else {
            let busy = here.busy
                + here.busy_slope * (next.mean - load.mean)
                + here.busy_by_variance * (next.variance - load.variance);
            total.busy = busy.clamp(0.0, table.servers().min(next.mean));
            if !is_last {
                here = table.closure(next.mean, next.variance);
            }
        }
        *load = next;
        total.admitted_tries += flow.admitted_tries;
        total.admitted_probes += flow.admitted_probes;
        total.completed += flow.completed;
        if is_last {
            return total;
        }
        left_s -= try_s;
        try_s *= 2.0;
    }
}

/// The same for a server for everybody: dL/dt = λ − rL and dV/dt = λ + rL − 2rV have a solution.
fn advance_unlimited(load: &mut Load, inflow: &Inflow, step_s: f64) -> Flow {
    let entering_rps = inflow.tries_rps + inflow.probes_rps;
    let spreading_rps = inflow.tries_rps * inflow.dispersion + inflow.probes_rps;
    let mut flow = Flow {
        admitted_tries: inflow.tries_rps * step_s,
        admitted_probes: inflow.probes_rps * step_s,
        ..Flow::default()
    };
    let admitted = flow.admitted_tries + flow.admitted_probes;
    let kept = libm::exp(-inflow.rate * step_s);
    // (1 − e^(−rt)) ÷ r, without cancellation where r is small; t in a stall.
    let passed_s =
        if inflow.rate > 0.0 { -libm::expm1(-inflow.rate * step_s) / inflow.rate } else { step_s };
    let mean = (load.mean * kept + entering_rps * passed_s).min(load.mean + admitted);
    // What enters is spread as it comes; what was there leaves by chance: binomial thinning.
    let squared_s = 0.5 * passed_s * (1.0 + kept);
    let variance = load.variance * kept * kept
        + load.mean * kept * (1.0 - kept)
        + spreading_rps * squared_s
        + entering_rps * (passed_s - squared_s);
    flow.completed = load.mean + admitted - mean;
    flow.busy = mean;
    *load = Load { mean, variance };
    flow
}

/// dL/dt and dV/dt with their slopes at one state.
struct Motion {
    net: f64,
    net_by_mean: f64,
    net_by_variance: f64,
    spread: f64,
    spread_by_mean: f64,
    spread_by_variance: f64,
}

/// Entering less leaving, a second.
fn net_rps(inflow: &Inflow, at: &Closure) -> f64 {
    entering_rps(inflow, at.block, 1.0) - inflow.rate * at.busy
}

/// What enters, a second, at P(N = K) = `block`; tries count `tries_weight` times.
fn entering_rps(inflow: &Inflow, block: f64, tries_weight: f64) -> f64 {
    let probes_blocked = if inflow.probes_bypass_limit { 0.0 } else { block };
    inflow.tries_rps * tries_weight * (1.0 - block) + inflow.probes_rps * (1.0 - probes_blocked)
}

/// What the limit holds back, a second.
fn limited_rps(inflow: &Inflow) -> f64 {
    inflow.tries_rps + if inflow.probes_bypass_limit { 0.0 } else { inflow.probes_rps }
}

fn motion(table: &Table, load: &Load, inflow: &Inflow, here: &Closure) -> Motion {
    let rate = inflow.rate;
    let limited = limited_rps(inflow);
    let blocked_slope = limited * here.block_slope;
    let (wall, wall_by_mean, wall_by_variance) = wall(table, load, here);
    let (chosen, chosen_by_variance) = levelling(table, load, inflow);
    Motion {
        net: net_rps(inflow, here),
        net_by_mean: -blocked_slope - rate * here.busy_slope,
        net_by_variance: -rate * here.busy_by_variance,
        spread: entering_rps(inflow, here.block, inflow.dispersion) + rate * here.busy
            - 2.0 * rate * here.busy_covariance
            - 2.0 * limited * wall
            - chosen,
        spread_by_mean: -blocked_slope + rate * here.busy_slope
            - 2.0 * rate * here.covariance_slope
            - 2.0 * limited * wall_by_mean,
        spread_by_variance: rate * here.busy_by_variance
            - 2.0 * rate * here.covariance_by_variance
            - 2.0 * limited * wall_by_variance
            - chosen_by_variance,
    }
}

/// Changes of L and V over `h` seconds by φ₁(hJ)·hF with φ₁(x) ≈ (1 − x/2) ÷ (1 − x + x²/2): second
/// order, and it damps what is fast.
fn linear_step(m: &Motion, h: f64) -> (f64, f64) {
    let (a, b) = (h * m.net_by_mean, h * m.net_by_variance);
    let (c, d) = (h * m.spread_by_mean, h * m.spread_by_variance);
    let (f, g) = (h * m.net, h * m.spread);
    let right = (f - 0.5 * (a * f + b * g), g - 0.5 * (c * f + d * g));
    let trace = a + d;
    let p = 1.0 - a + 0.5 * (a * a + b * c);
    let q = -b + 0.5 * b * trace;
    let r = -c + 0.5 * c * trace;
    let s = 1.0 - d + 0.5 * (d * d + b * c);
    let determinant = p * s - q * r;
    ((s * right.0 - q * right.1) / determinant, (p * right.1 - r * right.0) / determinant)
}

/// One linearly implicit step; also returns the net rate that the linearization expects at its end.
fn attempt(
    table: &Table,
    load: &Load,
    inflow: &Inflow,
    here: &Closure,
    step_s: f64,
) -> (Load, Flow, f64) {
    let motion = motion(table, load, inflow, here);
    let (by_mean, by_variance) = linear_step(&motion, step_s);
    let top = table.limit().max(load.mean);
    let mean = (load.mean + by_mean).clamp(0.0, top);
    let block = (here.block + 0.5 * here.block_slope * (mean - load.mean)).clamp(0.0, 1.0);
    let probes_block = if inflow.probes_bypass_limit { 0.0 } else { block };
    let mut flow = Flow {
        admitted_tries: inflow.tries_rps * step_s * (1.0 - block),
        admitted_probes: inflow.probes_rps * step_s * (1.0 - probes_block),
        completed: 0.0,
        busy: 0.0,
    };
    let admitted = flow.admitted_tries + flow.admitted_probes;
    let most = inflow.rate * table.servers() * step_s;
    flow.completed = (load.mean + admitted - mean).clamp(0.0, most);
    let excess = load.mean + admitted - flow.completed - top;
    if excess > 0.0 {
        // More was let in than there is room for at the end of the step.
        let share = (1.0 - excess / admitted).max(0.0);
        flow.admitted_tries *= share;
        flow.admitted_probes *= share;
    }
    let mean = (load.mean + flow.admitted_tries + flow.admitted_probes - flow.completed).max(0.0);
    // Never below 0: a variance that falls that fast gets there over the next steps.
    let variance = (load.variance + by_variance).max(0.05 * load.variance);
    // Nor wider than anything between 0 and K with this mean can be (Bhatia & Davis 2000): a full
    // station has no variance, and slopes that run away there.
    let variance = if table.limit().is_finite() {
        variance.min(mean * (table.limit() - mean).max(0.0))
    } else {
        variance
    };
    let expected = motion.net
        + motion.net_by_mean * (mean - load.mean)
        + motion.net_by_variance * (variance - load.variance);
    (Load { mean, variance }, flow, expected)
}

/// How fast choosing the least loaded of several stations narrows V, and the slope of that by V. An
/// arrival that goes to the least of d finds N lower than L by σ times the mean of the largest of d
/// standard normals: that is Cov(N, arrivals). What the stations have in common cannot be levelled.
fn levelling(table: &Table, load: &Load, inflow: &Inflow) -> (f64, f64) {
    if inflow.choice <= 0.0 {
        return (0.0, 0.0);
    }
    let variance = load.variance.max(1e-12);
    let common = table.stationary_variance(load.mean) * inflow.in_common / variance;
    if common >= 1.0 {
        return (0.0, 0.0);
    }
    let chosen = inflow.choice * inflow.tries_rps;
    let sigma = variance.sqrt();
    (2.0 * chosen * sigma * (1.0 - common), chosen / sigma * (1.0 + common))
}

/// (K − L)·P: how the limit narrows the distribution, and its slopes by L and V. P is the
/// stationary value at L; a distribution that is narrower than the stationary one touches the limit
/// less, a wider one more. Without this factor nothing would bring V back to its stationary value
/// at a full station.
fn wall(table: &Table, load: &Load, here: &Closure) -> (f64, f64, f64) {
    if here.block < 1e-12 {
        return (0.0, 0.0, 0.0);
    }
    let stationary = table.stationary_variance(load.mean).max(1e-12);
    let room = (table.limit() - load.mean).max(0.0);
    let width = load.variance / stationary;
    let by_mean = (room * here.block_slope - here.block) * width;
    (room * here.block * width, by_mean, room * here.block / stationary)
}

/// The latency of a request that arrives now and is admitted, at `rate` completions a second of one
/// busy server.
#[must_use]
pub fn response(table: &Table, load: &Load, rate: f64) -> Response {
    admitted_response(table.tails(load.mean, load.variance), table.servers(), table.limit(), rate)
}

/// The latency of a request that is admitted in a steady state of so many servers and at most
/// `limit` in the system (both infinite without limit).
#[must_use]
pub fn stationary_response(state: &Stationary, servers: f64, limit: f64, rate: f64) -> Response {
    if servers.is_infinite() {
        return no_wait(1.0 / rate);
    }
    let offset = state.mean - servers;
    let queue_square = (state.variance + offset * offset - state.idle_square).max(0.0);
    let (block, all_busy) = (state.block, state.all_busy);
    let tails = Tails { block, all_busy, queue: state.mean - state.busy, queue_square };
    admitted_response(tails, servers, limit, rate)
}

fn admitted_response(tails: Tails, servers: f64, limit: f64, rate: f64) -> Response {
    // An arrival that is refused finds the station full and does not wait.
    let places = if limit.is_finite() { limit - servers } else { 0.0 };
    let admitted = Tails {
        all_busy: tails.all_busy - tails.block,
        queue: tails.queue - places * tails.block,
        queue_square: tails.queue_square - places * places * tails.block,
        ..tails
    };
    response_to(&admitted, 1.0 - tails.block, servers, rate)
}

/// The latency of a request that enters whatever the queue.
#[must_use]
pub fn response_of_bypassing(table: &Table, load: &Load, rate: f64) -> Response {
    response_to(&table.tails(load.mean, load.variance), 1.0, table.servers(), rate)
}

/// The latency of a share `admitted` of arrivals, of which `tails` are the parts that wait.
fn response_to(tails: &Tails, admitted: f64, servers: f64, rate: f64) -> Response {
    if rate <= 0.0 {
        return Response {
            wait_chance: 1.0,
            wait_mean_s: f64::INFINITY,
            wait_variance_s2: f64::INFINITY,
            service_s: f64::INFINITY,
        };
    }
    let service_s = 1.0 / rate;
    let waiting = tails.all_busy;
    if waiting <= 1e-12 || tails.queue < 0.0 || admitted <= 0.0 {
        return no_wait(service_s);
    }
    let found = tails.queue / waiting;
    let spread = (tails.queue_square / waiting - found * found).max(0.0);
    let per_s = servers * rate;
    Response {
        wait_chance: (waiting / admitted).min(1.0),
        wait_mean_s: (found + 1.0) / per_s,
        wait_variance_s2: (spread + found + 1.0) / (per_s * per_s),
        service_s,
    }
}

const fn no_wait(service_s: f64) -> Response {
    Response { wait_chance: 0.0, wait_mean_s: 0.0, wait_variance_s2: 0.0, service_s }
}

#[cfg(test)]
mod tests {
    use super::*;

    const POISSON: Inflow = Inflow {
        tries_rps: 0.0,
        probes_rps: 0.0,
        probes_bypass_limit: false,
        rate: 1.0,
        dispersion: 1.0,
        choice: 0.0,
        in_common: 0.0,
    };

    #[test]
    fn what_enters_less_what_leaves_is_what_is_there() {
        let table = Table::new(4, Some(40));
        let mut load = Load::default();
        for (step, tries_rps) in [3.0, 400.0, 9.0, 0.0, 0.0, 5.0].into_iter().enumerate() {
            for rate in [0.0, 1.0, 200.0] {
                let before = load.mean;
                let inflow = Inflow { tries_rps, rate, probes_rps: 0.1, ..POISSON };
                let flow = advance(&table, &mut load, &inflow, 0.5);
                let change = flow.admitted_tries + flow.admitted_probes - flow.completed;
                assert!((before + change - load.mean).abs() < 1e-9, "step {step}");
                assert!(flow.admitted_tries >= 0.0 && flow.completed >= 0.0);
                assert!(load.mean >= 0.0 && load.mean <= 40.0 + 1e-9 && load.variance >= 0.0);
            }
        }
    }

    #[test]
    fn a_long_queue_grows_and_drains_at_full_speed() {
        // 20 s of overload by 320/s leave 6400; V grows by what enters and leaves, no faster.
        for step_s in [1.0, 0.25, 0.05] {
            let table = Table::new(8, None);
            let mut load = Load { mean: 6.6, variance: 4.0 };
            let overload = Inflow { tries_rps: 1920.0, rate: 200.0, ..POISSON };
            for _ in 0..(20.0 / step_s) as u32 {
                advance(&table, &mut load, &overload, step_s);
            }
            assert!((load.mean - 6400.0).abs() < 64.0, "step {step_s}: {load:?}");
            assert!((load.variance - 70_400.0).abs() < 704.0, "step {step_s}: {load:?}");
            let calm = Inflow { tries_rps: 1280.0, ..overload };
            for _ in 0..(10.0 / step_s) as u32 {
                let flow = advance(&table, &mut load, &calm, step_s);
                assert!((flow.completed - 1600.0 * step_s).abs() < 1.0, "step {step_s}: {load:?}");
            }
        }
    }

    #[test]
    fn a_full_station_in_a_stall_stays_as_it_is() {
        let table = Table::new(8, Some(9));
        let mut load = Load { mean: 6.6, variance: 4.0 };
        let inflow =
            Inflow { tries_rps: 304.0, probes_rps: 0.1, probes_bypass_limit: true, ..POISSON };
        let stall = Inflow { rate: 0.0, ..inflow };
        for _ in 0..1_000 {
            let flow = advance(&table, &mut load, &stall, 1.0);
            assert!(flow.completed == 0.0 && flow.admitted_tries.is_finite(), "{load:?}");
            assert!((0.0..=9.0 + 1e-9).contains(&load.mean), "{load:?}");
            assert!((0.0..=20.25).contains(&load.variance), "{load:?}");
        }
    }

    #[test]
    fn the_step_changes_neither_moment_of_an_overload_and_its_drain() {
        for limit in [None, Some(1010)] {
            let table = Table::new(10, limit);
            let moments = |steps_a_second: i32| {
                let mut load = Load { mean: 7.6, variance: 11.5 };
                let inflow = |tries_rps| Inflow { tries_rps, rate: 10.0, ..POISSON };
                let mut seen = vec![];
                for (tries_rps, length_s) in [(105.0, 30), (140.0, 10), (0.0, 4)] {
                    for _ in 0..length_s * steps_a_second {
                        let step_s = 1.0 / f64::from(steps_a_second);
                        advance(&table, &mut load, &inflow(tries_rps), step_s);
                    }
                    seen.push(load);
                }
                seen
            };
            let fine = moments(32);
            for steps_a_second in [1, 2, 4, 8] {
                for (coarse, fine) in moments(steps_a_second).iter().zip(&fine) {
                    assert!((coarse.mean / fine.mean - 1.0).abs() < 0.01, "{coarse:?} {fine:?}");
                    let off = (coarse.variance / fine.variance - 1.0).abs();
                    assert!(off < 0.02, "{steps_a_second}: {coarse:?} {fine:?}");
                }
            }
        }
    }

    #[test]
    fn a_loss_station_that_starts_cold_does_not_stick() {
        // One worker, no queue, 3.2 times its load: Erlang's B is 3.2 ÷ 4.2.
        for rate in [2.0, 20.0, 200.0] {
            let table = Table::new(1, Some(1));
            let mut load = Load::default();
            let inflow = Inflow { tries_rps: 3.2 * rate, rate, ..POISSON };
            let flows: Vec<Flow> =
                (0..10).map(|_| advance(&table, &mut load, &inflow, 1.0)).collect();
            let settled = rate * 3.2 / 4.2;
            for flow in flows {
                assert!((flow.completed / settled - 1.0).abs() < 0.05, "rate {rate}: {flow:?}");
            }
        }
    }
}
