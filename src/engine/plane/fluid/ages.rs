//! How old those are that wait at one instance: first in, first out, by the step of their arrival.

use std::collections::VecDeque;

/// Those that wait, by the step in which they came.
#[derive(Debug, Clone, Default)]
pub struct Ages {
    /// The latest last.
    by_step: VecDeque<f64>,
    /// Those that came before.
    ancient: f64,
    total: f64,
}

/// Steps that are told apart.
const MOST_STEPS: usize = 20_000;

impl Ages {
    /// Takes in those that came in a step, and lets out all but the last `waiting`; tells how long
    /// those let out had waited on average, in steps. None where that is less than a few steps:
    /// when within a step somebody came is not known.
    pub fn step(&mut self, came: f64, waiting: f64) -> Option<f64> {
        const FEW: usize = 3;
        self.by_step.push_back(came);
        self.total += came;
        if self.by_step.len() > MOST_STEPS {
            self.ancient += self.by_step.pop_front().unwrap_or_default();
        }
        while self.ancient <= 0.0 && self.by_step.front().is_some_and(|came| *came <= 0.0) {
            self.by_step.pop_front();
        }
        let (mut out, mut age) = (0.0, 0.0);
        let mut oldest = self.oldest();
        while self.total > waiting && self.total > 0.0 {
            let excess = self.total - waiting;
            let age_now = self.by_step.len().saturating_sub(1) as f64;
            if self.ancient > 0.0 {
                let leaving = excess.min(self.ancient);
                self.ancient -= leaving;
                self.total -= leaving;
                (out, age) = (out + leaving, age + leaving * age_now);
                if leaving == excess {
                    break;
                }
                continue;
            }
            let Some(first) = self.by_step.front_mut() else {
                self.total = 0.0;
                break;
            };
            oldest = age_now;
            let leaving = excess.min(*first);
            *first -= leaving;
            self.total -= leaving;
            (out, age) = (out + leaving, age + leaving * age_now);
            if leaving == excess {
                break;
            }
            self.by_step.pop_front();
        }
        if self.total <= 0.0 {
            self.clear();
        }
        let mean = if out > 0.0 { age / out } else { oldest };
        (self.by_step.len() > FEW).then_some(mean)
    }

    fn oldest(&self) -> f64 {
        self.by_step.len().saturating_sub(1) as f64
    }

    /// The oldest so many leave without being served.
    pub fn drop_oldest(&mut self, count: f64) {
        let waiting = (self.total - count).max(0.0);
        while self.total > waiting {
            let excess = self.total - waiting;
            let first = if self.ancient > 0.0 {
                &mut self.ancient
            } else if let Some(first) = self.by_step.front_mut() {
                first
            } else {
                self.total = 0.0;
                return;
            };
            let leaving = excess.min(*first);
            *first -= leaving;
            self.total -= leaving;
            if leaving == excess {
                return;
            }
            if self.ancient <= 0.0 && self.by_step.front().is_some_and(|first| *first <= 0.0) {
                self.by_step.pop_front();
            }
        }
    }

    /// Nobody is left.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_came_first_leaves_first() {
        let mut ages = Ages::default();
        // Ten steps of 10, of which 4 a step leave; then 20 come in each.
        let mut waiting = 0.0;
        for _ in 0..10 {
            waiting += 6.0;
            ages.step(10.0, waiting);
        }
        for step in 10..15 {
            waiting += 16.0;
            let age = ages.step(20.0, waiting).expect("a long wait");
            // 4 a step leave: the next is number 4 · step, and came in step 0.4 · step.
            let exact = f64::from(step) - (0.4 * f64::from(step) + 0.2).floor();
            assert!((age - exact).abs() <= 0.6, "step {step}: {age}, not {exact}");
        }
        ages.drop_oldest(waiting);
        assert_eq!(ages.step(1.0, 1.0), None);
    }
}
