//! Users' requests, each counted once by how its last try ended.

use super::clock::Nanos;
use crate::engine::retry::Failure;
use crate::engine::snapshot::RequestBook;

/// Exact books: every request knows when it was born.
#[derive(Debug)]
pub struct ExactBooks {
    /// When books open, the earliest first, and which.
    marks: Vec<(Nanos, usize)>,
    /// Requests by how many of the marks had passed when they were born.
    ages: Vec<Tally>,
    /// What is shown.
    pub shown: Vec<RequestBook>,
}

/// Counts of requests.
#[derive(Debug, Clone, Copy, Default)]
struct Tally {
    arrived: u64,
    completed: u64,
    late: u64,
    degraded: u64,
    shed: u64,
    rejected: u64,
    lost: u64,
    given_up: u64,
}

/// How a request ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// Answered in time.
    Completed,
    /// Its last try was late.
    Late,
    /// A fallback answered its last try.
    Degraded,
    /// Its last try failed so.
    Failed(Failure),
}

impl Default for ExactBooks {
    fn default() -> Self {
        Self::new(Vec::new())
    }
}

impl ExactBooks {
    /// Books that open at moments, given as times of the run and of the plane.
    #[must_use]
    pub fn new(moments: Vec<(f64, Nanos)>) -> Self {
        let shown = moments.iter().map(|&(from_s, _)| RequestBook { from_s, ..Default::default() });
        let shown = shown.collect();
        let mut marks: Vec<_> =
            moments.iter().zip(0..).map(|(mark, book)| (mark.1, book)).collect();
        marks.sort_unstable();
        Self { ages: vec![Tally::default(); marks.len() + 1], marks, shown }
    }

    #[inline]
    fn of(&mut self, born: Nanos) -> &mut Tally {
        // Most are born after the last mark.
        let last = self.marks.iter().rposition(|mark| mark.0 <= born);
        &mut self.ages[last.map_or(0, |last| last + 1)]
    }

    /// The same, after a warm-up whose only book was of all its requests: what of them is inside
    /// has arrived since −∞, too.
    #[must_use]
    pub fn after(warm_up: &mut Self, mut moments: Vec<(f64, Nanos)>) -> Self {
        warm_up.show();
        for moment in moments.iter_mut().filter(|moment| moment.0 == f64::NEG_INFINITY) {
            moment.1 = 0;
        }
        let endless = moments.iter().filter(|moment| moment.0 == f64::NEG_INFINITY).count();
        let mut books = Self::new(moments);
        books.ages[endless].arrived = warm_up.shown.iter().map(|book| book.unfinished as u64).sum();
        books
    }

    /// A request is born.
    #[inline]
    pub fn arrive(&mut self, born: Nanos) {
        self.of(born).arrived += 1;
    }

    /// A request has ended.
    #[inline]
    pub fn end(&mut self, born: Nanos, end: End) {
        let tally = self.of(born);
        let count = match end {
            End::Completed => &mut tally.completed,
            End::Late | End::Failed(Failure::TimedOut) => &mut tally.late,
            End::Degraded => &mut tally.degraded,
            End::Failed(Failure::Shed) => &mut tally.shed,
            End::Failed(Failure::Rejected) => &mut tally.rejected,
            End::Failed(Failure::Lost) => &mut tally.lost,
        };
        *count += 1;
    }

    /// The client of an unfinished request has given up.
    pub fn give_up(&mut self, born: Nanos) {
        self.of(born).given_up += 1;
    }

    /// Brings what is shown up to date: a book has everyone who was born at its mark or later.
    pub fn show(&mut self) {
        let mut sum = Tally::default();
        for (&(_, book), tally) in self.marks.iter().zip(&self.ages[1..]).rev() {
            sum.arrived += tally.arrived;
            sum.completed += tally.completed;
            sum.late += tally.late;
            sum.degraded += tally.degraded;
            sum.shed += tally.shed;
            sum.rejected += tally.rejected;
            sum.lost += tally.lost;
            sum.given_up += tally.given_up;
            let failed = sum.shed + sum.rejected + sum.lost;
            let ended = sum.completed + sum.late + sum.degraded + failed;
            let book = &mut self.shown[book];
            book.arrived = sum.arrived as f64;
            book.completed = sum.completed as f64;
            book.late = sum.late as f64;
            book.degraded = sum.degraded as f64;
            book.shed = sum.shed as f64;
            book.rejected = sum.rejected as f64;
            book.lost = sum.lost as f64;
            book.given_up = sum.given_up as f64;
            book.unfinished = sum.arrived as f64 - ended as f64;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_request_is_in_every_book_that_was_open_at_its_birth() {
        let mut books = ExactBooks::new(vec![(2.0, 20), (1.0, 10), (1.0, 10)]);
        for born in [9, 10, 19, 20, 30] {
            books.arrive(born);
        }
        books.end(9, End::Completed);
        books.end(10, End::Late);
        books.end(20, End::Failed(Failure::Shed));
        books.give_up(30);
        books.show();
        let counts = |book: &RequestBook| {
            [book.arrived, book.completed, book.late, book.shed, book.unfinished, book.given_up]
        };
        assert_eq!(counts(&books.shown[0]), [2.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
        assert_eq!(counts(&books.shown[1]), [4.0, 0.0, 1.0, 1.0, 2.0, 1.0]);
        assert_eq!(books.shown[1], books.shown[2]);
    }
}
