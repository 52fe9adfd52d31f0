//! When an origin's first tries come.

use super::clock::{Clock, FAR, Nanos, later, nanos};
use crate::engine::rng::{Draws, Stream};
use crate::model::Arrivals;

/// An arrival process under a rate that changes only between steps.
#[derive(Debug)]
pub struct Process {
    kind: Arrivals,
    gaps: Stream,
    /// First tries so far.
    pub count: u64,
    /// First tries a nanosecond.
    rate: f64,
    /// When the next comes.
    pub next_at: Nanos,
    /// What is left of the gap, in first tries, while the rate is 0.
    left: f64,
    /// Batches so far, counted from the run's time 0.
    tick: i64,
    /// What is due and not yet a whole try.
    due: f64,
}

/// Rounding of a batch's size.
const NEARLY: f64 = 1e-9;

impl Process {
    /// One that begins at the plane's time 0 with a rate of 0.
    #[must_use]
    pub fn new(kind: Arrivals, gaps: Stream, clock: &Clock) -> Self {
        let mut process =
            Self { kind, gaps, count: 0, rate: 0.0, next_at: FAR, left: 0.0, tick: 0, due: 0.0 };
        match kind {
            Arrivals::Poisson | Arrivals::BatchOf(_) => process.left = process.gap(),
            Arrivals::Uniform => process.left = Draws::of(gaps, 0).uniform(0),
            Arrivals::BatchEvery(every) => {
                // Ticks are whole multiples of the interval from the run's time 0.
                let before = clock.boundary(0) / nanos(every.get()).max(1);
                process.tick = -(before as i64);
                process.next_at = process.tick_at(clock);
            }
        }
        process
    }

    fn tick_at(&self, clock: &Clock) -> Nanos {
        let Arrivals::BatchEvery(every) = self.kind else { return FAR };
        let every = nanos(every.get()).max(1) as i64;
        (clock.boundary(0) as i64 + self.tick * every).max(0) as Nanos
    }

    /// The next gap, in first tries: the time between two is this ÷ rate.
    fn gap(&self) -> f64 {
        match self.kind {
            Arrivals::Poisson => Draws::of(self.gaps, self.count).exponential(0),
            Arrivals::Uniform => 1.0,
            Arrivals::BatchOf(size) => f64::from(size),
            Arrivals::BatchEvery(_) => 0.0,
        }
    }

    /// Does one try come at a time?
    #[must_use]
    pub const fn is_single(&self) -> bool {
        matches!(self.kind, Arrivals::Poisson | Arrivals::Uniform)
    }

    /// Takes on another rate, in first tries a second.
    pub fn set_rate(&mut self, now: Nanos, rate_rps: f64) {
        let rate = rate_rps / 1e9;
        if rate == self.rate || matches!(self.kind, Arrivals::BatchEvery(_)) {
            self.rate = rate;
            return;
        }
        if self.rate > 0.0 {
            self.left = self.next_at.saturating_sub(now) as f64 * self.rate;
        }
        self.rate = rate;
        self.next_at = self.after(now, self.left);
    }

    fn after(&self, now: Nanos, gap: f64) -> Nanos {
        if self.rate <= 0.0 {
            return FAR;
        }
        later(now, gap / self.rate)
    }

    /// What comes at `next_at`; plans what comes after.
    #[inline]
    pub fn arrive(&mut self, clock: &Clock) -> u64 {
        let now = self.next_at;
        let arriving = match self.kind {
            Arrivals::Poisson | Arrivals::Uniform => 1,
            Arrivals::BatchOf(size) => u64::from(size),
            Arrivals::BatchEvery(every) => {
                self.tick += 1;
                self.due += self.rate * nanos(every.get()) as f64;
                let whole = (self.due + NEARLY).floor().max(0.0);
                self.due -= whole;
                whole as u64
            }
        };
        self.count += arriving;
        self.next_at = match self.kind {
            Arrivals::BatchEvery(_) => self.tick_at(clock),
            _ => self.after(now, self.gap()),
        };
        arriving
    }
}
