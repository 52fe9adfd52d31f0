//! Small multiples: what each policy leaves of the fleet, and of the requests.

use super::context::ChartContext;
use super::finding::{compare_finding, is_outage};
use super::font;
use super::frame::{self, Body, Numbers, Plot, Swatch, plain};
use super::grid::{Grid, Spacing};
use super::merit::{best_and_worst, left_out};
use super::moments::outcome_words;
use super::scale::nice_ticks;
use super::scene::{Anchor, Point, Scene, TextLook, Weight};
use super::series::{means, thin, window};
use super::theme::{
    ALARM, INK, LABEL_SIZE, LineLook, MARK, OFFERED, PAPER, SKY, SOFT, SUBTITLE_SIZE, TICK_SIZE,
    WIDTH,
};
use super::words::{Magnitude, percent};
use crate::engine::Happening;
use crate::metric::{FleetRow, RunResult, hit_pools};
use crate::model::{PoolId, Scenario};

/// More panels than these are too small to read.
const MOST_PANELS: usize = 24;
/// Lines of rates are means over so many pixels.
const MEAN_WIDTH: f64 = 3.0;
/// Losses nearer than this share a mark.
const NEAR: f64 = 12.0;
/// More lines through a panel hide what is behind.
const MOST_LINES: usize = 12;
/// An offered load beyond so many times the rest is cut off: it would flatten it.
const MOST_OFFERED: f64 = 1.5;

const OFFERED_LOOK: LineLook = LineLook { colour: OFFERED, dash: &[], width: 4.0 };
const COMPLETED: LineLook = LineLook { colour: INK, dash: &[], width: 1.75 };

const SPACING: Spacing = Spacing { left: 44.0, right: 6.0, gap: 24.0, heading: 46.0, foot: 16.0 };

fn panel_height(rows: usize) -> f64 {
    match rows {
        0 | 1 => 240.0,
        2 => 170.0,
        3 | 4 => 120.0,
        _ => 92.0,
    }
}

/// A panel a policy, all with the same axes.
pub fn chart(context: &ChartContext<'_>, results: &[RunResult]) -> Scene {
    let window = window(results);
    let shown = best_and_worst(results, MOST_PANELS);
    let top = top_value(&shown);
    let ticks = nice_ticks(top, 4);
    let magnitude = Magnitude::of(top);
    let title = compare_finding(results);
    let unit = match magnitude.word {
        "" => "requests a second".to_owned(),
        word => format!("{word}s of requests a second"),
    };
    let subtitle =
        format!("What each policy leaves: healthy capacity and completed requests, {unit}");
    let mut scene = Scene::new(WIDTH, &title, &subtitle);
    let y = frame::heading(&mut scene, &title, &subtitle);
    let y = frame::legend(&mut scene, y + 2.0, &legend(context.scenario, &shown));
    let grid = Grid::of(shown.len(), 3, y, panel_height, SPACING);
    let most = ticks.last().copied().unwrap_or(1.0);
    let mut axis = None;
    let mut is_cut = false;
    for (index, result) in shown.iter().enumerate() {
        let plot = grid.plot(index, window, most);
        let place = grid.place(index);
        let numbers = Numbers::shown_if(place.first_column);
        frame::value_axis(&mut scene, &plot, &ticks, magnitude.divisor, numbers);
        is_cut |= draw_lines(&mut scene, &plot, result);
        let numbers = Numbers::shown_if(place.lowest);
        let width = plot.right - plot.left;
        axis = Some(frame::time_axis(&mut scene, &plot, width as u32 / 38, numbers));
        draw_losses(&mut scene, context.scenario, &plot, result);
        draw_heading(&mut scene, &plot, result);
    }
    let look = plain(SUBTITLE_SIZE, SOFT, Anchor::Middle);
    let mut bottom = y + 30.0;
    if let Some(ticks) = axis {
        bottom = grid.bottom() + 38.0;
        let name = frame::time_axis_name(&ticks, context, &window);
        scene.text((WIDTH / 2.0, bottom), &name, look);
    } else {
        scene.text((WIDTH / 2.0, bottom), "no policies", look);
    }
    let note = note(context.scenario, results.len(), shown.len(), is_cut);
    frame::caption(&mut scene, bottom + 12.0, context, results, &note);
    scene
}

