//! When the fault was detected, traffic redirected, a further pool lost, capacity ready and the
//! fleet recovered: bars from the trigger on, a block a policy.

use super::context::ChartContext;
use super::finding::{after_trigger, heading, is_outage, name, trigger_words};
use super::font;
use super::frame::{self, Body, Numbers, Plot, plain};
use super::merit::{best_and_worst, left_out};
use super::pattern::{Filling, Pattern};
use super::scene::{Anchor, Point, Scene, TextLook, Weight};
use super::series::{Window, window};
use super::signals::{self, Signal};
use super::theme::{
    ALARM, BLUE, CALM, GREEN, GRID, INK, LABEL_SIZE, LINE_HEIGHT, MARGIN, PAPER, SKY, SOFT,
    SUBTITLE_SIZE, TICK_SIZE, WIDTH,
};
use super::words::duration;
use crate::engine::{Happening, LogEntry};
use crate::metric::{Outcome, RunResult, hit_pools};
use crate::model::{PoolId, Scenario};

/// More blocks than these are too many to read.
const MOST_BLOCKS: usize = 16;
/// Room for policies' names at most.
const MOST_NAME: f64 = 170.0;
/// Room for the moments' words.
const WORDS: f64 = 104.0;
/// Room for the time at the end of the longest bar.
const TIME: f64 = 84.0;
/// From one bar to the next.
const PITCH: f64 = 17.0;
/// From one line of signals to the next.
const LANE: f64 = 16.0;
/// Between blocks.
const GAP: f64 = 14.0;

/// A moment that every run is asked for.
struct Kind {
    word: &'static str,
    /// What is said where it never came.
    missing: &'static str,
    filling: Filling,
}

const KINDS: [Kind; 5] = [
    Kind {
        word: "detected",
        missing: "never detected",
        filling: Filling::new(SKY, Pattern::Plain, INK),
    },
    Kind {
        word: "redirected",
        missing: "nothing redirected",
        filling: Filling::new(BLUE, Pattern::Rising, PAPER),
    },
    Kind {
        word: "tipped",
        missing: "no further pool lost",
        filling: Filling::new(ALARM, Pattern::Crossed, PAPER),
    },
    Kind {
        word: "capacity ready",
        missing: "no new capacity",
        filling: Filling::new(GREEN, Pattern::Falling, PAPER),
    },
    Kind {
        word: "recovered",
        missing: "never recovered",
        filling: Filling::new(CALM, Pattern::Plain, INK),
    },
];
const TIPPED: usize = 2;
const CAPACITY: usize = 3;
const RECOVERED: usize = 4;

/// Did anything happen after a trigger?
pub fn applies(context: &ChartContext<'_>, results: &[RunResult]) -> bool {
    let scenario = context.scenario;
    results.iter().any(|result| {
        at_s(scenario, result).iter().any(Option::is_some)
            || !signals::of(scenario, result).is_empty()
    })
}

/// What is said of one run.
struct Block<'a> {
    result: &'a RunResult,
    /// By kind, seconds since the trigger.
    at_s: [Option<f64>; KINDS.len()],
    signals: Vec<Signal>,
}

impl Block<'_> {
    /// The moments that came, in order of time.
    fn reached(&self) -> Vec<(usize, f64)> {
        let mut reached: Vec<(usize, f64)> = self
            .at_s
            .iter()
            .enumerate()
            .filter_map(|(kind, at_s)| Some((kind, (*at_s)?)))
            .collect();
        reached.sort_by(|a, b| a.1.total_cmp(&b.1).then(a.0.cmp(&b.0)));
        reached
    }

    /// What is said of those that did not. New capacity is missed only where another policy has it.
    fn missing(&self, capacity_counts: bool) -> String {
        let is_told = |kind: &usize| match *kind {
            CAPACITY => capacity_counts,
            // Where the trigger never ends, nobody waits for it.
            RECOVERED => self.result.summary.recovered.is_some() && !is_stable(self.result),
            _ => true,
        };
        let is_told = |kind: &usize| self.at_s[*kind].is_none() && is_told(kind);
        let words = (0..KINDS.len()).filter(is_told).map(|kind| KINDS[kind].missing);
        words.collect::<Vec<_>>().join("; ")
    }

    fn latest_s(&self) -> f64 {
        let signals = self.signals.iter().map(|signal| signal.since_s);
        self.at_s.iter().flatten().copied().chain(signals).fold(0.0, f64::max)
    }
}

/// Is there nothing to recover from?
fn is_stable(result: &RunResult) -> bool {
    result.summary.outcome == Outcome::Stable
}

