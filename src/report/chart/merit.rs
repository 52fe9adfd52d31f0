//! Which of many policies are shown.

use std::borrow::Cow;
use std::cmp::Ordering;

use crate::metric::RunResult;

/// As the verdict ranks them: a fleet that fell is worse than one that shed more.
pub fn by_merit(a: &RunResult, b: &RunResult) -> Ordering {
    let (a, b) = (&a.summary, &b.summary);
    a.outcome.cmp(&b.outcome).then(a.goodput_ratio.total_cmp(&b.goodput_ratio))
}

/// At most so many results, in their order: the best half and the worst half of them.
pub fn best_and_worst(results: &[RunResult], most: usize) -> Vec<&RunResult> {
    if results.len() <= most {
        return results.iter().collect();
    }
    let mut order: Vec<usize> = (0..results.len()).collect();
    order.sort_by(|a, b| by_merit(&results[*b], &results[*a]).then(a.cmp(b)));
    let best = most.div_ceil(2);
    order.drain(best..results.len() - (most - best));
    order.sort_unstable();
    order.into_iter().map(|index| &results[index]).collect()
}

/// More lines than these nobody tells apart.
const MOST_LINES: usize = 12;

/// As many results as lines in one panel can show.
pub fn told_apart(results: &[RunResult]) -> Cow<'_, [RunResult]> {
    if results.len() <= MOST_LINES {
        return Cow::Borrowed(results);
    }
    Cow::Owned(best_and_worst(results, MOST_LINES).into_iter().cloned().collect())
}

/// What is left out, in words; empty when all are shown.
pub fn left_out(all: usize, shown: usize) -> String {
    if all <= shown {
        return String::new();
    }
    let best = shown.div_ceil(2);
    format!(
        "The {best} best and the {} worst of {all} policies; {} are left out.",
        shown - best,
        all - shown
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::Outcome;

    #[test]
    fn the_middle_is_left_out() {
        let one = |(policy, outcome, goodput)| {
            crate::report::fixture::result(policy, "none", outcome, goodput)
        };
        let results = [
            ("middle", Outcome::Degraded, 0.6),
            ("fell", Outcome::FullOutage, 0.9),
            ("best", Outcome::Stable, 1.0),
            ("good", Outcome::Degraded, 0.7),
        ]
        .map(one);
        let names = |most| -> Vec<&str> {
            best_and_worst(&results, most).iter().map(|result| result.policy.as_str()).collect()
        };
        assert_eq!(names(4), ["middle", "fell", "best", "good"]);
        assert_eq!(names(3), ["fell", "best", "good"]);
        assert_eq!(names(2), ["fell", "best"]);
        assert_eq!(left_out(4, 3), "The 2 best and the 1 worst of 4 policies; 1 are left out.");
        assert_eq!(left_out(4, 4), "");
    }
}
