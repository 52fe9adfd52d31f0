//! The trigger, how it was found out, and what was moved.

use super::figures::Figures;
use super::story::{Item, Teller, is_or_are, name, names};
use crate::experiment::explain::{Detection, EventFact, Receiver, Shift};

/// More events than this hide the first.
const MOST_EVENTS: usize = 5;
/// More receivers than this are told by their number.
const MOST_RECEIVERS: usize = 8;

/// What happened, up to the shift.
pub(super) fn items(teller: &mut Teller<'_>) -> Vec<Item> {
    let facts = &teller.explanation.facts;
    let figures = &mut teller.figures;
    let rps = figures.rps("facts.first_tries_rps", facts.first_tries_rps);
    let mut items = vec![Item::Text(format!("To begin with, {rps} of first tries arrive."))];
    if facts.events.is_empty() {
        items.push(Item::Text("Nothing happens to the fleet: the file has no event.".to_owned()));
    }
    let trigger_s = facts.trigger_s.unwrap_or(0.0);
    for (index, event) in facts.events.iter().take(MOST_EVENTS).enumerate() {
        items.push(Item::Entry(happens(event, index, trigger_s, figures)));
    }
    if facts.events.len() > MOST_EVENTS {
        let more = facts.events.len() - MOST_EVENTS;
        let more = figures.counted("facts.events.untold", more as u32, "more event");
        items.push(Item::Entry(format!("{more}, which `events.csv` lists.")));
    }
    if let Some(detection) = &facts.detection {
        items.push(Item::Text(found_out(detection, figures)));
    }
    match &facts.shift {
        Some(shift) => moved(shift, teller, &mut items),
        None => items.push(Item::Text(unmoved(teller))),
    }
    items
}

fn happens(event: &EventFact, index: usize, trigger_s: f64, figures: &mut Figures) -> String {
    let path = format!("facts.events.{index}");
    let when = match event.at_s - trigger_s {
        0.0 => "At the trigger".to_owned(),
        time_to_s => {
            format!("After {}", figures.seconds(&format!("{path}.time_to_s"), time_to_s))
        }
    };
    let what = deed(event, &format!("{path}.amount"), figures);
    let mut text = format!("{when} {}: {what}", name(&event.name));
    if event.over_s > 0.0 {
        let over = figures.seconds(&format!("{path}.over_s"), event.over_s);
        text += &format!(", spread over {over}");
    }
    if let Some(until_s) = event.until_s {
        let until = figures.seconds(&format!("{path}.time_to_end_s"), until_s - trigger_s);
        text += &format!(", until {until}");
    }
    if let Some(cause) = &event.cause {
        text += &format!(" (“{cause}”)");
    }
    if !event.pools.is_empty() {
        let pools = names(&event.pools, figures, &format!("{path}.pools"));
        text += &format!(". It hits {pools}");
    }
    text + "."
}

/// What an event does.
fn deed(event: &EventFact, path: &str, figures: &mut Figures) -> String {
    let amount = event.amount.unwrap_or_default();
    match event.kind {
        "zone-outage" => match &event.zone {
            Some(zone) => format!("the instances of zone {} die", name(zone)),
            None => "a zone's instances die".to_owned(),
        },
        "instance-loss" if event.is_share => {
            format!("{} of the instances die", figures.percent(path, amount))
        }
        "instance-loss" => format!("{} die", figures.counted(path, amount as u32, "instance")),
        "drain" => format!("{} of the demand is to be moved away", figures.percent(path, amount)),
        "slow" if amount == 0.0 => "instances stall".to_owned(),
        "slow" => format!("instances run at {} of their speed", figures.percent(path, amount)),
        "errors" => {
            format!("{} of tries fail at once while probes pass", figures.percent(path, amount))
        }
        "surge" if amount == 0.0 => "first tries pause".to_owned(),
        "surge" => format!("first tries are multiplied, {}", figures.times(path, amount)),
        "add-instances" => {
            format!("a person adds {}", figures.counted(path, amount as u32, "instance"))
        }
        "launches-refused" => "nothing new can start".to_owned(),
        _ => {
            let verb = if amount == 1.0 { "changes" } else { "change" };
            format!("{} {verb}", figures.counted(path, amount as u32, "setting"))
        }
    }
}