fn top_value(shown: &[&RunResult]) -> f64 {
    let rows = || shown.iter().flat_map(|result| &result.fleet);
    let served = rows().map(|row| row.healthy_capacity_rps.max(row.completed_rps));
    let served = served.filter(|value| value.is_finite()).fold(0.0, f64::max);
    let offered = rows().map(|row| row.offered_rps).fold(0.0, f64::max);
    let most = if served > 0.0 { offered.min(MOST_OFFERED * served) } else { offered };
    served.max(most) * 1.02
}

fn legend(scenario: &Scenario, shown: &[&RunResult]) -> Vec<(Swatch, String)> {
    let mut entries = vec![
        (Swatch::Area(SKY), "healthy capacity".to_owned()),
        (Swatch::Line(COMPLETED), "completed".to_owned()),
        (Swatch::Line(OFFERED_LOOK), "offered".to_owned()),
    ];
    let hit = hit_pools(scenario);
    let lost = |is_asked: bool| {
        let mut log = shown.iter().flat_map(|result| &result.log);
        log.any(|entry| match entry.what {
            Happening::PoolUnhealthy { pool, .. } => hit[pool.index()] == is_asked,
            _ => false,
        })
    };
    if lost(true) {
        let swatch = Swatch::Triangle(INK, Body::Hollow);
        entries.push((swatch, "pool lost that an event hit".to_owned()));
    }
    if lost(false) {
        let swatch = Swatch::Triangle(ALARM, Body::Solid);
        entries.push((swatch, "further pool lost".to_owned()));
    }
    entries
}

/// Draws capacity and rates; says whether the offered load goes beyond the plot.
fn draw_lines(scene: &mut Scene, plot: &Plot, result: &RunResult) -> bool {
    let placed = |of: fn(&FleetRow) -> f64| -> Vec<Point> {
        let place = |row: &FleetRow| Some((plot.x(plot.window.place(row.time_s)?), of(row)));
        result.fleet.iter().filter_map(place).collect()
    };
    let heights = |points: Vec<Point>| -> Vec<Point> {
        points.into_iter().map(|(x, value)| (x, plot.y(value))).collect()
    };
    let rates = |of: fn(&FleetRow) -> f64| means(&placed(of), MEAN_WIDTH);
    let capacity = thin(&heights(placed(|row| row.healthy_capacity_rps)));
    if let (Some(first), Some(last)) = (capacity.first(), capacity.last()) {
        let mut area = capacity.clone();
        area.extend([(last.0, plot.bottom), (first.0, plot.bottom)]);
        scene.fill(area, SKY, 1.0);
    }
    let offered = rates(|row| row.offered_rps);
    let is_cut = offered.iter().any(|(_, value)| *value > plot.most);
    scene.stroke(heights(offered), OFFERED_LOOK.colour, OFFERED_LOOK.width, OFFERED_LOOK.dash);
    scene.stroke(capacity, INK, 1.0, &[]);
    let completed = heights(rates(|row| row.completed_rps));
    scene.stroke(completed.clone(), PAPER, COMPLETED.width + 2.0, &[]);
    scene.stroke(completed, COMPLETED.colour, COMPLETED.width, COMPLETED.dash);
    if result.fleet.is_empty() {
        let at = ((plot.left + plot.right) / 2.0, (plot.top + plot.bottom) / 2.0);
        scene.text(at, "no rows", plain(TICK_SIZE, SOFT, Anchor::Middle));
    }
    is_cut
}

