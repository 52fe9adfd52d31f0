//! Where the requests went: a bar a policy, cut into the ways in which they ended.

use super::context::ChartContext;
use super::finding::{heading, name};
use super::font;
use super::frame::{self, Swatch, plain};
use super::merit::{best_and_worst, left_out};
use super::pattern::{Filling, Pattern};
use super::scene::{Anchor, Scene, TextLook, Weight};
use super::theme::{
    ALARM, BLUE, GRID, INK, LABEL_SIZE, MARGIN, MARK, PAPER, PURPLE, SKY, SOFT, TICK_SIZE, WIDTH,
    YELLOW,
};
use super::words::percent;
use crate::metric::{RunResult, Summary};

/// More bars than these are too many to read.
const MOST_BARS: usize = 40;
/// Room for policies' names at most.
const MOST_NAME: f64 = 210.0;
/// Room for what is said at the end of a bar.
const SAID: f64 = 172.0;
/// A part smaller than this is not in the legend.
const LEAST: f64 = 0.0005;

/// A way in which a request ends.
struct Part {
    word: &'static str,
    /// What becomes of them, in a sentence.
    verb: &'static str,
    of: fn(&Summary) -> f64,
    filling: Filling,
}

const PARTS: [Part; 7] = [
    Part {
        word: "goodput",
        verb: "completed in time",
        of: |summary| summary.goodput_ratio,
        filling: Filling::new(BLUE, Pattern::Plain, PAPER),
    },
    Part {
        word: "degraded",
        verb: "answered by a fallback",
        of: |summary| summary.degraded_ratio,
        filling: Filling::new(SKY, Pattern::Level, PAPER),
    },
    Part {
        word: "late",
        verb: "late",
        of: |summary| summary.late_ratio,
        filling: Filling::new(YELLOW, Pattern::Dotted, INK),
    },
    Part {
        word: "shed",
        verb: "shed",
        of: |summary| summary.shed_ratio,
        filling: Filling::new(GRID, Pattern::Rising, MARK),
    },
    Part {
        word: "rejected",
        verb: "rejected",
        of: |summary| summary.rejected_ratio,
        filling: Filling::new(PURPLE, Pattern::Falling, PAPER),
    },
    Part {
        word: "lost",
        verb: "lost",
        of: |summary| summary.lost_ratio,
        filling: Filling::new(ALARM, Pattern::Crossed, PAPER),
    },
    Part {
        word: "unfinished",
        verb: "unfinished",
        of: |summary| summary.unfinished_ratio,
        filling: Filling::new(PAPER, Pattern::Plain, INK),
    },
];

/// Where the bars are.
struct Bars {
    left: f64,
    right: f64,
    top: f64,
    pitch: f64,
}

impl Bars {
    fn x(&self, share: f64) -> f64 {
        self.left + share.clamp(0.0, 1.0) * (self.right - self.left)
    }
}

/// A bar a policy.
pub fn chart(context: &ChartContext<'_>, results: &[RunResult]) -> Scene {
    let shown = best_and_worst(results, MOST_BARS);
    let title = finding(results);
    let since = if results.iter().any(|result| result.trigger_s.is_some()) {
        format!(" since {}", super::finding::trigger_words(context.scenario))
    } else {
        String::new()
    };
    let subtitle = format!("How users' requests ended, of those that arrived{since}");
    let mut scene = Scene::new(WIDTH, &title, &subtitle);
    let y = frame::heading(&mut scene, &title, &subtitle);
    let y = frame::legend(&mut scene, y + 2.0, &legend(&shown));
    let names =
        shown.iter().map(|result| font::width(&result.policy, LABEL_SIZE, Weight::SemiBold));
    let bars = Bars {
        left: MARGIN + names.fold(40.0, f64::max).min(MOST_NAME) + 12.0,
        right: WIDTH - MARGIN - SAID,
        top: y + 14.0,
        pitch: pitch(shown.len()),
    };
    let bottom = bars.top + bars.pitch * shown.len().max(1) as f64 + 4.0;
    axis(&mut scene, &bars, bottom);
    for (index, result) in shown.iter().enumerate() {
        draw_bar(&mut scene, &bars, index, result);
    }
    if shown.is_empty() {
        let at = ((bars.left + bars.right) / 2.0, bottom - 6.0);
        scene.text(at, "no policies", plain(LABEL_SIZE, SOFT, Anchor::Middle));
    }
    let note = note(results.len(), &shown);
    frame::caption(&mut scene, bottom + 28.0, context, results, &note);
    scene
}

