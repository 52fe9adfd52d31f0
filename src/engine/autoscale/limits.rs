//! How fast a pool may grow and shrink.
//!
//! Source: kubernetes/kubernetes, pkg/controller/podautoscaler/horizontal.go:
//! `calculateScaleUpLimitWithScalingRules`, `calculateScaleDownLimitWithBehaviors`,
//! `convertDesiredReplicasWithBehaviorRate`. All limits count from the instances at the start of
//! their period: those of now without what came, and with what went, in the period.

use crate::model::{ScaleAmount, ScaleRules, ScaleSelect};

use super::recommend::round_up;

/// A change of size in the past.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Change {
    /// When, s.
    pub at_s: f64,
    /// By how many instances; below 0 they went.
    pub by: i64,
}

/// The nearest to `desired` that the rules let a pool of `current` instances have now.
#[must_use]
pub fn limited(
    current: u32,
    desired: u32,
    up: &ScaleRules,
    down: &ScaleRules,
    changes: &[Change],
    now_s: f64,
) -> u32 {
    if desired > current {
        desired.min(most(current, up, changes, now_s))
    } else if desired < current {
        desired.max(fewest(current, down, changes, now_s))
    } else {
        current
    }
}

/// The most instances that the rules for growing allow; never fewer than there are.
fn most(current: u32, rules: &ScaleRules, changes: &[Change], now_s: f64) -> u32 {
    let proposed = rules.policies.iter().map(|policy| {
        let start = at_start_of(policy.period.get(), current, changes, now_s);
        match policy.amount {
            ScaleAmount::Pods(count) => count_of(start + f64::from(count)),
            // Rounded up: 1 % of 3 must let it grow at all.
            ScaleAmount::Percent(share) => round_up(start * (1.0 + share)),
        }
    });
    let limit = match rules.select {
        ScaleSelect::Disabled => Some(current),
        ScaleSelect::Max => proposed.max(),
        ScaleSelect::Min => proposed.min(),
    };
    limit.unwrap_or(u32::MAX).max(current)
}

/// The fewest instances that the rules for shrinking allow; never more than there are.
fn fewest(current: u32, rules: &ScaleRules, changes: &[Change], now_s: f64) -> u32 {
    let proposed = rules.policies.iter().map(|policy| {
        let start = at_start_of(policy.period.get(), current, changes, now_s);
        match policy.amount {
            ScaleAmount::Pods(count) => count_of(start - f64::from(count)),
            // What is left is rounded down, so what may go is rounded up.
            ScaleAmount::Percent(share) => count_of((start * (1.0 - share) + 1e-9).floor()),
        }
    });
    let limit = match rules.select {
        ScaleSelect::Disabled => Some(current),
        ScaleSelect::Max => proposed.min(),
        ScaleSelect::Min => proposed.max(),
    };
    limit.unwrap_or(0).min(current)
}

fn count_of(count: f64) -> u32 {
    count.clamp(0.0, f64::from(u32::MAX)) as u32
}

/// Instances at the start of the period that ends now. A change exactly one period ago is over.
fn at_start_of(period_s: f64, current: u32, changes: &[Change], now_s: f64) -> f64 {
    let is_recent = |change: &&Change| now_s - change.at_s < period_s * (1.0 - 1e-9);
    let changed: i64 = changes.iter().filter(is_recent).map(|change| change.by).sum();
    (f64::from(current) - changed as f64).max(0.0)
}

