//! Alerts that fired, in words.

use super::{Run, words};
use crate::metric::FiredAlert;
use crate::model::{Alert, AlertOutage, AlertSignal};

/// A line for each group of policies of which the same is to be said: which alerts fired, how long
/// before what they warn of, and which for nothing; also where none fired before a pool was lost
/// that no event hit. Empty where there is nothing to say; each line ends with a line break.
#[must_use]
pub fn alert_lines(runs: &[Run<'_>]) -> String {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for run in runs {
        let Some(text) = told(run) else { continue };
        match groups.iter_mut().find(|(known, _)| *known == text) {
            Some((_, policies)) => policies.push(run.policy()),
            None => groups.push((text, vec![run.policy()])),
        }
    }
    let line = |(text, policies): &(String, Vec<&str>)| {
        format!("alerts under {}: {text}\n", words::listed(policies))
    };
    groups.iter().map(line).collect()
}

fn told(run: &Run<'_>) -> Option<String> {
    let fired = &run.result.alerts;
    if fired.is_empty() {
        let is_lost = run.result.summary.time_to_first_propagation_s.is_some();
        let is_missed = is_lost && !run.scenario.alerts.is_empty();
        return is_missed.then(|| "none, and yet a further pool was lost".to_owned());
    }
    let mut parts = Vec::new();
    for outage in [AlertOutage::FurtherPoolLost, AlertOutage::NoPoolHealthy] {
        let ahead: Vec<String> = fired
            .iter()
            .filter(|fired| alert(run, fired).signal.outage() == outage)
            .filter_map(|fired| {
                let lead_s = fired.lead_s.filter(|lead_s| *lead_s > 0.0)?;
                Some(format!("{} {}", alert(run, fired).name, words::duration(lead_s)))
            })
            .collect();
        if !ahead.is_empty() {
            let ahead: Vec<&str> = ahead.iter().map(String::as_str).collect();
            parts.push(format!("{} before {}", words::listed(&ahead), outage_words(outage)));
        }
    }
    parts.extend(fired.iter().filter_map(|fired| otherwise(run, fired)));
    Some(parts.join("; "))
}

/// What to say of an alert that was not ahead of what it warns of.
fn otherwise(run: &Run<'_>, fired: &FiredAlert) -> Option<String> {
    let alert = alert(run, fired);
    let outage = outage_words(alert.signal.outage());
    let name = &alert.name;
    match fired.lead_s {
        Some(lead_s) if lead_s > 0.0 => None,
        Some(0.0) => Some(format!("{name} only when {outage}")),
        Some(lead_s) => Some(format!("{name} {} after {outage}", words::duration(-lead_s))),
        None if fired.is_false => Some(format!("{name}, though no further pool was lost")),
        None => Some(format!("{name}, though some pool stayed healthy")),
    }
}

const fn outage_words(outage: AlertOutage) -> &'static str {
    match outage {
        AlertOutage::FurtherPoolLost => "the first further pool was lost",
        AlertOutage::NoPoolHealthy => "no pool was healthy",
    }
}

/// The alert that fired.
pub(super) fn alert<'a>(run: &Run<'a>, fired: &FiredAlert) -> &'a Alert {
    &run.scenario.alerts[fired.alert as usize]
}

/// What the signal was when it fired, and what is to be done.
pub(super) fn alert_detail(run: &Run<'_>, fired: &FiredAlert) -> String {
    let alert = alert(run, fired);
    let within = words::duration(alert.within.get());
    let value = fired.value;
    let what = match alert.signal {
        AlertSignal::ReceivingPoolCapacityUtilization => {
            let [value, above] = [value, alert.above].map(words::percent_to_one_decimal);
            format!("utilization {value}, over {above}, as redirected traffic comes")
        }
        AlertSignal::CascadePropagationCount => {
            format!("{} lost within {within}", words::counted(value as u64, "further pool"))
        }
        AlertSignal::FleetWideCapacityTrend => {
            let value = words::percent_to_one_decimal(value);
            format!("healthy capacity fell by {value} within {within} beyond the trigger's share")
        }
    };
    match alert.response.is_empty() {
        true => format!("{}: {what}", alert.name),
        false => format!("{}: {what}; response: {}", alert.name, alert.response),
    }
}
