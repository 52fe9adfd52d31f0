//! Confidence intervals by batch means: a long run is cut into batches so long that their means are
//! nearly independent (Law & Kelton, *Simulation Modeling and Analysis*, §9.5.3).

/// Batches of a run.
pub const BATCHES: usize = 40;

/// Student's t for 39 degrees of freedom: the half-width, in standard errors, of an interval that
/// holds with 1 − 0.01 ÷ `comparisons`, so that all of them hold together with 99 % (Bonferroni).
/// The density's integral solved for the quantile; 2.7079 is in every table (39, 0.995).
fn student_t(comparisons: u32) -> f64 {
    match comparisons {
        1 => 2.7079,
        2..=8 => 3.4799,
        9..=96 => 4.3195,
        _ => panic!("no quantile for {comparisons} comparisons"),
    }
}

/// A mean and how far off it may be.
#[derive(Debug, Clone, Copy)]
pub struct Interval {
    pub mean: f64,
    pub half_width: f64,
}

impl Interval {
    /// Of a ratio of sums: each batch has a numerator and a denominator.
    pub fn of_ratio(batches: &[(f64, f64)], comparisons: u32) -> Self {
        assert_eq!(batches.len(), BATCHES, "the quantile is for so many");
        let count = batches.len() as f64;
        let (above, below) =
            batches.iter().fold((0.0, 0.0), |sum, one| (sum.0 + one.0, sum.1 + one.1));
        let mean = above / below;
        // The ratio's error is that of numerator − mean · denominator (Law & Kelton, §9.3).
        let squares: f64 = batches.iter().map(|one| (one.0 - mean * one.1).powi(2)).sum();
        let error = (squares / (count - 1.0) / count).sqrt() / (below / count);
        Self { mean, half_width: student_t(comparisons) * error }
    }

    /// Fails unless it holds a value, and reaches at most `widest` to either side.
    pub fn holds(&self, value: f64, widest: f64, what: &str) {
        let Self { mean, half_width } = *self;
        println!("{what}: {mean:.5} ± {half_width:.5}, exact {value:.5}");
        let rounding = 1e-9 * value.abs().max(1e-3);
        assert!((mean - value).abs() <= half_width + rounding, "{what}: {self:?}, not {value}");
        assert!(half_width <= widest + rounding, "{what}: {self:?} tells nothing");
    }
}
