//! Healthy capacity over time: a line a policy, or stacked by zone for one run.

use super::context::ChartContext;
use super::end_labels::{self, EndLabel};
use super::event_marks::{EventMark, fault_marks, run_marks};
use super::finding::{compare_finding, run_finding};
use super::frame::{self, MARK_STRIP, Numbers, Plot, Swatch, plain};
use super::hatch::{columns, hatch};
use super::merit::{left_out, told_apart};
use super::scale::nice_ticks;
use super::scene::{Anchor, Point, Scene, Weight};
use super::series::{Window, means, thin, window};
use super::theme::{
    ALARM, INK, LABEL_SIZE, LineLook, MARGIN, OFFERED, PAPER, SOFT, SUBTITLE_SIZE, WIDTH, line_look,
};
use super::words::{Magnitude, percent, rate};
use super::{font, stack};
use crate::metric::{FleetRow, RunResult};

const PLOT_HEIGHT: f64 = 380.0;
/// Rates wobble: lines of rates are means over so many pixels.
const MEAN_WIDTH: f64 = 3.0;
/// Room for the numbers of the value axis.
const AXIS_ROOM: f64 = 40.0;

const OFFERED_LOOK: LineLook = LineLook { colour: OFFERED, dash: &[], width: 6.0 };
const POSSIBLE_RUN: LineLook = LineLook { colour: INK, dash: &[], width: 1.0 };
const OFFERED_RUN: LineLook = LineLook { colour: INK, dash: &[], width: 2.0 };
/// The most that full knowledge could serve: a thin line.
const POSSIBLE: LineLook = LineLook { colour: SOFT, dash: &[1.5, 1.5], width: 1.25 };
const COMPLETED_RUN: LineLook = LineLook { colour: INK, dash: &[4.0, 2.5], width: 2.0 };

/// Healthy capacity of the fleet, a line a policy, over the offered load.
pub fn compare(context: &ChartContext<'_>, all: &[RunResult]) -> Scene {
    let results = &*told_apart(all);
    let window = window(results);
    let drawn = shared_lines(results, &window);
    let capacity = results.iter().flat_map(|result| &result.fleet);
    let capacity = capacity.map(|row| row.healthy_capacity_rps).fold(0.0, f64::max);
    let most = drawn.iter().map(SharedLine::peak).fold(capacity, f64::max);
    let ticks = nice_ticks(most * 1.02, 6);
    let magnitude = Magnitude::of(most);
    let title = compare_finding(all);
    let subtitle = format!(
        "Healthy capacity of the fleet under each policy, {}; share of requests completed, and of \
         what was possible",
        unit(magnitude)
    );
    let mut scene = Scene::new(WIDTH, &title, &subtitle);
    let mut y = frame::heading(&mut scene, &title, &subtitle);

    let labels = compare_labels(results, &drawn);
    let direct = end_labels::fit(labels.len(), PLOT_HEIGHT);
    let room = if direct { end_labels::room(&labels, 330.0) } else { 10.0 };
    if !direct {
        let entry = |label: EndLabel| (label.swatch, format!("{} {}", label.name, label.detail));
        let entries: Vec<_> = labels.iter().cloned().map(entry).collect();
        y = frame::legend(&mut scene, y, &entries);
    }
    let marks = results
        .first()
        .map_or_else(Vec::new, |result| fault_marks(context.scenario, result, &window));
    let plot = plot(y, room, window, &ticks, &marks);
    frame::value_axis(&mut scene, &plot, &ticks, magnitude.divisor, Numbers::Shown);
    frame::mark_lines(&mut scene, &plot, &marks);
    for line in &drawn {
        draw_line(&mut scene, &rates(&plot, line.result, line.width, line.of), line.look);
    }
    for (index, result) in results.iter().enumerate() {
        let points = levels(&plot, result, |row| row.healthy_capacity_rps);
        draw_line(&mut scene, &points, line_look(index));
    }
    if direct {
        end_labels::draw(&mut scene, &plot, &labels, room);
    }
    let mut notes = notes(context);
    if !results.is_empty() {
        notes.push("Possible: the most that full knowledge could serve.".to_owned());
    }
    notes.extend(differing(&drawn));
    notes.extend(Some(left_out(all.len(), results.len())).filter(|note| !note.is_empty()));
    finish(&mut scene, context, all, (&plot, &marks, &notes));
    scene
}

