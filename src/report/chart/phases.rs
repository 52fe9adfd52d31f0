//! Phases side by side: what is in flight against what there is room for, and what is rejected
//! while the processors look on. A panel a policy.

use super::context::ChartContext;
use super::finding::phases_finding;
use super::font;
use super::frame::{self, Plot, Swatch, plain};
use super::scale::nice_ticks;
use super::scene::{Anchor, Scene, TextLook, Weight};
use super::series::Window;
use super::theme::{
    ALARM, Colour, GRID, INK, LABEL_SIZE, LineLook, MARGIN, MARK, PAPER, SOFT, TICK_SIZE, WIDTH,
};
use super::words::{number, percent};
use crate::metric::{PhaseRow, RunResult};
use crate::model::Scenario;
use crate::report::phase_table::Watched;

/// More than these are too small to read.
const MOST_PANELS: usize = 12;
/// A limit far over what is in flight would flatten the bars: it is cut off beyond so many times.
const MOST_ROOM: f64 = 3.0;

const IN_FLIGHT: Colour = (0, 114, 178);
const LIMIT: LineLook = LineLook { colour: INK, dash: &[], width: 2.5 };
const CPU: LineLook = LineLook { colour: INK, dash: &[4.0, 2.5], width: 2.0 };

const AXIS_ROOM: f64 = 74.0;
const GAP: f64 = 30.0;
const HEADING: f64 = 52.0;
const UPPER: f64 = 190.0;
const BETWEEN: f64 = 42.0;
const LOWER: f64 = 90.0;
const FOOT: f64 = 36.0;

/// Is there anything to show?
pub fn applies(context: &ChartContext<'_>, results: &[RunResult]) -> bool {
    Watched::of(context.scenario).is_some()
        && results.iter().any(|result| !result.phases.is_empty())
}

/// What one panel shows, by phase.
struct Panel<'a> {
    policy: &'a str,
    bars: Vec<Bar<'a>>,
}

struct Bar<'a> {
    phase: &'a str,
    row: &'a PhaseRow,
    cpu: Option<f64>,
}

/// A panel a policy.
pub fn chart(context: &ChartContext<'_>, results: &[RunResult]) -> Scene {
    let scenario = context.scenario;
    let panels = panels(scenario, results);
    let shown = &panels[..panels.len().min(MOST_PANELS)];
    let title = phases_finding(scenario, results);
    let subtitle = subtitle(scenario);
    let mut scene = Scene::new(WIDTH, &title, &subtitle);
    let y = frame::heading(&mut scene, &title, &subtitle);
    let y = frame::legend(&mut scene, y + 2.0, &legend(shown));
    let ticks = nice_ticks(top_value(shown), 5);
    let most = ticks.last().copied().unwrap_or(1.0);
    let grid = Grid::of(shown.len(), y);
    for (index, panel) in shown.iter().enumerate() {
        draw_panel(&mut scene, &grid, index, panel, &ticks);
    }
    let bottom = y + grid.rows(shown.len()) * grid.height();
    let note = note(&panels, shown, most);
    frame::caption(&mut scene, bottom, context, results, &note);
    scene
}

fn panels<'a>(scenario: &'a Scenario, results: &'a [RunResult]) -> Vec<Panel<'a>> {
    let Some(watched) = Watched::of(scenario) else { return vec![] };
    let panel = |result: &'a RunResult| {
        let bar = |(row, cpu): (&'a PhaseRow, Option<&'a PhaseRow>)| Bar {
            phase: scenario.phases.get(row.phase as usize).map_or("", |phase| &phase.name),
            row,
            cpu: cpu.and_then(|cpu| cpu.cpu_utilization),
        };
        Panel { policy: &result.policy, bars: watched.rows(&result.phases).map(bar).collect() }
    };
    results.iter().map(panel).collect()
}

