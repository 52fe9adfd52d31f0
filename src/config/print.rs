//! A document with every default, as a file again.

use std::fmt::Write;

use super::document::{Assignment, Document, Entity, Value};
use super::lower::DEFAULT_PROBE_TIMEOUT_S;
use super::quantity::{format_duration, format_ratio};
use super::raw::Raw;
use super::registry;
use super::setting::{Kind, Section, Setting};
use crate::policy;

/// The order of tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// As in the file, which orders rows.
    File,
    /// By name: the same for all files that mean the same.
    Name,
}

/// Writes a document whose values are all valid.
pub(super) fn print(document: &Document, name: &str, order: Order) -> String {
    let mut out = format!("schema_version = 1\nname = {}\n\n[simulation]\n", quoted(name));
    print_keys("simulation.", &document.simulation, document, &mut out);
    for section in Section::ALL {
        let entities = match order {
            Order::File => document.in_order(section),
            Order::Name => document.table(section).values().collect(),
        };
        for entity in entities {
            let _ = writeln!(out, "\n[{}.{}]", section.word(), entity.name);
            print_keys(&format!("{}.*.", section.word()), entity, document, &mut out);
            if section == Section::Pool {
                print_failover(entity, &mut out);
            }
        }
    }
    out
}

fn print_keys(prefix: &str, entity: &Entity, document: &Document, out: &mut String) {
    let mut header = "";
    for setting in registry::settings() {
        let Some(key) = setting.path.strip_prefix(prefix) else { continue };
        if key.contains('*') || setting.kind == Kind::Later {
            continue;
        }
        let Some(text) = text_of(prefix, setting, key, entity, document) else { continue };
        let (table, last) = key.split_once('.').unwrap_or(("", key));
        if table != header {
            // A table in a table comes last in the registry, so nothing follows it.
            let _ = writeln!(out, "\n[{}.{}.{table}]", &prefix[..prefix.len() - 3], entity.name);
            header = table;
        }
        let _ = writeln!(out, "{last} = {text}");
    }
}

fn text_of(
    prefix: &str,
    setting: &Setting,
    key: &str,
    entity: &Entity,
    document: &Document,
) -> Option<String> {
    if let Some(entry) = entity.get(key) {
        return Some(value_text(setting, &entry.value, document));
    }
    let word = |key| match &entity.get(key)?.value {
        Value::Text(word) => Some(word.as_str()),
        _ => None,
    };
    match (prefix, key) {
        ("pool.*.", "service") => word("instance").map(quoted),
        ("pool.*.", "choices") if word("balancing") != Some("least-request") => None,
        ("event.*.", "share") => (word("kind") == Some("drain")).then(|| format_ratio(1.0)),
        ("instance.*.", "health_check.timeout") => Some(probe_timeout(entity)),
        ("policy.*.", _) if setting.default == super::setting::Default::Nothing => None,
        ("policy.*.", key) => own_default(setting, word("kind")?, key, entity)
            .or_else(|| default_text(prefix, setting, key, document)),
        _ => default_text(prefix, setting, key, document),
    }
}

fn default_text(prefix: &str, setting: &Setting, key: &str, document: &Document) -> Option<String> {
    let node = registry::root().find(&format!("{prefix}{key}"))?;
    match &node.default {
        Some(value) => Some(value_text(setting, value, document)),
        None => setting.absent.map(quoted),
    }
}

fn probe_timeout(entity: &Entity) -> String {
    let interval_s = match entity.get("health_check.interval").map(|entry| &entry.value) {
        Some(Value::Number(interval_s)) => *interval_s,
        _ => f64::INFINITY, // the default interval is longer than the default time-out
    };
    quoted(&format_duration(DEFAULT_PROBE_TIMEOUT_S.min(interval_s)))
}

/// The default of a key that only this kind of policy has.
fn own_default(setting: &Setting, kind: &str, key: &str, entity: &Entity) -> Option<String> {
    let own = policy::kind(kind)?.settings.iter().find(|own| own.key == key)?;
    if own.instead_of.is_some_and(|other| entity.get(other).is_some()) {
        return None;
    }
    own.default.map(|value| number_text(&setting.kind, value))
}

