//! What all charts share: heading, legend, axes, key of the events, caption.

use super::event_marks::EventMark;
use super::font;
use super::labels::push_apart;
use super::pattern::Filling;
use super::scale::{TimeTicks, decimals, time_ticks};
use super::scene::{Anchor, Point, Scene, TextLook, Weight};
use super::series::Window;
use super::theme::{
    CAPTION_SIZE, Colour, GRID, INK, LABEL_SIZE, LINE_HEIGHT, LineLook, MARGIN, MARK, PAPER, SOFT,
    SUBTITLE_SIZE, TICK_SIZE, TITLE_SIZE, WIDTH,
};
use super::words::{duration, number};
use super::{context::ChartContext, finding};
use crate::metric::RunResult;

/// Looks of a text in the regular weight.
pub const fn plain(size: f64, colour: Colour, anchor: Anchor) -> TextLook {
    TextLook { size, weight: Weight::Regular, colour, anchor }
}

/// A rectangle with a time axis and an axis from 0 to `most`.
#[derive(Debug, Clone, Copy)]
pub struct Plot {
    /// Left edge.
    pub left: f64,
    /// Upper edge.
    pub top: f64,
    /// Right edge.
    pub right: f64,
    /// Lower edge.
    pub bottom: f64,
    /// Times shown.
    pub window: Window,
    /// Value at the upper edge.
    pub most: f64,
}

impl Plot {
    /// Where a time since the trigger is.
    pub fn x(&self, since_s: f64) -> f64 {
        let share = (since_s - self.window.from_s) / (self.window.to_s - self.window.from_s);
        self.left + share.clamp(0.0, 1.0) * (self.right - self.left)
    }

    /// Where a value is; at the edge when it is beyond.
    pub fn y(&self, value: f64) -> f64 {
        self.bottom - (value / self.most).clamp(0.0, 1.0) * (self.bottom - self.top)
    }
}

/// Writes the title and what is shown; returns the height that is used.
pub fn heading(scene: &mut Scene, title: &str, subtitle: &str) -> f64 {
    let room = WIDTH - 2.0 * MARGIN;
    let look = TextLook { weight: Weight::SemiBold, ..plain(TITLE_SIZE, INK, Anchor::Start) };
    let mut y = MARGIN + 8.0;
    for line in font::wrap(title, TITLE_SIZE, Weight::SemiBold, room, 2) {
        scene.text((MARGIN, y), &line, look);
        y += 24.0;
    }
    let look = plain(SUBTITLE_SIZE, SOFT, Anchor::Start);
    for line in font::wrap(subtitle, SUBTITLE_SIZE, Weight::Regular, room, 2) {
        scene.text((MARGIN, y), &line, look);
        y += LINE_HEIGHT;
    }
    y - 8.0
}

/// What a legend's entry shows.
#[derive(Debug, Clone, Copy)]
pub enum Swatch {
    /// A piece of line.
    Line(LineLook),
    /// A piece of area.
    Area(Colour),
    /// A piece of patterned area, with its letter.
    Filled(Filling, &'static str),
    /// A ring.
    Ring,
    /// A triangle on its point; hollow ones are outlines.
    Triangle(Colour, Body),
}

/// Draws a swatch 24 wide at the height of a text's middle.
pub fn swatch(scene: &mut Scene, swatch: Swatch, (x, y): Point) {
    match swatch {
        Swatch::Line(LineLook { colour, dash, width }) => {
            scene.stroke(vec![(x, y), (x + 24.0, y)], colour, width, dash);
        }
        Swatch::Area(colour) => {
            scene.rectangle((x, y - 6.0), (x + 24.0, y + 6.0), INK, 1.0);
            scene.rectangle((x + 0.5, y - 5.5), (x + 23.5, y + 5.5), colour, 1.0);
        }
        Swatch::Filled(filling, letter) => {
            filling.edged(scene, (x, y - 6.5), (x + 24.0, y + 6.5));
            filling.write(scene, (x + 12.0, y), letter, CAPTION_SIZE);
        }
        Swatch::Ring => ring(scene, (x + 12.0, y), 5.0),
        Swatch::Triangle(colour, body) => triangle(scene, (x + 12.0, y + 4.0), colour, body),
    }
}

/// Draws a white disc with a dark edge.
pub fn ring(scene: &mut Scene, at: Point, radius: f64) {
    scene.disc(at, radius + 1.0, INK);
    scene.disc(at, radius - 1.0, PAPER);
}

/// Is a mark filled?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Body {
    /// Yes.
    Solid,
    /// It is an outline on paper.
    Hollow,
}

