//! What a random fleet is drawn as: every part may have any value and shrinks alone. References are
//! any number, taken modulo what there is.

use zonefall::model::{
    Action, Arrivals, Balancing, CallMode, Change, Client, ClientId, ClientSetting, Event,
    InstanceKind, InstanceSetting, KindId, LossAmount, Plane, Pool, PoolFailover, PoolId,
    PoolSetting, ServiceId, Simulation, Surged, ZoneId,
};
use zonefall::policy::PolicySpec;
use zonefall::units::{Ratio, Rps, Seconds};

use super::fleet::{Fleet, edge};

/// Any number, that points into a table.
pub type Pointer = usize;

#[derive(Debug, Clone)]
pub struct Sketch {
    pub step_s: f64,
    pub steps: u32,
    pub seed: u64,
    pub kinds: Vec<InstanceKind>,
    pub clients: Vec<Option<f64>>,
    pub services: usize,
    pub zones: Vec<Vec<PoolSketch>>,
    pub events: Vec<EventSketch>,
    pub policy: PolicySpec,
}

#[derive(Debug, Clone)]
pub struct PoolSketch {
    pub kind: Pointer,
    pub service: Pointer,
    pub client: Pointer,
    pub instances: u32,
    /// Demand ÷ nominal capacity.
    pub load: f64,
    pub failover_threshold: f64,
    pub panic_threshold: f64,
    pub balancing: Balancing,
    /// Target, weight, priority; none is the service's default.
    pub failover: Option<Vec<(Pointer, f64, u32)>>,
}

#[derive(Debug, Clone)]
pub struct EventSketch {
    /// When, as a share of the run.
    pub at: f64,
    /// For how long, as a share of the run.
    pub over: f64,
    /// Undone so much later, as a share of the run.
    pub until: Option<f64>,
    pub action: ActionSketch,
}

#[derive(Debug, Clone)]
pub enum ActionSketch {
    ZoneOutage(Pointer),
    LossCount(Pointer, Pointer),
    LossShare(Pointer, f64),
    Drain(Place, f64),
    Slow(Place, f64),
    Errors(Place, f64),
    Surge(Pointer, f64),
    AddInstances(Pointer, u32),
    SetInstance(Pointer, InstanceSetting, Option<f64>),
    SetPool(Pointer, PoolSetting, f64),
    SetClient(Pointer, Option<f64>),
}

#[derive(Debug, Clone, Copy)]
pub enum Place {
    Pool(Pointer),
    Zone(Pointer),
}

pub fn seconds(value: f64) -> Seconds {
    Seconds::new(value).expect("a duration")
}

pub fn ratio(value: f64) -> Ratio {
    Ratio::new(value).expect("a ratio")
}

impl Sketch {
    pub fn fleet(&self) -> Fleet {
        let clients = self.clients.iter().enumerate();
        let clients: Vec<Client> = clients
            .map(|(index, timeout)| Client {
                name: format!("c{index}"),
                timeout: timeout.map(seconds),
                cancel: false,
                retry: None,
            })
            .collect();
        let duration = seconds(f64::from(self.steps) * self.step_s);
        let mut fleet = Fleet {
            simulation: Simulation {
                duration,
                step: seconds(self.step_s),
                seed: self.seed,
                plane: Plane::Fluid,
            },
            zones: self.zones.len(),
            services: self.services,
            kinds: self.kinds.clone(),
            clients,
            pools: vec![],
            failover: vec![],
            events: vec![],
            policy: self.policy.clone(),
        };
        for (index, kind) in fleet.kinds.iter_mut().enumerate() {
            kind.name = format!("k{index}");
        }
        let total = self.zones.iter().map(Vec::len).sum();
        for (zone, pools) in self.zones.iter().enumerate() {
            for sketch in pools {
                let index = fleet.pools.len();
                let pool = pool(&fleet, zone, sketch);
                fleet.pools.push(pool);
                fleet.failover.push(failover(index, total, sketch));
            }
        }
        for (index, sketch) in self.events.iter().enumerate() {
            let event = event(&fleet, index, sketch);
            fleet.events.push(event);
        }
        fleet
    }
}

