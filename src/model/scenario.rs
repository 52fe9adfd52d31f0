//! Everything one run needs but its policy.

use super::change::Change;
use super::event::{Action, Event};
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

    /// The first step boundary at or after a time, counted from 0: an event acts in the run when
    /// its boundary is below [`Self::steps`].
    #[must_use]
    pub fn boundary_at(&self, time_s: f64) -> u32 {
        // A time that is a whole number of steps but for rounding is that boundary.
        (time_s / self.step.get() - 1e-9).ceil().clamp(0.0, f64::from(u32::MAX)) as u32
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

    /// The pools that an action is a fault of.
    #[must_use]
    pub fn pools_hit_by(&self, action: &Action) -> Vec<PoolId> {
        match action {
            Action::ZoneOutage { zone } => self.pools_in(*zone).collect(),
            Action::InstanceLoss { pool, .. } | Action::Surge { pool, .. } => vec![*pool],
            Action::Drain { pools, .. }
            | Action::Slow { pools, .. }
            | Action::Errors { pools, .. } => pools.clone(),
            // Help is no fault.
            Action::AddInstances { .. } => Vec::new(),
            Action::Set { changes } => changes.iter().flat_map(|c| self.changed_by(c)).collect(),
        }
    }

    fn changed_by(&self, change: &Change) -> Vec<PoolId> {
        let where_pool = |is: &dyn Fn(&Pool) -> bool| {
            let pools = self.pools.iter().enumerate();
            pools.filter(|(_, pool)| is(pool)).map(|(p, _)| PoolId::from_index(p)).collect()
        };
        match change {
            Change::Pool { pool, .. } => vec![*pool],
            Change::Instance { kind, .. } => where_pool(&|pool| pool.kind == *kind),
            Change::Client { client, .. } => where_pool(&|pool| pool.client == *client),
        }
    }

    /// The time by which an event's fault is detected (MODEL §10): at + over, plus
    /// `unhealthy_threshold` × interval + time-out where instances are hit.
    #[must_use]
    pub fn detected_by_s(&self, event: &Event) -> f64 {
        let hits_instances = matches!(
            event.action,
            Action::ZoneOutage { .. } | Action::InstanceLoss { .. } | Action::Slow { .. }
        );
        let pools = if hits_instances { self.pools_hit_by(&event.action) } else { Vec::new() };
        let slowest_s = pools.into_iter().map(|pool| self.detection_s(pool)).fold(0.0, f64::max);
        event.at.get() + event.over.get() + slowest_s
    }

    /// The time by which the faults of all events are detected; 0 without events.
    #[must_use]
    pub fn detection_deadline_s(&self) -> f64 {
        self.events.iter().map(|event| self.detected_by_s(event)).fold(0.0, f64::max)
    }

    /// The longest that a pool's probes take to find a dead instance.
    fn detection_s(&self, pool: PoolId) -> f64 {
        let check = &self.kinds[self.pools[pool.index()].kind.index()].health_check;
        f64::from(check.unhealthy_threshold) * check.interval.get() + check.timeout.get()
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
