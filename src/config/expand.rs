//! Pools with `zones = [...]`: one pool in each.

use std::sync::Arc;

use super::document::{Document, Entity, Entry, Value};
use super::problems::Problems;
use super::setting::Section;
use crate::diagnostic::Problem;

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
}

fn both(pool: &Entity, zone: &Entry, zones_key: crate::diagnostic::Span) -> Problem {
    let title = format!("pool `{}` has both `zone` and `zones`", pool.shown);
    Problem::error("conflicting-keys", zone.key, title)
        .secondary(zones_key, "and here")
        .help("keep `zone` for one pool, or `zones` for a pool in each")
}
