//! Utilization of every resource over time: which runs out first. A panel a pool.

use super::context::ChartContext;
use super::event_marks::{EventMark, fault_marks};
use super::finding::{after_trigger, trigger_words};
use super::font;
use super::frame::{self, Numbers, Plot, plain};
use super::grid::{Grid, Spacing};
use super::labels::push_apart;
use super::scale::TimeTicks;
use super::scene::{Anchor, Point, Scene, TextLook, Weight};
use super::series::{Window, thin, window};
use super::theme::{
    ALARM, GRID, INK, LABEL_SIZE, LineLook, MARK, SOFT, SUBTITLE_SIZE, TICK_SIZE, WIDTH, line_look,
};
use super::words::{duration, load, percent, zone};
use crate::metric::RunResult;
use crate::model::{PoolId, Scenario};

/// More panels than these are too small to read.
const MOST_PANELS: usize = 6;
/// Utilization beyond this is cut off.
const MOST_SHOWN: f64 = 2.0;
/// At its limit but for rounding, and for a row that begins a little before.
const AT_LIMIT: f64 = 0.995;
/// Room for the resources' names beside a panel.
const NAMES: f64 = 104.0;
/// From one name to the next.
const NAME_HEIGHT: f64 = 16.0;

const SPACING: Spacing =
    Spacing { left: 44.0, right: NAMES, gap: 20.0 + NAMES, heading: 30.0, foot: 16.0 };

fn panel_height(rows: usize) -> f64 {
    match rows {
        0 | 1 => 260.0,
        2 => 190.0,
        _ => 150.0,
    }
}

/// Are there any rows?
pub fn applies(_: &ChartContext<'_>, results: &[RunResult]) -> bool {
    results.iter().any(|result| !result.resources.is_empty())
}

/// One resource of a pool.
struct Line {
    name: String,
    peak: f64,
    /// When it is at its limit for the first time, in seconds since the trigger.
    full_s: Option<f64>,
    rows: Vec<(f64, Option<f64>)>,
}

/// What one panel shows.
struct Panel {
    pool: PoolId,
    lines: Vec<Line>,
}

impl Panel {
    fn peak(&self) -> f64 {
        self.lines.iter().map(|line| line.peak).fold(0.0, f64::max)
    }
}

/// A panel a pool of one run, the only one in the slice.
pub fn chart(context: &ChartContext<'_>, results: &[RunResult]) -> Scene {
    let scenario = context.scenario;
    let window = window(results);
    let all = results.first().map_or_else(Vec::new, |result| all_panels(scenario, result, &window));
    let shown = chosen(&all);
    let title = results
        .first()
        .map_or_else(|| "No policy was run".to_owned(), |result| finding(scenario, result, &all));
    let policy = results.first().map_or("", |result| result.policy.as_str());
    let subtitle = format!("Utilization of the pools' resources under {policy}: used ÷ limit");
    let mut scene = Scene::new(WIDTH, &title, &subtitle);
    let y = frame::heading(&mut scene, &title, &subtitle);
    let marks =
        results.first().map_or_else(Vec::new, |result| fault_marks(scenario, result, &window));
    let peak = shown.iter().map(|panel| panel.peak()).fold(1.0, f64::max);
    let most = ((peak * 1.05 / 0.25).ceil() * 0.25).min(MOST_SHOWN);
    let grid = Grid::of(shown.len(), 2, y, panel_height, SPACING);
    let mut axis: Option<TimeTicks> = None;
    for (index, panel) in shown.iter().enumerate() {
        let plot = grid.plot(index, window, most);
        let place = grid.place(index);
        draw_frame(&mut scene, &plot, place.first_column, &marks);
        let numbers = Numbers::shown_if(place.lowest);
        let width = plot.right - plot.left;
        axis = Some(frame::time_axis(&mut scene, &plot, width as u32 / 38, numbers));
        draw_panel(&mut scene, scenario, &plot, panel);
    }
    let mut bottom = y + 30.0;
    let look = plain(SUBTITLE_SIZE, SOFT, Anchor::Middle);
    if let Some(ticks) = axis {
        bottom = grid.bottom() + 38.0;
        let name = frame::time_axis_name(&ticks, context, &window);
        scene.text((WIDTH / 2.0, bottom), &name, look);
    } else {
        scene.text((WIDTH / 2.0, bottom), "no resources", look);
    }
    let note = note(&all, shown.len(), most, &marks);
    frame::caption(&mut scene, bottom + 12.0, context, results, &note);
    scene
}

