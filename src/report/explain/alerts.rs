//! Which alerts fired, in words.

use super::figures::Figures;
use super::story::{Item, Teller, name};
use crate::experiment::explain::{AlertFact, ReturnPoint};

/// Each alert that fired, and how early that was; nothing without any.
pub(super) fn items(teller: &mut Teller<'_>) -> Vec<Item> {
    let alerts = &teller.explanation.facts.alerts;
    let point = teller.explanation.return_point.as_ref();
    let figures = &mut teller.figures;
    alerts.iter().map(|alert| Item::Entry(told(alert, point, figures))).collect()
}

fn told(alert: &AlertFact, point: Option<&ReturnPoint>, figures: &mut Figures) -> String {
    let path = format!("facts.alerts.{}", alert.name);
    let time = figures.seconds(&format!("{path}.time_to_s"), alert.time_to_s);
    let of = alert.pool.as_ref().map(|pool| format!(" of {}", name(pool)));
    let mut text = format!(
        "{} ({}{}) fires after {time}",
        name(&alert.name),
        name(alert.signal),
        of.unwrap_or_default()
    );
    if alert.lead_s == Some(0.0) {
        text += ", just as the first further pool is lost";
    } else if let Some(lead_s) = alert.lead_s {
        let (key, side) = if lead_s >= 0.0 { ("lead_s", "before") } else { ("lag_s", "after") };
        let lead = figures.seconds(&format!("{path}.{key}"), lead_s.abs());
        text += &format!(", {lead} {side} the first further pool is lost");
    }
    if let Some(last_s) = point.and_then(|point| point.time_to_s) {
        let left_s = last_s - alert.time_to_s;
        let left = figures.seconds(&format!("{path}.before_return_point_s"), left_s.abs());
        text += &match left_s >= 0.0 {
            true => format!(" and {left} before the point of no return"),
            false => format!(" and {left} after the point of no return: too late"),
        };
    }
    if alert.is_false {
        text += ": a false alarm, as no further pool is lost";
    }
    text += ".";
    if !alert.response.is_empty() {
        text += &format!(" To be done: “{}”.", alert.response);
    }
    text
}
