//! The state of every pool over time: a row a pool, a pattern and a letter a state.

use super::context::ChartContext;
use super::event_marks::run_marks;
use super::finding::{after_trigger, trigger_words};
use super::font;
use super::frame::{self, MARK_STRIP, Numbers, Plot, Swatch, plain};
use super::pattern::{Filling, Pattern};
use super::scene::{Anchor, Point, Scene, TextLook, Weight};
use super::series::{Window, window};
use super::theme::{
    ALARM, CALM, INK, LABEL_SIZE, MARGIN, ORANGE, PAPER, SKY, SOFT, SUBTITLE_SIZE, TICK_SIZE,
    WIDTH, YELLOW,
};
use super::words::{duration, list, zone};
use crate::engine::Happening;
use crate::metric::{PoolState, RunResult, hit_pools};
use crate::model::{PoolId, Scenario};

/// More rows than these are too many to read.
const MOST_ROWS: usize = 48;
/// A state is drawn for so many pixels at least.
const COLUMN: f64 = 2.0;
/// Room for pools' names at most.
const MOST_NAME: f64 = 230.0;
/// Room for what is said at the end of a row.
const SAID: f64 = 112.0;

/// Every state, the mildest first: of equally long ones in a column the last is drawn.
const STATES: [PoolState; 6] = [
    PoolState::Healthy,
    PoolState::Recovering,
    PoolState::Draining,
    PoolState::Overloaded,
    PoolState::FailingOver,
    PoolState::Down,
];

const fn look(state: PoolState) -> (&'static str, Filling) {
    match state {
        PoolState::Healthy => ("H", Filling::new(CALM, Pattern::Plain, INK)),
        PoolState::Recovering => ("R", Filling::new(SKY, Pattern::Rising, PAPER)),
        PoolState::Draining => ("D", Filling::new(YELLOW, Pattern::Dotted, INK)),
        PoolState::Overloaded => ("O", Filling::new(ORANGE, Pattern::Level, PAPER)),
        PoolState::FailingOver => ("F", Filling::new(ALARM, Pattern::Crossed, PAPER)),
        PoolState::Down => ("X", Filling::new(INK, Pattern::Plain, INK)),
    }
}

/// What one row shows.
struct Row {
    pool: PoolId,
    /// Ends of intervals, in seconds since the trigger, and the states then.
    states: Vec<(f64, PoolState)>,
    /// When it was lost for the first time, and how often in all.
    first_lost_s: Option<f64>,
    times_lost: u32,
}

/// A row a pool of one run, the only one in the slice.
pub fn chart(context: &ChartContext<'_>, results: &[RunResult]) -> Scene {
    let scenario = context.scenario;
    let window = window(results);
    let policy = results.first().map_or("", |result| result.policy.as_str());
    let all = results.first().map_or_else(Vec::new, |result| rows(scenario, result, &window));
    let shown = chosen(&all);
    let title = match results.first() {
        Some(result) => finding(scenario, result),
        None => "No policy was run".to_owned(),
    };
    let subtitle = format!("State of every pool under {policy}");
    let mut scene = Scene::new(WIDTH, &title, &subtitle);
    let y = frame::heading(&mut scene, &title, &subtitle);
    let y = frame::legend(&mut scene, y + 2.0, &legend(&shown));
    let marks =
        results.first().map_or_else(Vec::new, |result| run_marks(scenario, result, &window));
    let pitch = pitch(shown.len());
    let top = y + if marks.is_empty() { 8.0 } else { 8.0 + MARK_STRIP };
    let left = MARGIN + name_room(scenario, &shown) + 10.0;
    let bottom = top + pitch * shown.len().max(1) as f64 + 2.0;
    let plot = Plot { left, top, right: WIDTH - MARGIN - SAID, bottom, window, most: 1.0 };
    let mut letters = Vec::new();
    for (index, row) in shown.iter().enumerate() {
        let top = top + index as f64 * pitch;
        letters.extend(draw_row(&mut scene, context, &plot, row, (top, pitch)));
    }
    let middle = (plot.left + plot.right) / 2.0;
    let soft = plain(SUBTITLE_SIZE, SOFT, Anchor::Middle);
    if shown.iter().all(|row| row.states.is_empty()) {
        let text = if shown.is_empty() { "no pools" } else { "no rows" };
        scene.text((middle, plot.bottom - 5.0), text, soft);
    }
    frame::mark_lines(&mut scene, &plot, &marks);
    for Letter { state, at, size } in letters {
        let (letter, filling) = look(state);
        filling.write(&mut scene, at, letter, size);
    }
    frame::mark_numbers(&mut scene, &plot, &marks);
    let ticks = frame::time_axis(&mut scene, &plot, 12, Numbers::Shown);
    let name = frame::time_axis_name(&ticks, context, &window);
    let name = font::shorten(&name, SUBTITLE_SIZE, Weight::Regular, plot.right - plot.left);
    scene.text((middle, plot.bottom + 38.0), &name, soft);
    let y = frame::key(&mut scene, plot.bottom + 50.0, &marks);
    frame::caption(&mut scene, y, context, results, &note(&all, &shown, &plot));
    scene
}