/// Draws a triangle that points down to `tip`.
pub fn triangle(scene: &mut Scene, (x, y): Point, colour: Colour, body: Body) {
    let corners = |inset: f64| {
        let top = y - 9.0 + inset;
        let half = 5.5 - 1.6 * inset;
        vec![(x - half, top), (x + half, top), (x, y - 1.8 * inset)]
    };
    scene.fill(corners(0.0), colour, 1.0);
    if body == Body::Hollow {
        scene.fill(corners(1.25), PAPER, 1.0);
    }
}

/// Draws entries in columns under `top`; returns where they end.
pub fn legend(scene: &mut Scene, top: f64, entries: &[(Swatch, String)]) -> f64 {
    if entries.is_empty() {
        return top;
    }
    let width_of = |entry: &(Swatch, String)| font::width(&entry.1, LABEL_SIZE, Weight::Regular);
    let widest = entries.iter().map(width_of).fold(0.0, f64::max);
    let room = WIDTH - 2.0 * MARGIN;
    let sum: f64 = entries.iter().map(|entry| width_of(entry) + 56.0).sum();
    if sum - 24.0 <= room {
        let mut x = MARGIN;
        for entry in entries {
            legend_entry(scene, entry, (x, top + 14.0), f64::INFINITY);
            x += width_of(entry) + 56.0;
        }
        return top + 8.0 + LINE_HEIGHT;
    }
    let columns = (room / (widest + 56.0)).floor().clamp(1.0, entries.len() as f64);
    let step = if columns > 1.0 { (widest + 56.0).min(room / columns) } else { room };
    for (index, entry) in entries.iter().enumerate() {
        let (row, column) = (index / columns as usize, index % columns as usize);
        let x = MARGIN + column as f64 * step;
        let y = top + 14.0 + row as f64 * LINE_HEIGHT;
        legend_entry(scene, entry, (x, y), step - 40.0);
    }
    top + 8.0 + (entries.len() as f64 / columns).ceil() * LINE_HEIGHT
}

fn legend_entry(scene: &mut Scene, entry: &(Swatch, String), (x, y): Point, room: f64) {
    swatch(scene, entry.0, (x, y));
    let name = font::shorten(&entry.1, LABEL_SIZE, Weight::Regular, room);
    scene.text((x + 31.0, y + 4.5), &name, plain(LABEL_SIZE, INK, Anchor::Start));
}

/// Draws horizontal grid lines; numbers them to the left, divided by `divisor`, when asked to.
pub fn value_axis(scene: &mut Scene, plot: &Plot, ticks: &[f64], divisor: f64, numbers: Numbers) {
    let digits = decimals(ticks.get(1).map_or(1.0, |step| step / divisor));
    for tick in ticks {
        let y = plot.y(*tick);
        if *tick > 0.0 {
            scene.stroke(vec![(plot.left, y), (plot.right, y)], GRID, 1.0, &[]);
        }
        if numbers == Numbers::Shown {
            let text = number(tick / divisor, digits);
            let look = plain(TICK_SIZE, SOFT, Anchor::End);
            scene.text((plot.left - 8.0, y + 4.0), &text, look);
        }
    }
}

/// Draws the line at 0 with ticks; numbers them when asked to.
pub fn time_axis(scene: &mut Scene, plot: &Plot, most: u32, numbers: Numbers) -> TimeTicks {
    let ticks = time_ticks(plot.window.from_s, plot.window.to_s, most);
    scene.stroke(vec![(plot.left, plot.bottom), (plot.right, plot.bottom)], INK, 1.0, &[]);
    for at_s in &ticks.at_s {
        let x = plot.x(*at_s);
        scene.stroke(vec![(x, plot.bottom), (x, plot.bottom + 5.0)], INK, 1.0, &[]);
        if numbers == Numbers::Shown {
            let text = number(at_s / ticks.unit_s, ticks.digits);
            let look = plain(TICK_SIZE, SOFT, Anchor::Middle);
            scene.text((x, plot.bottom + 18.0), &text, look);
        }
    }
    ticks
}

/// Does an axis have numbers?
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Numbers {
    /// Yes.
    Shown,
    /// Ticks only: another axis has them.
    Hidden,
}

impl Numbers {
    /// Shown where that holds.
    pub const fn shown_if(is_first: bool) -> Self {
        if is_first { Self::Shown } else { Self::Hidden }
    }
}

/// The name of the time axis: "minutes since zone a failed".
pub fn time_axis_name(ticks: &TimeTicks, context: &ChartContext<'_>, window: &Window) -> String {
    if window.trigger {
        format!("{} since {}", ticks.unit, finding::trigger_words(context.scenario))
    } else {
        format!("{} of simulated time", ticks.unit)
    }
}

