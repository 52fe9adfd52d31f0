//! Names at the ends of lines, in place of a legend.

use super::font;
use super::frame::{Plot, Swatch, plain, swatch};
use super::labels::push_apart;
use super::scene::{Anchor, Scene, Weight};
use super::theme::{INK, LABEL_SIZE, LINE_HEIGHT, MARK, SOFT};

/// A line that is named where it ends.
#[derive(Debug, Clone)]
pub struct EndLabel {
    /// The line's look.
    pub swatch: Swatch,
    /// Its last value.
    pub value: f64,
    /// Its name.
    pub name: String,
    /// What else is to be said of it.
    pub detail: String,
}

/// From a line's end over the leader and the swatch to its name.
const BEFORE_NAME: f64 = 50.0;
/// Between name and detail.
const GAP: f64 = 8.0;

/// Room for the labels to the right of a plot, at most `most`.
pub fn room(labels: &[EndLabel], most: f64) -> f64 {
    let wide = |text: &str| font::width(text, LABEL_SIZE, Weight::Regular);
    let width = |label: &EndLabel| BEFORE_NAME + wide(&label.name) + GAP + wide(&label.detail);
    labels.iter().map(width).fold(0.0, f64::max).min(most)
}

/// Do so many labels fit beside a plot so high?
pub fn fit(count: usize, height: f64) -> bool {
    count as f64 * LINE_HEIGHT <= 0.75 * height
}

/// Draws the labels, `room` wide, each with a leader to its line's end.
pub fn draw(scene: &mut Scene, plot: &Plot, labels: &[EndLabel], room: f64) {
    let wanted: Vec<f64> = labels.iter().map(|label| plot.y(label.value)).collect();
    let Some(placed) = push_apart(&wanted, LINE_HEIGHT, plot.top + 4.0, plot.bottom - 1.0) else {
        return;
    };
    for (label, (from, to)) in labels.iter().zip(wanted.into_iter().zip(placed)) {
        let x = plot.right;
        scene.stroke(vec![(x + 3.0, from), (x + 15.0, to)], MARK, 1.0, &[]);
        swatch(scene, label.swatch, (x + 18.0, to));
        let detail_width = font::width(&label.detail, LABEL_SIZE, Weight::Regular);
        let name_room = room - BEFORE_NAME - GAP - detail_width;
        let name = font::shorten(&label.name, LABEL_SIZE, Weight::Regular, name_room);
        let at = x + BEFORE_NAME;
        scene.text((at, to + 4.5), &name, plain(LABEL_SIZE, INK, Anchor::Start));
        let at = at + font::width(&name, LABEL_SIZE, Weight::Regular) + GAP;
        scene.text((at, to + 4.5), &label.detail, plain(LABEL_SIZE, SOFT, Anchor::Start));
    }
}