/// The longest period that any of the rules looks back, s.
#[must_use]
pub fn longest_period_s(up: &ScaleRules, down: &ScaleRules) -> f64 {
    let policies = up.policies.iter().chain(&down.policies);
    policies.map(|policy| policy.period.get()).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::ScalePolicy;
    use crate::units::Seconds;

    /// `2pods/60s,100%/60s`, or `defaults`.
    fn rules(text: &str) -> ScaleRules {
        if text == "defaults" {
            return ScaleRules::default_up();
        }
        let policy = |text: &str| {
            let (amount, period) = text.split_once('/').expect("an amount and a period");
            let period = period.trim_end_matches('s').parse().expect("a period");
            let amount = match amount.strip_suffix('%') {
                Some(percent) => {
                    ScaleAmount::Percent(percent.parse::<f64>().expect("a percentage") / 100.0)
                }
                None => ScaleAmount::Pods(amount.trim_end_matches("pods").parse().expect("pods")),
            };
            ScalePolicy { amount, period: Seconds::new(period).expect("a period") }
        };
        let policies = text.split(',').map(policy).collect();
        ScaleRules { policies, select: ScaleSelect::Max, stabilization: Seconds::ZERO }
    }

    #[test]
    fn every_row_of_the_oracle() {
        let text = include_str!("../../../tests/oracles/hpa_rate_limits.csv");
        let mut rows = 0;
        for line in text.lines().skip(1) {
            // Policies with commas between them are quoted.
            let quoted: Vec<&str> = line.split('"').collect();
            let cells: Vec<String> = match quoted.as_slice() {
                [before, policies, after] => {
                    let before = before.trim_end_matches(',').split(',').map(str::to_owned);
                    let after = after[1..].split(',').map(str::to_owned);
                    before.chain([(*policies).to_owned()]).chain(after).collect()
                }
                _ => line.split(',').map(str::to_owned).collect(),
            };
            let number = |cell: usize| cells[cell].parse::<u32>().expect("a count");
            let events = cells[4].split(';').filter(|event| !event.is_empty());
            let changes: Vec<Change> = events
                .map(|event| Change { at_s: 990.0, by: event.parse().expect("a change") })
                .collect();
            let (policies, other) = (rules(&cells[3]), ScaleRules::default_up());
            let (up, down) = match cells[2].as_str() {
                "up" => (&policies, &other),
                _ => (&other, &policies),
            };
            let allowed = limited(number(0), number(1), up, down, &changes, 1000.0);
            assert_eq!(allowed, number(5), "{line}");
            rows += 1;
        }
        assert_eq!(rows, 12);
    }

    #[test]
    fn from_one_instance_the_defaults_reach_eighty_in_five_decisions() {
        let (up, down) = (ScaleRules::default_up(), ScaleRules::default_down());
        let (mut sizes, mut changes) = (vec![1], Vec::new());
        for sync in 1..=5 {
            let (now_s, current) = (15.0 * f64::from(sync), sizes[sizes.len() - 1]);
            let next = limited(current, u32::MAX, &up, &down, &changes, now_s);
            changes.push(Change { at_s: now_s, by: i64::from(next) - i64::from(current) });
            sizes.push(next);
        }
        assert_eq!(sizes, [1, 5, 10, 20, 40, 80]);
    }

    #[test]
    fn select_takes_the_larger_the_smaller_or_nothing() {
        let with = |select| ScaleRules { select, ..rules("4pods/60s,50%/60s") };
        let grow = |select| limited(20, 100, &with(select), &with(select), &[], 0.0);
        let shrink = |select| limited(20, 1, &with(select), &with(select), &[], 0.0);
        assert_eq!((grow(ScaleSelect::Max), shrink(ScaleSelect::Max)), (30, 10));
        assert_eq!((grow(ScaleSelect::Min), shrink(ScaleSelect::Min)), (24, 16));
        assert_eq!((grow(ScaleSelect::Disabled), shrink(ScaleSelect::Disabled)), (20, 20));
        let free = ScaleRules { policies: vec![], ..with(ScaleSelect::Max) };
        assert_eq!(limited(20, 100, &free, &free, &[], 0.0), 100);
        assert_eq!(limited(20, 1, &free, &free, &[], 0.0), 1);
    }

    #[test]
    fn a_change_counts_for_less_than_one_period() {
        let rules = rules("5pods/60s");
        let grow = |at_s| limited(15, 100, &rules, &rules, &[Change { at_s, by: 5 }], 60.0);
        assert_eq!(grow(0.0), 20);
        assert_eq!(grow(0.1), 15);
        // What went in the period may come back, and what came may go.
        let gone = [Change { at_s: 30.0, by: -10 }];
        assert_eq!(limited(15, 100, &rules, &rules, &gone, 60.0), 30);
    }
}
