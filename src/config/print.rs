//! A document with every default, as a file again.

use std::fmt::Write;

use super::document::{Assignment, Document, Entity, Value};
use super::expand::{in_zone_of, settled_key};
use super::lower::{self, DEFAULT_PROBE_TIMEOUT_S};
use super::quantity::{format_duration, format_ratio};
use super::raw::{Item, Raw};
use super::registry;
use super::setting::{Kind, Section, Setting};
use crate::policy;

/// The one table below an entity's that is printed under a header.
const HEALTH_CHECK: &str = "health_check";

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
            print_entity(section, entity, document, &mut out);
        }
    }
    out
}

fn print_entity(section: Section, entity: &Entity, document: &Document, out: &mut String) {
    print_keys(&format!("{}.*.", section.word()), entity, document, out);
    match section {
        Section::Pool => {
            print_named("pool.*.", "failover", entity, document, out);
            print_named("pool.*.", "calls", entity, document, out);
        }
        Section::Instance => {
            print_named("instance.*.", "resource", entity, document, out);
            // A table with a header of its own comes last, so that nothing follows it.
            let _ = writeln!(out, "\n[instance.{}.{HEALTH_CHECK}]", entity.name);
            let prefix = format!("{HEALTH_CHECK}.");
            for (key, text) in texts("instance.*.", entity, document) {
                if let Some(key) = key.strip_prefix(&prefix) {
                    let _ = writeln!(out, "{key} = {text}");
                }
            }
        }
        Section::Autoscaler => {
            for (path, entry) in lower::targets(entity) {
                let setting = registry::root().find(&format!("autoscaler.*.target.{path}"));
                if let Some(setting) = setting.and_then(|node| node.setting) {
                    let text = value_text(setting, &entry.value, document);
                    let _ = writeln!(out, "target.{} = {text}", quoted(path));
                }
            }
        }
        _ => {}
    }
}

/// The keys of a table and of those below it, apart from tables of names and health checks.
fn print_keys(prefix: &str, entity: &Entity, document: &Document, out: &mut String) {
    for (key, text) in texts(prefix, entity, document) {
        let table = key.split_once('.').map_or("", |(table, _)| table);
        if ![HEALTH_CHECK, "target"].contains(&table) {
            let _ = writeln!(out, "{key} = {text}");
        }
    }
}