/// The share of requests that full knowledge could have completed. Due retries count in the bound,
/// too, so that it may be over all requests: then all of them were possible.
fn possible(summary: &Summary) -> Option<f64> {
    let of_bound = summary.goodput_of_bound.filter(|ratio| *ratio > 0.0)?;
    let share = summary.goodput_ratio / of_bound;
    share.is_finite().then(|| share.min(1.0))
}

fn note(all: usize, shown: &[&RunResult]) -> String {
    let mut sentences = vec![left_out(all, shown.len())];
    let summaries = || shown.iter().map(|result| &result.summary);
    if summaries().any(|summary| possible(summary).is_some()) {
        let sentence = "Tick: the most that could have been completed with full knowledge.";
        sentences.push(sentence.to_owned());
    }
    let counts_retries = |summary: &Summary| {
        summary.goodput_of_bound.is_some_and(|ratio| ratio < summary.goodput_ratio - 0.005)
    };
    if summaries().any(counts_retries) {
        sentences.push("What was possible includes what is tried again.".to_owned());
    }
    sentences.retain(|sentence| !sentence.is_empty());
    sentences.join(" ")
}

fn legend(shown: &[&RunResult]) -> Vec<(Swatch, String)> {
    let occurs = |part: &&Part| shown.iter().any(|result| (part.of)(&result.summary) >= LEAST);
    let entry = |part: &Part| (Swatch::Filled(part.filling, ""), part.word.to_owned());
    PARTS.iter().filter(occurs).map(entry).collect()
}

fn pitch(bars: usize) -> f64 {
    match bars {
        0..=8 => 38.0,
        9..=16 => 30.0,
        _ => 23.0,
    }
}

fn axis(scene: &mut Scene, bars: &Bars, bottom: f64) {
    for share in [0.0, 0.25, 0.5, 0.75, 1.0] {
        let x = bars.x(share);
        scene.stroke(vec![(x, bars.top - 4.0), (x, bottom)], GRID, 1.0, &[]);
        scene.stroke(vec![(x, bottom), (x, bottom + 5.0)], INK, 1.0, &[]);
        let look = plain(TICK_SIZE, SOFT, Anchor::Middle);
        scene.text((x, bottom + 18.0), &percent(share), look);
    }
    scene.stroke(vec![(bars.left, bottom), (bars.right, bottom)], INK, 1.0, &[]);
}

fn draw_bar(scene: &mut Scene, bars: &Bars, index: usize, result: &RunResult) {
    let summary = &result.summary;
    let top = bars.top + index as f64 * bars.pitch;
    let bottom = top + bars.pitch - 9.0;
    let middle = (top + bottom) / 2.0;
    let look = TextLook { weight: Weight::SemiBold, ..plain(LABEL_SIZE, INK, Anchor::Start) };
    let room = bars.left - 12.0 - MARGIN;
    let policy = font::shorten(&result.policy, LABEL_SIZE, Weight::SemiBold, room);
    scene.text((MARGIN, middle + 4.5), &policy, look);
    let tick = possible(summary).map(|share| bars.x(share));
    // Neither a rounding nor a run without requests may make the bar longer than all.
    let mut before = 0.0;
    let mut texts = Vec::new();
    for part in &PARTS {
        let share = (part.of)(summary);
        let share = if share.is_finite() { share.max(0.0) } else { 0.0 };
        let (from, to) = (bars.x(before), bars.x(before + share));
        before += share;
        if to - from < 0.25 {
            continue;
        }
        part.filling.edged(scene, (from, top), (to, bottom));
        let (from, to) = beside(tick, (from, to));
        let words = [format!("{} {}", part.word, percent(share)), percent(share)];
        let fits =
            |text: &&String| font::width(text, TICK_SIZE, Weight::SemiBold) + 12.0 <= to - from;
        if let Some(text) = words.iter().find(fits) {
            texts.push((part.filling, (from + to) / 2.0, text.clone()));
        }
    }
    for (filling, x, text) in texts {
        filling.write(scene, (x, middle), &text, TICK_SIZE);
    }
    if let Some(x) = tick {
        let (from, to) = ((x, top - 4.0), (x, bottom + 4.0));
        scene.stroke(vec![from, to], PAPER, 5.0, &[]);
        scene.stroke(vec![from, to], INK, 2.0, &[]);
    }
    if let Some(of_bound) = summary.goodput_of_bound {
        let said = format!("{} of what was possible", percent(of_bound));
        let at = (bars.right + 12.0, middle + 4.5);
        scene.text(at, &said, plain(TICK_SIZE, SOFT, Anchor::Start));
    }
}

