//! Healthy capacity by zone, as bands on top of each other.

use std::ops::Range;

use super::font;
use super::frame::{Plot, Swatch, plain};
use super::hatch::columns;
use super::scene::{Anchor, Point, Scene, Weight};
use super::series::{Window, thin};
use super::theme::{BANDS, Colour, INK, LABEL_SIZE, OTHERS, PAPER, is_dark};
use super::words::zone;
use crate::metric::RunResult;
use crate::model::Scenario;

/// One band: what it is, and the running sum up to it, from the trigger's time.
#[derive(Debug, Clone)]
pub struct Band {
    /// The zone, or the zones that share the band.
    pub name: String,
    /// Its colour.
    pub colour: Colour,
    /// Upper edge: seconds since the trigger, requests a second.
    pub edge: Vec<Point>,
}

/// The zones' bands, from the uppermost down: in the order of the file, so that the first is on
/// top. Too many zones are cut down to those whose capacity changes most.
pub fn bands(scenario: &Scenario, result: &RunResult, window: &Window) -> Vec<Band> {
    let (times, by_zone) = capacity_by_zone(scenario, result, window);
    let change = |zone: usize| {
        let least = by_zone[zone].iter().copied().fold(f64::INFINITY, f64::min);
        by_zone[zone].iter().copied().fold(0.0, f64::max) - least
    };
    let order: Vec<usize> = scenario.zone_rows.iter().map(|zone| zone.index()).collect();
    let mut shown = order.clone();
    if order.len() > BANDS.len() {
        shown.sort_by(|a, b| change(*b).total_cmp(&change(*a)));
        shown.truncate(BANDS.len() - 1);
    }
    let others: Vec<usize> = order.iter().copied().filter(|zone| !shown.contains(zone)).collect();
    let mut groups: Vec<(String, Colour, Vec<usize>)> = order
        .into_iter()
        .filter(|index| shown.contains(index))
        .zip(BANDS)
        .map(|(index, colour)| (zone(&scenario.zones[index].name), colour, vec![index]))
        .collect();
    if !others.is_empty() {
        groups.push((format!("{} other zones", others.len()), OTHERS, others));
    }
    let mut sum = vec![0.0; times.len()];
    let mut bands = Vec::new();
    for (name, colour, zones) in groups.into_iter().rev() {
        for (row, total) in sum.iter_mut().enumerate() {
            *total += zones.iter().map(|zone| by_zone[*zone][row]).sum::<f64>();
        }
        let edge = times.iter().copied().zip(sum.iter().copied()).collect();
        bands.push(Band { name, colour, edge });
    }
    bands.reverse();
    bands
}

/// Says which zones have bands of their own, where not all do.
pub fn left_out(scenario: &Scenario, bands: &[Band]) -> Option<String> {
    let all = scenario.zones.len();
    let apart = bands.len().saturating_sub(1);
    (bands.len() < all).then(|| {
        format!("Drawn apart: the {apart} of {all} zones whose healthy capacity changes most.")
    })
}

fn capacity_by_zone(
    scenario: &Scenario,
    result: &RunResult,
    window: &Window,
) -> (Vec<f64>, Vec<Vec<f64>>) {
    let mut times: Vec<f64> = Vec::new();
    let mut by_zone = vec![Vec::new(); scenario.zones.len()];
    for row in &result.timeline {
        let Some(since_s) = window.place(row.time_s) else { continue };
        if times.last() != Some(&since_s) {
            times.push(since_s);
            by_zone.iter_mut().for_each(|zone| zone.push(0.0));
        }
        let zone = scenario.pools[row.pool.index()].zone.index();
        // A pool without any limit has no band.
        if let Some(value) = by_zone[zone].last_mut()
            && row.healthy_capacity_rps.is_finite()
        {
            *value += row.healthy_capacity_rps;
        }
    }
    (times, by_zone)
}

/// The bands' upper edges on a plot, and the ground under the last.
pub fn edges(plot: &Plot, bands: &[Band]) -> Vec<Vec<Point>> {
    let place = |points: &[Point]| -> Vec<Point> {
        thin(&points.iter().map(|(t, value)| (plot.x(*t), plot.y(*value))).collect::<Vec<_>>())
    };
    let mut edges: Vec<_> = bands.iter().map(|band| place(&band.edge)).collect();
    edges.push(vec![(plot.left, plot.bottom), (plot.right, plot.bottom)]);
    edges
}

