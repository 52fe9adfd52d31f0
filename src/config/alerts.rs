//! The alerts of a file that describes none.

use std::sync::Arc;

use super::document::{Document, Entity, Entry, Value};
use super::lower;
use super::problems::Problems;
use super::setting::Section;
use crate::diagnostic::{Problem, SourceId, Sources, Span};
use crate::model::{Alert, AlertSet};

/// Adds the alerts of the set that the overrides or the file name, before overrides are applied:
/// they may change one of them. With the set `none` all go, the file's own too.
pub(super) fn fill(
    document: &mut Document,
    sets: &[SourceId],
    sources: &Sources,
    start: Span,
    problems: &mut Problems,
) {
    let (set, at) = chosen(document, sets, sources, start);
    let table = document.table_mut(Section::Alert);
    if set == AlertSet::None {
        table.clear();
    } else if table.is_empty() {
        for (order, alert) in set.alerts().into_iter().enumerate() {
            table.insert(alert.name.clone(), Arc::new(entity(&alert, start, order)));
        }
    } else if set == AlertSet::Published && !says_all_of(document, set) {
        let title = "`alerts` does nothing: the file describes its own";
        problems.push(
            Problem::warning("alerts-unread", at, title)
                .help("leave it out, or all of `[alert.*]`"),
        );
    }
}

/// The set, and where it is said.
fn chosen(
    document: &Document,
    sets: &[SourceId],
    sources: &Sources,
    start: Span,
) -> (AlertSet, Span) {
    let by_override = sets.iter().rev().find_map(|set| {
        let text = sources.get(*set).text();
        let (path, word) = text.split_once('=')?;
        let word = word.trim().trim_matches(['"', '\'']);
        let set_of = AlertSet::from_word(word).filter(|_| path.trim() == "simulation.alerts")?;
        Some((set_of, Span::new(*set, 0..text.len())))
    });
    let of_file = document.simulation.get("alerts").map(|entry| match &entry.value {
        Value::Text(word) => (AlertSet::from_word(word).unwrap_or_default(), entry.at),
        _ => (AlertSet::default(), entry.at),
    });
    by_override.or(of_file).unwrap_or((AlertSet::default(), start))
}

/// A table that says what the signal does not imply.
fn entity(alert: &Alert, start: Span, order: usize) -> Entity {
    let usual = alert.signal.default_threshold();
    let number = |key, value, usual| (value != usual).then_some((key, Value::Number(value)));
    let values = [
        Some(("signal", Value::Text(alert.signal.word().to_owned()))),
        number("above", alert.above, usual.above),
        number("within", alert.within.get(), usual.within_s),
        number("for", alert.sustained.get(), usual.sustained_s),
    ];
    let mut entity = Entity::new(&alert.name, start, order);
    for (key, value) in values.into_iter().flatten() {
        entity.values.insert(key.to_owned(), Entry { value, key: start, at: start });
    }
    entity
}

/// Does the file describe what the set holds, as one that is printed with its defaults does?
fn says_all_of(document: &Document, set: AlertSet) -> bool {
    let alerts = lower::alerts(document, &mut Problems::default()).unwrap_or_default();
    let mut of_set = set.alerts();
    of_set.sort_by(|a, b| a.name.cmp(&b.name));
    alerts == of_set
}
