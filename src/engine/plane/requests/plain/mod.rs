//! The plain way to serve, for runs in which nothing that a request does reaches another pool:
//! there are no calls, and no client tries again or cancels.
//!
//! A pool then needs to be looked at only when a try or a probe comes to it. Those come in exact
//! order over the fleet; before each, what its pool has done by then is made up for. So there is a
//! small heap a pool instead of a large one, and no slab of tries: what waits or is worked on is in
//! the queue or the heap itself. Results are those of the general way to the last bit; completions
//! of one instant need no order, as each just frees a place for whoever waits longest.

mod arrive;
mod lane;
mod leave;
mod soonest;

use std::collections::VecDeque;

use super::clock::Nanos;
use super::tries::{PROBE, TryRef};
use crate::model::{OriginKind, Resource, Scenario};
use lane::Guest;
use soonest::Soonest;

/// What is inside instances.
#[derive(Debug)]
pub struct Plain {
    /// Work under way, by pool.
    working: Vec<Soonest>,
    /// Who waits, by instance.
    waiting: Vec<VecDeque<Guest>>,
    /// Probes so far.
    probes: u32,
}

/// Can every request of a scenario be served plainly? Whether clients retry or cancel, and what
/// paces an instance, are the same throughout a run; an unused client counts, too.
#[must_use]
pub fn is_plain(scenario: &Scenario) -> bool {
    let calls = scenario.origins.iter().any(|one| matches!(one.kind, OriginKind::Call { .. }))
        || scenario.pools.iter().any(|pool| !pool.calls.is_empty());
    let reacts = scenario.clients.iter().any(|client| client.cancel || client.retry.is_some());
    // Only servers make tries wait, and all work takes time.
    let is_paced_by_servers = scenario.kinds.iter().all(|kind| {
        let consumes = kind.resources.iter().any(|resource| Resource::rate_rps(resource).is_some());
        kind.service_time.get() > 0.0 && (kind.servers(false).is_some() || !consumes)
    });
    !calls && !reacts && is_paced_by_servers
}

impl Plain {
    /// Empty instances, so many, of so many pools.
    #[must_use]
    pub fn new(pools: usize, stations: usize) -> Self {
        Self {
            working: (0..pools).map(|_| Soonest::default()).collect(),
            waiting: (0..stations).map(|_| VecDeque::new()).collect(),
            probes: 0,
        }
    }

    /// How many wait at an instance.
    #[must_use]
    pub fn waiting_at(&self, station: usize) -> usize {
        self.waiting[station].len()
    }

    /// A name for the next probe.
    pub fn name_probe(&mut self) -> TryRef {
        self.probes = self.probes.wrapping_add(1);
        probe_named(Nanos::from(self.probes))
    }

    /// Tries inside an instance or waiting at it: their origins, when they were sent, and where
    /// they are.
    pub fn tries(&self) -> impl Iterator<Item = (u32, Nanos, u32)> {
        let working = self.working.iter().flat_map(Soonest::iter);
        let working = working.map(|work| (work.origin, work.sent, work.station));
        let waiting = self.waiting.iter().zip(0..).flat_map(|(queue, station)| {
            queue.iter().map(move |guest| (guest.origin, guest.sent, station))
        });
        working.chain(waiting).filter(|one| one.0 != PROBE)
    }
}

/// A probe's reference; where a try has the time at which it was sent, a probe has its number.
const fn probe_named(number: Nanos) -> TryRef {
    TryRef { index: 0, serial: number as u32 }
}
