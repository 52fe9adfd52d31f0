//! A scene as a PNG, at two pixels a logical one.
//!
//! plotters' own bitmap backend drops the glyphs' side bearings and leaves holes where a wide line
//! crosses itself, so this one covers pixels exactly: a stroke is the union of its segments and of
//! a disc at each corner.

use std::convert::Infallible;

use ab_glyph::{Font, PxScale, point};
use ab_glyph_rasterizer::{Point, Rasterizer};
use plotters_backend::text_anchor::HPos;
use plotters_backend::{
    BackendColor, BackendCoord, BackendStyle, BackendTextStyle, DrawingBackend, DrawingErrorKind,
    FontStyle,
};

use super::context::ChartError;
use super::draw::{BASELINE, SIZE_FACTOR, draw};
use super::font;
use super::scene::{Scene, Weight};

/// Pixels a logical pixel.
const SCALE: f64 = 2.0;
/// Segments of a stroke that are covered together: few keep the box around them small.
const CHUNK: usize = 12;

/// The file's bytes.
///
/// # Errors
/// When the picture cannot be packed.
pub fn encode(scene: &Scene) -> Result<Vec<u8>, ChartError> {
    let width = (scene.size.0 * SCALE).round().max(1.0) as u32;
    let height = (scene.size.1 * SCALE).round().max(1.0) as u32;
    let mut rgb = vec![255; width as usize * height as usize * 3];
    draw(scene, SCALE, Bitmap { width, height, rgb: &mut rgb })?;
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(png::ColorType::Rgb);
    encoder.set_depth(png::BitDepth::Eight);
    // Charts are flat: filters cost more than they save.
    encoder.set_filter(png::Filter::NoFilter);
    encoder.set_deflate_compression(png::DeflateCompression::Level(1));
    let mut writer = encoder.write_header()?;
    writer.write_image_data(&rgb)?;
    writer.finish()?;
    Ok(bytes)
}

struct Bitmap<'a> {
    width: u32,
    height: u32,
    rgb: &'a mut [u8],
}

type Drawn = Result<(), DrawingErrorKind<Infallible>>;

impl Bitmap<'_> {
    fn blend(&mut self, x: i64, y: i64, color: BackendColor, coverage: f64) {
        let alpha = color.alpha * coverage.min(1.0);
        let (width, height) = (i64::from(self.width), i64::from(self.height));
        if alpha <= 0.0 || x < 0 || y < 0 || x >= width || y >= height {
            return;
        }
        let at = (y * width + x) as usize * 3;
        let (red, green, blue) = color.rgb;
        if alpha > 0.998 {
            self.rgb[at..at + 3].copy_from_slice(&[red, green, blue]);
            return;
        }
        for (old, new) in self.rgb[at..at + 3].iter_mut().zip([red, green, blue]) {
            let mixed = f64::from(*old) + (f64::from(new) - f64::from(*old)) * alpha;
            *old = (mixed + 0.5) as u8;
        }
    }

    /// Fills the union of outlines that all turn the same way.
    fn cover(&mut self, outlines: &[Vec<(f32, f32)>], color: BackendColor) {
        // A little beyond the picture, so that what is cut off leaves no edge in it.
        let (far_x, far_y) = (self.width as f32 + 64.0, self.height as f32 + 64.0);
        let points = || outlines.iter().flatten();
        let left = points().map(|p| p.0).fold(far_x, f32::min).max(-64.0).floor();
        let top = points().map(|p| p.1).fold(far_y, f32::min).max(-64.0).floor();
        let right = points().map(|p| p.0).fold(-64.0, f32::max).min(far_x).ceil();
        let bottom = points().map(|p| p.1).fold(-64.0, f32::max).min(far_y).ceil();
        let (width, height) = (right - left, bottom - top);
        if width <= 0.0 || height <= 0.0 {
            return;
        }
        let place = |p: &(f32, f32)| Point {
            x: (p.0 - left).clamp(0.0, width),
            y: (p.1 - top).clamp(0.0, height),
        };
        let mut rasterizer = Rasterizer::new(width as usize + 1, height as usize + 1);
        for outline in outlines {
            let ends = outline.iter().zip(outline.iter().cycle().skip(1));
            ends.for_each(|(from, to)| rasterizer.draw_line(place(from), place(to)));
        }
        rasterizer.for_each_pixel_2d(|x, y, coverage| {
            if coverage > 0.002 {
                let (x, y) = (left as i64 + i64::from(x), top as i64 + i64::from(y));
                self.blend(x, y, color, f64::from(coverage));
            }
        });
    }

    fn stroke(&mut self, points: &[BackendCoord], half: f32, color: BackendColor) {
        let points = short_segments(points);
        let last = points.len().saturating_sub(2);
        for start in (0..points.len().saturating_sub(1)).step_by(CHUNK) {
            let end = (start + CHUNK).min(points.len() - 1);
            let mut outlines = Vec::with_capacity(2 * CHUNK);
            for index in start..end {
                outlines.push(segment(points[index], points[index + 1], half));
                if index < last {
                    outlines.push(disc(points[index + 1], half));
                }
            }
            self.cover(&outlines, color);
        }
    }
}