/// Draws the bands: each from its upper edge to the ground, the next over it.
pub fn draw(scene: &mut Scene, plot: &Plot, bands: &[Band], edges: &[Vec<Point>]) {
    for (band, edge) in bands.iter().zip(edges) {
        let (Some(first), Some(last)) = (edge.first(), edge.last()) else { continue };
        let mut points = edge.clone();
        points.extend([(last.0, plot.bottom), (first.0, plot.bottom)]);
        scene.fill(points, band.colour, 1.0);
        scene.stroke(edge.clone(), INK, 1.0, &[]);
    }
}

/// A band's name inside it.
#[derive(Debug, Clone)]
pub struct BandLabel {
    /// Middle of the name's left end.
    at: Point,
    name: String,
    colour: Colour,
}

/// Names inside the bands; none when one has no room for its name.
/// `lines` run over the bands, and names keep off them.
pub fn band_labels(
    plot: &Plot,
    bands: &[Band],
    edges: &[Vec<Point>],
    lines: &[&[Point]],
) -> Option<Vec<BandLabel>> {
    let (left, right) = (plot.left.ceil() as i64, plot.right.floor() as i64);
    let lines: Vec<_> = lines.iter().map(|line| columns(line, left, right)).collect();
    let heights: Vec<_> = edges.iter().map(|edge| columns(edge, left, right)).collect();
    let label = |index: usize, band: &Band| {
        let width = font::width(&band.name, LABEL_SIZE, Weight::Regular).ceil() as usize + 12;
        let (upper, lower) = (&heights[index], &heights[index + 1]);
        let starts = (0..upper.len().saturating_sub(width)).step_by(4);
        let room = |start: usize| {
            let range = start..start + width;
            let top = upper[range.clone()].iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let bottom = lower[range.clone()].iter().copied().fold(f64::INFINITY, f64::min);
            free_of(&lines, range, (top, bottom))
        };
        let fits = |start: &usize| {
            let (top, bottom) = room(*start);
            let range = *start..*start + width;
            let whole = range.into_iter().all(|x| upper[x].is_finite() && lower[x].is_finite());
            whole && bottom - top >= LABEL_SIZE + 5.0
        };
        let start = starts.into_iter().find(fits)?;
        let (top, bottom) = room(start);
        let at = ((left + start as i64) as f64 + 6.0, (top + bottom) / 2.0);
        let colour = if is_dark(band.colour) { PAPER } else { INK };
        Some(BandLabel { at, name: band.name.clone(), colour })
    };
    bands.iter().enumerate().map(|(index, band)| label(index, band)).collect()
}

/// The highest part of a stretch between two heights that no line runs through.
fn free_of(lines: &[Vec<f64>], range: Range<usize>, (top, bottom): (f64, f64)) -> (f64, f64) {
    let mut free = vec![(top, bottom)];
    for line in lines {
        let here = line[range.clone()].iter().copied();
        let highest = here.clone().fold(f64::INFINITY, f64::min) - 3.0;
        let lowest = here.fold(f64::NEG_INFINITY, f64::max) + 3.0;
        let cut =
            |(top, bottom): (f64, f64)| [(top, bottom.min(highest)), (top.max(lowest), bottom)];
        free = free.into_iter().flat_map(cut).collect();
    }
    let height = |part: &(f64, f64)| part.1 - part.0;
    free.into_iter().max_by(|a, b| height(a).total_cmp(&height(b))).unwrap_or((top, top))
}

/// Writes the bands' names.
pub fn draw_labels(scene: &mut Scene, labels: &[BandLabel]) {
    for BandLabel { at, name, colour } in labels {
        scene.text((at.0, at.1 + 4.5), name, plain(LABEL_SIZE, *colour, Anchor::Start));
    }
}

/// The bands' legend.
pub fn legend_entries(bands: &[Band]) -> Vec<(Swatch, String)> {
    bands.iter().map(|band| (Swatch::Area(band.colour), band.name.clone())).collect()
}
