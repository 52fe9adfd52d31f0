//! How long work takes.

use super::clock::{FAR, Nanos, later};
use super::flow::purpose;
use crate::engine::rng::Draws;
use crate::model::ServiceDistribution;

/// Work in mean service times.
#[inline]
pub fn drawn(distribution: ServiceDistribution, draws: Draws) -> f64 {
    match distribution {
        ServiceDistribution::Exponential => draws.exponential(purpose::WORK),
        ServiceDistribution::Deterministic => 1.0,
        ServiceDistribution::Lognormal { cv } => {
            let variance = libm::log1p(cv * cv);
            let normal = crate::queueing::normal_quantile(draws.uniform(purpose::WORK));
            libm::exp(variance.sqrt() * normal - 0.5 * variance)
        }
    }
}

/// When work that begins now is done; a piece takes a mean time of `mean`, ns.
#[inline]
pub fn done_at(now: Nanos, work: f64, mean: f64) -> Nanos {
    later(now, (work * mean).max(1.0))
}

/// Work under way at the moment when the mean time changes.
#[derive(Debug, Clone, Copy)]
pub struct Moved {
    /// The instance.
    pub station: u32,
    /// Mean time of a piece so far, ns.
    pub old: f64,
    /// From now on.
    pub new: f64,
}

impl Moved {
    /// The change of an instance, among those of all, which are in the order of instances.
    #[must_use]
    pub fn of(all: &[Self], station: u32) -> Option<&Self> {
        all.binary_search_by_key(&station, |moved| moved.station).ok().map(|place| &all[place])
    }

    /// What is left of work that would be done at a time, and when it is done at the new speed.
    /// `left` was left when the instance stood still.
    #[must_use]
    pub fn go_on(&self, now: Nanos, at: Nanos, left: f64) -> (f64, Nanos) {
        let stood_still = at >= FAR || self.old <= 0.0;
        let left = if stood_still { left } else { at.saturating_sub(now) as f64 / self.old };
        (left, later(now, left * self.new))
    }
}
