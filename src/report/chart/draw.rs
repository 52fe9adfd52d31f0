//! A scene onto any plotters backend, each logical pixel being `scale` of the backend's.

use plotters::element::{Circle, PathElement, Polygon, Text};
use plotters::prelude::{Color, FontDesc, FontStyle, IntoDrawingArea, RGBColor, ShapeStyle};
use plotters::style::TextStyle;
use plotters::style::text_anchor::{HPos, Pos, VPos};
use plotters_backend::{BackendColor, DrawingBackend};

use super::context::ChartError;
use super::font::FAMILY;
use super::scene::{Anchor, Mark, Point, Scene, TextLook, Weight};
use super::theme::Colour;

/// plotters places the baseline of a text with its top at 0 at this share of the em.
pub const BASELINE: f64 = 0.76;
/// plotters divides font sizes by this.
pub const SIZE_FACTOR: f64 = 1.24;

/// Draws all marks in order.
///
/// # Errors
/// When the backend refuses one.
pub fn draw<B: DrawingBackend>(scene: &Scene, scale: f64, backend: B) -> Result<(), ChartError> {
    let area = backend.into_drawing_area();
    let refused = |error: &dyn std::fmt::Display| ChartError::Draw(error.to_string());
    for mark in &scene.marks {
        match mark {
            Mark::Fill { points, colour, opacity } => {
                let style = rgb(*colour).mix(*opacity);
                let polygon = Polygon::new(whole(points, scale), style);
                area.draw(&polygon).map_err(|error| refused(&error))?;
            }
            Mark::Stroke { points, colour, width, dash } => {
                let stroke_width = (width * scale).round().max(1.0) as u32;
                let style =
                    ShapeStyle { color: rgb(*colour).to_rgba(), filled: false, stroke_width };
                for part in dashes(points, dash) {
                    let path = PathElement::new(whole(&part, scale), style);
                    area.draw(&path).map_err(|error| refused(&error))?;
                }
            }
            Mark::Disc { centre, radius, colour } => {
                let radius = (radius * scale).round().max(1.0) as i32;
                let circle = Circle::new(pixel(*centre, scale), radius, rgb(*colour).filled());
                area.draw(&circle).map_err(|error| refused(&error))?;
            }
            Mark::Text { at, text, look } => {
                let top = (at.0, at.1 - BASELINE * look.size);
                let text = Text::new(text.as_str(), pixel(top, scale), text_style(look, scale));
                area.draw(&text).map_err(|error| refused(&error))?;
            }
        }
    }
    area.present().map_err(|error| refused(&error))
}

fn text_style(look: &TextLook, scale: f64) -> TextStyle<'static> {
    let style = match look.weight {
        Weight::Regular => FontStyle::Normal,
        Weight::SemiBold => FontStyle::Bold,
    };
    let h_pos = match look.anchor {
        Anchor::Start => HPos::Left,
        Anchor::Middle => HPos::Center,
        Anchor::End => HPos::Right,
    };
    let font = FontDesc::new(FAMILY.into(), asked_size(look.size * scale), style);
    let color = BackendColor { alpha: 1.0, rgb: look.colour };
    TextStyle { font, color, pos: Pos::new(h_pos, VPos::Top) }
}

const fn rgb((red, green, blue): Colour) -> RGBColor {
    RGBColor(red, green, blue)
}

fn pixel((x, y): Point, scale: f64) -> (i32, i32) {
    ((x * scale).round() as i32, (y * scale).round() as i32)
}

/// The size to ask plotters for: dividing it gives `em` to the last bit, so that files say "52".
fn asked_size(em: f64) -> f64 {
    let size = em * SIZE_FACTOR;
    let near = [size, size.next_down(), size.next_up()];
    near.into_iter().find(|size| size / SIZE_FACTOR == em).unwrap_or(size)
}

/// Points at whole pixels, each but once in a row.
fn whole(points: &[Point], scale: f64) -> Vec<(i32, i32)> {
    let mut pixels: Vec<_> = points.iter().map(|point| pixel(*point, scale)).collect();
    pixels.dedup();
    if let [only] = pixels[..] {
        pixels.push(only); // shorter than a pixel, but still two ends
    }
    pixels
}

/// Cuts a line into the parts that its dashes draw. plotters' own dashes depend on whole pixels.
fn dashes(points: &[Point], dash: &[f64]) -> Vec<Vec<Point>> {
    let pattern_ok = !dash.is_empty() && dash.iter().all(|length| *length > 0.0);
    let (true, Some(first)) = (pattern_ok, points.first()) else {
        return vec![points.to_vec()];
    };
    let (mut parts, mut part) = (Vec::new(), vec![*first]);
    let (mut phase, mut left) = (0, dash[0]);
    for ends in points.windows(2) {
        let (mut from, to) = (ends[0], ends[1]);
        loop {
            let length = libm::hypot(to.0 - from.0, to.1 - from.1);
            if length < left {
                left -= length;
                part.push(to);
                break;
            }
            let share = left / length;
            from = (from.0 + (to.0 - from.0) * share, from.1 + (to.1 - from.1) * share);
            part.push(from);
            if phase % 2 == 0 {
                parts.push(std::mem::take(&mut part));
            }
            part = vec![from];
            phase = (phase + 1) % dash.len();
            left = dash[phase];
        }
    }
    if phase % 2 == 0 && part.len() > 1 {
        parts.push(part);
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dashes_follow_the_line_round_corners() {
        let parts = dashes(&[(0.0, 0.0), (4.0, 0.0), (4.0, 6.0)], &[5.0, 2.0]);
        assert_eq!(parts.len(), 2);
        assert_eq!(parts[0], [(0.0, 0.0), (4.0, 0.0), (4.0, 1.0)]);
        assert_eq!(parts[1], [(4.0, 3.0), (4.0, 6.0)]);
        assert_eq!(dashes(&[(0.0, 0.0), (1.0, 0.0)], &[]).len(), 1);
    }
}
