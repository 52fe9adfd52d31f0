//! Tables that are there without being named: the default client and the default policies.

use std::sync::Arc;

use super::document::{Document, Entity, Entry, Value};
use super::setting::Section;
use crate::diagnostic::Span;
use crate::policy;

/// The client of pools that name none.
const DEFAULT_CLIENT: &str = "default";

/// Adds the default client where a pool relies on it, and the default policies where there are
/// none.
pub(super) fn fill(document: &mut Document, start: Span) {
    let relies = |pool: &Arc<Entity>| pool.get("client").is_none();
    let has_own = document.table(Section::Client).contains_key(DEFAULT_CLIENT);
    if !has_own && document.table(Section::Pool).values().any(relies) {
        let order = document.table(Section::Client).len();
        let client = Entity::new(DEFAULT_CLIENT, start, order);
        document.table_mut(Section::Client).insert(client.name.clone(), Arc::new(client));
    }
    if document.table(Section::Policy).is_empty() {
        for (order, kind) in policy::KINDS.iter().enumerate() {
            let mut entity = Entity::new(kind.name, start, order);
            let value = Value::Text(kind.name.to_owned());
            entity.values.insert("kind".to_owned(), Entry { value, key: start, at: start });
            document.table_mut(Section::Policy).insert(kind.name.to_owned(), Arc::new(entity));
        }
    }
}
