//! A level as it was some time ago.

use std::collections::VecDeque;

/// Levels that are kept: a window is met to this fraction of it.
const MOST_KEPT: u32 = 256;

/// Remembers a level for the length of a window: exactly where that has up to 256 steps, else to a
/// 256th of it.
#[derive(Debug)]
pub(super) struct Past {
    every: u32,
    most: usize,
    steps: u32,
    kept: VecDeque<f64>,
}

impl Past {
    /// Of `window_s`, at least a step, from a first level on.
    pub(super) fn new(window_s: f64, step_s: f64, level: f64) -> Self {
        let steps = (window_s / step_s).round().clamp(1.0, f64::from(u32::MAX / 2)) as u32;
        let every = steps.div_ceil(MOST_KEPT);
        let most = (steps / every) as usize + 1;
        Self { every, most, steps: 0, kept: VecDeque::from([level]) }
    }

    /// Adds the level at the end of a step.
    pub(super) fn add(&mut self, level: f64) {
        self.steps += 1;
        if self.steps == self.every {
            self.steps = 0;
            if self.kept.len() == self.most {
                self.kept.pop_front();
            }
            self.kept.push_back(level);
        }
    }

    /// The level a window ago; the first while the run is younger than that.
    pub(super) fn then(&self) -> f64 {
        self.kept.front().copied().unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_the_level_a_window_ago() {
        let mut past = Past::new(1.5, 0.5, 10.0);
        let then: Vec<f64> = [11.0, 12.0, 13.0, 14.0, 15.0]
            .map(|level| {
                past.add(level);
                past.then()
            })
            .into();
        assert_eq!(then, [10.0, 10.0, 10.0, 11.0, 12.0]);
    }

    #[test]
    fn a_long_window_is_met_to_a_fraction_of_it() {
        let mut past = Past::new(1000.0, 1.0, 0.0);
        for second in 1..=5000 {
            past.add(f64::from(second));
            let age_s = f64::from(second) - past.then();
            assert!((second < 1000) || (1000.0 - 4.0..=1000.0 + 4.0).contains(&age_s), "{age_s}");
            assert!(past.kept.len() <= 257);
        }
    }
}
