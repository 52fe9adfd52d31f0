//! A document and the positions that its names will have.

use std::collections::BTreeSet;

use crate::config::document::{Document, Value};
use crate::config::setting::Section;

/// A document to lower.
pub(super) struct Context<'a> {
    pub(super) document: &'a Document,
    /// Names by section, sorted: their positions are the ids.
    names: [Vec<String>; Section::ALL.len()],
    /// Pools that another pool calls or a source names.
    sent_to: BTreeSet<String>,
}

impl<'a> Context<'a> {
    pub(super) fn new(document: &'a Document) -> Self {
        let of = |section| document.table(section).keys().cloned().collect::<Vec<_>>();
        let called = document.table(Section::Pool).values().flat_map(|pool| {
            let others = pool.names_below("calls").into_iter().map(|(name, _)| name);
            others.filter(|name| *name != pool.name)
        });
        let named = document.table(Section::Source).values().filter_map(|source| {
            match &source.get("to")?.value {
                Value::Text(pool) => Some(pool.clone()),
                _ => None,
            }
        });
        let sent_to = called.chain(named).collect();
        Self { document, names: Section::ALL.map(of), sent_to }
    }

    /// Does another pool or a source send anything to a pool?
    pub(super) fn is_sent_to(&self, pool: &str) -> bool {
        self.sent_to.contains(pool)
    }

    pub(super) fn names(&self, section: Section) -> &[String] {
        &self.names[section as usize]
    }

    /// The position of a name among the sorted names of its section.
    pub(super) fn position(&self, section: Section, name: &str) -> Option<usize> {
        self.names(section).binary_search_by(|known| known.as_str().cmp(name)).ok()
    }
}
