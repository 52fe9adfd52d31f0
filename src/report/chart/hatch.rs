//! The area between two lines, hatched.

use super::scene::{Point, Scene};
use super::theme::{HATCH, PAPER};

/// Between hatch lines, across.
const PITCH: i64 = 9;
/// Less is a line's width, not an area.
const LEAST_GAP: f64 = 2.0;

/// Height of a line, whose points go right, at each whole column of `left..=right`; not a number
/// where it does not reach.
pub fn columns(points: &[Point], left: i64, right: i64) -> Vec<f64> {
    let mut heights = Vec::new();
    let mut index = 0;
    for column in left..=right {
        let x = column as f64;
        while index + 2 < points.len() && points[index + 1].0 < x {
            index += 1;
        }
        let reach = |end: Option<&Point>| end.map_or(f64::NAN, |point| (x - point.0).abs());
        let (first, last) = (points.first(), points.last());
        let before = first.is_some_and(|point| x < point.0) && reach(first) > 1.0;
        let beyond = last.is_some_and(|point| x > point.0) && reach(last) > 1.0;
        if before || beyond {
            heights.push(f64::NAN);
            continue;
        }
        let height = match points.get(index..index + 2) {
            Some([from, to]) if to.0 > from.0 => {
                let share = ((x - from.0) / (to.0 - from.0)).clamp(0.0, 1.0);
                from.1 + (to.1 - from.1) * share
            }
            Some([_, to]) => to.1,
            _ => points.first().map_or(f64::NAN, |only| only.1),
        };
        heights.push(height);
    }
    heights
}

/// Hatches where `lower` runs under `upper`; both go from left to right.
pub fn hatch(scene: &mut Scene, upper: &[Point], lower: &[Point]) {
    let (Some(first), Some(last)) = (upper.first(), upper.last()) else { return };
    let (left, right) = (first.0.ceil() as i64, last.0.floor() as i64);
    let top = columns(upper, left, right);
    let bottom = columns(lower, left, right);
    veil(scene, &top, &bottom, left);
    let inside = |x: i64, y: f64| {
        let index = usize::try_from(x - left).unwrap_or(usize::MAX);
        match (top.get(index), bottom.get(index)) {
            (Some(top), Some(bottom)) => bottom - top >= LEAST_GAP && y >= *top && y <= *bottom,
            _ => false,
        }
    };
    let highest = top.iter().copied().fold(f64::INFINITY, f64::min);
    let lowest = bottom.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if !(highest.is_finite() && lowest.is_finite()) {
        return;
    }
    // Along a hatch line x + y is the same everywhere.
    let first_sum = (left + highest as i64).div_euclid(PITCH) * PITCH;
    for sum in (first_sum..=right + lowest as i64).step_by(PITCH as usize) {
        let mut run: Option<(i64, i64)> = None;
        for x in left..=right + 1 {
            match (inside(x, (sum - x) as f64), run) {
                (true, Some((start, _))) => run = Some((start, x)),
                (true, None) => run = Some((x, x)),
                (false, Some((start, end))) => {
                    if end > start {
                        let place = |x: i64| (x as f64, (sum - x) as f64);
                        scene.stroke(vec![place(start), place(end)], HATCH, 1.0, &[]);
                    }
                    run = None;
                }
                (false, None) => {}
            }
        }
    }
}

/// Lightens what is behind, so that the hatch reads on every band.
fn veil(scene: &mut Scene, top: &[f64], bottom: &[f64], left: i64) {
    let wide = |index: &usize| bottom[*index] - top[*index] >= LEAST_GAP;
    let mut start = 0;
    while start < top.len() {
        let length = (start..top.len()).take_while(wide).count();
        if length > 1 {
            let x = |index: usize| (left + index as i64) as f64;
            let range = start..start + length;
            let mut points: Vec<Point> = range.clone().map(|i| (x(i), top[i])).collect();
            points.extend(range.rev().map(|i| (x(i), bottom[i])));
            scene.fill(points, PAPER, 0.62);
        }
        start += length.max(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::chart::scene::Mark;

    #[test]
    fn only_the_gap_is_hatched() {
        let mut scene = Scene::new(100.0, "", "");
        let upper = [(0.0, 10.0), (100.0, 10.0)];
        let lower = [(0.0, 10.0), (50.0, 10.0), (50.0, 60.0), (100.0, 60.0)];
        hatch(&mut scene, &upper, &lower);
        let strokes: Vec<_> = scene
            .marks
            .iter()
            .filter_map(|mark| match mark {
                Mark::Stroke { points, .. } => Some(points),
                _ => None,
            })
            .collect();
        assert!(strokes.len() > 5);
        for (x, y) in strokes.into_iter().flatten() {
            assert!(*x >= 49.0 && *y >= 10.0 && *y <= 60.0, "{x} {y}");
        }
    }

    #[test]
    fn columns_interpolate() {
        assert_eq!(columns(&[(0.0, 0.0), (4.0, 8.0)], 1, 3), [2.0, 4.0, 6.0]);
        assert_eq!(columns(&[(0.0, 5.0)], 0, 1), [5.0, 5.0]);
    }
}