fn found_out(detection: &Detection, figures: &mut Figures) -> String {
    let path = "facts.detection";
    let interval = figures.seconds(&format!("{path}.interval_s"), detection.interval_s);
    let timeout = figures.seconds(&format!("{path}.timeout_s"), detection.timeout_s);
    let failures = figures.counted(&format!("{path}.failures"), detection.failures, "failed probe");
    let first_s = detection.first_out.time_to_s;
    let first = figures.seconds(&format!("{path}.first_out.time_to_s"), first_s);
    let mut text = format!(
        "Health checks find out: a {} probe every {interval}, given {timeout}; {failures} in a \
         row take an instance out of rotation. The first of {} leaves it after {first}",
        detection.probe,
        name(&detection.first_out.pool),
    );
    if let Some(out) = &detection.pool_out {
        let path = format!("{path}.pool_out");
        let time = figures.seconds(&format!("{path}.time_to_s"), out.time_to_s);
        let left = figures.count(&format!("{path}.in_rotation"), f64::from(out.in_rotation));
        let all = figures.count(&format!("{path}.expected"), f64::from(out.expected));
        let share = figures.percent(&format!("{path}.failover_threshold"), out.failover_threshold);
        text += &format!(
            "; after {time} {left} of {all} instances of {} are left, under its threshold of \
             {share}: the pool is lost",
            name(&out.pool)
        );
    }
    text + "."
}

fn unmoved(teller: &Teller<'_>) -> String {
    let result = &teller.explanation.result;
    let is_lost = teller.explanation.facts.detection.as_ref().is_some_and(|d| d.pool_out.is_some());
    match (result.policy_kind, is_lost) {
        ("none", true) => format!(
            "Policy {} moves nothing: the traffic of a lost pool stays with it.",
            name(&result.policy)
        ),
        _ => "Nothing is redirected.".to_owned(),
    }
}

fn moved(shift: &Shift, teller: &mut Teller<'_>, items: &mut Vec<Item>) {
    let figures = &mut teller.figures;
    let time = figures.seconds("facts.shift.time_to_s", shift.time_to_s);
    let homes: Vec<String> = shift.homes.iter().map(|home| home.pool.clone()).collect();
    let homes = names(&homes, figures, "facts.shift.homes");
    let sum_rps = shift.homes.iter().map(|home| home.redirected_rps).sum();
    let rps = figures.rps("facts.shift.homes.redirected_rps", sum_rps);
    let takers = if shift.receivers.is_empty() { "." } else { ":" };
    items.push(Item::Text(format!(
        "After {time} traffic of {homes} goes elsewhere, up to {rps} of it{takers}"
    )));
    for receiver in shift.receivers.iter().take(MOST_RECEIVERS) {
        items.push(Item::Entry(takes(receiver, figures)));
    }
    if shift.receivers.len() > MOST_RECEIVERS {
        let more = shift.receivers.len() - MOST_RECEIVERS;
        let more = figures.counted("facts.shift.receivers.more", more as u32, "more receiver");
        items.push(Item::Entry(format!("{more}, which `explain.json` lists.")));
    }
    let point = teller.explanation.return_point.as_ref();
    if let Some(after_s) = point.and_then(|point| point.after_redirect_s) {
        let after = teller.figures.seconds("return_point.after_redirect_s", after_s);
        let count = shift.receivers.len();
        let subject = if count == 1 { "The receiver" } else { "The receivers" };
        items
            .push(Item::Text(format!("{subject} {} past saving {after} later.", is_or_are(count))));
    }
}

fn takes(receiver: &Receiver, figures: &mut Figures) -> String {
    let path = format!("facts.shift.receivers.{}", receiver.pool);
    let rps = figures.rps(&format!("{path}.redirected_rps"), receiver.redirected_rps);
    let load = figures.rps(&format!("{path}.load_rps"), receiver.load_rps);
    let mut text = format!("{} takes {rps} on top of its own {load}", name(&receiver.pool));
    if let Some(headroom) =
        receiver.headroom.filter(|headroom| receiver.capacity_rps > 0.0 && headroom.is_finite())
    {
        let headroom = figures.percent(&format!("{path}.headroom"), headroom);
        text += &format!(", with {headroom} of headroom");
    }
    let before = receiver.utilization_before.zip(receiver.utilization_after);
    if let Some((before, after)) = before {
        let before = figures.percent(&format!("{path}.utilization_before"), before);
        let after = figures.percent(&format!("{path}.utilization_after"), after);
        text += &format!(": utilization {before} → {after}");
    }
    text + "."
}
