//! How many instances a metric asks for.
//!
//! Source: kubernetes/kubernetes, pkg/controller/podautoscaler/replica_calculator.go:
//! `GetResourceReplicas` and `calcPlainMetricReplicas` for [`by_usage`], `GetObjectMetricReplicas`
//! for [`by_ratio`], `GetExternalPerPodMetricReplicas` for [`by_total`]. Kubernetes truncates a
//! utilization to whole percents; here it is exact.

/// A pool as the rule sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pods {
    /// Instances that it has; what "no change" is.
    pub current: u32,
    /// Those whose usage counts.
    pub ready: u32,
    /// The sum of their usages, each in the unit of the target.
    pub usage: f64,
    /// Those that have not served yet.
    pub not_ready: u32,
    /// Those that nothing is known of.
    pub missing: u32,
}

/// What a metric is kept at.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Goal {
    /// Its value for each instance; over 0.
    pub target: f64,
    /// What a missing instance is taken to use when the others say "fewer": all that it has, or the
    /// target where that is more.
    pub missing_usage: f64,
    /// A ratio within 1 ± this changes nothing.
    pub tolerance: f64,
}

/// Whole numbers are reached by ratios that rounding left a little above them: 1.5 ÷ 0.3 asks for
/// 5, not for 6. (Kubernetes takes the floats as they are.)
const SLACK: f64 = 1e-9;

/// Rounds up, but for what is over a whole number by less than 1e-9 of it.
#[must_use]
pub fn round_up(count: f64) -> u32 {
    (count * (1.0 - SLACK)).ceil().clamp(0.0, f64::from(u32::MAX)) as u32
}

fn is_within(ratio: f64, tolerance: f64) -> bool {
    (ratio - 1.0).abs() <= tolerance + SLACK
}

/// From the usage of the ready instances. The ratio of usage to target is over these; when it says
/// "more", those not ready and missing count with no usage, when it says "fewer", missing ones
/// count in full; then it is taken again over all that count. A change of direction, or a ratio
/// within the tolerance, is no change. None where no instance is ready: nothing is known.
#[must_use]
pub fn by_usage(pods: &Pods, goal: &Goal) -> Option<u32> {
    if pods.ready == 0 {
        return None;
    }
    let over = |usage: f64, count: u32| usage / (goal.target * f64::from(count));
    let first = over(pods.usage, pods.ready);
    let says_more = first > 1.0;
    let (mut usage, mut counted) = (pods.usage, pods.ready + pods.missing);
    if says_more {
        counted += pods.not_ready;
    } else if first < 1.0 {
        usage += f64::from(pods.missing) * goal.missing_usage;
    } else {
        counted = pods.ready;
    }
    let ratio = over(usage, counted);
    let turns = (first < 1.0 && ratio > 1.0) || (says_more && ratio < 1.0);
    if turns || is_within(ratio, goal.tolerance) {
        return Some(pods.current);
    }
    let desired = round_up(ratio * f64::from(counted));
    Some(unless_turned(ratio, desired, pods.current))
}

/// From a ratio of metric to target that is nobody's share, such as another pool's utilization: so
/// many times the ready instances. None where no instance is ready.
#[must_use]
pub fn by_ratio(pods: &Pods, ratio: f64, tolerance: f64) -> Option<u32> {
    if pods.ready == 0 {
        return None;
    }
    if is_within(ratio, tolerance) {
        return Some(pods.current);
    }
    let desired = round_up(ratio * f64::from(pods.ready));
    Some(unless_turned(ratio, desired, pods.current))
}

/// From a total of which each instance is to have `target`, such as another pool's tries a second
/// (an external metric with an `AverageValue`).
#[must_use]
pub fn by_total(pods: &Pods, total: f64, target: f64, tolerance: f64) -> Option<u32> {
    let ratio = total / (target * f64::from(pods.current));
    if pods.current > 0 && is_within(ratio, tolerance) {
        return Some(pods.current);
    }
    Some(round_up(total / target))
}