/// Each key below a table whose path has no further name, and its value.
fn texts<'a>(
    prefix: &'a str,
    entity: &'a Entity,
    document: &'a Document,
) -> impl Iterator<Item = (&'static str, String)> + 'a {
    registry::settings().filter_map(move |setting| {
        let key = setting.path.strip_prefix(prefix)?;
        if key.contains('*') {
            return None;
        }
        Some((key, text_of(prefix, setting, key, entity, document)?))
    })
}

fn text_of(
    prefix: &str,
    setting: &Setting,
    key: &str,
    entity: &Entity,
    document: &Document,
) -> Option<String> {
    if prefix == "alert.*." {
        return alert_text(setting, key, entity, document);
    }
    if let Some(entry) = entity.get(key) {
        return Some(value_text(setting, &entry.value, document));
    }
    let word = |key| match &entity.get(key)?.value {
        Value::Text(word) => Some(word.as_str()),
        _ => None,
    };
    if is_left_out(entity, key, word) {
        return None;
    }
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

/// What a key of an alert is, and is called, depends on its signal.
fn alert_text(
    setting: &Setting,
    key: &str,
    entity: &Entity,
    document: &Document,
) -> Option<String> {
    let value = match entity.get(key) {
        Some(entry) => Some(entry.value.clone()),
        None => lower::by_signal(entity, key),
    };
    match value {
        Some(Value::Number(pools)) if key == "above" && lower::counts_pools(entity) => {
            Some(pools.to_string())
        }
        Some(value) => Some(value_text(setting, &value, document)),
        None => default_text("alert.*.", setting, key, document),
    }
}

/// Does a key mean nothing beside what else the table says?
fn is_left_out<'a>(
    entity: &'a Entity,
    key: &str,
    word: impl Fn(&'static str) -> Option<&'a str>,
) -> bool {
    let has = |key| entity.get(key).is_some();
    let backoff = word("retry.backoff").unwrap_or("exponential");
    let (table, last) = key.split_once('.').unwrap_or(("", key));
    match (table, last) {
        ("retry" | "arrivals" | "shed" | "breaker", _) if !entity.tables.contains_key(table) => {
            true
        }
        ("retry", "base" | "jitter") => backoff == "none",
        ("retry", "max_backoff") => backoff != "exponential",
        ("shed", "fallback_latency" | "fallback_queue") => !has("shed.fallback_rps"),
        ("breaker", "window") => !has("breaker.max_pools") && !has("breaker.retry_after"),
        ("retry", "budget") => has("retry.budget_rps"),
        ("", "survive_utilization") => !survives_losses(entity),
        ("", "call_mode") => entity.names_below("calls").is_empty(),
        _ => false,
    }
}

fn survives_losses(simulation: &Entity) -> bool {
    let losses = simulation.get("survive_zone_losses").map(|entry| &entry.value);
    matches!(losses, Some(Value::Count(1..)))
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

/// A table of names, such as a pool's failover targets, each as a table in one line.
fn print_named(prefix: &str, table: &str, entity: &Entity, document: &Document, out: &mut String) {
    if !entity.tables.contains_key(table) {
        return;
    }
    let names = entity.names_below(table);
    if names.is_empty() {
        let _ = writeln!(out, "{table} = {{}}");
    }
    for (name, _) in names {
        let of_name = format!("{prefix}{table}.*.");
        let pairs: Vec<String> = registry::settings()
            .filter_map(|setting| {
                let key = setting.path.strip_prefix(&of_name)?;
                let text = match entity.get(&format!("{table}.{name}.{key}")) {
                    Some(entry) => value_text(setting, &entry.value, document),
                    None if table == "resource" => resource_default(entity, &name, key)?,
                    None => default_text(&of_name, setting, key, document)?,
                };
                Some(format!("{key} = {text}"))
            })
            .collect();
        let _ = writeln!(out, "{table}.{name} = {{ {} }}", pairs.join(", "));
    }
}

/// What a key of a resource is when the file is silent, by the way in which the resource is used.
fn resource_default(entity: &Entity, name: &str, key: &str) -> Option<String> {
    let has = |key: &str| entity.get(&format!("resource.{name}.{key}")).is_some();
    match (lower::is_consumed(name, has), key) {
        (true, "per_request") | (false, "held") => Some("1".to_owned()),
        (false, "base") => Some("0".to_owned()),
        (false, "when_full") => Some(quoted("queue")),
        _ => None,
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
        for (path, raw) in expanded(assignment, document) {
            pairs.retain(|(known, _)| *known != path);
            pairs.push((path, raw_text(&raw)));
        }
    }
    let pairs: Vec<_> =
        pairs.iter().map(|(path, text)| format!("{} = {text}", quoted(path))).collect();
    match pairs.is_empty() {
        true => "{}".to_owned(),
        false => format!("{{ {} }}", pairs.join(", ")),
    }
}

/// An assignment for each pool where it names several, or calls one of several.
fn expanded(assignment: &Assignment, document: &Document) -> Vec<(String, Raw)> {
    let Assignment { path, raw, .. } = assignment;
    let as_written = || vec![(path.clone(), raw.clone())];
    let Some((name, key)) = path.strip_prefix("pool.").and_then(|rest| rest.split_once('.')) else {
        return as_written();
    };
    let table = document.table(Section::Pool);
    let is_call = key.split('.').next() == Some("calls");
    let pools: Vec<String> = match document.templates.get(name) {
        _ if name == "*" && is_call => table.keys().cloned().collect(),
        Some(pools) if !table.contains_key(name) => pools.clone(),
        _ if is_call => vec![name.to_owned()],
        _ => return as_written(),
    };
    let settled = |pool: String| {
        let entity = table.get(&pool)?;
        let key = settled_key(entity, key, &document.templates);
        let raw = match raw {
            Raw::Table(items) if key == "calls" => {
                Raw::Table(items.iter().map(|item| settled_call(item, entity, document)).collect())
            }
            raw => raw.clone(),
        };
        Some((format!("pool.{pool}.{key}"), raw))
    };
    pools.into_iter().filter_map(settled).collect()
}

fn settled_call(item: &Item, pool: &Entity, document: &Document) -> Item {
    let own = in_zone_of(pool, &item.key, &document.templates);
    Item { key: own.unwrap_or_else(|| item.key.clone()), ..item.clone() }
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
