//! Exact stationary values of the M/M/c/K queue (Erlang B at K = c, Erlang C at K = ∞).
//!
//! Source: textbook birth-death solution, p(n) ∝ aⁿ/n! below c and ∝ (a/c)ⁿ from there, e.g. Gross,
//! Shortle, Thompson & Harris, *Fundamentals of Queueing Theory*, §2.4-2.6. Sums start at the mode,
//! so nothing overflows, and the part above c is summed in closed form, so the cost does not grow
//! with K.

/// Stationary values at one offered load.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Stationary {
    /// P(N = K): an arrival is refused.
    pub block: f64,
    /// L = E\[N\].
    pub mean: f64,
    /// V = Var(N).
    pub variance: f64,
    /// B = E\[min(N, c)\], busy servers.
    pub busy: f64,
    /// C = Cov(N, min(N, c)).
    pub busy_covariance: f64,
    /// P(N ≥ c).
    pub all_busy: f64,
    /// E\[((c − N)⁺)²\].
    pub idle_square: f64,
}

impl Stationary {
    /// Solves for `servers` ≥ 1 servers, at most `limit` ≥ `servers` in the system (`None` is
    /// unbounded), and an offered load of `erlangs` > 0, below `servers` when unbounded.
    #[must_use]
    pub fn solve(servers: u32, limit: Option<u64>, erlangs: f64) -> Self {
        let c = f64::from(servers);
        let room = limit.map_or(f64::INFINITY, |k| (k - u64::from(servers)) as f64);
        let ratio = erlangs / c;
        let mut below = Moments::default();
        // Weights are relative to the state that weighs most.
        let (at_servers, above) = if ratio > 1.0 {
            let top = truncated_geometric(1.0 / ratio, room);
            let at_servers = libm::pow(1.0 / ratio, room);
            below.add_down(servers, at_servers, erlangs);
            let above = Moments {
                weight: top.sum,
                first: top.sum * (room - top.mean),
                second: top.sum * (room * room - 2.0 * room * top.mean + top.square),
            };
            (at_servers, above)
        } else {
            let at_servers = below.add_around_mode(servers, erlangs);
            let tail = truncated_geometric(ratio, room);
            let weight = at_servers * tail.sum;
            let above = Moments { weight, first: weight * tail.mean, second: weight * tail.square };
            (at_servers, above)
        };
        let total = below.weight + above.weight;
        let block = match limit {
            None => 0.0,
            Some(_) if ratio > 1.0 => 1.0 / total,
            Some(_) => at_servers * libm::pow(ratio, room) / total,
        };
        Self::from_parts(c, &below, &above, total, block)
    }

    /// A server for everybody: the number in system is Poisson.
    #[must_use]
    pub const fn unlimited(erlangs: f64) -> Self {
        Self {
            block: 0.0,
            mean: erlangs,
            variance: erlangs,
            busy: erlangs,
            busy_covariance: erlangs,
            all_busy: 0.0,
            idle_square: 0.0,
        }
    }

    /// `above` counts from c.
    fn from_parts(c: f64, below: &Moments, above: &Moments, total: f64, block: f64) -> Self {
        let all_busy = above.weight / total;
        let queue = above.first / total;
        let idle = (c * below.weight - below.first) / total;
        let mean = c + queue - idle;
        let queue_square = above.second / total;
        let idle_square =
            (c * c * below.weight - 2.0 * c * below.first + below.second).max(0.0) / total;
        // N − c = queue − idle, and one of the two is always 0.
        let offset = queue - idle;
        let variance = (queue_square + idle_square - offset * offset).max(0.0);
        let busy = c - idle;
        // Cov(N, min(N, c)) = Cov(queue − idle, −idle) = E[idle²] − E[idle]·(E[idle] − E[queue]).
        let busy_covariance = (idle_square + idle * offset).max(0.0);
        Self { block, mean, variance, busy, busy_covariance, all_busy, idle_square }
    }
}

/// Unnormalized moments of a part of the distribution.
#[derive(Debug, Default)]
struct Moments {
    weight: f64,
    first: f64,
    second: f64,
}

/// Terms this much smaller than the sum no longer change it.
const NEGLIGIBLE: f64 = 1e-18;

impl Moments {
    fn add(&mut self, n: f64, weight: f64) {
        self.weight += weight;
        self.first += n * weight;
        self.second += n * n * weight;
    }

    /// Adds the states below `from`, whose own weight is `weight`, downwards.
    fn add_down(&mut self, from: u32, mut weight: f64, erlangs: f64) {
        for n in (1..=from).rev() {
            weight *= f64::from(n) / erlangs;
            self.add(f64::from(n - 1), weight);
            if weight < NEGLIGIBLE * self.weight && f64::from(n) < erlangs {
                break;
            }
        }
    }