fn rows(scenario: &Scenario, result: &RunResult, window: &Window) -> Vec<Row> {
    let row =
        |pool: &PoolId| Row { pool: *pool, states: Vec::new(), first_lost_s: None, times_lost: 0 };
    let mut rows: Vec<Row> = scenario.pool_rows.iter().map(row).collect();
    let mut row_of = vec![0; scenario.pools.len()];
    for (index, row) in rows.iter().enumerate() {
        row_of[row.pool.index()] = index;
    }
    for row in &result.timeline {
        if let Some(since_s) = window.place(row.time_s) {
            rows[row_of[row.pool.index()]].states.push((since_s, row.state));
        }
    }
    for entry in &result.log {
        if let Happening::PoolUnhealthy { pool, .. } = entry.what {
            let row = &mut rows[row_of[pool.index()]];
            row.times_lost += 1;
            row.first_lost_s.get_or_insert(entry.time_s - window.zero_s);
        }
    }
    rows
}

/// The rows that are shown, in the order of the file: the pools that are healthy for the shortest
/// time.
fn chosen(all: &[Row]) -> Vec<&Row> {
    let healthy =
        |row: &Row| row.states.iter().filter(|(_, state)| *state == PoolState::Healthy).count();
    let mut order: Vec<usize> = (0..all.len()).collect();
    order.sort_by_key(|index| (healthy(&all[*index]), *index));
    order.truncate(MOST_ROWS);
    order.sort_unstable();
    order.into_iter().map(|index| &all[index]).collect()
}

fn legend(shown: &[&Row]) -> Vec<(Swatch, String)> {
    let occurs = |state: &PoolState| {
        shown.iter().any(|row| row.states.iter().any(|(_, other)| other == state))
    };
    let entry = |state: PoolState| {
        let (letter, filling) = look(state);
        (Swatch::Filled(filling, letter), state.word().to_owned())
    };
    STATES.into_iter().filter(occurs).map(entry).collect()
}

fn pitch(rows: usize) -> f64 {
    match rows {
        0..=6 => 34.0,
        7..=12 => 26.0,
        13..=24 => 20.0,
        _ => 16.0,
    }
}

fn names(scenario: &Scenario, pool: PoolId) -> (String, String) {
    let pool = &scenario.pools[pool.index()];
    (pool.name.clone(), zone(&scenario.zones[pool.zone.index()].name))
}

fn name_room(scenario: &Scenario, shown: &[&Row]) -> f64 {
    let width = |row: &&Row| {
        let (name, zone) = names(scenario, row.pool);
        font::width(&name, LABEL_SIZE, Weight::SemiBold)
            + 8.0
            + font::width(&zone, TICK_SIZE, Weight::Regular)
    };
    shown.iter().map(width).fold(40.0, f64::max).min(MOST_NAME)
}

