//! Stationary values of one (c, K) as functions of the mean number in system, and the closure that
//! makes them functions of mean and variance.
//!
//! MODEL §4.1: B and C are the stationary values at L, plus the Gaussian closure at (L, V), minus
//! the Gaussian closure at (L, V of the stationary state). What is tabulated is the stationary
//! value less its Gaussian closure, so a look-up costs one cubic and one normal distribution, and
//! every steady state is exact.

use super::grid::Grid;
use super::normal::Normal;
use super::stationary::Stationary;

/// B, C and P at one (L, V), with the slopes that an implicit step needs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Closure {
    /// P(N = K).
    pub block: f64,
    /// Its slope by L.
    pub block_slope: f64,
    /// E\[min(N, c)\].
    pub busy: f64,
    /// Its slope by L.
    pub busy_slope: f64,
    /// Its slope by V.
    pub busy_by_variance: f64,
    /// Cov(N, min(N, c)).
    pub busy_covariance: f64,
    /// Its slope by L.
    pub covariance_slope: f64,
    /// Its slope by V.
    pub covariance_by_variance: f64,
}

/// What the distribution of waits needs beside [`Closure`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tails {
    /// P(N = K).
    pub block: f64,
    /// P(N ≥ c).
    pub all_busy: f64,
    /// E\[(N − c)⁺\].
    pub queue: f64,
    /// E\[((N − c)⁺)²\].
    pub queue_square: f64,
}

/// Values at a node: `block`, B and C less their Gaussian closure over (L + c) and (L + c)².
const HOT: usize = 3;
/// Values at a node: P(N ≥ c) and the idle square less their Gaussian closure (the latter over
/// (L + c)²), and V over L(1 + L ÷ c).
const COLD: usize = 3;

type Cubic = [f64; 4];

/// The stationary values of one (c, K).
#[derive(Debug, Clone)]
pub struct Table {
    servers: f64,
    limit: f64,
    grid: Grid,
    hot: Vec<[Cubic; HOT]>,
    cold: Vec<[Cubic; COLD]>,
}

/// Gaussian closure of E\[min(N, c)\], P(N < c), E\[((c − N)⁺)²\].
struct Gaussian {
    sigma: f64,
    z: f64,
    density: f64,
    busy: f64,
    below: f64,
    idle_square: f64,
}

impl Gaussian {
    fn at(servers: f64, mean: f64, variance: f64) -> Self {
        let sigma = variance.max(1e-18).sqrt();
        let idle = servers - mean;
        let z = idle / sigma;
        let normal = Normal::at(z);
        Self {
            sigma,
            z,
            density: normal.density,
            busy: servers - idle * normal.below - sigma * normal.density,
            below: normal.below,
            idle_square: variance * ((z * z + 1.0) * normal.below + z * normal.density),
        }
    }
}

