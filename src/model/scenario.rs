//! Everything one run needs but its policy.

use super::alert::Alert;
use super::autoscaler::Autoscaler;
use super::change::Change;
use super::client::Client;
use super::event::{Action, Event, Surged};
use super::graph::TopologyGraph;
use super::id::{PoolId, ZoneId};
use super::instance::InstanceKind;
use super::origin::{CallMode, Origin, OriginKind, Source};
use super::pool::{Pool, Zone};
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
    /// How instances serve.
    pub plane: Plane,
}

/// How instances serve (MODEL §4).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Plane {
    /// As queues in continuous numbers.
    #[default]
    Fluid,
    /// Request by request.
    Requests,
}

impl Plane {
    /// The word in the file.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Fluid => "fluid",
            Self::Requests => "requests",
        }
    }
}

/// A measuring window.
#[derive(Debug, Clone, PartialEq)]
pub struct Phase {
    /// Its name in the file.
    pub name: String,
    /// From this boundary on.
    pub from: Seconds,
    /// Up to this one.
    pub until: Seconds,
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

/// What workers are called where they stand among resources.
pub const WORKERS: &str = "workers";

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
    /// Sources, by name.
    pub sources: Vec<Source>,
    /// Where tries come from; see [`origins`](super::origins).
    pub origins: Vec<Origin>,
    /// Autoscalers, by name.
    pub autoscalers: Vec<Autoscaler>,
    /// Measuring windows, by `from`, then name.
    pub phases: Vec<Phase>,
    /// What is to be noticed, by name.
    pub alerts: Vec<Alert>,
    /// Every pool, callers before those that they call.
    pub call_order: Vec<PoolId>,
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
            Action::InstanceLoss { pool, .. } => vec![*pool],
            Action::Surge { of: Surged::Pool(pool), .. } => vec![*pool],
            Action::Surge { of: Surged::Source(source), .. } => {
                vec![self.sources[source.index()].to]
            }
            Action::Drain { pools, .. }
            | Action::Slow { pools, .. }
            | Action::Errors { pools, .. } => pools.clone(),
            // Help is no fault.
            Action::AddInstances { .. } | Action::LaunchesRefused { .. } => Vec::new(),
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
            Change::Instance { kind, .. } | Change::ResourceLimit { kind, .. } => {
                where_pool(&|pool| pool.kind == *kind)
            }
            Change::Client { client, .. } => {
                let theirs = self.origins.iter().filter(|origin| origin.client == *client);
                let mut pools: Vec<PoolId> = theirs.map(|origin| origin.to).collect();
                pools.sort_unstable();
                pools.dedup();
                pools
            }
            Change::SourceDemand { source, .. } => vec![self.sources[source.index()].to],
            Change::Autoscaler { autoscaler, .. } => {
                where_pool(&|pool| pool.autoscaler == Some(*autoscaler))
            }
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

    /// First tries a second of all clients.
    #[must_use]
    pub fn demand_rps(&self) -> f64 {
        self.pools.iter().map(|pool| pool.demand.get()).sum::<f64>()
            + self.sources.iter().map(|source| source.demand.get()).sum::<f64>()
    }

    /// First tries a second that reach every pool when all is well, calls included.
    #[must_use]
    pub fn home_load_rps(&self) -> Vec<f64> {
        let mut load_rps: Vec<f64> = self.pools.iter().map(|pool| pool.demand.get()).collect();
        for source in &self.sources {
            load_rps[source.to.index()] += source.demand.get();
        }
        for &caller in &self.call_order {
            let own_rps = load_rps[caller.index()];
            for call in &self.pools[caller.index()].calls {
                load_rps[call.to.index()] += own_rps * call.per_request;
            }
        }
        load_rps
    }

    /// Nominal capacity of one instance of a pool at unloaded latencies, requests a second.
    #[must_use]
    pub fn instance_capacity_rps(&self, pool: PoolId) -> f64 {
        if self.pools[pool.index()].calls.is_empty() {
            return self.kinds[self.pools[pool.index()].kind.index()].capacity_rps(None);
        }
        let calls_s = unloaded_calls_s(&self.kinds, &self.pools, &self.call_order);
        self.kinds[self.pools[pool.index()].kind.index()].capacity_rps(calls_s[pool.index()])
    }

    /// The same of every pool.
    #[must_use]
    pub fn instance_capacities_rps(&self) -> Vec<f64> {
        let calls_s = unloaded_calls_s(&self.kinds, &self.pools, &self.call_order);
        let of_pool = |(pool, calls_s): (&Pool, Option<f64>)| {
            self.kinds[pool.kind.index()].capacity_rps(calls_s)
        };
        self.pools.iter().zip(calls_s).map(of_pool).collect()
    }

    /// Nominal capacity of a pool with all its instances, requests a second.
    #[must_use]
    pub fn nominal_capacity_rps(&self, pool: PoolId) -> f64 {
        f64::from(self.pools[pool.index()].instances) * self.instance_capacity_rps(pool)
    }

    /// The names of what a pool's instances can run out of: `workers`, if they have any, then their
    /// resources by name.
    pub fn resource_names(&self, pool: PoolId) -> impl Iterator<Item = &str> + '_ {
        let kind = &self.kinds[self.pools[pool.index()].kind.index()];
        let workers = kind.workers.map(|_| WORKERS);
        workers.into_iter().chain(kind.resources.iter().map(|resource| resource.name.as_str()))
    }

    /// Does any pool call another?
    #[must_use]
    pub fn has_calls(&self) -> bool {
        self.origins.iter().any(|origin| matches!(origin.kind, OriginKind::Call { .. }))
    }
}

/// The time that a request at each pool spends in calls when nothing queues anywhere, s; none for
/// pools that make none. `call_order` has callers before those that they call.
#[must_use]
pub fn unloaded_calls_s(
    kinds: &[InstanceKind],
    pools: &[Pool],
    call_order: &[PoolId],
) -> Vec<Option<f64>> {
    let mut calls_s = vec![None; pools.len()];
    for caller in call_order.iter().rev() {
        let pool = &pools[caller.index()];
        if pool.calls.is_empty() {
            continue;
        }
        let each_s = pool.calls.iter().map(|call| {
            let callee = call.to.index();
            let own_s = kinds[pools[callee].kind.index()].service_time.get();
            (call.per_request, own_s + calls_s[callee].unwrap_or(0.0))
        });
        calls_s[caller.index()] = Some(match pool.call_mode {
            CallMode::Sequence => each_s.map(|(count, callee_s)| count * callee_s).sum(),
            CallMode::Parallel => each_s.map(|(_, callee_s)| callee_s).fold(0.0, f64::max),
        });
    }
    calls_s
}