fn all_panels(scenario: &Scenario, result: &RunResult, window: &Window) -> Vec<Panel> {
    let line = |name: &str| Line { name: name.to_owned(), peak: 0.0, full_s: None, rows: vec![] };
    let panel = |pool: &PoolId| Panel {
        pool: *pool,
        lines: scenario.resource_names(*pool).map(line).collect(),
    };
    let mut panels: Vec<Panel> = scenario.pool_rows.iter().map(panel).collect();
    let mut panel_of = vec![0; scenario.pools.len()];
    for (index, panel) in panels.iter().enumerate() {
        panel_of[panel.pool.index()] = index;
    }
    for row in &result.resources {
        let lines = &mut panels[panel_of[row.pool.index()]].lines;
        let since_s = window.place(row.time_s);
        let (Some(since_s), Some(line)) = (since_s, lines.get_mut(row.resource as usize)) else {
            continue;
        };
        let used = row.utilization.filter(|value| value.is_finite());
        line.rows.push((since_s, used));
        line.peak = line.peak.max(used.unwrap_or(0.0));
        if line.full_s.is_none() && used.is_some_and(|used| used >= AT_LIMIT) {
            line.full_s = Some(since_s);
        }
    }
    panels.retain(|panel| panel.lines.iter().any(|line| !line.rows.is_empty()));
    panels
}

/// The panels that are shown, in the order of the file: those with the highest peaks.
fn chosen(all: &[Panel]) -> Vec<&Panel> {
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by(|a, b| all[*b].peak().total_cmp(&all[*a].peak()).then(a.cmp(b)));
    order.truncate(MOST_PANELS);
    order.sort_unstable();
    order.into_iter().map(|index| &all[index]).collect()
}

fn draw_frame(scene: &mut Scene, plot: &Plot, numbers: bool, marks: &[EventMark]) {
    let step = if plot.most > 1.25 { 0.5 } else { 0.25 };
    for index in 0..=(plot.most / step + 1e-9) as usize {
        let value = step * index as f64;
        let y = plot.y(value);
        let colour = if value == 1.0 { INK } else { GRID };
        if index > 0 {
            scene.stroke(vec![(plot.left, y), (plot.right, y)], colour, 1.0, &[]);
        }
        if numbers {
            let look = plain(TICK_SIZE, SOFT, Anchor::End);
            scene.text((plot.left - 8.0, y + 4.0), &percent(value), look);
        }
    }
    frame::mark_lines(scene, plot, marks);
}

fn draw_panel(scene: &mut Scene, scenario: &Scenario, plot: &Plot, panel: &Panel) {
    let pool = &scenario.pools[panel.pool.index()];
    let y = plot.top - 9.0;
    let full = panel.lines.iter().filter_map(|line| Some((line.full_s?, line)));
    let first = full.reduce(|first, next| if next.0 < first.0 { next } else { first });
    let (said, colour) = match first {
        Some((at_s, line)) => (format!("{} full at {}", line.name, duration(at_s)), ALARM),
        None => (format!("peak {}", load(panel.peak())), SOFT),
    };
    let room = plot.right - plot.left;
    let said = font::shorten(&said, TICK_SIZE, Weight::Regular, room * 0.6);
    scene.text((plot.right, y), &said, plain(TICK_SIZE, colour, Anchor::End));
    let room = room - font::width(&said, TICK_SIZE, Weight::Regular) - 12.0;
    let look = TextLook { weight: Weight::SemiBold, ..plain(LABEL_SIZE, INK, Anchor::Start) };
    let name = font::shorten(&pool.name, LABEL_SIZE, Weight::SemiBold, room);
    scene.text((plot.left, y), &name, look);
    let before = font::width(&name, LABEL_SIZE, Weight::SemiBold) + 8.0;
    let in_zone = zone(&scenario.zones[pool.zone.index()].name);
    if before + font::width(&in_zone, TICK_SIZE, Weight::Regular) <= room {
        let at = (plot.left + before, y);
        scene.text(at, &in_zone, plain(TICK_SIZE, SOFT, Anchor::Start));
    }
    for (index, line) in panel.lines.iter().enumerate() {
        for points in pieces(plot, line) {
            let look = line_look(index);
            scene.stroke(points, look.colour, look.width, look.dash);
        }
    }
    name_lines(scene, plot, panel);
}

/// A line's points, with a gap where there was nothing to use.
fn pieces(plot: &Plot, line: &Line) -> Vec<Vec<Point>> {
    let place = |(since_s, used): &(f64, Option<f64>)| Some((plot.x(*since_s), plot.y((*used)?)));
    let parts = line.rows.chunk_by(|a, b| a.1.is_some() == b.1.is_some());
    let parts = parts.map(|part| part.iter().filter_map(place).collect::<Vec<_>>());
    parts.filter(|part| !part.is_empty()).map(|part| thin(&part)).collect()
}

