//! How many of so many runs, and how sure that is.

use serde::Serialize;

/// Standard normal quantile of a 95 % interval.
const Z: f64 = 1.959_963_984_540_054;

/// Some of so many runs.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Tally {
    /// In how many it holds.
    pub holds: u32,
    /// Of how many.
    pub runs: u32,
    /// Least share of all runs that this is likely of: Wilson's 95 % interval.
    pub least_share: f64,
    /// Largest.
    pub most_share: f64,
}

impl Tally {
    /// Counts (E. B. Wilson, Probable inference, 1927). `runs` is at least 1.
    #[must_use]
    pub fn new(holds: u32, runs: u32) -> Self {
        let (n, z) = (f64::from(runs.max(1)), Z);
        let share = f64::from(holds) / n;
        let centre = share + z * z / (2.0 * n);
        let half = z * (share * (1.0 - share) / n + z * z / (4.0 * n * n)).sqrt();
        let scale = 1.0 + z * z / n;
        Self {
            holds,
            runs,
            least_share: ((centre - half) / scale).max(0.0),
            most_share: ((centre + half) / scale).min(1.0),
        }
    }

    /// Does it hold in nine of ten?
    #[must_use]
    pub const fn is_most(&self) -> bool {
        10 * self.holds >= 9 * self.runs
    }

    /// Does it hold in one of ten at most?
    #[must_use]
    pub const fn is_few(&self) -> bool {
        10 * self.holds <= self.runs
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Against the values that R's `binom::binom.wilson` prints.
    #[test]
    fn intervals_are_wilsons() {
        for (holds, least, most) in
            [(10, 0.722_467, 1.0), (0, 0.0, 0.277_533), (9, 0.595_85, 0.982_124)]
        {
            let tally = Tally::new(holds, 10);
            assert!((tally.least_share - least).abs() < 1e-5, "{tally:?}");
            assert!((tally.most_share - most).abs() < 1e-5, "{tally:?}");
        }
        assert!(Tally::new(9, 10).is_most() && !Tally::new(8, 10).is_most());
        assert!(Tally::new(1, 10).is_few() && !Tally::new(1, 9).is_few());
    }
}