/// A state's letter amid its piece of a row.
struct Letter {
    state: PoolState,
    at: Point,
    size: f64,
}

/// Draws all but the letters.
fn draw_row(
    scene: &mut Scene,
    context: &ChartContext<'_>,
    plot: &Plot,
    row: &Row,
    (top, pitch): (f64, f64),
) -> Vec<Letter> {
    let bar = (top, top + pitch - if pitch > 20.0 { 6.0 } else { 3.0 });
    let middle = (bar.0 + bar.1) / 2.0;
    let (name, zone) = names(context.scenario, row.pool);
    let room = plot.left - 10.0 - MARGIN;
    let name_look = TextLook { weight: Weight::SemiBold, ..plain(LABEL_SIZE, INK, Anchor::Start) };
    let name = font::shorten(&name, LABEL_SIZE, Weight::SemiBold, room);
    scene.text((MARGIN, middle + 4.5), &name, name_look);
    let before = font::width(&name, LABEL_SIZE, Weight::SemiBold) + 8.0;
    if before + font::width(&zone, TICK_SIZE, Weight::Regular) <= room + 0.01 {
        let look = plain(TICK_SIZE, SOFT, Anchor::Start);
        scene.text((MARGIN + before, middle + 4.5), &zone, look);
    }
    let said = match (row.times_lost, row.first_lost_s) {
        (0, _) | (_, None) => String::new(),
        (1, Some(at_s)) => format!("lost at {}", duration(at_s)),
        (times, _) => format!("lost {times} times"),
    };
    let said = font::shorten(&said, TICK_SIZE, Weight::Regular, SAID - 10.0);
    scene.text((plot.right + 10.0, middle + 4.5), &said, plain(TICK_SIZE, SOFT, Anchor::Start));
    let size = LABEL_SIZE.min(bar.1 - bar.0 - 2.5);
    let mut letters = Vec::new();
    for (from, to, state) in segments(plot, &row.states) {
        look(state).1.draw(scene, (from, bar.0), (to, bar.1));
        if to - from >= 18.0 {
            letters.push(Letter { state, at: ((from + to) / 2.0, middle), size });
        }
    }
    letters
}

/// Pieces of a row: from, to, state. A column that several states share shows the worst loss among
/// them, else that which holds longest.
fn segments(plot: &Plot, states: &[(f64, PoolState)]) -> Vec<(f64, f64, PoolState)> {
    let columns = ((plot.right - plot.left) / COLUMN).ceil() as usize;
    let mut shares = vec![[0.0; STATES.len()]; columns];
    let mut from: f64 = 0.0;
    for (since_s, state) in states {
        let to = (plot.x(*since_s) - plot.left) / COLUMN;
        let place = STATES.iter().position(|other| other == state).unwrap_or(0);
        let last = (to.ceil() as usize).min(columns);
        for (column, share) in shares.iter_mut().enumerate().take(last).skip(from as usize) {
            share[place] += (to.min(column as f64 + 1.0) - from.max(column as f64)).max(0.0);
        }
        from = to;
    }
    let mut pieces: Vec<(f64, f64, PoolState)> = Vec::new();
    for (column, share) in shares.iter().enumerate() {
        let Some(state) = shown_of(share) else { continue };
        let left = plot.left + column as f64 * COLUMN;
        let right = (left + COLUMN).min(plot.right);
        match pieces.last_mut() {
            Some(piece) if piece.2 == state && piece.1 == left => piece.1 = right,
            _ => pieces.push((left, right, state)),
        }
    }
    pieces
}

fn shown_of(share: &[f64; STATES.len()]) -> Option<PoolState> {
    let is_loss = |state: PoolState| matches!(state, PoolState::FailingOver | PoolState::Down);
    let held = || STATES.into_iter().zip(*share).filter(|(_, share)| *share > 1e-9);
    let loss = held().rfind(|(state, _)| is_loss(*state));
    loss.or_else(|| held().max_by(|a, b| a.1.total_cmp(&b.1))).map(|(state, _)| state)
}

