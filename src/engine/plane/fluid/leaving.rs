//! What lanes need to know of a pool's step: who came in, who left, and how long answers take.

use crate::queueing::Response;

/// What happened to tries at a pool's instances.
#[derive(Debug, Clone, Default)]
pub struct Leaving {
    /// Left, whatever for, in tries.
    pub answers: f64,
    /// Began to be served, in tries; only kept where they make calls.
    pub entered: f64,
    weight: f64,
    mean_s: f64,
    /// By time-out of the clients that send here: the share of tries that take longer, and the mean
    /// time until a try is answered or given up, s; both times `weight`.
    by_timeout: Vec<(f64, f64)>,
}

impl Leaving {
    /// Adds an instance where `weight` tries take as long as `latency` says.
    pub fn add(&mut self, weight: f64, answers: f64, latency: &Response, timeouts_s: &[f64]) {
        self.answers += answers;
        self.weight += weight;
        if weight <= 0.0 {
            return;
        }
        let is_stalled = !latency.service_s.is_finite();
        self.mean_s += weight * if is_stalled { f64::INFINITY } else { latency.mean_s() };
        self.by_timeout.resize(timeouts_s.len(), (0.0, 0.0));
        for (sums, &timeout_s) in self.by_timeout.iter_mut().zip(timeouts_s) {
            // Nobody waits longer than for ever; nobody reads the mean of those who do.
            if !timeout_s.is_finite() {
                continue;
            }
            let tail = latency.tail(timeout_s);
            sums.0 += weight * tail;
            sums.1 += weight * mean_until_s(latency, timeout_s, tail);
        }
    }

    /// The share of tries that take longer than the time-out of that number, and the mean time
    /// until a try is answered or given up, s; of `idle` where nothing is there.
    #[must_use]
    pub fn beyond(&self, number: usize, timeout_s: f64, idle: &Response) -> (f64, f64) {
        match self.by_timeout.get(number) {
            Some(sums) if self.weight > 0.0 => (sums.0 / self.weight, sums.1 / self.weight),
            _ => {
                let tail = idle.tail(timeout_s);
                (tail, mean_until_s(idle, timeout_s, tail))
            }
        }
    }

    /// The mean time until a try is answered, s; infinite in a stall.
    #[must_use]
    pub fn mean_s(&self, idle: &Response) -> f64 {
        if self.weight > 0.0 {
            self.mean_s / self.weight
        } else if idle.service_s.is_finite() {
            idle.mean_s()
        } else {
            f64::INFINITY
        }
    }
}

/// E\[min(T, `timeout_s`)\], the integral of the tail up to the time-out.
fn mean_until_s(latency: &Response, timeout_s: f64, tail: f64) -> f64 {
    if tail >= 1.0 {
        return timeout_s;
    }
    if tail < 1e-9 {
        return latency.mean_s();
    }
    let bend_s = timeout_s.min(2.0 * latency.mean_s());
    integral(latency, 0.0, bend_s) + integral(latency, bend_s, timeout_s)
}

/// Gauss and Legendre's rule of eight points: place in (0, 1) and weight.
const EIGHT: [(f64, f64); 4] = [
    (0.183_434_642_495_649_8, 0.362_683_783_378_362),
    (0.525_532_409_916_329, 0.313_706_645_877_887_3),
    (0.796_666_477_413_626_7, 0.222_381_034_453_374_48),
    (0.960_289_856_497_536_3, 0.101_228_536_290_376_26),
];

fn integral(latency: &Response, from_s: f64, to_s: f64) -> f64 {
    let (middle, half) = (0.5 * (from_s + to_s), 0.5 * (to_s - from_s));
    if half <= 0.0 {
        return 0.0;
    }
    let pair = |&(place, weight): &(f64, f64)| {
        let offset = half * place;
        weight * (latency.tail(middle - offset) + latency.tail(middle + offset))
    };
    half * EIGHT.iter().map(pair).sum::<f64>()
}