fn subtitle(scenario: &Scenario) -> String {
    let Some(watched) = Watched::of(scenario) else { return String::new() };
    let entry = &scenario.pools[watched.entry.index()].name;
    let upper = format!("Upper: most in flight at {entry} in each phase");
    match watched.cpu {
        Some(cpu) => {
            let cpu = &scenario.pools[cpu.index()].name;
            format!("{upper}. Lower: share of its tries rejected, and CPU utilization of {cpu}")
        }
        None => format!("{upper}. Lower: share of its tries rejected"),
    }
}

fn legend(shown: &[Panel<'_>]) -> Vec<(Swatch, String)> {
    let bars = || shown.iter().flat_map(|panel| &panel.bars);
    let mut entries = vec![(Swatch::Area(IN_FLIGHT), "most in flight".to_owned())];
    entries.push((Swatch::Ring, "offered: load × unloaded latency".to_owned()));
    if bars().any(|bar| bar.row.concurrency_limit.is_some()) {
        entries.push((Swatch::Line(LIMIT), "concurrency limit".to_owned()));
    }
    entries.push((Swatch::Area(ALARM), "rejected".to_owned()));
    if bars().any(|bar| bar.cpu.is_some()) {
        entries.push((Swatch::Line(CPU), "CPU".to_owned()));
    }
    entries
}

fn top_value(shown: &[Panel<'_>]) -> f64 {
    let bars = || shown.iter().flat_map(|panel| &panel.bars);
    let peak = |bar: &Bar<'_>| bar.row.in_flight_peak.max(bar.row.offered_in_flight);
    let in_flight = bars().map(peak).filter(|value| value.is_finite()).fold(0.0, f64::max);
    let limit = bars().filter_map(|bar| bar.row.concurrency_limit).fold(0.0, f64::max);
    let in_flight = if in_flight > 0.0 { in_flight } else { limit };
    in_flight.max(limit.min(MOST_ROOM * in_flight)) * 1.04
}

/// Where the panels are.
struct Grid {
    columns: usize,
    top: f64,
    width: f64,
}

impl Grid {
    fn of(count: usize, top: f64) -> Self {
        let columns = count.clamp(1, if count == 4 { 2 } else { 3 });
        let room = WIDTH - 2.0 * MARGIN - AXIS_ROOM - GAP * (columns as f64 - 1.0);
        Self { columns, top, width: room / columns as f64 }
    }

    fn rows(&self, count: usize) -> f64 {
        count.div_ceil(self.columns) as f64
    }

    const fn height(&self) -> f64 {
        HEADING + UPPER + BETWEEN + LOWER + FOOT
    }

    fn is_first(&self, index: usize) -> bool {
        index.is_multiple_of(self.columns)
    }

    /// The upper and the lower plot of a panel.
    fn plots(&self, index: usize, most: f64) -> [Plot; 2] {
        let (row, column) = ((index / self.columns) as f64, (index % self.columns) as f64);
        let left = MARGIN + AXIS_ROOM + column * (self.width + GAP);
        let right = left + self.width;
        let top = self.top + row * self.height() + HEADING;
        let window = Window { zero_s: 0.0, trigger: false, from_s: 0.0, to_s: 1.0 };
        let upper = Plot { left, top, right, bottom: top + UPPER, window, most };
        let top = upper.bottom + BETWEEN;
        [upper, Plot { top, bottom: top + LOWER, most: 1.0, ..upper }]
    }
}

fn draw_panel(scene: &mut Scene, grid: &Grid, index: usize, panel: &Panel<'_>, ticks: &[f64]) {
    let most = ticks.last().copied().unwrap_or(1.0);
    let [upper, lower] = grid.plots(index, most);
    let numbers = grid.is_first(index);
    axis(scene, &upper, ticks, numbers, |value| number(value, 2));
    axis(scene, &lower, &[0.0, 0.5, 1.0], numbers, percent);
    let look = TextLook { weight: Weight::SemiBold, ..plain(LABEL_SIZE, INK, Anchor::Start) };
    let room = upper.right - upper.left;
    let name = font::shorten(panel.policy, LABEL_SIZE, Weight::SemiBold, room);
    scene.text((upper.left, upper.top - 33.0), &name, look);
    if panel.bars.is_empty() {
        let at = ((upper.left + upper.right) / 2.0, (upper.top + upper.bottom) / 2.0);
        scene.text(at, "no phases", plain(LABEL_SIZE, SOFT, Anchor::Middle));
        return;
    }
    let slots = Slots::of(&upper, panel.bars.len());
    draw_upper(scene, &upper, &slots, panel);
    draw_lower(scene, &lower, &slots, panel);
    draw_texts(scene, &slots, panel, numbers, [upper.top, lower.top, lower.bottom]);
}

/// The rows of text: instances over the upper plot, rejects over the lower one, phases under it.
fn draw_texts(
    scene: &mut Scene,
    slots: &Slots,
    panel: &Panel<'_>,
    is_named: bool,
    [upper_top, lower_top, bottom]: [f64; 3],
) {
    let rejected = |bar: &Bar<'_>| match bar.row.rejected_ratio {
        Some(ratio) if ratio > 0.0 => (percent(ratio), ALARM),
        Some(ratio) => (percent(ratio), SOFT),
        None => ("–".to_owned(), SOFT),
    };
    let rows = [
        TextRow {
            name: "instances",
            y: upper_top - 14.0,
            texts: panel.bars.iter().map(|bar| (bar.row.instances.to_string(), SOFT)).collect(),
            may_skip: false,
        },
        TextRow {
            name: "rejected",
            y: lower_top - 14.0,
            texts: panel.bars.iter().map(rejected).collect(),
            may_skip: false,
        },
        TextRow {
            name: "phase",
            y: bottom + 21.0,
            texts: panel.bars.iter().map(|bar| (slots.named(bar.phase), INK)).collect(),
            may_skip: true,
        },
    ];
    for row in rows {
        row.draw(scene, slots, is_named);
    }
}

/// The line at 0, grid lines, and their numbers.
fn axis(
    scene: &mut Scene,
    plot: &Plot,
    ticks: &[f64],
    numbers: bool,
    written: impl Fn(f64) -> String,
) {
    for tick in ticks {
        let y = plot.y(*tick);
        let colour = if *tick > 0.0 { GRID } else { INK };
        scene.stroke(vec![(plot.left, y), (plot.right, y)], colour, 1.0, &[]);
        if numbers {
            let look = plain(TICK_SIZE, SOFT, Anchor::End);
            scene.text((plot.left - 8.0, y + 4.0), &written(*tick), look);
        }
    }
}

/// Equal shares of a plot's width, one a phase.
struct Slots {
    left: f64,
    width: f64,
    count: usize,
}

impl Slots {
    fn of(plot: &Plot, count: usize) -> Self {
        Self { left: plot.left, width: (plot.right - plot.left) / count as f64, count }
    }

    fn middle(&self, index: usize) -> f64 {
        self.left + (index as f64 + 0.5) * self.width
    }

    /// A phase's name, cut to what a slot, or a few of them, have room for.
    fn named(&self, name: &str) -> String {
        font::shorten(name, TICK_SIZE, Weight::Regular, self.width.max(60.0) - 6.0)
    }
}

/// A text under or over every slot.
struct TextRow {
    name: &'static str,
    y: f64,
    texts: Vec<(String, Colour)>,
    /// May some be left out where there is no room for all? Figures have all or none.
    may_skip: bool,
}

impl TextRow {
    fn draw(&self, scene: &mut Scene, slots: &Slots, is_named: bool) {
        let width = |text: &String| font::width(text, TICK_SIZE, Weight::Regular) + 6.0;
        let widest = self.texts.iter().map(|(text, _)| width(text)).fold(1.0, f64::max);
        let fits = widest <= slots.width;
        if !fits && !self.may_skip {
            return;
        }
        if is_named {
            let look = plain(TICK_SIZE, SOFT, Anchor::End);
            scene.text((slots.left - 8.0, self.y), self.name, look);
        }
        // The first and the last move in by up to half their width.
        let every = if fits { 1.0 } else { (2.0 * widest / slots.width).ceil() };
        let right = slots.left + slots.count as f64 * slots.width;
        for (index, (text, colour)) in self.texts.iter().enumerate().step_by(every as usize) {
            let half = width(text) / 2.0;
            let x = slots.middle(index).min(right + 3.0 - half).max(slots.left - 3.0 + half);
            scene.text((x, self.y), text, plain(TICK_SIZE, *colour, Anchor::Middle));
        }
    }
}

fn draw_upper(scene: &mut Scene, plot: &Plot, slots: &Slots, panel: &Panel<'_>) {
    let half = slots.width * 0.3;
    for (index, bar) in panel.bars.iter().enumerate() {
        let x = slots.middle(index);
        column(scene, plot, (x, half), bar.row.in_flight_peak, IN_FLIGHT);
    }
    for (index, bar) in panel.bars.iter().enumerate() {
        let x = slots.middle(index);
        if let Some(limit) = bar.row.concurrency_limit.filter(|limit| *limit <= plot.most) {
            let (y, reach) = (plot.y(limit), slots.width * 0.44);
            scene.stroke(vec![(x - reach, y), (x + reach, y)], LIMIT.colour, LIMIT.width, &[]);
        }
    }
    for (index, bar) in panel.bars.iter().enumerate() {
        let at = (slots.middle(index), plot.y(bar.row.offered_in_flight));
        frame::ring(scene, at, (slots.width * 0.2).clamp(2.5, 5.0));
    }
}

fn draw_lower(scene: &mut Scene, plot: &Plot, slots: &Slots, panel: &Panel<'_>) {
    let half = slots.width * 0.3;
    for (index, bar) in panel.bars.iter().enumerate() {
        let rejected = bar.row.rejected_ratio.unwrap_or(0.0);
        column(scene, plot, (slots.middle(index), half), rejected, ALARM);
    }
    let bars = panel.bars.iter().enumerate();
    let line: Vec<_> =
        bars.filter_map(|(index, bar)| Some((slots.middle(index), plot.y(bar.cpu?)))).collect();
    scene.stroke(line.clone(), PAPER, CPU.width + 2.0, &[]);
    scene.stroke(line.clone(), CPU.colour, CPU.width, CPU.dash);
    let radius = (slots.width * 0.2).clamp(1.5, 3.5);
    for at in line {
        scene.disc(at, radius + 1.0, PAPER);
        scene.disc(at, radius, CPU.colour);
    }
}

/// A bar from the ground up, edged so that it shows in any grey.
fn column(scene: &mut Scene, plot: &Plot, (x, half): (f64, f64), value: f64, colour: Colour) {
    let y = plot.y(value);
    if plot.bottom - y >= 0.5 {
        scene.rectangle((x - half, y), (x + half, plot.bottom), colour, 1.0);
        let edge =
            vec![(x - half, plot.bottom), (x - half, y), (x + half, y), (x + half, plot.bottom)];
        scene.stroke(edge, MARK, 1.0, &[]);
    }
}

fn note(all: &[Panel<'_>], shown: &[Panel<'_>], most: f64) -> String {
    let mut sentences = Vec::new();
    if all.len() > shown.len() {
        sentences.push(format!("The first {} of {} policies.", shown.len(), all.len()));
    }
    let bars = || shown.iter().flat_map(|panel| &panel.bars);
    if bars().any(|bar| bar.row.concurrency_limit.is_some_and(|limit| limit > most)) {
        let most = number(most, 2);
        sentences.push(format!("Where no line is, the limit is over {most}."));
    }
    sentences.join(" ")
}
