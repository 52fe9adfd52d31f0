//! Utilization of every pool over time: a panel a pool, a line a policy.

use super::context::ChartContext;
use super::event_marks::{EventMark, fault_marks};
use super::finding::utilization_finding;
use super::font;
use super::frame::{self, Numbers, Plot, Swatch, plain};
use super::grid::{Grid, Place, Spacing};
use super::labels::push_apart;
use super::merit::{left_out, told_apart};
use super::scale::TimeTicks;
use super::scene::{Anchor, Point, Scene, TextLook, Weight};
use super::series::{Window, means, window};
use super::theme::{
    ALARM, GRID, INK, LABEL_SIZE, LineLook, MARK, SOFT, SUBTITLE_SIZE, TICK_SIZE, WIDTH, line_look,
};
use super::words::{load, percent, zone};
use crate::metric::{PoolRow, RunResult};
use crate::model::PoolId;

/// More panels than these are too small to read.
const MOST_PANELS: usize = 12;
/// Utilization beyond this is cut off, and marked.
const MOST_SHOWN: f64 = 2.5;
/// Lines are means over so many pixels.
const MEAN_WIDTH: f64 = 2.0;
/// The usual alert, and what a pool can do.
const REFERENCES: [f64; 2] = [0.85, 1.0];

/// A panel a pool, a line a policy.
pub fn compare(context: &ChartContext<'_>, all: &[RunResult]) -> Scene {
    let results = &*told_apart(all);
    let subtitle = "Utilization of the pools under each policy: work routed ÷ capacity in rotation";
    let subtitle = match left_out(all.len(), results.len()) {
        none if none.is_empty() => subtitle.to_owned(),
        left_out => format!("{subtitle}. {left_out}"),
    };
    let entry = |(index, result): (usize, &RunResult)| {
        (Swatch::Line(line_look(index)), result.policy.clone())
    };
    let legend: Vec<_> = results.iter().enumerate().map(entry).collect();
    panels(context, results, &subtitle, &legend)
}

/// A panel a pool, one line each.
pub fn run(context: &ChartContext<'_>, results: &[RunResult]) -> Scene {
    let policy = results.first().map_or("", |result| result.policy.as_str());
    let subtitle =
        format!("Utilization of the pools under {policy}: work routed ÷ capacity in rotation");
    panels(context, results, &subtitle, &[])
}

/// What one panel shows.
struct Panel {
    pool: PoolId,
    peak: f64,
    /// Rows of the pool, by policy.
    rows: Vec<Vec<(f64, Option<f64>)>>,
}

fn panels(
    context: &ChartContext<'_>,
    results: &[RunResult],
    subtitle: &str,
    legend: &[(Swatch, String)],
) -> Scene {
    let window = window(results);
    let title = utilization_finding(context.scenario, results);
    let mut scene = Scene::new(WIDTH, &title, subtitle);
    let y = frame::heading(&mut scene, &title, subtitle);
    let y = frame::legend(&mut scene, y + 2.0, legend);
    let all = all_panels(context, results, &window);
    let shown = chosen(&all);
    let most = top_value(&shown);
    let marks = results
        .first()
        .map_or_else(Vec::new, |result| fault_marks(context.scenario, result, &window));
    let grid = Grid::of(shown.len(), 3, y, panel_height, SPACING);
    let mut axis = None;
    for (index, panel) in shown.iter().enumerate() {
        let plot = grid.plot(index, window, most);
        axis = Some(draw_frame(&mut scene, &plot, grid.place(index), &marks));
        draw_panel(&mut scene, context, &plot, panel);
    }
    let look = plain(SUBTITLE_SIZE, SOFT, Anchor::Middle);
    let mut bottom = y + 30.0;
    if let Some(ticks) = axis {
        bottom = grid.bottom() + 38.0;
        let name = frame::time_axis_name(&ticks, context, &window);
        scene.text((WIDTH / 2.0, bottom), &name, look);
    } else {
        scene.text((WIDTH / 2.0, bottom), "no pools", look);
    }
    let note = note(&all, shown.len(), most, &marks);
    frame::caption(&mut scene, bottom + 12.0, context, results, &note);
    scene
}