fn pool(fleet: &Fleet, zone: usize, sketch: &PoolSketch) -> Pool {
    let kind = sketch.kind % fleet.kinds.len();
    let capacity_rps = fleet.kinds[kind].capacity_rps(None) * f64::from(sketch.instances);
    Pool {
        name: format!("p{:03}", fleet.pools.len()),
        zone: ZoneId::from_index(zone),
        kind: KindId::from_index(kind),
        service: ServiceId::from_index(sketch.service % fleet.services),
        client: ClientId::from_index(sketch.client % fleet.clients.len()),
        instances: sketch.instances,
        demand: Rps::new(sketch.load * capacity_rps).expect("a rate"),
        has_demand: true,
        arrivals: Arrivals::Poisson,
        calls: Vec::new(),
        call_mode: CallMode::Sequence,
        autoscaler: None,
        failover_threshold: ratio(sketch.failover_threshold),
        panic_threshold: ratio(sketch.panic_threshold),
        balancing: sketch.balancing,
    }
}

/// Never to itself, and at most one edge to a pool, as in a file.
fn failover(home: usize, pools: usize, sketch: &PoolSketch) -> PoolFailover {
    let Some(edges) = &sketch.failover else { return PoolFailover::Service };
    let mut edges: Vec<_> = edges
        .iter()
        .map(|&(to, weight, priority)| edge(to % pools, weight, priority))
        .filter(|(to, _)| to.index() != home)
        .collect();
    edges.sort_by_key(|(to, _)| *to);
    edges.dedup_by_key(|(to, _)| *to);
    PoolFailover::Explicit(edges)
}

fn event(fleet: &Fleet, index: usize, sketch: &EventSketch) -> Event {
    let length_s = fleet.simulation.duration.get();
    let (at_s, over_s) = (sketch.at * length_s, sketch.over * length_s);
    Event {
        name: format!("e{index}"),
        at: seconds(at_s),
        over: seconds(over_s),
        until: sketch.until.map(|share| seconds(at_s + over_s + share * length_s)),
        cause: None,
        action: action(fleet, &sketch.action),
    }
}

fn action(fleet: &Fleet, sketch: &ActionSketch) -> Action {
    let pool = |pointer: Pointer| PoolId::from_index(pointer % fleet.pools.len());
    let pools = |place: Place| match place {
        Place::Pool(pointer) => vec![pool(pointer)],
        Place::Zone(pointer) => {
            let zone = ZoneId::from_index(pointer % fleet.zones);
            let there = |id: &PoolId| fleet.pools[id.index()].zone == zone;
            (0..fleet.pools.len()).map(PoolId::from_index).filter(there).collect()
        }
    };
    match *sketch {
        ActionSketch::ZoneOutage(at) => {
            Action::ZoneOutage { zone: ZoneId::from_index(at % fleet.zones) }
        }
        ActionSketch::LossCount(at, count) => {
            let instances = fleet.pools[pool(at).index()].instances;
            let count = 1 + count as u32 % instances;
            Action::InstanceLoss { pool: pool(at), amount: LossAmount::Count(count) }
        }
        ActionSketch::LossShare(at, share) => {
            Action::InstanceLoss { pool: pool(at), amount: LossAmount::Share(ratio(share)) }
        }
        ActionSketch::Drain(at, share) => Action::Drain { pools: pools(at), share: ratio(share) },
        ActionSketch::Slow(at, speed) => Action::Slow { pools: pools(at), speed: ratio(speed) },
        ActionSketch::Errors(at, share) => Action::Errors { pools: pools(at), share: ratio(share) },
        ActionSketch::Surge(at, factor) => {
            Action::Surge { of: Surged::Pool(pool(at)), factor: ratio(factor) }
        }
        ActionSketch::AddInstances(at, count) => Action::AddInstances { pool: pool(at), count },
        ActionSketch::SetInstance(at, setting, value) => {
            let kind = KindId::from_index(at % fleet.kinds.len());
            let interval_s = fleet.kinds[kind.index()].health_check.interval.get();
            // A time-out is at most the interval.
            let value = match setting {
                InstanceSetting::ProbeTimeout => value.map(|share| share * interval_s),
                _ => value,
            };
            Action::Set { changes: vec![Change::Instance { kind, setting, value }] }
        }
        ActionSketch::SetPool(at, setting, value) => {
            let kind = &fleet.kinds[fleet.pools[pool(at).index()].kind.index()];
            // A demand is drawn as a share of an instance's capacity.
            let value = match setting {
                PoolSetting::Demand => value * kind.capacity_rps(None),
                _ => value,
            };
            Action::Set { changes: vec![Change::Pool { pool: pool(at), setting, value }] }
        }
        ActionSketch::SetClient(at, value) => {
            let client = ClientId::from_index(at % fleet.clients.len());
            let setting = ClientSetting::Timeout;
            Action::Set { changes: vec![Change::Client { client, setting, value }] }
        }
    }
}