/// What has to be said of a scenario.
fn notes(context: &ChartContext<'_>) -> Vec<String> {
    match context.scenario.has_calls() {
        true => vec!["Pools that others call count, too: a request needs room at each.".to_owned()],
        false => vec![],
    }
}

/// A line of the fleet that is drawn once for all policies.
struct SharedLine<'a> {
    /// Whose rows are drawn: the first policy's.
    result: &'a RunResult,
    of: fn(&FleetRow) -> f64,
    look: LineLook,
    /// Means over so many pixels.
    width: f64,
    name: &'static str,
    /// What it is, after "what is".
    question: &'static str,
    /// Is it the same under every policy, within a hundredth?
    is_common: bool,
}

impl SharedLine<'_> {
    fn peak(&self) -> f64 {
        self.result.fleet.iter().map(self.of).filter(|rps| rps.is_finite()).fold(0.0, f64::max)
    }

    fn named(&self) -> String {
        match self.is_common {
            true => self.name.to_owned(),
            false => format!("{} under {}", self.name, self.result.policy),
        }
    }
}

/// The offered load, and the most of it that full knowledge could serve.
fn shared_lines<'a>(results: &'a [RunResult], window: &Window) -> Vec<SharedLine<'a>> {
    let Some(result) = results.first() else { return vec![] };
    let is_common = |of: fn(&FleetRow) -> f64| {
        results[1..].iter().all(|other| is_alike(result, other, of, window))
    };
    let offered: fn(&FleetRow) -> f64 = |row| row.offered_rps;
    let possible: fn(&FleetRow) -> f64 = |row| row.bound_rps;
    vec![
        SharedLine {
            result,
            of: offered,
            look: OFFERED_LOOK,
            width: 6.0,
            name: "offered load",
            question: "offered",
            is_common: is_common(offered),
        },
        SharedLine {
            result,
            of: possible,
            look: POSSIBLE,
            width: MEAN_WIDTH,
            name: "possible",
            question: "possible",
            is_common: is_common(possible),
        },
    ]
}

/// Are means over hundredths of the window within a hundredth of the highest?
fn is_alike(a: &RunResult, b: &RunResult, of: fn(&FleetRow) -> f64, window: &Window) -> bool {
    const PIECES: f64 = 100.0;
    let values = |result: &RunResult| {
        let place = |row: &FleetRow| {
            let share = (window.place(row.time_s)? - window.from_s) / (window.to_s - window.from_s);
            Some((share * PIECES, of(row)))
        };
        means(&result.fleet.iter().filter_map(place).collect::<Vec<_>>(), 1.0)
    };
    let (a, b) = (values(a), values(b));
    let most = a.iter().chain(&b).map(|point| point.1).fold(0.0, f64::max);
    a.len() == b.len() && a.iter().zip(&b).all(|(a, b)| (a.1 - b.1).abs() <= 0.01 * most)
}

