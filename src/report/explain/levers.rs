//! What would have changed the verdict, in words.

use super::figures::Figures;
use super::story::{Item, Teller};
use crate::experiment::explain::{Found, Goal, Lever, LeverKind, Levers, Side, Tally};

/// More `--set` arguments than this are left to `explain.json`.
const MOST_SETS: usize = 6;

/// Each lever and the value at which it flips the verdict.
pub(super) fn items(teller: &mut Teller<'_>) -> Vec<Item> {
    let Some(levers) = &teller.explanation.levers else {
        return vec![Item::Text(
            "There is no verdict to change: the run ends before the fault is detected.".to_owned(),
        )];
    };
    let figures = &mut teller.figures;
    let goal = match levers.goal {
        Goal::NoneLost | Goal::NoneSpread => "no further pool is lost",
        Goal::Recovers => "the fleet recovers once the trigger has ended",
        Goal::Stable => "the outcome is stable",
    };
    let as_it_is = tally(&levers.as_it_is, "levers.as_it_is", figures);
    let is_chance = match levers.is_missed {
        true => levers.as_it_is.is_most(),
        false => levers.as_it_is.is_few(),
    };
    let mut items = vec![Item::Text(match is_chance {
        true => format!(
            "Chance would: with the seeds from this run's on, the file as it is has it that {goal} \
             in {as_it_is}. So no lever was searched."
        ),
        false => format!(
            "Asked of each run is that {goal}. As the file is, that holds in {as_it_is}. Each \
             value below ran with the same seeds, this run's and those after it; in brackets is \
             Wilson's 95 % interval of the share."
        ),
    })];
    if !is_chance {
        figures.said("levers.confidence", 0.95, "ratio", "95 %");
    }
    if levers.levers.is_empty() && !is_chance {
        items.push(Item::Text(
            "None of the levers applies to this file: headroom, ramp, shedding, time-out of deep \
             probes, tries of a request."
                .to_owned(),
        ));
    }
    for lever in &levers.levers {
        told(lever, levers, figures, &mut items);
    }
    items
}

/// `9 of 10 runs [59.6 %, 98.2 %]`.
fn tally(tally: &Tally, path: &str, figures: &mut Figures) -> String {
    let holds = figures.count(&format!("{path}.holds"), f64::from(tally.holds));
    let runs = figures.counted(&format!("{path}.runs"), tally.runs, "run");
    let least = figures.percent(&format!("{path}.least_share"), tally.least_share);
    let most = figures.percent(&format!("{path}.most_share"), tally.most_share);
    format!("{holds} of {runs} [{least}, {most}]")
}