/// Resources' names where their lines end; those that are left over have no room.
fn name_lines(scene: &mut Scene, plot: &Plot, panel: &Panel) {
    let most = ((plot.bottom - plot.top) / NAME_HEIGHT) as usize;
    let last = |line: &Line| line.rows.iter().rev().find_map(|(_, used)| *used).unwrap_or(0.0);
    let shown: Vec<(usize, &Line)> = panel.lines.iter().enumerate().take(most).collect();
    let wanted: Vec<f64> = shown.iter().map(|(_, line)| plot.y(last(line))).collect();
    let (low, high) = (plot.top + 4.0, plot.bottom - 4.0);
    let Some(placed) = push_apart(&wanted, NAME_HEIGHT, low, high) else { return };
    for ((index, line), (from, to)) in shown.into_iter().zip(wanted.into_iter().zip(placed)) {
        let LineLook { colour, dash, width } = line_look(index);
        let x = plot.right;
        scene.stroke(vec![(x + 2.0, from), (x + 9.0, to)], MARK, 1.0, &[]);
        scene.stroke(vec![(x + 10.0, to), (x + 28.0, to)], colour, width, dash);
        let name = font::shorten(&line.name, TICK_SIZE, Weight::Regular, NAMES - 36.0);
        scene.text((x + 33.0, to + 4.5), &name, plain(TICK_SIZE, INK, Anchor::Start));
    }
}

fn note(all: &[Panel], shown: usize, most: f64, marks: &[EventMark]) -> String {
    let mut sentences = Vec::new();
    if !marks.is_empty() {
        let texts: Vec<_> = marks.iter().map(|mark| mark.text.as_str()).collect();
        sentences.push(format!("Dotted: {}.", texts.join("; ")));
    }
    if all.len() > shown {
        sentences.push(format!("The {shown} of {} pools whose resources peak highest.", all.len()));
    }
    if all.iter().any(|panel| panel.peak() > most) {
        sentences.push(format!("Cut off beyond {}.", percent(most)));
    }
    sentences.join(" ")
}

/// What runs out first, and what looks calmest then.
fn finding(scenario: &Scenario, result: &RunResult, all: &[Panel]) -> String {
    let pool = |panel: &Panel| &scenario.pools[panel.pool.index()].name;
    let lines = || all.iter().flat_map(|panel| panel.lines.iter().map(move |line| (panel, line)));
    let full = lines().filter_map(|(panel, line)| Some((line.full_s?, panel, line)));
    let first = full.reduce(|first, next| if next.0 < first.0 { next } else { first });
    let most = lines().reduce(|most, next| if next.1.peak > most.1.peak { next } else { most });
    let text = match (first, most) {
        (Some((at_s, panel, line)), _) => {
            let when = match after_trigger(scenario, result) {
                after if after.is_empty() => format!("after {}", duration(at_s)),
                _ if at_s < 0.0 => format!("even before {}", trigger_words(scenario)),
                after => format!("{}{after}", duration(at_s)),
            };
            let first = format!("{} runs out of {} first, {when}", pool(panel), line.name);
            let is_calm = |line: &Line| line.full_s.is_none() && !line.rows.is_empty();
            let calm = lines().filter(|(_, line)| is_calm(line));
            let calm = calm.reduce(|a, b| if b.1.peak < a.1.peak { b } else { a });
            calm.map_or(first.clone(), |(panel, line)| {
                let most = percent(line.peak);
                format!("{first}; {} uses at most {most} of its {}", pool(panel), line.name)
            })
        }
        (None, Some((panel, line))) => {
            let most = percent(line.peak);
            format!("nothing runs out: {} uses at most {most} of its {}", pool(panel), line.name)
        }
        (None, None) => "no resources".to_owned(),
    };
    format!("{}: {text}", result.policy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_to_run_out_is_named() {
        let scenario = crate::metric::fixture::proxied();
        let window = Window { zero_s: 3.0, trigger: true, from_s: -3.0, to_s: 9.0 };
        let said = |result: &RunResult| {
            finding(&scenario, result, &all_panels(&scenario, result, &window))
        };
        let results = crate::report::fixture::proxied_results();
        let titles: Vec<String> =
            results.iter().map(|result| said(result).replace('\u{a0}', " ")).collect();
        let expected = [
            "watch-cpu: proxy runs out of slots first, 6.5 s after the settings changed; service \
             uses at most 40 % of its cpu",
            "watch-concurrency: nothing runs out: proxy uses at most 80 % of its slots",
        ];
        assert_eq!(titles, expected);
    }
}