impl Table {
    /// Tabulates `servers` ≥ 1 servers and at most `limit` ≥ `servers` in the system.
    #[must_use]
    pub fn new(servers: u32, limit: Option<u64>) -> Self {
        let c = f64::from(servers);
        let k = limit.map_or(f64::INFINITY, |k| k as f64);
        let grid = Grid::new(c, k);
        let mut mean = grid.mean(1, 0.0);
        let mut log_erlangs = libm::log(mean);
        let nodes: Vec<[f64; HOT + COLD]> = (0..=grid.cells)
            .map(|node| {
                mean = grid.mean(node, mean);
                if node == 0 {
                    return [0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
                }
                let state = if node == grid.cells && k.is_finite() {
                    full(c, k)
                } else {
                    let found = solve_for_mean(servers, limit, mean, log_erlangs);
                    log_erlangs = found.0;
                    found.1
                };
                node_values(c, mean, &state)
            })
            .collect();
        let hot = (0..grid.cells)
            .map(|cell| std::array::from_fn(|value| cubic(&nodes, cell, value)))
            .collect();
        let cold = (0..grid.cells)
            .map(|cell| std::array::from_fn(|value| cubic(&nodes, cell, HOT + value)))
            .collect();
        Self { servers: c, limit: k, grid, hot, cold }
    }

    /// A server for everybody, M/M/∞: B = L, C = V, P = 0.
    #[must_use]
    pub fn unlimited() -> Self {
        let grid = Grid::new(1.0, f64::INFINITY);
        let hot = vec![[[0.0; 4]; HOT]; grid.cells];
        let one = [1.0, 0.0, 0.0, 0.0];
        let cold = vec![[[0.0; 4], [0.0; 4], one]; grid.cells];
        Self { servers: f64::INFINITY, limit: f64::INFINITY, grid, hot, cold }
    }

    /// c; infinite without limit.
    #[must_use]
    pub const fn servers(&self) -> f64 {
        self.servers
    }

    /// K; infinite when unbounded.
    #[must_use]
    pub const fn limit(&self) -> f64 {
        self.limit
    }

    /// K = c, infinite or not: all that are there are served, so B = L and C = V. (Around L = c = K
    /// the difference of two Gaussian closures is worth nothing.)
    fn has_no_queue(&self) -> bool {
        self.limit <= self.servers
    }

    fn cell(&self, mean: f64) -> (usize, f64, f64) {
        let (at, slope) = self.grid.at(mean.min(self.limit));
        let cell = (at as usize).min(self.grid.cells - 1);
        (cell, (at - cell as f64).clamp(0.0, 1.0), slope)
    }

    /// B, C and P at mean `mean` ≥ 0 and variance `variance` ≥ 0.
    #[must_use]
    pub fn closure(&self, mean: f64, variance: f64) -> Closure {
        let (cell, t, slope) = self.cell(mean);
        let [block, busy, covariance] = &self.hot[cell];
        let scale = mean + self.servers;
        let (busy_value, busy_t) = value_and_slope(busy, t);
        let (block_value, block_t) = value_and_slope(block, t);
        let (block, block_slope) = (block_value.clamp(0.0, 1.0), (block_t * slope).max(0.0));
        if self.has_no_queue() {
            return Closure {
                block,
                block_slope,
                busy: mean,
                busy_slope: 1.0,
                busy_by_variance: 0.0,
                busy_covariance: variance,
                covariance_slope: 0.0,
                covariance_by_variance: 1.0,
            };
        }
        let normal = Gaussian::at(self.servers, mean, variance);
        let (covariance_value, covariance_t) = value_and_slope(covariance, t);
        let square = scale * scale;
        let most = self.servers.min(mean);
        let busy_raw = busy_value * scale + normal.busy;
        let busy = busy_raw.clamp(0.0, most);
        let covariance_raw = covariance_value * square + variance * normal.below;
        let busy_covariance = covariance_raw.clamp(0.0, variance);
        // In a long queue a clamped value no longer moves. With the slopes of what is clamped away
        // an implicit step would widen the queue and hold it back from draining. (In a short one a
        // value is clamped by its rounding, and moves.)
        let is_long = mean >= self.servers;
        let moves = |raw: f64, clamped: f64| f64::from(u8::from(!is_long || raw == clamped));
        let (busy_moves, covariance_moves) =
            (moves(busy_raw, busy), moves(covariance_raw, busy_covariance));
        let busy_slope = (busy_t * slope * scale + busy_value + normal.below).clamp(0.0, 1.0);
        let covariance_slope = covariance_t * slope * square + 2.0 * covariance_value * scale
            - normal.sigma * normal.density;
        let covariance_by_variance = (normal.below - 0.5 * normal.z * normal.density).max(0.0);
        Closure {
            block,
            block_slope,
            busy,
            busy_slope: busy_moves * busy_slope,
            busy_by_variance: busy_moves * -0.5 * normal.density / normal.sigma,
            busy_covariance,
            covariance_slope: covariance_moves * covariance_slope,
            covariance_by_variance: covariance_moves * covariance_by_variance,
        }
    }

    /// Chance of waiting and moments of the queue at (L, V).
    #[must_use]
    pub fn tails(&self, mean: f64, variance: f64) -> Tails {
        let (cell, t, _) = self.cell(mean);
        let [block, busy, _] = &self.hot[cell];
        let [all_busy, idle_square, _] = &self.cold[cell];
        if self.has_no_queue() {
            let block = value(block, t).clamp(0.0, 1.0);
            return Tails { block, all_busy: block, queue: 0.0, queue_square: 0.0 };
        }
        let scale = mean + self.servers;
        let normal = Gaussian::at(self.servers, mean, variance);
        let busy = (value(busy, t) * scale + normal.busy).clamp(0.0, self.servers.min(mean));
        let queue = mean - busy;
        let offset = mean - self.servers;
        let idle_square = (value(idle_square, t) * scale * scale + normal.idle_square).max(0.0);
        Tails {
            block: value(block, t).clamp(0.0, 1.0),
            all_busy: (value(all_busy, t) + 1.0 - normal.below).clamp(0.0, 1.0),
            queue,
            queue_square: (variance + offset * offset - idle_square).max(queue * queue),
        }
    }

    /// V of the stationary state with mean `mean`.
    #[must_use]
    pub fn stationary_variance(&self, mean: f64) -> f64 {
        let (cell, t, _) = self.cell(mean);
        value(&self.cold[cell][2], t).max(0.0) * mean * (1.0 + mean / self.servers)
    }
}

/// The state that an infinite load leaves.
fn full(c: f64, k: f64) -> Stationary {
    Stationary {
        block: 1.0,
        mean: k,
        variance: 0.0,
        busy: c,
        busy_covariance: 0.0,
        all_busy: 1.0,
        idle_square: 0.0,
    }
}

/// The stationary state with a given mean: Newton's method in ln a, whose slope is V since
/// p(n) ∝ aⁿ.
fn solve_for_mean(servers: u32, limit: Option<u64>, mean: f64, start: f64) -> (f64, Stationary) {
    let (mut low, mut high) = match limit {
        None => (f64::NEG_INFINITY, libm::log(f64::from(servers))),
        Some(_) => (f64::NEG_INFINITY, f64::INFINITY),
    };
    let mut log_erlangs = start;
    let mut state = Stationary::solve(servers, limit, libm::exp(log_erlangs));
    for _ in 0..80 {
        let miss = mean - state.mean;
        if miss.abs() <= 1e-10 * (mean + 1.0) {
            break;
        }
        if miss > 0.0 {
            low = log_erlangs
        } else {
            high = log_erlangs
        }
        let step = (miss / state.variance.max(1e-12)).clamp(-2.0, 2.0);
        let mut next = log_erlangs + step;
        if next >= high || next <= low {
            next = 0.5 * (log_erlangs + if step > 0.0 { high } else { low });
        }
        log_erlangs = next;
        state = Stationary::solve(servers, limit, libm::exp(log_erlangs));
    }
    (log_erlangs, state)
}

fn node_values(c: f64, mean: f64, state: &Stationary) -> [f64; HOT + COLD] {
    let normal = Gaussian::at(c, mean, state.variance);
    let scale = mean + c;
    [
        state.block,
        (state.busy - normal.busy) / scale,
        (state.busy_covariance - state.variance * normal.below) / (scale * scale),
        state.all_busy - (1.0 - normal.below),
        (state.idle_square - normal.idle_square) / (scale * scale),
        state.variance / (mean * (1.0 + mean / c)),
    ]
}

/// Catmull and Rom's cubic over one cell, one-sided at the ends.
fn cubic(nodes: &[[f64; HOT + COLD]], cell: usize, value: usize) -> Cubic {
    let at = |node: usize| nodes[node][value];
    let last = nodes.len() - 1;
    let (here, next) = (at(cell), at(cell + 1));
    let slope_here = if cell == 0 { next - here } else { 0.5 * (next - at(cell - 1)) };
    let slope_next = if cell + 1 == last { next - here } else { 0.5 * (at(cell + 2) - here) };
    let rise = next - here;
    [
        here,
        slope_here,
        3.0 * rise - 2.0 * slope_here - slope_next,
        slope_here + slope_next - 2.0 * rise,
    ]
}

fn value(cubic: &Cubic, t: f64) -> f64 {
    cubic[0] + t * (cubic[1] + t * (cubic[2] + t * cubic[3]))
}

fn value_and_slope(cubic: &Cubic, t: f64) -> (f64, f64) {
    (value(cubic, t), cubic[1] + t * (2.0 * cubic[2] + t * 3.0 * cubic[3]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stationary_states_come_out_of_the_table() {
        for (c, k) in [
            (1, None),
            (10, None),
            (32, Some(1_632)),
            (10, Some(1_010)),
            (4, Some(4)),
            (100, Some(100)),
            (500, None),
            (8, Some(16)),
            (16, Some(1_000_016)),
        ] {
            let table = Table::new(c, k);
            for rho in
                [0.05, 0.3, 0.6, 0.8, 0.9, 0.95, 0.99, 0.999, 1.0, 1.001, 1.05, 1.3, 2.0, 4.0]
            {
                if k.is_none() && rho >= 0.999 {
                    continue;
                }
                let a = rho * f64::from(c);
                let exact = Stationary::solve(c, k, a);
                let got = table.closure(exact.mean, exact.variance);
                let erlangs = f64::from(c);
                let near = |got: f64, exact: f64, tolerance: f64, what: &str| {
                    assert!(
                        (got - exact).abs() <= tolerance,
                        "{what} of c={c} K={k:?} rho={rho}: {got} is not {exact}"
                    );
                };
                near(got.busy, exact.busy, 2e-5 * erlangs, "B");
                near(got.block, exact.block, 1e-4 * exact.block + 1e-7, "P");
                let covariance = 1e-4 * exact.variance + 1e-6;
                near(got.busy_covariance, exact.busy_covariance, covariance, "C");
                let variance = table.stationary_variance(exact.mean);
                near(variance, exact.variance, 3e-3 * exact.variance + 1e-6, "V");
                let tails = table.tails(exact.mean, exact.variance);
                near(tails.all_busy, exact.all_busy, 2e-4, "P(N ≥ c)");
            }
        }
    }
}
