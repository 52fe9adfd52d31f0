//! Zones and pools.

use super::id::{AutoscalerId, ClientId, KindId, ServiceId, ZoneId};
use super::origin::{Arrivals, Call, CallMode};
use crate::units::{Ratio, Rps};

/// A failure domain: what fails together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Zone {
    /// Its name in the file.
    pub name: String,
}

/// How a pool spreads its traffic over its instances in rotation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Balancing {
    /// Each request to one at random.
    Random,
    /// Strictly in turn.
    RoundRobin,
    /// To the least loaded of so many drawn at random; `None` compares all.
    LeastRequest {
        /// At least 2.
        choices: Option<u32>,
    },
}

/// Identical instances in one zone that serve one service.
#[derive(Debug, Clone, PartialEq)]
pub struct Pool {
    /// Its name in the file.
    pub name: String,
    /// The zone it is in.
    pub zone: ZoneId,
    /// What its instances are.
    pub kind: KindId,
    /// The service it serves.
    pub service: ServiceId,
    /// Whose requests its own demand is.
    pub client: ClientId,
    /// Instances at the start; at least 1.
    pub instances: u32,
    /// Does it have a demand of its own (which may be 0), beside what sources and pools send it?
    pub has_demand: bool,
    /// First tries a second of its own demand.
    pub demand: Rps,
    /// How these are spread in time.
    pub arrivals: Arrivals,
    /// What a request here calls, by pool.
    pub calls: Vec<Call>,
    /// How it makes its calls.
    pub call_mode: CallMode,
    /// What sizes it in a run.
    pub autoscaler: Option<AutoscalerId>,
    /// Below this share in rotation it is unhealthy; in (0, 1].
    pub failover_threshold: Ratio,
    /// Below this share in rotation its traffic goes to all its instances, up or not; in [0, 1].
    pub panic_threshold: Ratio,
    /// How its traffic is spread over its instances.
    pub balancing: Balancing,
}
