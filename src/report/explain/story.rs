//! The story: sections of sentences. Names from the file stand in backticks.

use super::figures::{Figure, Figures};
use super::{alerts, fared, happened, levers, return_point, spread};
use crate::experiment::explain::Explanation;
use crate::model::Scenario;
use crate::report::{Run, verdict_line, words};

/// A paragraph, or an entry of a list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Item {
    /// A paragraph.
    Text(String),
    /// An entry of a list.
    Entry(String),
    /// Something to type, below an entry.
    Command(String),
}

/// Sentences under a heading.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Section {
    /// The heading.
    pub title: &'static str,
    /// What it says; never empty.
    pub items: Vec<Item>,
}

/// A whole story.
#[derive(Debug, Clone, PartialEq)]
pub struct Story {
    /// Its heading.
    pub title: String,
    /// How numbers are to be read.
    pub preface: String,
    /// What there is to tell, in order.
    pub sections: Vec<Section>,
    /// The last line.
    pub verdict: String,
    /// Every number in it.
    pub figures: Vec<Figure>,
}

/// What every part of a story is told from.
pub(super) struct Teller<'a> {
    /// The world.
    pub scenario: &'a Scenario,
    /// What is known.
    pub explanation: &'a Explanation,
    /// Numbers so far.
    pub figures: Figures,
}

/// Puts an explanation of a scenario's run into words.
#[must_use]
pub fn story(scenario: &Scenario, explanation: &Explanation) -> Story {
    let mut teller = Teller { scenario, explanation, figures: Figures::default() };
    let preface = preface(&mut teller);
    let told = [
        ("What happened", happened::items(&mut teller)),
        ("What ran out", spread::shortages(&mut teller)),
        ("How it spread", spread::losses(&mut teller)),
        ("What the fleet did", spread::response(&mut teller)),
        ("How requests fared", fared::items(&mut teller)),
        ("The point of no return", return_point::items(&mut teller)),
        ("What would have changed it", levers::items(&mut teller)),
        ("Which alert would have told", alerts::items(&mut teller)),
    ];
    let sections = told.into_iter().filter(|(_, items)| !items.is_empty());
    let sections = sections.map(|(title, items)| Section { title, items }).collect();
    let verdict = verdict(&mut teller);
    Story {
        title: format!(
            "Why {} ends as it does under {}",
            name(&scenario.name),
            name(&explanation.result.policy)
        ),
        preface,
        sections,
        verdict,
        figures: teller.figures.noted,
    }
}

/// A name of the file.
pub(super) fn name(name: &str) -> String {
    format!("`{name}`")
}

/// Names of the file, the first few.
pub(super) fn names(all: &[String], figures: &mut Figures, of: &str) -> String {
    const MOST: usize = 5;
    let mut quoted: Vec<String> = all.iter().take(MOST).map(|one| name(one)).collect();
    if all.len() > MOST {
        let more = figures.count(&format!("{of}.more"), (all.len() - MOST) as f64);
        quoted.push(format!("{more} more"));
    }
    let quoted: Vec<&str> = quoted.iter().map(String::as_str).collect();
    words::listed(&quoted)
}

/// `is` or `are`.
pub(super) const fn is_or_are(count: usize) -> &'static str {
    if count == 1 { "is" } else { "are" }
}

fn preface(teller: &mut Teller<'_>) -> String {
    let (scenario, facts) = (teller.scenario, &teller.explanation.facts);
    let figures = &mut teller.figures;
    let zero = match facts.trigger_s {
        Some(trigger_s) => {
            let at = figures.seconds("facts.trigger_s", trigger_s);
            format!("Times count from the trigger, at {at} of simulated time")
        }
        None => "Times count from the start".to_owned(),
    };
    let window = figures.seconds("facts.window_s", facts.window_s);
    let seed = figures.number("seed", scenario.simulation.seed);
    let plane = teller.explanation.result.plane.word();
    format!(
        "{zero}; levels are means over {window}. Everything here, searches included, is computed \
         in the {plane} plane, the run with seed {seed}."
    )
}

fn verdict(teller: &mut Teller<'_>) -> String {
    let run = Run { scenario: teller.scenario, result: &teller.explanation.result };
    let ending = &teller.explanation.facts.ending;
    let figures = &mut teller.figures;
    let kept = words::percent(ending.goodput_ratio);
    figures.said("facts.ending.goodput_ratio", ending.goodput_ratio, "ratio", &kept);
    if let Some(time_s) = ending.time_to_full_outage_s {
        let text = words::duration(time_s);
        figures.said("facts.ending.time_to_full_outage_s", time_s, "s", &text);
    }
    if let Some(factor) = ending.peak_amplification {
        let text = words::times(factor);
        figures.said("facts.ending.peak_amplification", factor, "ratio", &text);
    }
    let further = ending.cascade_propagation_count;
    if further > 0 {
        figures.counted("facts.ending.cascade_propagation_count", further, "further pool");
    }
    // How many events the sentence may leave out, or settings change.
    let events = teller.scenario.events.len();
    figures.counted("facts.events", events as u32, "event");
    if events > 2 {
        figures.counted("facts.events.more", events as u32 - 2, "more event");
    }
    verdict_line(&[run])
}