/// A block a policy.
pub fn chart(context: &ChartContext<'_>, results: &[RunResult]) -> Scene {
    let scenario = context.scenario;
    let shown = best_and_worst(results, MOST_BLOCKS);
    let block = |result: &RunResult| at_s(scenario, result);
    let blocks: Vec<Block<'_>> = shown
        .iter()
        .map(|result| Block { result, at_s: block(result), signals: signals::of(scenario, result) })
        .collect();
    let title = finding(scenario, results);
    let subtitle = "When each thing happened for the first time, counted from the trigger";
    let mut scene = Scene::new(WIDTH, &title, subtitle);
    let y = frame::heading(&mut scene, &title, subtitle);
    let capacity_counts = results.iter().any(|result| block(result)[CAPACITY].is_some());
    let names =
        shown.iter().map(|result| font::width(&result.policy, LABEL_SIZE, Weight::SemiBold));
    let named = names.fold(60.0, f64::max).min(MOST_NAME);
    let mut plot = Plot {
        left: MARGIN + named + 14.0 + WORDS,
        top: y + 12.0,
        right: WIDTH - MARGIN - TIME,
        bottom: 0.0,
        window: bar_window(results, &blocks),
        most: 1.0,
    };
    let heights: Vec<f64> = blocks.iter().map(|b| height(b, &plot, capacity_counts)).collect();
    plot.bottom = plot.top + heights.iter().sum::<f64>().max(20.0);
    let ticks = frame::time_axis(&mut scene, &plot, 10, Numbers::Shown);
    for at_s in &ticks.at_s {
        let x = plot.x(*at_s);
        scene.stroke(vec![(x, plot.top), (x, plot.bottom)], GRID, 1.0, &[]);
    }
    frame::time_axis(&mut scene, &Plot { ..plot }, 10, Numbers::Hidden);
    let mut top = plot.top;
    for (block, height) in blocks.iter().zip(&heights) {
        draw_block(&mut scene, &plot, block, top, capacity_counts);
        top += height;
    }
    let middle = (plot.left + plot.right) / 2.0;
    let name = frame::time_axis_name(&ticks, context, &plot.window);
    let look = plain(SUBTITLE_SIZE, SOFT, Anchor::Middle);
    let name = font::shorten(&name, SUBTITLE_SIZE, Weight::Regular, plot.right - plot.left);
    scene.text((middle, plot.bottom + 38.0), &name, look);
    let note = note(results.len(), &blocks, &plot, capacity_counts);
    frame::caption(&mut scene, plot.bottom + 52.0, context, results, &note);
    scene
}

