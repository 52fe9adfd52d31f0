//! Which of the runs that are compared did best.

use crate::metric::RunResult;

/// Gives each run its place: by the share of requests completed in time, to a tenth of a percent;
/// where that is the same by those answered by a fallback, then by the outcome, then by how many
/// further pools were lost. What is still the same shares a place.
pub fn rank(results: &mut [RunResult]) {
    let tenths = |ratio: f64| std::cmp::Reverse((1000.0 * ratio).round() as i64);
    let key = |result: &RunResult| {
        let summary = &result.summary;
        (
            tenths(summary.goodput_ratio),
            tenths(summary.degraded_ratio),
            std::cmp::Reverse(summary.outcome),
            summary.cascade_propagation_count,
        )
    };
    if results.len() < 2 {
        return;
    }
    let mut keys: Vec<_> = results.iter().map(key).collect();
    keys.sort_unstable();
    for result in results {
        let better = keys.partition_point(|other| *other < key(result));
        result.rank = Some(better as u32 + 1);
    }
}
