//! What ran out, which further pools went, and what else the fleet did.

use super::figures::Figures;
use super::story::{Item, Teller, name, names};
use crate::experiment::explain::{FailedProbe, Loss, Shortage};

/// More than these hide the first.
const MOST_TOLD: usize = 6;

/// What ran out.
pub(super) fn shortages(teller: &mut Teller<'_>) -> Vec<Item> {
    let facts = &teller.explanation.facts;
    let figures = &mut teller.figures;
    if facts.shortages.is_empty() {
        let Some(tightest) = &facts.tightest else {
            return vec![Item::Text("Nothing: no pool has a limit to run out of.".to_owned())];
        };
        let peak = figures.percent("facts.tightest.peak_utilization", tightest.peak_utilization);
        let what = resource(tightest);
        return vec![Item::Text(format!("Nothing. The tightest were the {what}, up to {peak}."))];
    }
    let mut items: Vec<Item> = facts
        .shortages
        .iter()
        .take(MOST_TOLD)
        .enumerate()
        .map(|(index, shortage)| Item::Entry(short(shortage, index, figures)))
        .collect();
    if facts.shortages.len() > MOST_TOLD {
        let more = (facts.shortages.len() - MOST_TOLD) as u32;
        let more = figures.counted("facts.shortages.more", more, "more resource");
        items.push(Item::Entry(format!("{more} later, which `explain.json` lists.")));
    }
    items
}

fn resource(shortage: &Shortage) -> String {
    // `workers` are the model's word, others are the file's.
    let resource = match shortage.resource.as_str() {
        "workers" => "workers".to_owned(),
        other => name(other),
    };
    format!("{resource} of {}", name(&shortage.pool))
}

fn short(shortage: &Shortage, index: usize, figures: &mut Figures) -> String {
    let path = format!("facts.shortages.{index}");
    let order = if index == 0 { "First the" } else { "Then the" };
    let time = figures.seconds(&format!("{path}.time_to_s"), shortage.time_to_s);
    let peak = figures.percent(&format!("{path}.peak_utilization"), shortage.peak_utilization);
    let before = match shortage.utilization_before {
        Some(before) => {
            let before = figures.percent(&format!("{path}.utilization_before"), before);
            format!("{before} before, ")
        }
        None => String::new(),
    };
    let hit = if shortage.is_hit { ", which an event hit" } else { "" };
    let refusing = match shortage.is_refusing {
        true => " on average; at moments it is full",
        false => "",
    };
    format!("{order} {}{hit}, after {time}: {before}up to {peak}{refusing}.", resource(shortage))
}

/// Which further pools were lost, and what pushed them over.
pub(super) fn losses(teller: &mut Teller<'_>) -> Vec<Item> {
    let facts = &teller.explanation.facts;
    let figures = &mut teller.figures;
    if facts.losses.is_empty() {
        let text = "No further pool is lost.".to_owned();
        return facts.shift.iter().map(|_| Item::Text(text.clone())).collect();
    }
    let redirect_s = facts.shift.as_ref().map(|shift| shift.time_to_s);
    let mut items: Vec<Item> = facts
        .losses
        .iter()
        .take(MOST_TOLD)
        .map(|loss| Item::Entry(lost(loss, redirect_s, figures)))
        .collect();
    if facts.losses.len() > MOST_TOLD {
        let more = (facts.losses.len() - MOST_TOLD) as u32;
        let more = figures.counted("facts.losses.more", more, "more pool");
        items.push(Item::Entry(format!("{more} later, which `explain.json` lists.")));
    }
    if let Some(time_s) = facts.ending.time_to_full_outage_s {
        let time = figures.seconds("facts.ending.time_to_full_outage_s", time_s);
        items.push(Item::Text(format!("After {time} no pool is healthy.")));
    }
    items
}

fn lost(loss: &Loss, redirect_s: Option<f64>, figures: &mut Figures) -> String {
    let path = format!("facts.losses.{}", loss.pool);
    let time = figures.seconds(&format!("{path}.time_to_s"), loss.time_to_s);
    let left = figures.count(&format!("{path}.in_rotation"), f64::from(loss.in_rotation));
    let all = figures.count(&format!("{path}.expected"), f64::from(loss.expected));
    let mut text = format!(
        "{} in zone {} is lost after {time}, with {left} of {all} instances in rotation.",
        name(&loss.pool),
        name(&loss.zone)
    );
    if loss.pushed_by.is_empty() {
        text += match redirect_s.is_some_and(|redirect_s| redirect_s <= loss.time_to_s) {
            true => " No redirected traffic came to it then.",
            false => " Nothing had been redirected by then.",
        };
    }
    if let Some(probe) = &loss.probe {
        text += &pushed(loss, probe, &path, figures);
    } else if !loss.pushed_by.is_empty() {
        let homes = names(&loss.pushed_by, figures, &format!("{path}.pushed_by"));
        text += &format!(" It had redirected traffic of {homes}.");
    }
    if loss.crashes > 0 {
        let crashes = figures.counted(&format!("{path}.crashes"), loss.crashes, "time");
        text += &format!(" By then its instances had run out of a resource and died {crashes}.");
    }
    if let Some(out) = &loss.first_out {
        let time = figures.seconds(&format!("{path}.first_out.time_to_s"), out.time_to_s);
        text += &format!(" Its first instance left rotation after {time}.");
    }
    if loss.times > 1 {
        let times = figures.counted(&format!("{path}.times"), loss.times, "time");
        text += &format!(" It comes back and is lost again, {times} in all.");
    }
    text
}