/// "More" that comes out as fewer than there are (those starting are enough), or the reverse, is
/// no change.
fn unless_turned(ratio: f64, desired: u32, current: u32) -> u32 {
    let turned = (ratio > 1.0 && desired < current) || (ratio < 1.0 && desired > current);
    if turned { current } else { desired }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_of_the_oracle() {
        let text = include_str!("../../../tests/oracles/hpa_cpu.csv");
        let mut rows = 0;
        for line in text.lines().skip(1) {
            let cells: Vec<&str> = line.split(',').collect();
            let number = |cell: usize| cells[cell].parse::<u32>().expect("a count");
            let usages = cells[1].split(';');
            let millicores: Vec<f64> = usages.map(|u| u.parse().expect("a usage")).collect();
            let pods = Pods {
                current: number(0),
                ready: millicores.len() as u32,
                // Every pod requests 1000 millicores.
                usage: millicores.iter().map(|usage| usage / 1000.0).sum(),
                not_ready: number(2),
                missing: number(3),
            };
            let goal =
                Goal { target: f64::from(number(4)) / 100.0, missing_usage: 1.0, tolerance: 0.1 };
            assert_eq!(by_usage(&pods, &goal), Some(number(5)), "{line}");
            rows += 1;
        }
        assert_eq!(rows, 11);
    }

    #[test]
    fn exact_ratios_are_not_rounded_up() {
        // 0.1 + 0.2 is over 0.3 by rounding, and so is 5.000000001 over 5.
        assert_eq!(round_up((0.1 + 0.2) / 0.3 * 7.0), 7);
        assert_eq!(round_up(5.000_000_001), 5);
        assert_eq!(round_up(5.000_001), 6);
        assert_eq!(round_up(0.0), 0);
    }

    #[test]
    fn the_tolerance_holds_at_its_edges() {
        let goal = |target| Goal { target, missing_usage: 1.0, tolerance: 0.1 };
        let pods =
            |usage| Pods { current: 10, ready: 10, usage: 10.0 * usage, not_ready: 0, missing: 0 };
        assert_eq!(by_usage(&pods(0.55), &goal(0.5)), Some(10));
        assert_eq!(by_usage(&pods(0.5501), &goal(0.5)), Some(12));
        assert_eq!(by_usage(&pods(0.45), &goal(0.5)), Some(10));
        assert_eq!(by_usage(&pods(0.4499), &goal(0.5)), Some(9));
    }

    #[test]
    fn instances_on_their_way_are_enough() {
        let goal = Goal { target: 0.5, missing_usage: 1.0, tolerance: 0.1 };
        // 10 at 60 % say "more", but with 5 on their way it is 40 %: neither more nor fewer.
        let mut pods = Pods { current: 15, ready: 10, usage: 6.0, not_ready: 5, missing: 0 };
        assert_eq!(by_usage(&pods, &goal), Some(15));
        assert_eq!(by_ratio(&pods, 1.2, 0.1), Some(15));
        // On the way down they do not count.
        pods.usage = 3.0;
        assert_eq!(by_usage(&pods, &goal), Some(6));
        pods.ready = 0;
        assert_eq!(by_usage(&pods, &goal), None);
        assert_eq!(by_ratio(&pods, 1.2, 0.1), None);
    }

    #[test]
    fn a_total_is_shared_out() {
        let pods = Pods { current: 4, ready: 1, usage: 0.0, not_ready: 3, missing: 0 };
        assert_eq!(by_total(&pods, 430.0, 100.0, 0.1), Some(4));
        assert_eq!(by_total(&pods, 450.0, 100.0, 0.1), Some(5));
        assert_eq!(by_total(&pods, 110.0, 100.0, 0.1), Some(2));
        let none = Pods { current: 0, ..pods };
        assert_eq!(by_total(&none, 0.0, 100.0, 0.1), Some(0));
        assert_eq!(by_total(&none, 110.0, 100.0, 0.1), Some(2));
    }
}