/// From the trigger to a little after the last moment, so that early ones can be told apart.
fn bar_window(results: &[RunResult], blocks: &[Block<'_>]) -> Window {
    let whole = window(results);
    let latest_s = blocks.iter().map(Block::latest_s).fold(0.0, f64::max);
    let to_s =
        if latest_s > 0.0 { (1.04 * latest_s).min(whole.to_s.max(latest_s)) } else { whole.to_s };
    Window { from_s: 0.0, to_s, ..whole }
}

/// The first time of each kind of moment, in seconds since the trigger; negative before it.
fn at_s(scenario: &Scenario, result: &RunResult) -> [Option<f64>; KINDS.len()] {
    let Some(trigger_s) = result.trigger_s else { return [None; KINDS.len()] };
    let summary = &result.summary;
    let since = |time_s: f64| time_s - trigger_s;
    let log: Vec<&LogEntry> = result.log.iter().filter(|entry| entry.time_s >= trigger_s).collect();
    [
        detected_s(scenario, &log).map(since),
        summary.time_to_first_redirect_s,
        summary.time_to_first_propagation_s,
        capacity_ready_s(&log).map(since),
        summary.time_to_recover_s,
    ]
}

/// When the first pool that an event hit turned unhealthy; where none does, when the first instance
/// was taken out of rotation.
fn detected_s(scenario: &Scenario, log: &[&LogEntry]) -> Option<f64> {
    let hit = hit_pools(scenario);
    let pool = log.iter().find(|entry| match entry.what {
        Happening::PoolUnhealthy { pool, .. } => hit[pool.index()],
        _ => false,
    });
    let is_out = |entry: &&&LogEntry| matches!(entry.what, Happening::InstanceUnhealthy { .. });
    pool.or_else(|| log.iter().find(is_out)).map(|entry| entry.time_s)
}

/// When the first instance that came up since the trigger, launched, added or started again, came
/// into rotation.
fn capacity_ready_s(log: &[&LogEntry]) -> Option<f64> {
    let mut started: Vec<(PoolId, u32)> = Vec::new();
    for entry in log {
        match entry.what {
            Happening::InstanceStarted { pool, instance } => started.push((pool, instance)),
            Happening::InstanceHealthy { pool, instance }
                if started.contains(&(pool, instance)) =>
            {
                return Some(entry.time_s);
            }
            _ => {}
        }
    }
    None
}

fn height(block: &Block<'_>, plot: &Plot, capacity_counts: bool) -> f64 {
    let (lanes, _) = signals::placed(&block.signals, plot);
    let bars = block.reached().len() as f64 * PITCH;
    let said = if block.missing(capacity_counts).is_empty() { 0.0 } else { PITCH };
    // Name and outcome stand one under the other.
    (lanes as f64 * LANE + bars + said).max(2.0 * LINE_HEIGHT) + GAP
}

fn draw_block(scene: &mut Scene, plot: &Plot, block: &Block<'_>, top: f64, capacity_counts: bool) {
    let look = TextLook { weight: Weight::SemiBold, ..plain(LABEL_SIZE, INK, Anchor::Start) };
    let room = plot.left - WORDS - 14.0 - MARGIN;
    let (lanes, placed) = signals::placed(&block.signals, plot);
    let first = top + lanes as f64 * LANE;
    let policy = font::shorten(&block.result.policy, LABEL_SIZE, Weight::SemiBold, room);
    scene.text((MARGIN, first + 12.0), &policy, look);
    let colour = if is_outage(block.result) { ALARM } else { SOFT };
    let outcome = outcome_words(block.result.summary.outcome);
    scene.text((MARGIN, first + 28.0), outcome, plain(TICK_SIZE, colour, Anchor::Start));
    for (signal, place) in block.signals.iter().zip(placed) {
        let Some((lane, labelled)) = place else { continue };
        let x = plot.x(signal.since_s);
        let y = top + lane as f64 * LANE;
        frame::triangle(scene, (x, y + 13.0), INK, signal.body());
        let at = if labelled.is_left { (x - 8.0, Anchor::End) } else { (x + 8.0, Anchor::Start) };
        write(scene, (at.0, y + 11.5), &labelled.text, plain(TICK_SIZE, INK, at.1));
    }
    let mut y = first;
    for (kind, at_s) in block.reached() {
        let Kind { word, filling, .. } = &KINDS[kind];
        let look = plain(TICK_SIZE, INK, Anchor::End);
        scene.text((plot.left - 8.0, y + 12.0), word, look);
        let x = plot.x(at_s);
        if x - plot.left >= 1.0 {
            filling.edged(scene, (plot.left, y + 2.0), (x, y + PITCH - 3.0));
        } else {
            scene.stroke(vec![(x, y + 2.0), (x, y + PITCH - 3.0)], INK, 2.0, &[]);
        }
        let time = match at_s < 0.0 {
            true => format!("{} before", duration(-at_s)),
            false => duration(at_s),
        };
        write(scene, (x + 7.0, y + 12.0), &time, plain(TICK_SIZE, INK, Anchor::Start));
        y += PITCH;
    }
    let missing = block.missing(capacity_counts);
    let room = WIDTH - MARGIN - plot.left - 6.0;
    let missing = font::shorten(&missing, TICK_SIZE, Weight::Regular, room);
    if !missing.is_empty() {
        write(scene, (plot.left + 6.0, y + 12.0), &missing, plain(TICK_SIZE, SOFT, Anchor::Start));
    }
}

/// Writes a text that no grid line runs through.
fn write(scene: &mut Scene, (x, y): Point, text: &str, look: TextLook) {
    let width = font::width(text, look.size, look.weight);
    let left = if look.anchor == Anchor::End { x - width } else { x };
    scene.rectangle((left - 2.0, y - 10.0), (left + width + 2.0, y + 3.0), PAPER, 1.0);
    scene.text((x, y), text, look);
}

/// An outcome as people say it.
pub const fn outcome_words(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::FullOutage => "full outage",
        Outcome::PartialOutage => "partial outage",
        Outcome::Degraded => "degraded",
        Outcome::Stable => "stable",
    }
}

