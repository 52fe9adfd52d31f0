//! Areas that differ in their pattern, too: colours alone are lost on a grey printer.

use super::font;
use super::frame::plain;
use super::scene::{Anchor, Point, Scene, TextLook, Weight};
use super::theme::{Colour, INK, PAPER, is_dark};

/// From one line of a pattern to the next, across.
const PITCH: f64 = 8.0;

/// What is drawn on an area's colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pattern {
    /// Nothing.
    Plain,
    /// Lines that rise to the right.
    Rising,
    /// Lines that fall to the right.
    Falling,
    /// Both.
    Crossed,
    /// Level lines.
    Level,
    /// Dots.
    Dotted,
}

/// How an area is told from others.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Filling {
    /// Its colour.
    pub colour: Colour,
    /// What is drawn on it.
    pub pattern: Pattern,
    /// In this colour.
    pub line: Colour,
}

impl Filling {
    /// A filling.
    pub const fn new(colour: Colour, pattern: Pattern, line: Colour) -> Self {
        Self { colour, pattern, line }
    }

    /// Fills a rectangle. Patterns of neighbours join: they are laid over the whole picture.
    pub fn draw(&self, scene: &mut Scene, from: Point, to: Point) {
        scene.rectangle(from, to, self.colour, 1.0);
        let (rises, falls) = match self.pattern {
            Pattern::Plain => return,
            Pattern::Level => return self.level(scene, from, to),
            Pattern::Dotted => return self.dots(scene, from, to),
            Pattern::Rising => (true, false),
            Pattern::Falling => (false, true),
            Pattern::Crossed => (true, true),
        };
        if rises {
            // Along a rising line x + y is the same everywhere.
            for sum in multiples(PITCH, from.0 + from.1, to.0 + to.1) {
                let (start, end) = ((sum - to.1).max(from.0), (sum - from.1).min(to.0));
                self.stroke(scene, (start, sum - start), (end, sum - end));
            }
        }
        if falls {
            for difference in multiples(PITCH, from.0 - to.1, to.0 - from.1) {
                let start = (difference + from.1).max(from.0);
                let end = (difference + to.1).min(to.0);
                self.stroke(scene, (start, start - difference), (end, end - difference));
            }
        }
    }

    /// Fills a rectangle and draws its edge.
    pub fn edged(&self, scene: &mut Scene, from: Point, to: Point) {
        self.draw(scene, from, to);
        let (left, top, right, bottom) = (from.0 + 0.5, from.1 + 0.5, to.0 - 0.5, to.1 - 0.5);
        if right > left {
            let corners = [(left, top), (right, top), (right, bottom), (left, bottom)];
            let closed = corners.iter().chain(&corners[..1]).copied().collect();
            scene.stroke(closed, INK, 1.0, &[]);
        } else {
            scene.rectangle(from, to, INK, 1.0);
        }
    }

    /// Writes a text amid the area, on a piece without pattern or lines.
    pub fn write(&self, scene: &mut Scene, (x, y): Point, text: &str, size: f64) {
        if text.is_empty() {
            return;
        }
        let half = font::width(text, size, Weight::SemiBold) / 2.0 + 3.0;
        let reach = size / 2.0 + 0.5;
        // Lines of a pattern are as light as paper or as dark as ink: neither is amid text.
        let ground = if self.pattern == Pattern::Plain { self.colour } else { PAPER };
        scene.rectangle((x - half, y - reach), (x + half, y + reach), ground, 1.0);
        let colour = if is_dark(ground) { PAPER } else { INK };
        let look = TextLook { weight: Weight::SemiBold, ..plain(size, colour, Anchor::Middle) };
        scene.text((x, y + 0.36 * size), text, look);
    }

    fn stroke(&self, scene: &mut Scene, from: Point, to: Point) {
        if to.0 - from.0 > 0.5 {
            scene.stroke(vec![from, to], self.line, 1.25, &[]);
        }
    }

    fn level(&self, scene: &mut Scene, from: Point, to: Point) {
        for y in multiples(PITCH / 2.0, from.1 + 0.75, to.1 - 0.75) {
            self.stroke(scene, (from.0, y), (to.0, y));
        }
    }

    fn dots(&self, scene: &mut Scene, from: Point, to: Point) {
        for (row, y) in multiples(PITCH / 2.0, from.1 + 1.5, to.1 - 1.5).enumerate() {
            let shift = if row % 2 == 0 { 0.0 } else { PITCH / 2.0 };
            for x in multiples(PITCH, from.0 + 1.5 - shift, to.0 - 1.5 - shift) {
                let (x, half) = (x + shift, 0.75);
                let (upper, lower) = ((x - half, y - half), (x + half, y + half));
                scene.rectangle(upper, lower, self.line, 1.0);
            }
        }
    }
}

/// The multiples of `step` within `low..=high`.
fn multiples(step: f64, low: f64, high: f64) -> impl Iterator<Item = f64> {
    let (first, last) = ((low / step).ceil() as i64, (high / step).floor() as i64);
    (first..=last).map(move |index| index as f64 * step)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::chart::scene::Mark;

    #[test]
    fn patterns_stay_inside() {
        let all = [Pattern::Rising, Pattern::Falling, Pattern::Crossed, Pattern::Level];
        for pattern in all.into_iter().chain([Pattern::Dotted]) {
            for (from, to) in [((3.0, 5.0), (41.0, 19.0)), ((100.5, 7.0), (101.5, 90.0))] {
                let mut scene = Scene::new(200.0, "", "");
                Filling::new(PAPER, pattern, INK).draw(&mut scene, from, to);
                let wide = to.0 - from.0 > 8.0;
                assert!(!wide || scene.marks.len() > 3, "{pattern:?} draws something");
                for mark in &scene.marks {
                    let points = match mark {
                        Mark::Fill { points, .. } | Mark::Stroke { points, .. } => points.clone(),
                        Mark::Disc { centre, .. } => vec![*centre],
                        Mark::Text { .. } => vec![],
                    };
                    for (x, y) in points {
                        let across = x >= from.0 - 1e-9 && x <= to.0 + 1e-9;
                        let down = y >= from.1 - 1e-9 && y <= to.1 + 1e-9;
                        assert!(across && down, "{pattern:?}: {x} {y}");
                    }
                }
            }
        }
    }
}