fn print_failover(entity: &Entity, out: &mut String) {
    if !entity.tables.contains_key("failover") {
        return;
    }
    let targets = entity.names_below("failover");
    if targets.is_empty() {
        out.push_str("failover = {}\n");
    }
    for (target, _) in targets {
        let value = |key: &str| {
            let entry = entity.get(&format!("failover.{target}.{key}"));
            entry.map(|entry| entry.value.clone())
        };
        let weight = match value("weight") {
            Some(Value::Number(weight)) => weight,
            _ => 1.0,
        };
        let priority = match value("priority") {
            Some(Value::Count(priority)) => priority,
            _ => 0,
        };
        let _ = writeln!(out, "failover.{target} = {{ weight = {weight}, priority = {priority} }}");
    }
}

fn value_text(setting: &Setting, value: &Value, document: &Document) -> String {
    match value {
        Value::Number(number) => number_text(&setting.kind, *number),
        Value::Count(count) => count.to_string(),
        Value::Text(text) => quoted(text),
        Value::Switch(switch) => switch.to_string(),
        Value::Names(names) => {
            let names: Vec<_> = names.iter().map(|(name, _)| quoted(name)).collect();
            format!("[{}]", names.join(", "))
        }
        Value::Assignments(assignments) => assignments_text(assignments, document),
        Value::Absent | Value::Invalid => quoted(setting.absent.unwrap_or("none")),
    }
}

fn number_text(kind: &Kind, number: f64) -> String {
    match kind {
        Kind::Duration(_) => quoted(&format_duration(number)),
        Kind::Ratio(_) => format_ratio(number),
        _ => number.to_string(),
    }
}

/// As written, but for pools that stand for several: those are printed one by one.
fn assignments_text(assignments: &[Assignment], document: &Document) -> String {
    let mut pairs: Vec<(String, String)> = vec![];
    for assignment in assignments {
        let text = raw_text(&assignment.raw);
        for path in expanded_paths(&assignment.path, document) {
            pairs.retain(|(known, _)| *known != path);
            pairs.push((path, text.clone()));
        }
    }
    let pairs: Vec<_> =
        pairs.iter().map(|(path, text)| format!("{} = {text}", quoted(path))).collect();
    match pairs.is_empty() {
        true => "{}".to_owned(),
        false => format!("{{ {} }}", pairs.join(", ")),
    }
}

fn expanded_paths(path: &str, document: &Document) -> Vec<String> {
    let template = path
        .strip_prefix("pool.")
        .and_then(|rest| rest.split_once('.'))
        .filter(|(name, _)| !document.table(Section::Pool).contains_key(*name))
        .and_then(|(name, key)| Some((document.templates.get(name)?, key)));
    match template {
        Some((pools, key)) => pools.iter().map(|pool| format!("pool.{pool}.{key}")).collect(),
        None => vec![path.to_owned()],
    }
}

fn raw_text(raw: &Raw) -> String {
    match raw {
        Raw::Text(text) => quoted(text),
        Raw::Integer(number) => number.unwrap_or(i128::MAX).to_string(),
        Raw::Float(number) => format!("{number:?}").to_lowercase(),
        Raw::Switch(switch) => switch.to_string(),
        Raw::Moment => quoted(""),
        Raw::List(list) => {
            let items: Vec<_> = list.iter().map(|(item, _)| raw_text(item)).collect();
            format!("[{}]", items.join(", "))
        }
        Raw::Table(items) => {
            let pair = |key: &str, raw| format!("{} = {}", quoted(key), raw_text(raw));
            let pairs: Vec<_> = items.iter().map(|item| pair(&item.key, &item.raw)).collect();
            format!("{{{}}}", pairs.join(", "))
        }
    }
}

/// A TOML basic string.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() => {
                let _ = write!(out, "\\u{:04X}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}
