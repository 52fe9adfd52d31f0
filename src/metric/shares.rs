//! Shares of the window's requests by how they ended.

use crate::engine::{RequestBook, Snapshot};

use super::{Metric, Summary};

/// Goodput, late, degraded, shed, rejected, lost, unfinished.
pub struct Shares {
    trigger_s: f64,
    book: RequestBook,
}

impl Shares {
    /// Of the requests that arrive from the trigger on.
    pub fn new(trigger_s: f64) -> Self {
        Self { trigger_s, book: RequestBook::default() }
    }
}

/// The book that opened at a moment.
pub fn book_from(snapshot: &Snapshot<'_>, mark_s: f64) -> RequestBook {
    let is_it = |book: &&RequestBook| book.from_s == mark_s;
    snapshot.books.iter().find(is_it).copied().unwrap_or_default()
}

impl Metric for Shares {
    fn mark_s(&self) -> Option<f64> {
        Some(self.trigger_s)
    }

    fn step(&mut self, snapshot: &Snapshot<'_>) {
        self.book = book_from(snapshot, self.trigger_s);
    }

    fn finish(&mut self, summary: &mut Summary) {
        let book = &self.book;
        summary.goodput_ratio = book.share(book.completed);
        summary.late_ratio = book.share(book.late);
        summary.degraded_ratio = book.share(book.degraded);
        summary.shed_ratio = book.share(book.shed);
        summary.rejected_ratio = book.share(book.rejected);
        summary.lost_ratio = book.share(book.lost);
        summary.unfinished_ratio = book.share(book.unfinished);
    }
}
