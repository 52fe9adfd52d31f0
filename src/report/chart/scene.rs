//! A picture as a list of marks, in logical pixels from the upper left corner.

use super::theme::Colour;

/// A place: right, down.
pub type Point = (f64, f64);

/// Weight of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Weight {
    /// Of running text.
    Regular,
    /// Of headings.
    SemiBold,
}

/// Which part of a text is at its place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Anchor {
    /// Its left end.
    Start,
    /// Its middle.
    Middle,
    /// Its right end.
    End,
}

/// Looks of a text.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct TextLook {
    /// Size of the em.
    pub size: f64,
    /// Weight.
    pub weight: Weight,
    /// Colour.
    pub colour: Colour,
    /// What is at the text's place.
    pub anchor: Anchor,
}

/// One thing to draw.
#[derive(Debug, Clone, PartialEq)]
pub enum Mark {
    /// An area.
    Fill {
        /// Its corners.
        points: Vec<Point>,
        /// Its colour.
        colour: Colour,
        /// From 0, invisible, to 1.
        opacity: f64,
    },
    /// A line.
    Stroke {
        /// Its corners.
        points: Vec<Point>,
        /// Its colour.
        colour: Colour,
        /// Its width.
        width: f64,
        /// Lengths drawn and skipped in turn; solid when empty.
        dash: &'static [f64],
    },
    /// A filled circle.
    Disc {
        /// Its centre.
        centre: Point,
        /// Its radius.
        radius: f64,
        /// Its colour.
        colour: Colour,
    },
    /// A line of text.
    Text {
        /// Where its baseline is.
        at: Point,
        /// What it says.
        text: String,
        /// How it looks.
        look: TextLook,
    },
}

/// A whole picture.
#[derive(Debug, Clone, PartialEq)]
pub struct Scene {
    /// Size.
    pub size: (f64, f64),
    /// The finding, for readers of the SVG.
    pub title: String,
    /// What is shown, for readers of the SVG.
    pub description: String,
    /// What to draw, the hindmost first.
    pub marks: Vec<Mark>,
}

impl Scene {
    /// An empty picture whose height is still to be set.
    pub fn new(width: f64, title: &str, description: &str) -> Self {
        let (title, description) = (printable(title), printable(description));
        Self { size: (width, 0.0), title, description, marks: Vec::new() }
    }

    /// Adds an area.
    pub fn fill(&mut self, points: Vec<Point>, colour: Colour, opacity: f64) {
        if points.len() > 2 {
            self.marks.push(Mark::Fill { points, colour, opacity });
        }
    }

    /// Adds a rectangle between two corners.
    pub fn rectangle(&mut self, from: Point, to: Point, colour: Colour, opacity: f64) {
        let points = vec![from, (to.0, from.1), to, (from.0, to.1)];
        self.fill(points, colour, opacity);
    }

    /// Adds a line; a dot when all its points are one.
    pub fn stroke(&mut self, points: Vec<Point>, colour: Colour, width: f64, dash: &'static [f64]) {
        match points.first() {
            Some(first) if points.iter().all(|point| point == first) => {
                self.disc(*first, width.max(1.0), colour);
            }
            Some(_) => self.marks.push(Mark::Stroke { points, colour, width, dash }),
            None => {}
        }
    }

    /// Adds a filled circle.
    pub fn disc(&mut self, centre: Point, radius: f64, colour: Colour) {
        self.marks.push(Mark::Disc { centre, radius, colour });
    }

    /// Adds a line of text.
    pub fn text(&mut self, at: Point, text: &str, look: TextLook) {
        self.marks.push(Mark::Text { at, text: printable(text), look });
    }
}

/// Text without what no picture can show and XML forbids.
fn printable(text: &str) -> String {
    let bad = |c: char| c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}');
    text.chars().map(|c| if bad(c) { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_become_spaces() {
        assert_eq!(printable("a\u{0}b\nc\u{ffff}ü"), "a b c ü");
    }
}