fn note(all: &[Row], shown: &[&Row], plot: &Plot) -> String {
    let mut sentences = Vec::new();
    if all.len() > shown.len() {
        sentences.push(format!(
            "The {} of {} pools that are healthy for the shortest time.",
            shown.len(),
            all.len()
        ));
    }
    let columns = (plot.right - plot.left) / COLUMN;
    if shown.iter().any(|row| row.states.len() as f64 > columns) {
        let column_s = (plot.window.to_s - plot.window.from_s) / columns;
        let column_s = if column_s > 0.1 { (10.0 * column_s).round() / 10.0 } else { column_s };
        sentences.push(format!(
            "Drawn every {}: a loss if there was one, else the state that held longest.",
            duration(column_s)
        ));
    }
    sentences.join(" ")
}

/// Which pools were lost.
fn finding(scenario: &Scenario, result: &RunResult) -> String {
    let hit = hit_pools(scenario);
    let mut lost: Vec<(PoolId, f64)> = Vec::new();
    let mut times = 0;
    for entry in &result.log {
        if let Happening::PoolUnhealthy { pool, .. } = entry.what {
            times += 1;
            if lost.iter().all(|(known, _)| *known != pool) {
                lost.push((pool, entry.time_s - result.trigger_s.unwrap_or(0.0)));
            }
        }
    }
    let after = after_trigger(scenario, result);
    let when = |at_s: f64| match after.is_empty() {
        true => format!(" after {}", duration(at_s)),
        false if at_s < 0.0 => format!(" {} before {}", duration(-at_s), trigger_words(scenario)),
        false => format!(" {}{after}", duration(at_s)),
    };
    let further: Vec<_> = lost.iter().filter(|(pool, _)| !hit[pool.index()]).collect();
    let name = |pool: PoolId| scenario.pools[pool.index()].name.clone();
    let named = |pools: &[&(PoolId, f64)]| {
        let verb = if pools.len() == 1 { "is" } else { "are" };
        let names: Vec<String> = pools.iter().map(|(pool, _)| name(*pool)).collect();
        format!("{} {verb}", list(&names))
    };
    let mut text = match (further.as_slice(), lost.first()) {
        (_, None) => format!("no pool is lost{after}"),
        ([], Some((_, at_s))) => {
            let lost: Vec<_> = lost.iter().collect();
            format!("{} lost{}, and no further pool", named(&lost), when(*at_s))
        }
        ([first, ..], _) if further.len() == lost.len() => {
            format!("{} lost{}", named(&further), when(first.1))
        }
        ([only], _) => format!("{} lost, too,{}", named(&[*only]), when(only.1)),
        ([first, ..], _) => {
            format!("{} lost, too, beginning{}", named(&further), when(first.1))
        }
    };
    if times > lost.len() {
        text += &format!("; losses in all: {times}");
    }
    format!("{}: {text}", result.policy)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_short_loss_shows_and_a_short_overload_does_not() {
        let window = Window { zero_s: 0.0, trigger: true, from_s: 0.0, to_s: 100.0 };
        let (left, right) = (10.0, 50.0);
        let plot = Plot { left, right, top: 0.0, bottom: 1.0, window, most: 1.0 };
        let mut states = vec![(30.0, PoolState::Healthy), (30.5, PoolState::Overloaded)];
        states.extend([(50.0, PoolState::Healthy), (50.5, PoolState::Down)]);
        states.push((100.0, PoolState::Recovering));
        let expected = [
            (10.0, 30.0, PoolState::Healthy),
            (30.0, 32.0, PoolState::Down),
            (32.0, 50.0, PoolState::Recovering),
        ];
        assert_eq!(segments(&plot, &states), expected);
        assert_eq!(segments(&plot, &[]), []);
        // A run that ends early leaves its row unfilled.
        assert_eq!(segments(&plot, &states[..1]), [(10.0, 22.0, PoolState::Healthy)]);
    }
}
