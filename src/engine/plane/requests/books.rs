//! Users' requests, each counted once by how its last try ended.

use super::clock::Nanos;
use crate::engine::retry::Failure;
use crate::engine::snapshot::RequestBook;

/// Exact books: every request knows when it was born.
#[derive(Debug, Default)]
pub struct ExactBooks {
    marks: Vec<Nanos>,
    /// What is shown.
    pub shown: Vec<RequestBook>,
}

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Answered in time.
    Completed,
    /// Its last try was late.
    Late,
    /// Its last try failed so.
    Failed(Failure),
}

impl ExactBooks {
    /// Books that open at moments, given as times of the run and of the plane.
    #[must_use]
    pub fn new(marks: Vec<(f64, Nanos)>) -> Self {
        let shown = marks.iter().map(|&(from_s, _)| RequestBook { from_s, ..Default::default() });
        Self { shown: shown.collect(), marks: marks.into_iter().map(|mark| mark.1).collect() }
    }

    /// The same, after a warm-up whose only book was of all its requests: what of them is inside
    /// has arrived since −∞, too.
    #[must_use]
    pub fn after(warm_up: &Self, marks: Vec<(f64, Nanos)>) -> Self {
        let mut books = Self::new(marks);
        for (mark, book) in books.marks.iter_mut().zip(&mut books.shown) {
            if let ([warm], true) = (&warm_up.shown[..], book.from_s == f64::NEG_INFINITY) {
                *mark = 0;
                book.arrived = warm.unfinished;
                book.unfinished = warm.unfinished;
            }
        }
        books
    }

    /// A request is born.
    pub fn arrive(&mut self, born: Nanos) {
        for (mark, book) in self.marks.iter().zip(&mut self.shown) {
            if born >= *mark {
                book.arrived += 1.0;
                book.unfinished += 1.0;
            }
        }
    }

    /// A request has ended.
    pub fn end(&mut self, born: Nanos, end: End) {
        for (mark, book) in self.marks.iter().zip(&mut self.shown) {
            if born < *mark {
                continue;
            }
            book.unfinished -= 1.0;
            let count = match end {
                End::Completed => &mut book.completed,
                End::Late | End::Failed(Failure::TimedOut) => &mut book.late,
                End::Failed(Failure::Shed) => &mut book.shed,
                End::Failed(Failure::Rejected) => &mut book.rejected,
                End::Failed(Failure::Lost) => &mut book.lost,
            };
            *count += 1.0;
        }
    }

    /// The client of an unfinished request has given up.
    pub fn give_up(&mut self, born: Nanos) {
        for (mark, book) in self.marks.iter().zip(&mut self.shown) {
            if born >= *mark {
                book.given_up += 1.0;
            }
        }
    }
}