fn told(lever: &Lever, levers: &Levers, figures: &mut Figures, items: &mut Vec<Item>) {
    let word = word(lever.kind);
    let path = format!("levers.{word}");
    let resolution = value(lever.kind, lever.resolution, &format!("{path}.resolution"), figures);
    let title = title(lever.kind);
    let (holds_at, fails_at) = match &lever.found {
        Found::Never { at } => {
            let until = phrase(lever, at, levers, &format!("{path}.never.at"), figures);
            let holds = tally(&at.holds, &format!("{path}.never.at.holds"), figures);
            let verb = if levers.is_missed { "helps" } else { "breaks it" };
            let way = match lever.value.is_some_and(|value| lever.until < value)
                || lever.kind == LeverKind::Shed && levers.is_missed
            {
                true => "down to",
                false => "up to",
            };
            items.push(Item::Entry(format!(
                "{title}: nothing {way} {until} {verb}; there it holds in {holds}."
            )));
            return;
        }
        Found::Flips { holds_at, fails_at } => (holds_at, fails_at),
    };
    let mut text = format!("{title}: ");
    let sides = [(holds_at, "holds_at"), (fails_at, "fails_at")];
    let clauses = sides.map(|(side, name)| {
        let path = format!("{path}.flips.{name}");
        let at = phrase(lever, side, levers, &path, figures);
        let holds = tally(&side.holds, &format!("{path}.holds"), figures);
        let is_told = lever.kind == LeverKind::Shed && name == "holds_at";
        let shed = match is_told && side.shed_ratio > 0.0 {
            true => {
                let shed = figures.percent(&format!("{path}.shed_ratio"), side.shed_ratio);
                format!(", with {shed} of requests shed")
            }
            false => String::new(),
        };
        format!("{at} it holds in {holds}{shed}")
    });
    text += &format!("{}; {}. Searched to {resolution}.", clauses[0], clauses[1]);
    if let Some(longer) = &lever.holds_twice_as_long {
        let holds = tally(longer, &format!("{path}.holds_twice_as_long"), figures);
        text += &match longer.is_most() {
            true => format!(" It still does in a run twice as long, in {holds}."),
            false => format!(
                " In a run twice as long it holds in {holds} only: the ramp puts off what it does \
                 not prevent."
            ),
        };
    }
    let side = if levers.is_missed { holds_at } else { fails_at };
    if side.sets.is_empty() && !side.is_as_it_is {
        text += " No `--set` does just that: what the policy, its mitigations or \
                 `survive_zone_losses` set stands above it.";
    }
    items.push(Item::Entry(text));
    items.extend(command(side));
}

/// The arguments that reproduce a side.
fn command(side: &Side) -> Option<Item> {
    if side.sets.is_empty() {
        return None;
    }
    let sets = side.sets.iter().take(MOST_SETS).map(|set| format!("--set {set}"));
    let rest = if side.sets.len() > MOST_SETS { " …" } else { "" };
    Some(Item::Command(sets.collect::<Vec<_>>().join(" ") + rest))
}

const fn word(kind: LeverKind) -> &'static str {
    match kind {
        LeverKind::Headroom => "headroom",
        LeverKind::Ramp => "ramp",
        LeverKind::Shed => "shed",
        LeverKind::ProbeTimeout => "probe_timeout",
        LeverKind::MaxAttempts => "max_attempts",
    }
}

const fn title(kind: LeverKind) -> &'static str {
    match kind {
        LeverKind::Headroom => "Headroom",
        LeverKind::Ramp => "Ramp",
        LeverKind::Shed => "Shedding",
        LeverKind::ProbeTimeout => "Time-out of probes",
        LeverKind::MaxAttempts => "Tries of a request",
    }
}

/// A value in the lever's unit.
fn value(kind: LeverKind, value: f64, path: &str, figures: &mut Figures) -> String {
    match kind {
        LeverKind::Headroom | LeverKind::Shed => figures.percent(path, value),
        LeverKind::Ramp | LeverKind::ProbeTimeout => figures.seconds(path, value),
        LeverKind::MaxAttempts => figures.count(path, value),
    }
}

/// A value as part of a sentence.
fn phrase(
    lever: &Lever,
    side: &Side,
    levers: &Levers,
    path: &str,
    figures: &mut Figures,
) -> String {
    if side.is_as_it_is {
        return match lever.value {
            Some(own) => {
                let own = value(lever.kind, own, &format!("{path}.value"), figures);
                format!("with the file's own {own}")
            }
            None => "without any".to_owned(),
        };
    }
    let at = value(lever.kind, side.value, &format!("{path}.value"), figures);
    let is_never = matches!(lever.found, Found::Never { .. });
    match lever.kind {
        _ if is_never => at,
        LeverKind::Headroom if levers.is_missed => format!("with at least {at} of load everywhere"),
        LeverKind::Headroom => format!("with at most {at} of load"),
        LeverKind::Ramp => format!("over {at}"),
        LeverKind::Shed => format!("above a utilization of {at} at any pool"),
        LeverKind::ProbeTimeout => format!("with {at}"),
        LeverKind::MaxAttempts => format!("with {at}"),
    }
}