fn all_panels(context: &ChartContext<'_>, results: &[RunResult], window: &Window) -> Vec<Panel> {
    let empty = vec![Vec::new(); results.len()];
    let mut panels: Vec<Panel> = context
        .scenario
        .pool_rows
        .iter()
        .map(|pool| Panel { pool: *pool, peak: 0.0, rows: empty.clone() })
        .collect();
    let mut panel_of = vec![None; context.scenario.pools.len()];
    for (index, panel) in panels.iter().enumerate() {
        panel_of[panel.pool.index()] = Some(index);
    }
    for (policy, result) in results.iter().enumerate() {
        for PoolRow { time_s, pool, utilization, .. } in &result.timeline {
            let panel = panel_of.get(pool.index()).copied().flatten();
            if let (Some(since_s), Some(panel)) = (window.place(*time_s), panel) {
                panels[panel].peak = panels[panel].peak.max(utilization.unwrap_or(0.0));
                panels[panel].rows[policy].push((since_s, *utilization));
            }
        }
    }
    panels
}

/// The panels that are shown, in the order of the file: those with the highest peaks.
fn chosen(all: &[Panel]) -> Vec<&Panel> {
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by(|a, b| all[*b].peak.total_cmp(&all[*a].peak).then(a.cmp(b)));
    order.truncate(MOST_PANELS);
    order.sort_unstable();
    order.into_iter().map(|index| &all[index]).collect()
}

fn top_value(shown: &[&Panel]) -> f64 {
    let peak = shown.iter().map(|panel| panel.peak).fold(1.0, f64::max);
    ((peak * 1.05 / 0.25).ceil() * 0.25).min(MOST_SHOWN)
}

const SPACING: Spacing = Spacing { left: 44.0, right: 40.0, gap: 24.0, heading: 30.0, foot: 14.0 };

fn panel_height(rows: usize) -> f64 {
    match rows {
        0 | 1 => 260.0,
        2 => 190.0,
        _ => 130.0,
    }
}

fn draw_frame(scene: &mut Scene, plot: &Plot, place: Place, marks: &[EventMark]) -> TimeTicks {
    for index in 0..=(plot.most / 0.5 + 1e-9) as usize {
        let value = 0.5 * index as f64;
        let y = plot.y(value);
        if index > 0 && index != 2 {
            scene.stroke(vec![(plot.left, y), (plot.right, y)], GRID, 1.0, &[]);
        }
        if place.first_column {
            let look = plain(TICK_SIZE, SOFT, Anchor::End);
            scene.text((plot.left - 8.0, y + 4.0), &percent(value), look);
        }
    }
    let wanted = REFERENCES.map(|value| plot.y(value));
    for (value, y) in REFERENCES.into_iter().zip(wanted) {
        let dash: &[f64] = if value < 1.0 { &[3.0, 3.0] } else { &[] };
        scene.stroke(vec![(plot.left, y), (plot.right, y)], MARK, 1.0, dash);
    }
    if place.last_column
        && let Some(placed) = push_apart(&wanted, 14.0, plot.top, plot.bottom)
    {
        for (value, y) in REFERENCES.into_iter().zip(placed) {
            let look = plain(TICK_SIZE, SOFT, Anchor::Start);
            scene.text((plot.right + 5.0, y + 4.0), &percent(value), look);
        }
    }
    frame::mark_lines(scene, plot, marks);
    let numbers = Numbers::shown_if(place.lowest);
    frame::time_axis(scene, plot, (plot.right - plot.left) as u32 / 38, numbers)
}

