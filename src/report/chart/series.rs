//! Rows to points of lines.

use super::scene::Point;
use crate::metric::RunResult;

/// The stretch of time that is shown, in seconds from the trigger (from 0 without one).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Window {
    /// What all times are counted from, simulation time.
    pub zero_s: f64,
    /// Is that the trigger?
    pub trigger: bool,
    /// Where it begins.
    pub from_s: f64,
    /// Where it ends.
    pub to_s: f64,
}

/// The window of results of one scenario: all after the trigger, and as much before it as helps.
pub fn window(results: &[RunResult]) -> Window {
    let rows = || results.iter().flat_map(|result| &result.fleet);
    let end_s = rows().map(|row| row.time_s).fold(0.0, f64::max);
    let within = |trigger_s: &f64| *trigger_s < end_s;
    match results.iter().find_map(|result| result.trigger_s).filter(within) {
        Some(zero_s) => {
            let to_s = end_s - zero_s;
            let lead_s = zero_s.min(0.15 * to_s);
            Window { zero_s, trigger: true, from_s: -lead_s, to_s }
        }
        None => {
            let to_s = if end_s > 0.0 { end_s } else { 1.0 };
            Window { zero_s: 0.0, trigger: false, from_s: 0.0, to_s }
        }
    }
}

impl Window {
    /// The time since the trigger, when the window shows it.
    pub fn place(&self, time_s: f64) -> Option<f64> {
        let since_s = time_s - self.zero_s;
        let slack_s = 1e-9 * self.to_s.abs().max(1.0);
        let inside = since_s >= self.from_s - slack_s && since_s <= self.to_s + slack_s;
        inside.then(|| since_s.clamp(self.from_s, self.to_s))
    }
}

/// At most the lowest and the highest point of each pixel column, and both ends.
pub fn thin(points: &[Point]) -> Vec<Point> {
    let mut kept = Vec::new();
    let mut start = 0;
    while start < points.len() {
        let column = points[start].0.floor();
        let length = points[start..].iter().take_while(|p| p.0.floor() == column).count();
        let here = &points[start..start + length];
        let by_height = |a: &(usize, &Point), b: &(usize, &Point)| a.1.1.total_cmp(&b.1.1);
        let low = here.iter().enumerate().min_by(by_height).map_or(0, |(index, _)| index);
        let high = here.iter().enumerate().max_by(by_height).map_or(0, |(index, _)| index);
        let mut chosen = vec![low.min(high), low.max(high)];
        if start == 0 {
            chosen.insert(0, 0);
        }
        if start + length == points.len() {
            chosen.push(length - 1);
        }
        chosen.dedup();
        kept.extend(chosen.iter().map(|index| here[*index]));
        start += length;
    }
    kept
}

/// Means over columns `width` pixels wide, for rates: they wobble, and a mean of means over rows is
/// the mean over a longer row. `points` are pixels to the right, and values.
pub fn means(points: &[Point], width: f64) -> Vec<Point> {
    let mut kept: Vec<Point> = Vec::new();
    let column = |point: &Point| (point.0 / width).floor();
    for here in points.chunk_by(|a, b| column(a) == column(b)) {
        let count = here.len() as f64;
        let (x, value) = here.iter().fold((0.0, 0.0), |sum, p| (sum.0 + p.0, sum.1 + p.1));
        kept.push((x / count, value / count));
    }
    if let (Some(first), Some(last)) = (points.first(), points.last()) {
        // The line still spans all rows.
        let ends = (kept.first().copied(), kept.last().copied());
        if let (Some(start), Some(end)) = ends {
            kept.insert(0, (first.0, start.1));
            kept.push((last.0, end.1));
        }
    }
    kept.dedup();
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_span_all_rows() {
        let points = [(0.0, 1.0), (1.0, 3.0), (4.0, 10.0), (9.0, 0.0), (9.5, 4.0)];
        let expected = [(0.0, 2.0), (0.5, 2.0), (4.0, 10.0), (9.25, 2.0), (9.5, 2.0)];
        assert_eq!(means(&points, 3.0), expected);
        assert_eq!(means(&[(1.0, 2.0)], 3.0), [(1.0, 2.0)]);
        assert!(means(&[], 3.0).is_empty());
    }

    #[test]
    fn thinning_keeps_extremes_and_ends() {
        let mut points: Vec<Point> =
            (0..10_000).map(|i| (f64::from(i) / 100.0, f64::from((i * 37) % 11))).collect();
        points[4242].1 = 99.0;
        points[777].1 = -99.0;
        let thinned = thin(&points);
        assert!(thinned.len() <= 202, "{}", thinned.len());
        assert!(thinned.contains(&points[4242]) && thinned.contains(&points[777]));
        assert_eq!((thinned.first(), thinned.last()), (points.first(), points.last()));
        assert!(thinned.windows(2).all(|pair| pair[0].0 <= pair[1].0));
        assert!(thin(&[]).is_empty());
        assert_eq!(thin(&[(1.0, 2.0)]), [(1.0, 2.0)]);
    }
}