fn note(all: usize, blocks: &[Block<'_>], plot: &Plot, capacity_counts: bool) -> String {
    let mut sentences = vec![left_out(all, blocks.len())];
    let any = |kind: usize| blocks.iter().any(|block| block.at_s[kind].is_some());
    if any(TIPPED) {
        sentences.push("Tipped: the first pool lost that no event hit.".to_owned());
    }
    if capacity_counts {
        let sentence = "Capacity ready: the first instance that was launched, added or started \
                        again is in rotation.";
        sentences.push(sentence.to_owned());
    }
    let signals = || blocks.iter().flat_map(|block| &block.signals);
    if signals().any(|signal| signal.body() == Body::Solid) {
        sentences.push("Triangles: alerts.".to_owned());
    }
    if signals().any(|signal| signal.body() == Body::Hollow) {
        sentences.push("Hollow triangles: the cascade circuit breaker.".to_owned());
    }
    let unnamed = blocks.iter().map(|block| signals::unnamed(&block.signals, plot)).sum::<usize>();
    if unnamed > 0 {
        sentences.push(format!("{unnamed} more that follow closely are not named."));
    }
    sentences.retain(|sentence| !sentence.is_empty());
    sentences.join(" ")
}

/// Which policy tips first, and how many never do.
fn finding(scenario: &Scenario, results: &[RunResult]) -> String {
    let Some(first) = results.iter().find(|result| result.trigger_s.is_some()) else {
        return "Nothing happened".to_owned();
    };
    let after = after_trigger(scenario, first);
    if let [only] = results {
        return run_finding(scenario, only, &after);
    }
    let tipped = |result: &RunResult| at_s(scenario, result)[TIPPED];
    let all = || results.iter().filter_map(|result| Some((result, tipped(result)?)));
    // The first of equals, in the order of the file.
    let earliest = all().reduce(|first, next| if next.1 < first.1 { next } else { first });
    let latest = all().reduce(|last, next| if next.1 > last.1 { next } else { last });
    let (Some((earliest, first_s)), Some((latest, last_s))) = (earliest, latest) else {
        return format!("No further pool is lost{after} under any policy");
    };
    let when = match first_s < 0.0 {
        true => format!("even before {}", trigger_words(scenario)),
        false => format!("{}{after}", duration(first_s)),
    };
    let mut text = format!("Under {}, a further pool is lost {when}", name(earliest));
    if last_s > first_s.max(0.0) {
        text += &format!("; under {}, after {}", name(latest), duration(last_s));
    }
    match results.len() - all().count() {
        0 => {}
        never => text += &format!("; under {never} of {} policies, never", results.len()),
    }
    heading(&text)
}

fn run_finding(scenario: &Scenario, result: &RunResult, after: &str) -> String {
    let at_s = at_s(scenario, result);
    let mut words = Vec::new();
    for kind in [0, TIPPED, RECOVERED] {
        match at_s[kind] {
            Some(at_s) if at_s < 0.0 => words.push(format!("{} before that", KINDS[kind].word)),
            Some(at_s) if words.is_empty() => {
                words.push(format!("{} {}{after}", KINDS[kind].word, duration(at_s)));
            }
            Some(at_s) => words.push(format!("{} after {}", KINDS[kind].word, duration(at_s))),
            None if kind == RECOVERED
                && (is_stable(result) || result.summary.recovered.is_none()) => {}
            None => words.push(KINDS[kind].missing.to_owned()),
        }
    }
    format!("{}: {}", result.policy, words.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::chart::fixture::{cascade, result, scenario};

    fn entry(time_s: f64, what: Happening) -> LogEntry {
        LogEntry { time_s, what }
    }

    #[test]
    fn moments_are_the_first_of_their_kind() {
        let scenario = scenario(&["a", "b", "c"], 1);
        let mut one = result(&scenario, &cascade(), 100, 0.5);
        one.summary.time_to_first_propagation_s = Some(160.0);
        let (pool, instance) = (PoolId(2), 5);
        let (healthy, started) = (
            Happening::InstanceHealthy { pool, instance },
            Happening::InstanceStarted { pool, instance },
        );
        one.log.push(entry(300.0, healthy));
        one.log.push(entry(310.0, started));
        one.log.push(entry(311.0, Happening::InstanceHealthy { pool, instance: 6 }));
        one.log.push(entry(330.0, healthy));
        let found = at_s(&scenario, &one);
        // The fixture loses planner-a at 52 + 0.4 × 49 s.
        assert!((found[0].unwrap() - 71.6).abs() < 1e-9, "{found:?}");
        assert_eq!(found[1..], [Some(76.0), Some(160.0), Some(270.0), None]);
        one.log.retain(|entry| !matches!(entry.what, Happening::PoolUnhealthy { .. }));
        assert_eq!(at_s(&scenario, &one)[0], Some(52.0));
        let title =
            |one: &RunResult| finding(&scenario, std::slice::from_ref(one)).replace('\u{a0}', " ");
        let expected = "unconditional: detected 52 s after zone a failed, tipped after 2 min 40 s";
        assert_eq!(title(&one), expected);
        // Where the trigger ends, that it never recovers is news.
        one.summary.recovered = Some(false);
        assert_eq!(title(&one), format!("{expected}, never recovered"));
    }
}