/// The policy, how it went, and what it kept.
fn draw_heading(scene: &mut Scene, plot: &Plot, result: &RunResult) {
    let summary = &result.summary;
    let y = plot.top - 28.0;
    let kept = percent(summary.goodput_ratio);
    let kept_width = font::width(&kept, LABEL_SIZE, Weight::SemiBold);
    let bold = |anchor| TextLook { weight: Weight::SemiBold, ..plain(LABEL_SIZE, INK, anchor) };
    scene.text((plot.right, y), &kept, bold(Anchor::End));
    let outcome = outcome_words(summary.outcome);
    let outcome_width = font::width(outcome, TICK_SIZE, Weight::Regular);
    let colour = if is_outage(result) { ALARM } else { SOFT };
    let right = plot.right - kept_width - 8.0;
    scene.text((right, y), outcome, plain(TICK_SIZE, colour, Anchor::End));
    let room = right - outcome_width - 10.0 - plot.left;
    let name = font::shorten(&result.policy, LABEL_SIZE, Weight::SemiBold, room);
    scene.text((plot.left, y), &name, bold(Anchor::Start));
}

/// Losses that share a mark.
struct Loss {
    first_x: f64,
    last_x: f64,
    pools: Vec<PoolId>,
    is_further: bool,
}

fn losses(scenario: &Scenario, plot: &Plot, result: &RunResult) -> Vec<Loss> {
    let hit = hit_pools(scenario);
    let mut losses: Vec<Loss> = Vec::new();
    for entry in &result.log {
        let Happening::PoolUnhealthy { pool, .. } = entry.what else { continue };
        let Some(since_s) = plot.window.place(entry.time_s) else { continue };
        let (x, is_further) = (plot.x(since_s), !hit[pool.index()]);
        match losses.last_mut() {
            Some(last) if x - last.first_x < NEAR => {
                last.last_x = x;
                last.is_further |= is_further;
                if !last.pools.contains(&pool) {
                    last.pools.push(pool);
                }
            }
            _ => losses.push(Loss { first_x: x, last_x: x, pools: vec![pool], is_further }),
        }
    }
    losses
}

/// Triangles over the plot, named where there is room.
fn draw_losses(scene: &mut Scene, scenario: &Scenario, plot: &Plot, result: &RunResult) {
    let losses = losses(scenario, plot, result);
    let middles: Vec<f64> = losses.iter().map(|loss| (loss.first_x + loss.last_x) / 2.0).collect();
    let mut end = f64::NEG_INFINITY;
    for (index, (loss, x)) in losses.iter().zip(&middles).enumerate() {
        let (colour, body) =
            if loss.is_further { (ALARM, Body::Solid) } else { (INK, Body::Hollow) };
        frame::triangle(scene, (*x, plot.top - 1.0), colour, body);
        let text = match loss.pools.as_slice() {
            [only] => scenario.pools[only.index()].name.clone(),
            several => format!("{} pools", several.len()),
        };
        let width = font::width(&text, TICK_SIZE, Weight::Regular);
        let next = middles.get(index + 1).map_or(plot.right, |next| next - 8.0);
        let colour = if loss.is_further { ALARM } else { SOFT };
        if x + 9.0 + width <= next {
            let look = plain(TICK_SIZE, colour, Anchor::Start);
            scene.text((x + 9.0, plot.top - 4.0), &text, look);
            end = x + 9.0 + width + 6.0;
        } else if x - 9.0 - width >= end.max(plot.left) {
            let look = plain(TICK_SIZE, colour, Anchor::End);
            scene.text((x - 9.0, plot.top - 4.0), &text, look);
            end = x + 8.0;
        } else {
            end = x + 8.0;
        }
        if losses.len() <= MOST_LINES {
            scene.stroke(vec![(*x, plot.top), (*x, plot.bottom)], MARK, 1.0, &[1.5, 2.5]);
        }
    }
}

fn note(scenario: &Scenario, all: usize, shown: usize, is_cut: bool) -> String {
    let mut sentences =
        vec![left_out(all, shown), "Percentages: share of requests completed in time.".to_owned()];
    if scenario.has_calls() {
        sentences.push("Capacity of pools that others call counts, too.".to_owned());
    }
    if is_cut {
        sentences.push("Offered load is cut off at the upper edge.".to_owned());
    }
    sentences.retain(|sentence| !sentence.is_empty());
    sentences.join(" ")
}
