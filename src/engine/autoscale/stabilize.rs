//! Recommendations of some time back hold a change off.
//!
//! Source: kubernetes/kubernetes, pkg/controller/podautoscaler/horizontal.go:
//! `stabilizeRecommendationWithBehaviors`.

/// What was recommended, before it was stabilized.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Recommendation {
    /// When, s.
    pub at_s: f64,
    /// How many instances.
    pub desired: u32,
}

/// A size between the smallest recommendation of the window for growing and the largest of the one
/// for shrinking: as near to `current` as that allows. The windows end now, and what is exactly as
/// old as a window is outside.
#[must_use]
pub fn stabilized(
    current: u32,
    desired: u32,
    past: &[Recommendation],
    now_s: f64,
    up_window_s: f64,
    down_window_s: f64,
) -> u32 {
    let within = |window_s: f64| {
        let is_in = move |one: &&Recommendation| now_s - one.at_s < window_s * (1.0 - 1e-9);
        past.iter().filter(is_in).map(|one| one.desired)
    };
    let smallest = within(up_window_s).fold(desired, u32::min);
    let largest = within(down_window_s).fold(desired, u32::max);
    // Not `clamp`: with windows of different lengths the smallest may be over the largest.
    current.max(smallest).min(largest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(at_s: f64, desired: u32) -> Recommendation {
        Recommendation { at_s, desired }
    }

    #[test]
    fn shrinking_waits_for_the_largest_of_the_window() {
        let past = [at(100.0, 4), at(200.0, 5)];
        assert_eq!(stabilized(10, 3, &past, 250.0, 0.0, 180.0), 5);
        // Once the 5 is out of the window, the 3 that followed it holds.
        let past = [at(100.0, 4), at(200.0, 5), at(250.0, 3)];
        assert_eq!(stabilized(5, 2, &past, 379.0, 0.0, 180.0), 5);
        assert_eq!(stabilized(5, 2, &past, 380.0, 0.0, 180.0), 3);
    }

    #[test]
    fn growing_takes_the_smallest_of_the_window() {
        let past = [at(0.0, 4), at(15.0, 8)];
        assert_eq!(stabilized(2, 10, &past, 30.0, 0.0, 300.0), 10);
        assert_eq!(stabilized(2, 10, &past, 30.0, 20.0, 300.0), 8);
        assert_eq!(stabilized(2, 10, &past, 30.0, 60.0, 300.0), 4);
    }

    #[test]
    fn between_the_two_nothing_changes() {
        let past = [at(0.0, 4), at(15.0, 8)];
        assert_eq!(stabilized(6, 7, &past, 30.0, 60.0, 60.0), 6);
    }
}
