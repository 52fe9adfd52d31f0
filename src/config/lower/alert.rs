//! `[alert.*]` to model values.

use super::get::Table;
use crate::config::document::{Document, Entity, Value};
use crate::config::problems::Problems;
use crate::config::setting::Section;
use crate::diagnostic::Problem;
use crate::model::{Alert, AlertSeverity, AlertSignal};
use crate::units::Seconds;

/// Lowers the alerts, by name.
pub(in crate::config) fn alerts(
    document: &Document,
    problems: &mut Problems,
) -> Option<Vec<Alert>> {
    let by_name = document.table(Section::Alert).values();
    let lowered: Vec<_> = by_name.map(|entity| alert(entity, problems)).collect();
    lowered.into_iter().collect()
}

fn alert(entity: &Entity, problems: &mut Problems) -> Option<Alert> {
    let table = Table::of(Section::Alert, entity);
    let signal = table.text("signal", problems).and_then(|word| AlertSignal::from_word(&word));
    let severity =
        table.text("severity", problems).and_then(|word| AlertSeverity::from_word(&word));
    let above = table.optional_number("above", problems);
    let within_s = table.optional_number("within", problems);
    let sustained_s = table.optional_number("for", problems);
    let response = table.optional_text("response", problems);
    let signal = signal?;
    if let Some(Some(above)) = above {
        check_above(&table, signal, above, problems);
    }
    let usual = signal.default_threshold();
    Some(Alert {
        name: entity.name.clone(),
        signal,
        above: above?.unwrap_or(usual.above),
        within: Seconds::new(within_s?.unwrap_or(usual.within_s)).ok()?,
        sustained: Seconds::new(sustained_s?.unwrap_or(usual.sustained_s)).ok()?,
        severity: severity?,
        response: response?.unwrap_or_else(|| signal.response().to_owned()),
    })
}

/// Each signal has a range of its own.
fn check_above(table: &Table<'_>, signal: AlertSignal, above: f64, problems: &mut Problems) {
    let (is_fine, help) = match signal {
        AlertSignal::ReceivingPoolCapacityUtilization => (true, ""),
        AlertSignal::CascadePropagationCount => {
            (above.fract() == 0.0, "a number of pools: write, for example, `above = 1`")
        }
        AlertSignal::FleetWideCapacityTrend => {
            (above < 1.0, "a share of the fleet's capacity: it cannot fall by more than all of it")
        }
    };
    if !is_fine {
        let title = format!("`above` is out of range for an alert on `{}`", signal.word());
        problems.push(Problem::error("out-of-range", table.place("above"), title).help(help));
    }
}

/// What `key` of an alert is when the file is silent; none of keys with a default of their own.
pub(in crate::config) fn by_signal(entity: &Entity, key: &str) -> Option<Value> {
    let signal = watched(entity)?;
    let usual = signal.default_threshold();
    match key {
        "above" => Some(Value::Number(usual.above)),
        "within" => Some(Value::Number(usual.within_s)),
        "for" => Some(Value::Number(usual.sustained_s)),
        "response" => Some(Value::Text(signal.response().to_owned())),
        _ => None,
    }
}

/// Is a number of pools what `above` says?
pub(in crate::config) fn counts_pools(entity: &Entity) -> bool {
    watched(entity) == Some(AlertSignal::CascadePropagationCount)
}

fn watched(entity: &Entity) -> Option<AlertSignal> {
    match &entity.get("signal")?.value {
        Value::Text(word) => AlertSignal::from_word(word),
        _ => None,
    }
}
