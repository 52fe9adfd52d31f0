//! What a file says, setting by setting, before it means anything as a whole.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::raw::Raw;
use super::setting::Section;
use crate::diagnostic::Span;

/// A value that has passed its own setting's checks.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Value {
    /// Seconds, a share, a rate or a multiple.
    Number(f64),
    Count(u64),
    Text(String),
    Switch(bool),
    Names(Vec<(String, Span)>),
    Assignments(Vec<Assignment>),
    /// The word that means "no value".
    Absent,
    /// It has failed its checks: said already, so that nobody asks for it again.
    Invalid,
}

/// A setting by its path, and the value it is to take.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Assignment {
    pub(super) path: String,
    pub(super) path_span: Span,
    pub(super) raw: Raw,
    pub(super) at: Span,
}

/// A key with its value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entry {
    pub(super) value: Value,
    /// The key.
    pub(super) key: Span,
    /// The value.
    pub(super) at: Span,
}

/// A table: `[simulation]`, or one with a name.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Entity {
    pub(super) name: String,
    /// Its name as the file has it: an expanded pool's template's.
    pub(super) shown: String,
    /// Its header.
    pub(super) at: Span,
    /// Position among the tables of its section.
    pub(super) order: usize,
    /// Values by their path below the table.
    pub(super) values: BTreeMap<String, Entry>,
    /// Tables below it that the file has, empty ones included.
    pub(super) tables: BTreeMap<String, Span>,
}

impl Entity {
    pub(super) fn new(name: &str, at: Span, order: usize) -> Self {
        let (values, tables) = (BTreeMap::new(), BTreeMap::new());
        Self { name: name.to_owned(), shown: name.to_owned(), at, order, values, tables }
    }

    pub(super) fn get(&self, key: &str) -> Option<&Entry> {
        self.values.get(key)
    }

    /// Where a key is given: its value's place, else the table's.
    pub(super) fn place(&self, key: &str) -> Span {
        self.get(key).map_or(self.at, |entry| entry.at)
    }

    /// The names of the tables right below a key, such as a pool's failover targets.
    pub(super) fn names_below(&self, key: &str) -> Vec<(String, Span)> {
        let prefix = format!("{key}.");
        let below = self.tables.iter().filter_map(|(path, span)| {
            let name = path.strip_prefix(&prefix)?;
            (!name.contains('.')).then(|| (name.to_owned(), *span))
        });
        below.collect()
    }

    /// Gives a table another name; what is there under it already gives way.
    pub(super) fn rename_table(&mut self, from: &str, to: &str) {
        let below = format!("{from}.");
        if let Some(at) = self.tables.remove(from) {
            self.tables.insert(to.to_owned(), at);
        }
        let keys: Vec<String> =
            self.values.keys().filter(|key| key.starts_with(&below)).cloned().collect();
        for key in keys {
            if let Some(entry) = self.values.remove(&key) {
                self.values.insert(format!("{to}.{}", &key[below.len()..]), entry);
            }
        }
    }

    /// Forgets a table and all below it.
    pub(super) fn remove_table(&mut self, key: &str) {
        let below = format!("{key}.");
        self.values.retain(|path, _| !path.starts_with(&below));
        self.tables.retain(|path, _| path != key && !path.starts_with(&below));
    }
}

/// The tables of one section, by name.
pub(super) type Table = BTreeMap<String, Arc<Entity>>;

/// Everything a file says. Tables are shared between copies until one changes.
#[derive(Debug, Clone)]
pub(super) struct Document {
    pub(super) root: Arc<Entity>,
    pub(super) simulation: Arc<Entity>,
    pub(super) tables: [Table; Section::ALL.len()],
    /// Pools that stand for one in each of several zones, and the names of those.
    pub(super) templates: BTreeMap<String, Vec<String>>,
}

impl Document {
    pub(super) fn new(start: Span) -> Self {
        Self {
            root: Arc::new(Entity::new("", start, 0)),
            simulation: Arc::new(Entity::new("", start, 0)),
            tables: std::array::from_fn(|_| BTreeMap::new()),
            templates: BTreeMap::new(),
        }
    }

    pub(super) const fn table(&self, section: Section) -> &Table {
        &self.tables[section as usize]
    }

    pub(super) const fn table_mut(&mut self, section: Section) -> &mut Table {
        &mut self.tables[section as usize]
    }

    /// The tables of a section in the order of the file.
    pub(super) fn in_order(&self, section: Section) -> Vec<&Arc<Entity>> {
        let mut entities: Vec<_> = self.table(section).values().collect();
        entities.sort_by_key(|entity| entity.order);
        entities
    }
}