/// Says which shared lines are one policy's only.
fn differing(drawn: &[SharedLine<'_>]) -> Option<String> {
    let lines = || drawn.iter().filter(|line| !line.is_common);
    let policy = &lines().next()?.result.policy;
    let names: Vec<&str> = lines().map(|line| line.question).collect();
    let verb = if names.len() == 1 { "differs" } else { "differ" };
    let names = names.join(" and what is ");
    Some(format!("What is {names} {verb} between policies: drawn as under {policy}."))
}

fn compare_labels(results: &[RunResult], drawn: &[SharedLine<'_>]) -> Vec<EndLabel> {
    let last = |result: &RunResult, of: fn(&FleetRow) -> f64| result.fleet.last().map_or(0.0, of);
    let shared = drawn.iter().map(|line| EndLabel {
        swatch: Swatch::Line(line.look),
        value: last(line.result, line.of),
        name: line.named(),
        detail: String::new(),
    });
    let mut labels: Vec<EndLabel> = shared.collect();
    labels.extend(results.iter().enumerate().map(|(index, result)| EndLabel {
        swatch: Swatch::Line(line_look(index)),
        value: last(result, |row| row.healthy_capacity_rps),
        name: result.policy.clone(),
        detail: kept(result),
    }));
    labels
}

/// "24 %, 30 % of possible".
fn kept(result: &RunResult) -> String {
    let completed = percent(result.summary.goodput_ratio);
    match result.summary.goodput_of_bound {
        Some(of_bound) => format!("{completed}, {} of possible", percent(of_bound)),
        None => completed,
    }
}

/// Healthy capacity by zone, with offered and completed requests over it.
///
/// `results` is one run.
pub fn run(context: &ChartContext<'_>, results: &[RunResult]) -> Scene {
    let [result] = results else { return compare(context, results) };
    let window = window(results);
    let bands = stack::bands(context.scenario, result, &window);
    let capacity = bands.first().map_or(&[][..], |band| &band.edge).iter().map(|point| point.1);
    let traffic = result.fleet.iter().map(|row| row.offered_rps.max(row.completed_rps));
    let most = capacity.chain(traffic).fold(0.0, f64::max);
    let ticks = nice_ticks(most * 1.02, 6);
    let magnitude = Magnitude::of(most);
    let title =
        format!("{}: {}", result.policy, lower_first(&run_finding(context.scenario, result)));
    let of_possible = match result.summary.goodput_of_bound {
        Some(ratio) => format!("; {} of what was possible is completed", percent(ratio)),
        None => String::new(),
    };
    let subtitle = format!(
        "Healthy capacity by zone, and the requests offered and completed, {}{of_possible}",
        unit(magnitude)
    );
    let mut scene = Scene::new(WIDTH, &title, &subtitle);
    let mut y = frame::heading(&mut scene, &title, &subtitle);

    let labels = run_labels(result);
    let room = end_labels::room(&labels, 260.0);
    let marks = run_marks(context.scenario, result, &window);
    let mut plot = plot(y, room, window, &ticks, &marks);
    let named = names_in_bands(&plot, &bands, result);
    if named.is_none() {
        y = frame::legend(&mut scene, y, &stack::legend_entries(&bands));
        plot = self::plot(y, room, window, &ticks, &marks);
    }
    frame::value_axis(&mut scene, &plot, &ticks, magnitude.divisor, Numbers::Shown);
    let edges = stack::edges(&plot, &bands);
    stack::draw(&mut scene, &plot, &bands, &edges);
    let [offered, completed] = flows(&plot, result);
    hatch(&mut scene, &offered, &completed);
    frame::mark_lines(&mut scene, &plot, &marks);
    let possible = rates(&plot, result, MEAN_WIDTH, |row| row.bound_rps);
    let lines = [(&possible, POSSIBLE_RUN), (&completed, COMPLETED_RUN), (&offered, OFFERED_RUN)];
    for (points, look) in lines {
        scene.stroke(points.clone(), PAPER, look.width + 2.0, &[]);
        draw_line(&mut scene, points, look);
    }
    name_unserved(&mut scene, &plot, &offered, &completed);
    if let Some(named) = named {
        stack::draw_labels(&mut scene, &named);
    }
    end_labels::draw(&mut scene, &plot, &labels, room);
    let mut notes = notes(context);
    notes.push("Possible: the most that full knowledge could serve.".to_owned());
    notes.extend(stack::left_out(context.scenario, &bands));
    finish(&mut scene, context, results, (&plot, &marks, &notes));
    scene
}

fn run_labels(result: &RunResult) -> Vec<EndLabel> {
    let label = |look: LineLook, name: &str, value: f64| EndLabel {
        swatch: Swatch::Line(look),
        value,
        name: name.to_owned(),
        detail: rate(value),
    };
    match result.fleet.last() {
        Some(row) => vec![
            label(OFFERED_RUN, "offered", row.offered_rps),
            label(POSSIBLE_RUN, "possible", row.bound_rps),
            label(COMPLETED_RUN, "completed", row.completed_rps),
        ],
        None => vec![],
    }
}

/// Writes "not completed" into the hatched area, where it is high enough.
fn name_unserved(scene: &mut Scene, plot: &Plot, offered: &[Point], completed: &[Point]) {
    let (left, right) = (plot.left.ceil() as i64, plot.right.floor() as i64);
    if offered.is_empty() || completed.is_empty() {
        return;
    }
    let text = "not completed";
    let width = font::width(text, LABEL_SIZE, Weight::SemiBold) + 12.0;
    let (upper, lower) = (columns(offered, left, right), columns(completed, left, right));
    let needed = width.ceil() as usize + 12;
    let starts = (0..upper.len().saturating_sub(needed)).step_by(4);
    let places: Vec<(usize, f64, f64)> = starts
        .map(|start| {
            let range = start..start + needed;
            let top = upper[range.clone()].iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let bottom = lower[range].iter().copied().fold(f64::INFINITY, f64::min);
            (start, bottom - top, (top + bottom) / 2.0)
        })
        .collect();
    let most = places.iter().map(|place| place.1).fold(0.0, f64::max);
    let best: Vec<_> =
        places.iter().filter(|place| place.1 > 30.0 && place.1 > most - 6.0).collect();
    // Amid the places that are about the best.
    if let Some((start, _, middle)) = best.get(best.len() / 2) {
        let x = (left + *start as i64) as f64 + 6.0;
        let (from, to) = ((x, middle - 10.0), (x + width, middle + 10.0));
        scene.rectangle(from, to, PAPER, 1.0);
        let mut look = plain(LABEL_SIZE, ALARM, Anchor::Start);
        look.weight = Weight::SemiBold;
        scene.text((x + 6.0, middle + 4.5), text, look);
    }
}

fn plot(y: f64, room: f64, window: Window, ticks: &[f64], marks: &[EventMark]) -> Plot {
    let strip = if marks.is_empty() { 8.0 } else { MARK_STRIP };
    let top = y + 8.0 + strip;
    Plot {
        left: MARGIN + AXIS_ROOM,
        top,
        right: WIDTH - MARGIN - room,
        bottom: top + PLOT_HEIGHT,
        window,
        most: ticks.last().copied().unwrap_or(1.0),
    }
}

fn names_in_bands(
    plot: &Plot,
    bands: &[stack::Band],
    result: &RunResult,
) -> Option<Vec<stack::BandLabel>> {
    let [offered, completed] = flows(plot, result);
    stack::band_labels(plot, bands, &stack::edges(plot, bands), &[&offered, &completed])
}

/// Lines of the offered and the completed requests.
fn flows(plot: &Plot, result: &RunResult) -> [Vec<Point>; 2] {
    [
        rates(plot, result, MEAN_WIDTH, |row| row.offered_rps),
        rates(plot, result, MEAN_WIDTH, |row| row.completed_rps),
    ]
}

/// A rate of the fleet, a mean over so many pixels.
fn rates(plot: &Plot, result: &RunResult, width: f64, of: fn(&FleetRow) -> f64) -> Vec<Point> {
    let place = |row: &FleetRow| Some((plot.x(plot.window.place(row.time_s)?), of(row)));
    let values: Vec<_> = result.fleet.iter().filter_map(place).collect();
    means(&values, width).into_iter().map(|(x, value)| (x, plot.y(value))).collect()
}

/// A level of the fleet, with every dip.
fn levels(plot: &Plot, result: &RunResult, of: fn(&FleetRow) -> f64) -> Vec<Point> {
    let place = |row: &FleetRow| Some((plot.x(plot.window.place(row.time_s)?), plot.y(of(row))));
    thin(&result.fleet.iter().filter_map(place).collect::<Vec<_>>())
}

fn draw_line(scene: &mut Scene, points: &[Point], look: LineLook) {
    scene.stroke(points.to_vec(), look.colour, look.width, look.dash);
}

/// Draws the time axis, the marks, the key and the caption.
fn finish(
    scene: &mut Scene,
    context: &ChartContext<'_>,
    results: &[RunResult],
    (plot, marks, notes): (&Plot, &[EventMark], &[String]),
) {
    frame::mark_numbers(scene, plot, marks);
    let ticks = frame::time_axis(scene, plot, 12, Numbers::Shown);
    let name = frame::time_axis_name(&ticks, context, &plot.window);
    let middle = (plot.left + plot.right) / 2.0;
    let look = plain(SUBTITLE_SIZE, SOFT, Anchor::Middle);
    let room = plot.right - plot.left;
    let name = font::shorten(&name, SUBTITLE_SIZE, Weight::Regular, room);
    scene.text((middle, plot.bottom + 38.0), &name, look);
    if results.iter().all(|result| result.fleet.is_empty()) {
        let at = (middle, (plot.top + plot.bottom) / 2.0);
        scene.text(at, "no rows: the run is shorter than one interval", look);
    }
    let y = frame::key(scene, plot.bottom + 50.0, marks);
    frame::caption(scene, y, context, results, &notes.join(" "));
}

fn unit(magnitude: Magnitude) -> String {
    match magnitude.word {
        "" => "requests a second".to_owned(),
        word => format!("{word}s of requests a second"),
    }
}

fn lower_first(sentence: &str) -> String {
    match sentence.strip_prefix("No ").or_else(|| sentence.strip_prefix("The ")) {
        Some(rest) if sentence.starts_with("No ") => format!("no {rest}"),
        Some(rest) => format!("the {rest}"),
        None => sentence.to_owned(),
    }
}
