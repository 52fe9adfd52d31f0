//! Tables that are there without being named: the default client and the default policies.

use std::sync::Arc;

use super::document::{Document, Entity, Entry, Value};
use super::setting::Section;
use crate::diagnostic::Span;
use crate::policy;

/// The client of those that name none.
const DEFAULT_CLIENT: &str = "default";

/// Adds the default policies where there are none.
pub(super) fn fill(document: &mut Document, start: Span) {
    if document.table(Section::Policy).is_empty() {
        for (order, kind) in policy::KINDS.iter().enumerate() {
            let mut entity = Entity::new(kind.name, start, order);
            let value = Value::Text(kind.name.to_owned());
            entity.values.insert("kind".to_owned(), Entry { value, key: start, at: start });
            document.table_mut(Section::Policy).insert(kind.name.to_owned(), Arc::new(entity));
        }
    }
}

/// Adds the default client where a pool, a source or a call relies on it.
pub(super) fn default_client(document: &mut Document, start: Span) {
    let relies = |entity: &Arc<Entity>| entity.get("client").is_none();
    let calls = |entity: &Arc<Entity>| {
        let client = |(name, _): &(String, Span)| format!("calls.{name}.client");
        entity.names_below("calls").iter().any(|call| entity.get(&client(call)).is_none())
    };
    if document.table(Section::Client).contains_key(DEFAULT_CLIENT) {
        return;
    }
    let (pools, sources) = (document.table(Section::Pool), document.table(Section::Source));
    if pools.values().any(|pool| relies(pool) || calls(pool)) || sources.values().any(relies) {
        let order = document.table(Section::Client).len();
        let client = Entity::new(DEFAULT_CLIENT, start, order);
        document.table_mut(Section::Client).insert(client.name.clone(), Arc::new(client));
    }
}