fn draw_panel(scene: &mut Scene, context: &ChartContext<'_>, plot: &Plot, panel: &Panel) {
    let pool = &context.scenario.pools[panel.pool.index()];
    let peak = format!("peak {}", load(panel.peak));
    let peak_width = font::width(&peak, TICK_SIZE, Weight::Regular);
    let name_look = TextLook { weight: Weight::SemiBold, ..plain(LABEL_SIZE, INK, Anchor::Start) };
    let room = plot.right - plot.left - peak_width - 12.0;
    let name = font::shorten(&pool.name, LABEL_SIZE, Weight::SemiBold, room);
    let y = plot.top - 9.0;
    scene.text((plot.left, y), &name, name_look);
    let name_width = font::width(&name, LABEL_SIZE, Weight::SemiBold);
    let in_zone = zone(&context.scenario.zones[pool.zone.index()].name);
    let in_zone_width = font::width(&in_zone, TICK_SIZE, Weight::Regular);
    if name_width + 8.0 + in_zone_width <= room {
        let at = (plot.left + name_width + 8.0, y);
        scene.text(at, &in_zone, plain(TICK_SIZE, SOFT, Anchor::Start));
    }
    let colour = if panel.peak > 1.0 { ALARM } else { SOFT };
    scene.text((plot.right, y), &peak, plain(TICK_SIZE, colour, Anchor::End));
    for (index, rows) in panel.rows.iter().enumerate() {
        let look = LineLook { width: 1.75, ..line_look(index) };
        draw_utilization(scene, plot, rows, look);
    }
}

/// A line with a gap while nothing is in rotation, and a cross where such a gap begins.
fn draw_utilization(scene: &mut Scene, plot: &Plot, rows: &[(f64, Option<f64>)], look: LineLook) {
    let mut run: Vec<Point> = Vec::new();
    let mut clipped: Option<f64> = None;
    for (index, (since_s, utilization)) in rows.iter().enumerate() {
        let x = plot.x(*since_s);
        if let Some(value) = utilization {
            run.push((x, *value));
            if *value > plot.most && clipped.is_none_or(|before| x - before > 14.0) {
                clipped = Some(x);
                let (y, colour) = (plot.top, look.colour);
                scene.fill(vec![(x - 5.0, y + 8.0), (x + 5.0, y + 8.0), (x, y)], colour, 1.0);
            }
        }
        let ends = rows.get(index + 1).is_none_or(|next| next.1.is_none());
        let place = |(x, value): Point| (x, plot.y(value));
        let line: Vec<Point> = if ends { means(&run, MEAN_WIDTH) } else { vec![] };
        let line: Vec<Point> = line.into_iter().map(place).collect();
        if let Some(last) = line.last().copied() {
            scene.stroke(line, look.colour, look.width, look.dash);
            if index + 1 < rows.len() {
                cross(scene, last, look);
            }
            run.clear();
        }
    }
}

fn cross(scene: &mut Scene, (x, y): Point, look: LineLook) {
    for (dx, dy) in [(3.5, 3.5), (3.5, -3.5)] {
        scene.stroke(vec![(x - dx, y - dy), (x + dx, y + dy)], look.colour, 1.75, &[]);
    }
}

fn note(all: &[Panel], shown: usize, most: f64, marks: &[EventMark]) -> String {
    let mut sentences = Vec::new();
    if !marks.is_empty() {
        let texts: Vec<_> = marks.iter().map(|mark| mark.text.as_str()).collect();
        sentences.push(format!("Dotted: {}.", texts.join("; ")));
    }
    if all.len() > shown {
        sentences
            .push(format!("The {shown} of {} pools whose utilization peaks highest.", all.len()));
    }
    let stops = |rows: &Vec<(f64, Option<f64>)>| {
        rows.windows(2).any(|pair| pair[0].1.is_some() && pair[1].1.is_none())
    };
    let stops = all.iter().any(|panel| panel.rows.iter().any(stops));
    if stops {
        sentences.push("A cross: nothing in rotation from there on.".to_owned());
    }
    if all.iter().any(|panel| panel.peak > most) {
        sentences.push(format!("Triangles at the upper edge: beyond {}.", percent(most)));
    }
    sentences.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cross_is_explained_where_one_is_drawn() {
        let said = |rows: Vec<(f64, Option<f64>)>| {
            let panel = Panel { pool: PoolId::from_index(0), peak: 0.5, rows: vec![rows] };
            note(&[panel], 1, MOST_SHOWN, &[])
        };
        assert_eq!(said(vec![(0.0, None), (1.0, None)]), "");
        assert_eq!(said(vec![(0.0, None), (1.0, Some(0.5))]), "");
        let stops = said(vec![(0.0, Some(0.5)), (1.0, None)]);
        assert_eq!(stops, "A cross: nothing in rotation from there on.");
    }
}