/// The wider piece of a part that a tick cuts.
fn beside(tick: Option<f64>, (from, to): (f64, f64)) -> (f64, f64) {
    match tick {
        Some(x) if x <= from - 3.0 || x >= to + 3.0 => (from, to),
        Some(x) if x - from > to - x => (from, x - 3.0),
        Some(x) => (x + 3.0, to),
        None => (from, to),
    }
}

/// What the best policy completes, and what becomes of the requests under the worst.
fn finding(results: &[RunResult]) -> String {
    let goodput = |result: &RunResult| result.summary.goodput_ratio;
    let by_goodput = |a: &&RunResult, b: &&RunResult| goodput(a).total_cmp(&goodput(b));
    // The first of equals, in the order of the file.
    let best = results.iter().rev().max_by(by_goodput);
    let worst = results.iter().min_by(by_goodput);
    let (Some(best), Some(worst)) = (best, worst) else {
        return "No policy was run".to_owned();
    };
    let of_possible = match best.summary.goodput_of_bound {
        Some(ratio) => format!(", {} of what was possible", percent(ratio)),
        None => String::new(),
    };
    let kept = format!("{} completes {} of requests", name(best), percent(goodput(best)));
    let lost = most_of_the_rest(&worst.summary).map_or(String::new(), |(share, verb)| {
        let whose = match results.len() {
            1 => String::new(),
            _ => format!("under {}, ", name(worst)),
        };
        format!("; {whose}{} are {verb}", percent(share))
    });
    heading(&format!("{kept}{of_possible}{lost}"))
}

/// The largest part that was not completed in time.
fn most_of_the_rest(summary: &Summary) -> Option<(f64, &'static str)> {
    let rest = PARTS.iter().skip(1).map(|part| ((part.of)(summary), part.verb));
    let most = rest.reduce(|most, next| if next.0 > most.0 { next } else { most });
    most.filter(|(share, _)| *share >= LEAST)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::fixture::{result, results};

    #[test]
    fn best_and_worst_are_told() {
        let said = |results: &[RunResult]| finding(results).replace('\u{a0}', " ");
        let best = "capacity-aware completes 70 % of requests, 70 % of what was possible";
        assert_eq!(said(&results()), format!("{best}; under unconditional, 76 % are lost"));
        assert_eq!(said(&results()[3..]), format!("{best}; 30 % are lost"));
        let all = result("none", "none", crate::metric::Outcome::Stable, 1.0);
        let expected = "No failover completes 100 % of requests, 100 % of what was possible";
        assert_eq!(said(&[all]), expected);
    }

    #[test]
    fn the_bound_is_no_more_than_all_requests() {
        let mut summary = results()[0].summary;
        summary.goodput_of_bound = Some(0.85);
        assert!((possible(&summary).unwrap() - 0.8).abs() < 1e-9);
        summary.goodput_of_bound = Some(0.3);
        assert_eq!(possible(&summary), Some(1.0));
        summary.goodput_of_bound = Some(0.0);
        assert_eq!(possible(&summary), None);
    }
}
