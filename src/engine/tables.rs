//! The tables of stationary values that a run needs.

use std::collections::BTreeMap;

use crate::queueing::Table;

/// Tables of stationary values, one for each distinct (c, K).
#[derive(Debug, Default)]
pub struct Tables {
    list: Vec<Table>,
    index: BTreeMap<(u32, Option<u64>), u32>,
}

impl Tables {
    /// The number of the table for `servers` and at most `limit` in the system.
    pub fn find(&mut self, servers: u32, limit: Option<u64>) -> u32 {
        *self.index.entry((servers, limit)).or_insert_with(|| {
            self.list.push(Table::new(servers, limit));
            (self.list.len() - 1) as u32
        })
    }

    /// A table by number.
    #[must_use]
    pub fn get(&self, number: u32) -> &Table {
        &self.list[number as usize]
    }
}
