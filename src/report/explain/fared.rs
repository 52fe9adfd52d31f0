//! How requests fared where nothing was moved: what arrives, what is answered, what retries do.

use super::figures::Figures;
use super::story::{Item, Teller, name};
use crate::experiment::explain::{EventFact, Explanation, PoolTraffic, Traffic};

/// A pool that answers less than this share of its first tries is worth a word.
const SERVED: f64 = 0.99;
/// From here on retries are.
const AMPLIFIED: f64 = 1.05;
/// More pools than these hide the first.
const MOST_POOLS: usize = 8;

/// Pools that did not answer everything, retries, and whether it ended.
pub(super) fn items(teller: &mut Teller<'_>) -> Vec<Item> {
    let facts = &teller.explanation.facts;
    let ending = &facts.ending;
    let figures = &mut teller.figures;
    let mut items = Vec::new();
    if facts.shift.is_none() {
        let short = |traffic: &Option<Traffic>| {
            traffic.and_then(|traffic| traffic.answered_ratio).is_some_and(|ratio| ratio < SERVED)
        };
        let is_told = |pool: &&PoolTraffic| short(&pool.worst) || short(&Some(pool.end));
        let told: Vec<&PoolTraffic> = facts.traffic.iter().filter(is_told).collect();
        let entries = told.iter().take(MOST_POOLS).map(|pool| Item::Entry(fared(pool, figures)));
        items.extend(entries.collect::<Vec<_>>());
        if told.len() > MOST_POOLS {
            let more = (told.len() - MOST_POOLS) as u32;
            let more = figures.counted("facts.traffic.more", more, "more pool");
            items.push(Item::Entry(format!("{more}, which `explain.json` lists.")));
        }
        if told.is_empty() && !facts.traffic.is_empty() {
            let share = figures.percent("report.served", SERVED);
            items.push(Item::Text(format!(
                "Every pool answered at least {share} of its first tries in time, throughout."
            )));
        }
    }
    if let Some(factor) = ending.peak_amplification.filter(|factor| *factor >= AMPLIFIED) {
        let times = figures.times("facts.ending.peak_amplification", factor);
        items.push(Item::Text(format!(
            "At their peak retries made {times} as many tries as there were first tries."
        )));
    }
    if ending.degraded_ratio > 0.0 {
        let share = figures.percent("facts.ending.degraded_ratio", ending.degraded_ratio);
        items.push(Item::Text(format!("The fallback answered {share} of requests.")));
    }
    items.extend(recovery(teller).map(Item::Text));
    items
}

fn fared(pool: &PoolTraffic, figures: &mut Figures) -> String {
    let path = format!("facts.traffic.{}", pool.pool);
    let mut text = name(&pool.pool);
    if let Some(before) = &pool.before {
        let path = format!("{path}.before");
        let rps = figures.rps(&format!("{path}.first_tries_rps"), before.first_tries_rps);
        text += &format!(": {rps} of first tries came before the trigger");
        if let Some(ratio) = before.answered_ratio {
            let share = figures.percent(&format!("{path}.answered_ratio"), ratio.min(1.0));
            text += &format!(", {share} answered in time");
        }
        text += ";";
    } else {
        text += ":";
    }
    if let (Some(worst), Some(time_s)) = (&pool.worst, pool.time_to_worst_s) {
        let time = figures.seconds(&format!("{path}.time_to_worst_s"), time_s);
        let told = answered(worst, &format!("{path}.worst"), figures);
        text += &format!(" at the worst, after {time}, {told};");
    }
    let told = answered(&pool.end, &format!("{path}.end"), figures);
    text + &format!(" at the end {told}.")
}

/// `3 % of 1,550 rps, at 5 tries each`.
fn answered(traffic: &Traffic, path: &str, figures: &mut Figures) -> String {
    let rps = figures.rps(&format!("{path}.first_tries_rps"), traffic.first_tries_rps);
    let mut text = match traffic.answered_ratio {
        Some(ratio) => {
            // A queue that drains answers more than comes.
            let share = figures.percent(&format!("{path}.answered_ratio"), ratio.min(1.0));
            format!("{share} of {rps}")
        }
        None => return "nothing comes".to_owned(),
    };
    let tries = 1.0 + traffic.retry_rps / traffic.first_tries_rps;
    if tries >= AMPLIFIED {
        let tries = figures.count(&format!("{path}.tries_each"), tries);
        text += &format!(", at {tries} tries each");
    }
    text
}

/// Is every event undone, and all capacity there?
fn is_whole_again(explanation: &Explanation) -> bool {
    let facts = &explanation.facts;
    // Help that stays is no fault.
    let is_over = |event: &EventFact| event.until_s.is_some() || event.kind == "add-instances";
    facts.ending.final_healthy_capacity_ratio >= SERVED && facts.events.iter().all(is_over)
}

/// Whether the fleet came back once the trigger was over.
fn recovery(teller: &mut Teller<'_>) -> Option<String> {
    let ending = &teller.explanation.facts.ending;
    let figures = &mut teller.figures;
    match (ending.recovered?, ending.time_to_recover_s) {
        (true, Some(time_s)) if time_s > 0.0 => {
            let time = figures.seconds("facts.ending.time_to_recover_s", time_s);
            Some(format!("The fleet recovers: from {time} on it answers as much as before."))
        }
        (true, _) => Some("The fleet answers as much as before all along.".to_owned()),
        (false, _) if is_whole_again(teller.explanation) => Some(
            "Everything that happened is over and the fleet's capacity is back, and yet it does \
             not recover: what keeps it down now is its own load."
                .to_owned(),
        ),
        (false, _) => {
            let ratio = ending.final_healthy_capacity_ratio;
            let left = figures.percent("facts.ending.final_healthy_capacity_ratio", ratio);
            Some(format!(
                "The trigger ends, and the fleet does not recover: at the end it has {left} of \
                 the healthy capacity that it began with."
            ))
        }
    }
}
