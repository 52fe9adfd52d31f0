//! The tables of stationary values that a run needs.

use std::collections::{BTreeMap, BTreeSet};

use crate::queueing::Table;

/// Tables of stationary values, one for each distinct (c, K).
#[derive(Debug, Default)]
pub struct Tables {
    list: Vec<Table>,
    index: BTreeMap<(Option<u32>, Option<u64>), u32>,
    /// Numbers whose table nobody needs any more.
    free: Vec<u32>,
    /// Tables in use after the last look for those that are not.
    kept: usize,
}

/// Over so many tables, those that nobody reads are given up: a limit that ramps would fill the
/// memory with them.
const MANY: usize = 256;

impl Tables {
    /// The number of the table for `servers`, any number if none, and at most `limit` in the
    /// system;
    /// `in_use` are the numbers that are still read.
    pub fn find(&mut self, servers: Option<u32>, limit: Option<u64>, in_use: &[u32]) -> u32 {
        if let Some(number) = self.index.get(&(servers, limit)) {
            return *number;
        }
        // Twice as many as were in use last time: a look costs as much as the fleet is large.
        if self.free.is_empty() && self.list.len() >= MANY.max(2 * self.kept) {
            self.sweep(in_use);
        }
        let table = servers.map_or_else(Table::unlimited, |servers| Table::new(servers, limit));
        let number = match self.free.pop() {
            Some(number) => {
                self.list[number as usize] = table;
                number
            }
            None => {
                self.list.push(table);
                (self.list.len() - 1) as u32
            }
        };
        self.index.insert((servers, limit), number);
        number
    }

    /// A table by number.
    #[must_use]
    pub fn get(&self, number: u32) -> &Table {
        &self.list[number as usize]
    }

    fn sweep(&mut self, in_use: &[u32]) {
        let in_use: BTreeSet<u32> = in_use.iter().copied().collect();
        self.index.retain(|_, number| in_use.contains(number));
        let unread = (0..self.list.len() as u32).filter(|number| !in_use.contains(number));
        self.free.extend(unread);
        self.kept = self.list.len() - self.free.len();
    }
}