/// What pushed a pool over, and why its first probe failed.
fn pushed(loss: &Loss, probe: &FailedProbe, path: &str, figures: &mut Figures) -> String {
    let path = format!("{path}.probe");
    let mut text = String::new();
    if !loss.pushed_by.is_empty() {
        let homes = names(&loss.pushed_by, figures, &format!("{path}.pushed_by"));
        let share = figures.percent(&format!("{path}.redirected_ratio"), probe.redirected_ratio);
        text += &format!(" Redirected traffic of {homes}, {share} of what came, pushed it over.");
    }
    let sent = figures.seconds(&format!("{path}.sent_to_s"), probe.sent_to_s);
    text += &format!(" The first probe of its end was sent after {sent}");
    if let Some(utilization) = probe.utilization {
        let utilization = figures.percent(&format!("{path}.utilization"), utilization);
        text += &format!(", at a utilization of {utilization}");
    }
    text + &why(probe, &path, figures)
}

fn why(probe: &FailedProbe, path: &str, figures: &mut Figures) -> String {
    let timeout = figures.seconds(&format!("{path}.timeout_s"), probe.timeout_s);
    let Some(wait_s) = probe.wait_s else {
        return match probe.is_refused {
            true => format!(": its queue was full and refused it (the time-out is {timeout})."),
            false => format!(": the instance stood still (the time-out is {timeout})."),
        };
    };
    let wait = figures.seconds(&format!("{path}.wait_s"), wait_s);
    let service = figures.seconds(&format!("{path}.service_s"), probe.service_s);
    let mut text = format!(
        ": the queue had it wait {wait}, a request takes {service} more on average, and the \
         time-out is {timeout}"
    );
    if wait_s + probe.service_s < probe.timeout_s {
        let own_s = probe.timeout_s - wait_s;
        let own = figures.seconds(&format!("{path}.own_service_s"), own_s);
        text += &format!("; this one's own work must have taken some {own}");
    }
    text += ".";
    if let Some(last_s) = probe.last_wait_s.filter(|last_s| *last_s > wait_s) {
        let sent = figures.seconds(&format!("{path}.last_sent_to_s"), probe.last_sent_to_s);
        let last = figures.seconds(&format!("{path}.last_wait_s"), last_s);
        text += &format!(
            " The last one before the instance left, sent after {sent}, had {last} of queue before \
             it."
        );
    }
    text
}

/// Scaling, crashes, shedding, breakers.
pub(super) fn response(teller: &mut Teller<'_>) -> Vec<Item> {
    let response = &teller.explanation.facts.response;
    let figures = &mut teller.figures;
    let mut items = Vec::new();
    for one in response.crashed.iter().take(MOST_TOLD) {
        let path = format!("facts.response.crashed.{}", one.pool);
        let count = figures.counted(&format!("{path}.count"), one.count, "time");
        let time = figures.seconds(&format!("{path}.time_to_s"), one.time_to_s);
        items.push(Item::Entry(format!(
            "Instances of {} run out of {} and die {count}, first after {time}.",
            name(&one.pool),
            name(&one.resource)
        )));
    }
    for one in response.scaled.iter().take(MOST_TOLD) {
        let path = format!("facts.response.scaled.{}", one.pool);
        let from = figures.count(&format!("{path}.from"), f64::from(one.from));
        let most = figures.count(&format!("{path}.most"), f64::from(one.most));
        let time = figures.seconds(&format!("{path}.time_to_s"), one.time_to_s);
        items.push(Item::Entry(format!(
            "The autoscaler of {} first adds instances after {time}, from {from} to {most} at \
             most.",
            name(&one.pool)
        )));
    }
    let moments = [
        (response.time_to_refused_launch_s, "refused_launch", "Launches are refused"),
        (response.time_to_shed_s, "shed", "Traffic is shed"),
        (response.time_to_breaker_s, "breaker", "The breaker trips"),
    ];
    for (time_s, word, sentence) in moments {
        if let Some(time_s) = time_s {
            let path = format!("facts.response.time_to_{word}_s");
            let time = figures.seconds(&path, time_s);
            items.push(Item::Entry(format!("{sentence} from {time} on.")));
        }
    }
    items
}
