//! What a pool's traffic does in a step, counted in whole tries.

use hdrhistogram::Histogram;

use super::clock::{Nanos, seconds};
use crate::engine::snapshot::Latency;
use crate::model::Balancing;

/// Where a try goes from its home.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    /// To a pool.
    To(u32),
    /// Nowhere: it is refused on purpose.
    Shed,
}

/// Counts of one step.
#[derive(Debug, Clone, Copy, Default)]
pub struct Counts {
    pub first: u64,
    pub retries: u64,
    pub redirected_in: u64,
    pub redirected_out: u64,
    pub completed: u64,
    pub late: u64,
    /// Refused at home, and taken by the fallback.
    pub deferred: u64,
    pub degraded: u64,
    pub shed: u64,
    pub rejected: u64,
    pub lost: u64,
    pub died_inside: u64,
    /// Most tries inside at any moment.
    pub peak: u64,
    /// Tries inside × time, ns.
    pub inside_time: i128,
    /// Tries and probes inside × time, ns.
    pub present_time: i128,
    /// Taken servers × time, ns.
    pub busy_time: i128,
    /// Working workers × time, ns.
    pub working_time: i128,
    /// Pieces of work done for tries at home, and for probes.
    pub done: u64,
    /// Pieces of work done for redirected tries.
    pub done_redirected: u64,
}

/// A pool.
#[derive(Debug)]
pub struct Desk {
    /// This step.
    pub now: Counts,
    /// Tries inside.
    pub inside: u64,
    /// Its tries that the fallback has yet to answer.
    pub deferred: u64,
    /// Tries and probes inside.
    pub present: u64,
    /// Taken servers.
    pub busy: u64,
    /// Working workers.
    pub working: u64,
    /// Where its demand goes: cumulative shares; empty while everything stays.
    pub ways: Vec<(f64, Way)>,
    /// Instances that are sent traffic.
    pub receivers: Vec<u32>,
    /// Of those, the dead ones come last, from here on.
    pub living: usize,
    /// Cumulative shares of the receivers; empty while they are even.
    pub weights: Vec<f64>,
    /// How it spreads its traffic.
    pub balancing: Balancing,
    /// Whose turn it is.
    pub turn: u64,
    /// Share of tries that fail at once.
    pub error_share: f64,
    /// Work of a redirected try.
    pub redirect_cost: f64,
    /// Does a request here call other pools?
    pub calls: bool,
    /// Answers' latencies since the last row, µs: the first of them, as they are.
    few: Vec<u64>,
    /// The others.
    latencies: Histogram<u32>,
    latency_sum: u128,
}

/// So many latencies are sorted sooner than counts of all possible ones are added up.
const FEW: usize = 512;
/// The percentile that is shown.
const PERCENTILE: f64 = 0.99;
/// Digits of a percentile.
const DIGITS: u8 = 3;
/// Longest latency that is told apart, µs: a day.
const LONGEST_US: u64 = 86_400_000_000;

impl Desk {
    /// A pool without traffic.
    ///
    /// # Panics
    /// Never: the histogram's bounds are constants that it accepts.
    pub fn new(balancing: Balancing) -> Self {
        let latencies = Histogram::new(DIGITS).expect("a valid number of digits");
        Self {
            now: Counts::default(),
            inside: 0,
            deferred: 0,
            present: 0,
            busy: 0,
            working: 0,
            ways: Vec::new(),
            receivers: Vec::new(),
            living: 0,
            weights: Vec::new(),
            balancing,
            turn: 0,
            error_share: 0.0,
            redirect_cost: 1.0,
            calls: false,
            few: Vec::new(),
            latencies,
            latency_sum: 0,
        }
    }

    /// Begins a step of that length.
    pub fn begin(&mut self, length: Nanos) {
        let whole = |count: u64| i128::from(count) * i128::from(length);
        self.now = Counts {
            peak: self.inside,
            inside_time: whole(self.inside),
            present_time: whole(self.present),
            busy_time: whole(self.busy),
            working_time: whole(self.working),
            ..Counts::default()
        };
    }

    /// Counts a piece of work that is done.
    #[inline]
    pub fn count_done(&mut self, redirected: bool) {
        if redirected {
            self.now.done_redirected += 1;
        } else {
            self.now.done += 1;
        }
    }

    /// Work done in the step, in requests at home.
    #[must_use]
    pub fn work_done(&self) -> f64 {
        self.now.done as f64 + self.now.done_redirected as f64 * self.redirect_cost
    }

    /// Records an answer's latency.
    #[inline]
    pub fn record(&mut self, latency: Nanos) {
        self.latency_sum += u128::from(latency);
        let latency_us = (latency / 1_000).min(LONGEST_US);
        if self.few.len() < FEW {
            self.few.push(latency_us);
        } else {
            // Only a histogram without room for it refuses.
            let _ = self.latencies.record(latency_us);
        }
    }

    /// What was recorded since the last row; none without answers.
    pub fn take_latency(&mut self) -> Option<Latency> {
        let count = self.few.len() as u64 + self.latencies.len();
        if count == 0 {
            return None;
        }
        let mean_s = self.latency_sum as f64 / count as f64 / 1e9;
        let p99_s = seconds(self.percentile_us() * 1_000);
        self.few.clear();
        self.latency_sum = 0;
        Some(Latency::Measured { mean_s, p99_s })
    }

    /// Empties the histogram, too.
    fn percentile_us(&mut self) -> u64 {
        if self.latencies.is_empty() {
            let place = (PERCENTILE * self.few.len() as f64).ceil() as usize;
            let (_, &mut found, _) = self.few.select_nth_unstable(place.max(1) - 1);
            return self.latencies.highest_equivalent(found);
        }
        for latency_us in self.few.drain(..) {
            let _ = self.latencies.record(latency_us);
        }
        let found = self.latencies.value_at_quantile(PERCENTILE);
        self.latencies.reset();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn few_latencies_and_many_have_the_percentiles_of_a_histogram() {
        let mut desk = Desk::new(Balancing::Random);
        for count in [1, 2, 99, 100, 101, FEW, FEW + 1, 5_000] {
            let mut whole: Histogram<u32> = Histogram::new(DIGITS).expect("digits");
            for number in 0..count as u64 {
                let latency_us = (number * 7_919 % 5_003) * (1 + number % 7) * 37;
                desk.record(latency_us * 1_000);
                whole.record(latency_us).expect("room");
            }
            let expected = seconds(whole.value_at_quantile(PERCENTILE) * 1_000);
            match desk.take_latency() {
                Some(Latency::Measured { p99_s, .. }) => assert_eq!(p99_s, expected, "{count}"),
                other => panic!("{count}: {other:?}"),
            }
            assert!(desk.take_latency().is_none());
        }
    }
}