/// The corners of a line, and some between those of its long slanted segments: the box around one
/// would be large, and nearly empty.
fn short_segments(points: &[BackendCoord]) -> Vec<(f32, f32)> {
    let place = |p: &BackendCoord| (p.0 as f32, p.1 as f32);
    let mut corners: Vec<_> = points.first().map(place).into_iter().collect();
    for ends in points.windows(2) {
        let (from, to) = (place(&ends[0]), place(&ends[1]));
        let (dx, dy) = (to.0 - from.0, to.1 - from.1);
        let pieces = if dx.abs().min(dy.abs()) > 16.0 {
            (dx.abs().max(dy.abs()) / 16.0).ceil() as u32
        } else {
            1
        };
        for piece in 1..=pieces {
            let share = piece as f32 / pieces as f32;
            corners.push((from.0 + dx * share, from.1 + dy * share));
        }
    }
    corners
}

fn segment(from: (f32, f32), to: (f32, f32), half: f32) -> Vec<(f32, f32)> {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let length = (dx * dx + dy * dy).sqrt().max(f32::MIN_POSITIVE);
    let (nx, ny) = (-dy / length * half, dx / length * half);
    vec![
        (from.0 - nx, from.1 - ny),
        (to.0 - nx, to.1 - ny),
        (to.0 + nx, to.1 + ny),
        (from.0 + nx, from.1 + ny),
    ]
}

fn disc(centre: (f32, f32), radius: f32) -> Vec<(f32, f32)> {
    let corners = if radius > 4.0 { 48 } else { 12 };
    let corner = |index: i32| {
        let angle = std::f32::consts::TAU * index as f32 / corners as f32;
        (centre.0 + radius * libm::cosf(angle), centre.1 + radius * libm::sinf(angle))
    };
    (0..corners).map(corner).collect()
}

impl DrawingBackend for Bitmap<'_> {
    type ErrorType = Infallible;

    fn get_size(&self) -> (u32, u32) {
        (self.width, self.height)
    }

    fn ensure_prepared(&mut self) -> Drawn {
        Ok(())
    }

    fn present(&mut self) -> Drawn {
        Ok(())
    }

    fn draw_pixel(&mut self, point: BackendCoord, color: BackendColor) -> Drawn {
        self.blend(i64::from(point.0), i64::from(point.1), color, 1.0);
        Ok(())
    }

    fn draw_line<S: BackendStyle>(
        &mut self,
        from: BackendCoord,
        to: BackendCoord,
        style: &S,
    ) -> Drawn {
        self.draw_path([from, to], style)
    }

    fn draw_path<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        path: I,
        style: &S,
    ) -> Drawn {
        let points: Vec<_> = path.into_iter().collect();
        self.stroke(&points, style.stroke_width() as f32 / 2.0, style.color());
        Ok(())
    }

    fn draw_circle<S: BackendStyle>(
        &mut self,
        center: BackendCoord,
        radius: u32,
        style: &S,
        _fill: bool,
    ) -> Drawn {
        let outline = disc((center.0 as f32, center.1 as f32), radius as f32);
        self.cover(&[outline], style.color());
        Ok(())
    }

    fn fill_polygon<S: BackendStyle, I: IntoIterator<Item = BackendCoord>>(
        &mut self,
        vertices: I,
        style: &S,
    ) -> Drawn {
        let outline = vertices.into_iter().map(|p| (p.0 as f32, p.1 as f32)).collect();
        self.cover(&[outline], style.color());
        Ok(())
    }

    fn draw_text<S: BackendTextStyle>(
        &mut self,
        text: &str,
        style: &S,
        pos: BackendCoord,
    ) -> Drawn {
        let weight = match style.style() {
            FontStyle::Bold => Weight::SemiBold,
            _ => Weight::Regular,
        };
        let em = style.size() / SIZE_FACTOR;
        let width = font::width(text, em, weight);
        let left = match style.anchor().h_pos {
            HPos::Left => f64::from(pos.0),
            HPos::Center => f64::from(pos.0) - width / 2.0,
            HPos::Right => f64::from(pos.0) - width,
        };
        let face = font::face(weight);
        let scale = PxScale::from(font::scale_of_em(face, em));
        let mut x = left as f32;
        let y = (f64::from(pos.1) + BASELINE * em).round() as f32;
        for c in text.chars() {
            let id = font::glyph(face, c);
            if let Some(outline) =
                face.outline_glyph(id.with_scale_and_position(scale, point(x, y)))
            {
                let min = outline.px_bounds().min;
                let (min_x, min_y) = (min.x as i64, min.y as i64);
                outline.draw(|dx, dy, coverage| {
                    let (x, y) = (min_x + i64::from(dx), min_y + i64::from(dy));
                    self.blend(x, y, style.color(), f64::from(coverage));
                });
            }
            let units = face.units_per_em().unwrap_or(1000.0);
            x += face.h_advance_unscaled(id) * em as f32 / units;
        }
        Ok(())
    }
}
