//! Pools with `zones = [...]`: one pool in each.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::document::{Document, Entity, Entry, Value};
use super::problems::Problems;
use super::setting::Section;
use crate::diagnostic::{Problem, Span};

/// Replaces each pool with `zones` by a pool in each of them, named NAME-ZONE.
pub(super) fn expand(document: &mut Document, problems: &mut Problems) {
    let in_file: Vec<Arc<Entity>> =
        document.in_order(Section::Pool).into_iter().map(Arc::clone).collect();
    let mut order = 0;
    let mut expanded: Vec<Arc<Entity>> = vec![];
    for pool in in_file {
        let entry = pool.get("zones").cloned();
        let Some(Entry { value: Value::Names(zones), key, at }) = entry else {
            let mut pool = Arc::unwrap_or_clone(pool);
            pool.order = order;
            order += 1;
            expanded.push(Arc::new(pool));
            continue;
        };
        if let Some(zone) = pool.get("zone") {
            problems.push(both(&pool, zone, key));
        }
        let mut names = vec![];
        for (zone, zone_at) in zones {
            let name = format!("{}-{zone}", pool.name);
            let mut own = Entity { name: name.clone(), order, ..(*pool).clone() };
            order += 1;
            own.values.remove("zones");
            let in_zone = Entry { value: Value::Text(zone), key, at: zone_at };
            own.values.insert("zone".to_owned(), in_zone);
            // What a template says of all its pools, each says of the others.
            own.remove_table(&format!("failover.{name}"));
            names.push(name);
            expanded.push(Arc::new(own));
        }
        document.templates.insert(pool.name.clone(), names);
        let _ = at;
    }
    let table = document.table_mut(Section::Pool);
    table.clear();
    for pool in expanded {
        if let Some(other) = table.get(&pool.name) {
            let title = format!("two pools are named `{}`", pool.name);
            problems.push(
                Problem::error("name-clash", pool.at, title)
                    .label("a pool in each zone is named NAME-ZONE")
                    .secondary(other.at, "the other")
                    .help("rename one of the two"),
            );
        }
        table.insert(pool.name.clone(), pool);
    }
    let Document { tables, templates, .. } = document;
    for pool in tables[Section::Pool as usize].values_mut() {
        if let Some(problem) = called_twice(pool, templates) {
            problems.push(problem);
        }
        if pool.tables.contains_key("calls") {
            settle_calls(Arc::make_mut(pool), templates);
        }
    }
}

/// Pools that stand for one in each of several zones, and the names of those.
pub(super) type Templates = BTreeMap<String, Vec<String>>;

/// Lets each call to a pool in several zones go to the one in the caller's zone, if there is one.
pub(super) fn settle_calls(pool: &mut Entity, templates: &Templates) {
    for (name, _) in pool.names_below("calls") {
        if let Some(own) = in_zone_of(pool, &name, templates) {
            pool.rename_table(&format!("calls.{name}"), &format!("calls.{own}"));
        }
    }
}

/// A key below a pool's table, with a call's pool as [`settle_calls`] has it.
pub(super) fn settled_key(pool: &Entity, key: &str, templates: &Templates) -> String {
    let Some(rest) = key.strip_prefix("calls.") else { return key.to_owned() };
    let (name, after) = rest.split_at(rest.find('.').unwrap_or(rest.len()));
    match in_zone_of(pool, name, templates) {
        Some(own) => format!("calls.{own}{after}"),
        None => key.to_owned(),
    }
}

/// Which of the pools that a name stands for is in a pool's own zone.
pub(super) fn in_zone_of(pool: &Entity, name: &str, templates: &Templates) -> Option<String> {
    let names = templates.get(name)?;
    let Some(Value::Text(zone)) = pool.get("zone").map(|entry| &entry.value) else { return None };
    let own = format!("{name}-{zone}");
    names.contains(&own).then_some(own)
}

fn called_twice(pool: &Entity, templates: &Templates) -> Option<Problem> {
    let calls = pool.names_below("calls");
    let clash = |(name, at): &(String, Span)| {
        let own = in_zone_of(pool, name, templates)?;
        let (_, other) = calls.iter().find(|(known, _)| *known == own)?;
        let title = format!("pool `{}` calls `{own}` twice", pool.shown);
        Some(
            Problem::error("name-clash", *at, title)
                .secondary(*other, "the other")
                .help(format!("`{name}` stands for it in this zone: keep one of the two")),
        )
    };
    calls.iter().find_map(clash)
}

fn both(pool: &Entity, zone: &Entry, zones_key: Span) -> Problem {
    let title = format!("pool `{}` has both `zone` and `zones`", pool.shown);
    Problem::error("conflicting-keys", zone.key, title)
        .secondary(zones_key, "and here")
        .help("keep `zone` for one pool, or `zones` for a pool in each")
}
