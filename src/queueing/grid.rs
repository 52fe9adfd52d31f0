//! Where a table's nodes lie.

/// Maps the mean number in system to a coordinate in which everything is smooth: L ÷ (L + c). For
/// finite K it also spreads cells evenly, and stretches the last places below K, where P(N = K)
/// changes.
#[derive(Debug, Clone, Copy)]
pub(super) struct Grid {
    servers: f64,
    limit: f64,
    near: f64,
    far: f64,
    per_unit: f64,
    pub(super) cells: usize,
}

/// The unbounded table ends where all but this share of requests wait.
const UNBOUNDED_END: f64 = 0.999;

impl Grid {
    pub(super) fn new(servers: f64, limit: f64) -> Self {
        let cells = 192.0 + 16.0 * servers.sqrt();
        let (near, far, end) = if limit.is_finite() {
            ((limit + servers) / limit, (limit + 1.0) / limit, 3.0)
        } else {
            (1.0, 0.0, UNBOUNDED_END)
        };
        let cells = (cells * if limit.is_finite() { 3.0 } else { 1.0 }) as usize;
        Self { servers, limit, near, far, per_unit: cells as f64 / end, cells }
    }

    /// The coordinate of `mean` in cells, and its slope.
    pub(super) fn at(&self, mean: f64) -> (f64, f64) {
        let total = mean + self.servers;
        let first = self.near * mean / total;
        let first_slope = self.near * self.servers / (total * total);
        if self.far == 0.0 {
            return (first * self.per_unit, first_slope * self.per_unit);
        }
        let room = 1.0 / (self.limit - mean + 1.0);
        let second = self.far * (room - 1.0 / (self.limit + 1.0));
        let even = 1.0 / self.limit;
        let slope = first_slope + self.far * room * room + even;
        ((first + second + even * mean) * self.per_unit, slope * self.per_unit)
    }

    /// The mean at a node, looked for from `guess`.
    pub(super) fn mean(&self, node: usize, guess: f64) -> f64 {
        let wanted = node as f64;
        if self.far == 0.0 {
            let u = wanted / self.per_unit;
            return self.servers * u / (1.0 - u);
        }
        if node == self.cells {
            return self.limit;
        }
        // The coordinate rises steadily: Newton's method inside a shrinking bracket.
        let (mut low, mut high) = (0.0, self.limit);
        let mut mean = guess.clamp(low, high);
        for _ in 0..60 {
            let (at, slope) = self.at(mean);
            let miss = wanted - at;
            if miss.abs() < 1e-9 {
                break;
            }
            if miss > 0.0 {
                low = mean
            } else {
                high = mean
            }
            let next = mean + miss / slope;
            mean = if next > low && next < high { next } else { 0.5 * (low + high) };
        }
        mean
    }
}