    /// Adds the states below `servers` from the mode outwards; returns the weight of `servers`.
    fn add_around_mode(&mut self, servers: u32, erlangs: f64) -> f64 {
        let mode = (erlangs as u32).min(servers);
        self.add_down(mode, 1.0, erlangs);
        let mut weight = 1.0;
        for n in mode..servers {
            self.add(f64::from(n), weight);
            weight *= erlangs / f64::from(n + 1);
            if weight < NEGLIGIBLE * self.weight {
                return 0.0;
            }
        }
        weight
    }
}

/// Moments of a geometric distribution on 0..=m.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Truncated {
    /// Σ xⁱ.
    pub sum: f64,
    /// Mean of i.
    pub mean: f64,
    /// Mean of i².
    pub square: f64,
}

/// The geometric distribution with ratio 0 ≤ `x` ≤ 1 on 0..=`m`; `m` may be infinite if `x` < 1.
#[must_use]
pub fn truncated_geometric(x: f64, m: f64) -> Truncated {
    if m <= 32.0 {
        let (mut weight, mut sum, mut first, mut second) = (1.0, 0.0, 0.0, 0.0);
        let mut i = 0.0;
        while i <= m {
            sum += weight;
            first += i * weight;
            second += i * i * weight;
            weight *= x;
            i += 1.0;
        }
        return Truncated { sum, mean: first / sum, square: second / sum };
    }
    let decay = -libm::log(x);
    if decay * m < 1e-4 {
        // Around the uniform distribution, first order in the decay.
        let mean = m / 2.0 - decay * m * (m + 2.0) / 12.0;
        let square = m * (2.0 * m + 1.0) / 6.0 - decay * m * m * (m + 2.0) / 12.0;
        return Truncated { sum: (m + 1.0) * (1.0 - decay * m / 2.0), mean, square };
    }
    // The untruncated distribution less its tail, which is the same distribution moved by m + 1.
    let q = -libm::expm1(-decay);
    let tail = if m.is_finite() { libm::exp(-decay * (m + 1.0)) } else { 0.0 };
    let kept = if m.is_finite() { -libm::expm1(-decay * (m + 1.0)) } else { 1.0 };
    let (mean, square) = (x / q, x * (1.0 + x) / (q * q));
    if tail == 0.0 {
        return Truncated { sum: 1.0 / q, mean, square };
    }
    let moved = m + 1.0;
    Truncated {
        sum: kept / q,
        mean: mean - tail / kept * moved,
        square: square - tail / kept * (moved * moved + 2.0 * moved * mean),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(a: f64, b: f64, tolerance: f64) {
        assert!((a - b).abs() <= tolerance * b.abs().max(1e-4), "{a} is not {b}");
    }

    #[test]
    fn closed_form_of_the_truncated_geometric_is_its_sum() {
        for x in [0.0, 0.3, 0.9, 0.999, 0.999_999, 0.999_999_99, 1.0] {
            for m in [33.0, 100.0, 5_000.0] {
                let (mut sum, mut first, mut second, mut weight) = (0.0, 0.0, 0.0, 1.0);
                for i in 0..=(m as u32) {
                    let i = f64::from(i);
                    sum += weight;
                    first += i * weight;
                    second += i * i * weight;
                    weight *= x;
                }
                let got = truncated_geometric(x, m);
                close(got.sum, sum, 1e-7);
                close(got.mean, first / sum, 1e-7);
                close(got.square, second / sum, 1e-6);
            }
        }
    }

    #[test]
    fn moments_are_those_of_the_summed_distribution() {
        for (c, k, a) in [(4u32, 4u64, 3.0), (4, 12, 6.0), (10, 50, 9.9), (32, 232, 40.0)] {
            let mut p = vec![1.0];
            for n in 1..=k {
                p.push(p[n as usize - 1] * a / (n.min(u64::from(c)) as f64));
            }
            let total: f64 = p.iter().sum();
            let mean_of = |f: &dyn Fn(f64) -> f64| {
                p.iter().enumerate().map(|(n, w)| f(n as f64) * w).sum::<f64>() / total
            };
            let cf = f64::from(c);
            let mean = mean_of(&|n| n);
            let busy = mean_of(&|n| n.min(cf));
            let got = Stationary::solve(c, Some(k), a);
            close(got.mean, mean, 1e-12);
            close(got.busy, busy, 1e-12);
            close(got.variance, mean_of(&|n| n * n) - mean * mean, 1e-10);
            close(got.busy_covariance, mean_of(&|n| n * n.min(cf)) - mean * busy, 1e-9);
            close(got.block, p[k as usize] / total, 1e-12);
            close(got.all_busy, mean_of(&|n| f64::from(u8::from(n >= cf))), 1e-12);
            close(got.idle_square, mean_of(&|n| (cf - n).max(0.0).powi(2)), 1e-10);
        }
    }
}
