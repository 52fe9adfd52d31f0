//! The embedded typeface: Inter, a subset of Latin.

use std::sync::LazyLock;

use ab_glyph::{Font, FontRef};

use super::scene::Weight;

/// What an SVG asks its viewer for. Inter is the widest of them, so what fits, fits.
pub const FAMILY: &str = "Inter, Helvetica, Arial, sans-serif";

static REGULAR_BYTES: &[u8] = include_bytes!("../../../assets/fonts/Inter-Regular.ttf");
static SEMI_BOLD_BYTES: &[u8] = include_bytes!("../../../assets/fonts/Inter-SemiBold.ttf");

static REGULAR: LazyLock<FontRef<'static>> = LazyLock::new(|| load(REGULAR_BYTES));
static SEMI_BOLD: LazyLock<FontRef<'static>> = LazyLock::new(|| load(SEMI_BOLD_BYTES));

fn load(bytes: &'static [u8]) -> FontRef<'static> {
    // Part of the program, and a test loads both: no input can make this fail.
    FontRef::try_from_slice(bytes).expect("the embedded font is whole")
}

/// The face of a weight.
pub fn face(weight: Weight) -> &'static FontRef<'static> {
    match weight {
        Weight::Regular => &REGULAR,
        Weight::SemiBold => &SEMI_BOLD,
    }
}

/// The glyph that stands for `c` in a bitmap: that of `?` when the face has none.
pub fn glyph(face: &FontRef<'static>, c: char) -> ab_glyph::GlyphId {
    match face.glyph_id(c) {
        missing if missing.0 == 0 => face.glyph_id('?'),
        found => found,
    }
}

/// The factor from ab_glyph's scale, a line's height, to an em.
pub fn scale_of_em(face: &FontRef<'static>, em: f64) -> f32 {
    let units = face.units_per_em().unwrap_or(1000.0);
    em as f32 * face.height_unscaled() / units
}

/// Width of a text set at `size`.
pub fn width(text: &str, size: f64, weight: Weight) -> f64 {
    let face = face(weight);
    let units: f64 = text.chars().map(|c| f64::from(face.h_advance_unscaled(glyph(face, c)))).sum();
    units * size / f64::from(face.units_per_em().unwrap_or(1000.0))
}

/// The text, or its beginning and "…" when it is wider than `room`; of a name also its end, where
/// names that begin alike differ.
pub fn shorten(text: &str, size: f64, weight: Weight, room: f64) -> String {
    if width(text, size, weight) <= room {
        return text.to_owned();
    }
    if !text.contains(' ') {
        return shorten_name(text, size, weight, room);
    }
    let mut kept: Vec<char> = text.chars().collect();
    while let Some(_last) = kept.pop() {
        let short: String = kept.iter().collect::<String>().trim_end().to_owned() + "…";
        if width(&short, size, weight) <= room {
            return short;
        }
    }
    "…".to_owned()
}

fn shorten_name(name: &str, size: f64, weight: Weight, room: f64) -> String {
    let letters: Vec<char> = name.chars().collect();
    for kept in (2..letters.len()).rev() {
        let (head, tail) = (&letters[..kept / 2], &letters[letters.len() - (kept - kept / 2)..]);
        let short: String = head.iter().chain(&['…']).chain(tail).collect();
        if width(&short, size, weight) <= room {
            return short;
        }
    }
    "…".to_owned()
}

/// The text in lines no wider than `room`; the last of at most `most` lines is shortened.
pub fn wrap(text: &str, size: f64, weight: Weight, room: f64, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for word in text.split(' ') {
        match lines.last_mut() {
            Some(line) => {
                let longer = format!("{line} {word}");
                if width(&longer, size, weight) <= room || lines.len() >= most {
                    lines.pop();
                    lines.push(longer);
                } else {
                    lines.push(word.to_owned());
                }
            }
            None => lines.push(word.to_owned()),
        }
    }
    lines.iter().map(|line| shorten(line, size, weight, room)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sign_that_charts_use_has_a_glyph() {
        for weight in [Weight::Regular, Weight::SemiBold] {
            for c in "azAZ09 %.,:;()+-−–—…·×→≈≥≤÷ü\u{a0}".chars() {
                assert_ne!(face(weight).glyph_id(c).0, 0, "{c:?}");
            }
            assert_eq!(glyph(face(weight), '漢'), face(weight).glyph_id('?'));
        }
    }

    #[test]
    fn long_text_is_cut_to_its_room() {
        let short = shorten("a very long name indeed", 12.0, Weight::Regular, 60.0);
        assert!(short.ends_with('…') && width(&short, 12.0, Weight::Regular) <= 60.0);
        assert_eq!(shorten("", 12.0, Weight::Regular, 0.0), "");
        let lines = wrap(&"word ".repeat(40), 12.0, Weight::Regular, 200.0, 2);
        assert_eq!(lines.len(), 2);
        assert!(lines.iter().all(|line| width(line, 12.0, Weight::Regular) <= 200.0));
    }
}
