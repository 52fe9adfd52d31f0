//! `[policy.*]` to what the engine runs.

use super::get::Table;
use super::mitigation;
use crate::config::document::{Assignment, Document, Entity, Value};
use crate::config::problems::{Problems, list, or_list};
use crate::config::setting::Section;
use crate::diagnostic::Problem;
use crate::policy::{self, PolicyKind, PolicySetting, PolicySpec};
use crate::units::Seconds;

/// The keys that every policy has.
const COMMON: [&str; 5] = ["kind", "report_interval", "set", "shed", "breaker"];

/// A policy and what it sets.
pub(in crate::config) struct NamedPolicy {
    pub(in crate::config) spec: Option<PolicySpec>,
    pub(in crate::config) set: Vec<Assignment>,
}

/// Lowers a file's policies, in its order.
pub(in crate::config) fn policies(
    document: &Document,
    problems: &mut Problems,
) -> Vec<NamedPolicy> {
    let in_order = document.in_order(Section::Policy);
    in_order.into_iter().map(|entity| named(entity, problems)).collect()
}

fn named(entity: &Entity, problems: &mut Problems) -> NamedPolicy {
    let table = Table::of(Section::Policy, entity);
    let report_interval_s = table.number("report_interval", problems);
    let set = match table.value("set", problems) {
        Some(Value::Assignments(set)) => set,
        _ => vec![],
    };
    let kind = kind(&table, problems);
    if let (Some(kind), Some(interval_s)) = (kind, report_interval_s) {
        check_reports(kind, &table, interval_s, problems);
    }
    let mitigations = mitigation::mitigations(&table, problems);
    let values = kind.and_then(|kind| values(kind, &table, problems));
    let spec = || {
        Some(PolicySpec {
            name: entity.name.clone(),
            kind: kind?,
            values: values?,
            report_interval: Seconds::new(report_interval_s?).ok()?,
            mitigations: mitigations?,
            bundles: vec![],
        })
    };
    let spec = spec();
    NamedPolicy { spec, set }
}

fn kind(table: &Table<'_>, problems: &mut Problems) -> Option<&'static PolicyKind> {
    let word = table.text("kind", problems)?;
    let kind = policy::kind(&word);
    if kind.is_none() {
        let words = policy::KINDS.iter().map(|kind| kind.name);
        let at = table.place("kind");
        let problem =
            Problem::error("unknown-word", at, format!("there is no kind of policy `{word}`"))
                .help(format!("`kind` is {}", or_list(words.clone())));
        problems.push(match problems.suggest(&word, words) {
            Some(close) => {
                problem.help(format!("did you mean `{close}`?")).patch(at, format!("\"{close}\""))
            }
            None => problem,
        });
    }
    kind
}

/// Reports may be as old as they like where nobody reads them.
fn check_reports(kind: &PolicyKind, table: &Table<'_>, interval_s: f64, problems: &mut Problems) {
    let Some(entry) = table.entity.get("report_interval") else { return };
    // A file that is printed with its defaults says 0.
    let has_watch = table.has("breaker.max_wait");
    if kind.reads_load || has_watch || interval_s == 0.0 {
        return;
    }
    let title = format!("policies of kind `{}` read no load reports", kind.name);
    let readers = policy::KINDS.iter().filter(|kind| kind.reads_load).map(|kind| kind.name);
    problems.push(
        Problem::warning("report-interval-unread", entry.key, title)
            .label("so this does nothing")
            .help(format!("leave it out; {} goes by reported load", or_list(readers))),
    );
}

fn values(
    kind: &'static PolicyKind,
    table: &Table<'_>,
    problems: &mut Problems,
) -> Option<Vec<Option<f64>>> {
    check_keys(kind, table, problems);
    let mut values = Some(vec![]);
    for setting in kind.settings {
        let value = value(kind, setting, table, problems);
        values = values.zip(value).map(|(mut values, value)| {
            values.push(value);
            values
        });
    }
    values
}

/// Keys of another kind, and two keys that say the same thing.
fn check_keys(kind: &PolicyKind, table: &Table<'_>, problems: &mut Problems) {
    let own: Vec<_> = kind.settings.iter().map(|setting| setting.key).collect();
    for (key, entry) in &table.entity.values {
        let table_of = key.split_once('.').map(|(table, _)| table);
        let is_common = COMMON.contains(&table_of.unwrap_or(key));
        if !is_common && !own.contains(&key.as_str()) {
            let title = format!("policies of kind `{}` have no `{key}`", kind.name);
            let keys = list(COMMON.iter().chain(&own).copied());
            problems.push(
                Problem::error("field-of-other-kind", entry.key, title)
                    .help(format!("their keys are {keys}")),
            );
        }
    }
    for setting in kind.settings {
        let Some(other) = setting.instead_of.filter(|other| *other < setting.key) else {
            continue;
        };
        if let (Some(one), Some(two)) = (table.entity.get(setting.key), table.entity.get(other)) {
            let title = format!("{} has both `{}` and `{other}`", table.title(), setting.key);
            problems.push(
                Problem::error("conflicting-keys", one.key.max(two.key), title)
                    .secondary(one.key.min(two.key), "says the same thing")
                    .help("keep one of them"),
            );
        }
    }
}

fn value(
    kind: &PolicyKind,
    setting: &PolicySetting,
    table: &Table<'_>,
    problems: &mut Problems,
) -> Option<Option<f64>> {
    if table.has(setting.key) {
        let number = table.number(setting.key, problems)?;
        if !(setting.least..=setting.most).contains(&number) {
            let title = format!("`{}` is out of range for a `{}` policy", setting.key, kind.name);
            problems.push(Problem::error("out-of-range", table.place(setting.key), title));
            return None;
        }
        return Some(Some(number));
    }
    if setting.instead_of.is_some_and(|other| table.has(other)) {
        return Some(None);
    }
    if setting.default.is_none() && setting.instead_of.is_none() {
        let problem = table.missing(&format!("`{}`", setting.key));
        problems.push(problem.help(setting.sentence));
        return None;
    }
    Some(setting.default)
}
