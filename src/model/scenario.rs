//! Everything one run needs but its policy.

use super::event::Event;
use super::graph::TopologyGraph;
use super::id::{PoolId, ZoneId};
use super::instance::InstanceKind;
use super::pool::{Client, Pool, Zone};
use crate::units::Seconds;

/// How the run is stepped.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Simulation {
    /// From time 0 to the end; a whole number of steps.
    pub duration: Seconds,
    /// One step, `dt`; over 0.
    pub step: Seconds,
    /// The seed that every random stream derives from.
    pub seed: u64,
}

impl Simulation {
    /// Steps in a run.
    #[must_use]
    pub fn steps(&self) -> u32 {
        // Validation limits the number of steps to 10 million.
        (self.duration.get() / self.step.get()).round() as u32
    }
}

/// A valid scenario. Tables are sorted by name; `*_rows` give the order of the file.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// The file's `name`.
    pub name: String,
    /// How the run is stepped.
    pub simulation: Simulation,
    /// Zones, by name.
    pub zones: Vec<Zone>,
    /// Instance kinds, by name.
    pub kinds: Vec<InstanceKind>,
    /// Clients, by name.
    pub clients: Vec<Client>,
    /// Services' names, sorted.
    pub services: Vec<String>,
    /// Pools, by name.
    pub pools: Vec<Pool>,
    /// Zones and pools with their edges.
    pub graph: TopologyGraph,
    /// Events, by `at`, then name.
    pub events: Vec<Event>,
    /// Pools in the order of the file: the order of rows.
    pub pool_rows: Vec<PoolId>,
    /// Zones in the order of the file.
    pub zone_rows: Vec<ZoneId>,
}

impl Scenario {
    /// Time of the first event, from which the run's window counts; none without events.
    #[must_use]
    pub fn trigger_s(&self) -> Option<f64> {
        self.events.iter().map(|event| event.at.get()).min_by(f64::total_cmp)
    }

    /// The pools of a zone, by name.
    pub fn pools_in(&self, zone: ZoneId) -> impl Iterator<Item = PoolId> + '_ {
        let in_zone = move |(_, pool): &(usize, &Pool)| pool.zone == zone;
        self.pools.iter().enumerate().filter(in_zone).map(|(index, _)| PoolId::from_index(index))
    }

    /// First tries a second of the whole fleet at home.
    #[must_use]
    pub fn demand_rps(&self) -> f64 {
        self.pools.iter().map(|pool| pool.demand.get()).sum()
    }

    /// Nominal capacity of a pool with all its instances, requests a second.
    #[must_use]
    pub fn nominal_capacity_rps(&self, pool: PoolId) -> f64 {
        let pool = &self.pools[pool.index()];
        f64::from(pool.instances) * self.kinds[pool.kind.index()].capacity_rps()
    }
}
