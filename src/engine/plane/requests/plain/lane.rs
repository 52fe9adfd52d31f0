//! What is inside a pool's instances.

use super::super::clock::Nanos;
use super::super::desk::Desk;
use super::super::station::Station;
use super::super::work;
use crate::engine::rng::Draws;
use crate::model::ServiceDistribution;

/// A try or a probe that comes to an instance.
#[derive(Debug, Clone, Copy)]
pub struct Guest {
    /// Where it comes from; `PROBE` for a probe.
    pub origin: u32,
    /// Was it sent to another pool than its home?
    pub redirected: bool,
    /// When it was sent; the number of a probe.
    pub sent: Nanos,
    /// What is drawn for it.
    pub draws: Draws,
}

/// Work under way.
#[derive(Debug, Clone, Copy)]
pub struct Work {
    /// When it is done.
    pub done_at: Nanos,
    /// When the try was sent; the number of a probe.
    pub sent: Nanos,
    /// What is left of it while its instance stands still, in mean service times.
    pub left: f64,
    /// The instance.
    pub station: u32,
    /// Where it comes from; `PROBE` for a probe.
    pub origin: u32,
    /// Was it sent to another pool than its home?
    pub redirected: bool,
}

impl Work {
    /// Work on a guest that begins now.
    #[inline]
    pub fn begin(
        now: Nanos,
        guest: Guest,
        (station, there): (u32, &Station),
        desk: &Desk,
        distribution: ServiceDistribution,
    ) -> Self {
        let cost = if guest.redirected { desk.redirect_cost } else { 1.0 };
        let left = cost * work::drawn(distribution, guest.draws);
        Self {
            done_at: work::done_at(now, left, there.mean),
            sent: guest.sent,
            left,
            station,
            origin: guest.origin,
            redirected: guest.redirected,
        }
    }
}