/// Height of the strip over a plot that holds the marks' numbers.
pub const MARK_STRIP: f64 = 26.0;

/// Draws the marks' lines through the plot.
pub fn mark_lines(scene: &mut Scene, plot: &Plot, marks: &[EventMark]) {
    for mark in marks {
        let x = plot.x(mark.since_s);
        scene.stroke(vec![(x, plot.top - 2.0), (x, plot.bottom)], MARK, 1.0, &[1.5, 2.5]);
    }
}

/// Draws the marks' numbers over the plot, pushed apart.
pub fn mark_numbers(scene: &mut Scene, plot: &Plot, marks: &[EventMark]) {
    let wanted: Vec<f64> = marks.iter().map(|mark| plot.x(mark.since_s)).collect();
    let Some(placed) = push_apart(&wanted, 19.0, plot.left, plot.right) else { return };
    for (index, (from, to)) in wanted.iter().zip(&placed).enumerate() {
        let y = plot.top - 15.0;
        scene.stroke(vec![(*from, plot.top - 2.0), (*to, y + 6.0)], MARK, 1.0, &[]);
        number_disc(scene, index + 1, (*to, y));
    }
}

fn number_disc(scene: &mut Scene, number: usize, (x, y): Point) {
    scene.disc((x, y), 8.0, INK);
    let look = TextLook { weight: Weight::SemiBold, ..plain(CAPTION_SIZE, PAPER, Anchor::Middle) };
    scene.text((x, y + 4.0), &number.to_string(), look);
}

/// Writes what the numbers mean, in two columns unless that cuts texts of few; returns where it
/// ends.
pub fn key(scene: &mut Scene, top: f64, marks: &[EventMark]) -> f64 {
    let wide = |text: &str| font::width(text, LABEL_SIZE, Weight::Regular);
    let room = WIDTH - 2.0 * MARGIN;
    let cut = marks.iter().any(|mark| wide(&mark.text) > room / 2.0 - 130.0);
    let columns = if marks.len() < 2 || cut && marks.len() <= 6 { 1 } else { 2 };
    let rows = marks.len().div_ceil(columns);
    let step = room / columns as f64;
    let times: Vec<String> = marks.iter().map(|mark| duration(mark.since_s)).collect();
    for (index, (mark, time)) in marks.iter().zip(&times).enumerate() {
        let (row, column) = (index % rows, index / rows);
        let x = MARGIN + column as f64 * step;
        let y = top + 14.0 + row as f64 * (LINE_HEIGHT + 2.0);
        number_disc(scene, index + 1, (x + 8.0, y));
        let in_column = times.iter().skip(column * rows).take(rows);
        let time_right = x + 26.0 + in_column.map(|time| wide(time)).fold(0.0, f64::max);
        scene.text((time_right, y + 4.5), time, plain(LABEL_SIZE, SOFT, Anchor::End));
        let room = x + step - 20.0 - (time_right + 10.0);
        let text = font::shorten(&mark.text, LABEL_SIZE, Weight::Regular, room);
        scene.text((time_right + 10.0, y + 4.5), &text, plain(LABEL_SIZE, INK, Anchor::Start));
    }
    top + rows as f64 * (LINE_HEIGHT + 2.0) + 8.0
}

/// Writes where the picture comes from under `top` and sets its height.
pub fn caption(
    scene: &mut Scene,
    top: f64,
    context: &ChartContext<'_>,
    results: &[RunResult],
    note: &str,
) {
    let room = WIDTH - 2.0 * MARGIN;
    let policies = match results {
        [] => "no policy".to_owned(),
        [only] => format!("Policy {}", only.policy),
        several => format!("{} policies on common random numbers", several.len()),
    };
    let plane =
        results.first().map_or(String::new(), |result| format!("{} plane, ", result.plane.word()));
    let step = duration(context.scenario.simulation.step.get());
    let hash: String = context.file_hash.chars().take(12).collect();
    let source = format!(
        "{policies} · {plane}step {step} · seed {} · SHA-256 {hash}… · {}",
        context.seed, context.file_name
    );
    let mut y = top + 14.0;
    for text in [note, &source] {
        if text.is_empty() {
            continue;
        }
        for line in font::wrap(text, CAPTION_SIZE, Weight::Regular, room, 2) {
            scene.text((MARGIN, y), &line, plain(CAPTION_SIZE, SOFT, Anchor::Start));
            y += 15.0;
        }
    }
    scene.size.1 = (y + 6.0).ceil();
}
