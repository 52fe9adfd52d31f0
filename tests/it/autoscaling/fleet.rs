//! Small fleets with an autoscaler, built by hand.

use zonefall::engine::{Happening, PoolStep};
use zonefall::model::{
    Action, Arrivals, Autoscaler, AutoscalerId, Balancing, CallMode, Client, ClientId, Event,
    HealthCheck, InstanceKind, KindId, OnUnhealthy, Plane, Pool, PoolFailover, PoolId, ProbeKind,
    ScaleMetric, ScaleRules, ScaleTarget, ServiceDistribution, ServiceId, Signal, Simulation,
    ZoneId,
};
use zonefall::policy::Case;
use zonefall::units::{Ratio, Rps, Seconds};

use crate::random::fleet::{Fleet, policy};
use crate::random::sketch::{ratio, seconds};
use crate::random::trial::Record;

/// Ten workers, 100 ms a request: 100 rps an instance.
pub fn kind() -> InstanceKind {
    InstanceKind {
        service_distribution: ServiceDistribution::Exponential,
        resources: Vec::new(),
        workers_held_during_calls: false,
        name: "web".to_owned(),
        workers: Some(10),
        service_time: seconds(0.1),
        queue_limit: Some(100),
        speed_spread: ratio(0.0),
        startup_time: Seconds::ZERO,
        restart_time: Seconds::ZERO,
        max_wait: None,
        warm_up: Seconds::ZERO,
        slow_start: Seconds::ZERO,
        redirect_cost: 1.0,
        health_check: HealthCheck {
            kind: ProbeKind::Shallow,
            interval: seconds(2.0),
            timeout: seconds(1.0),
            unhealthy_threshold: 2,
            healthy_threshold: 1,
            on_unhealthy: OnUnhealthy::Eject,
            phase: Some(Seconds::ZERO),
            max_out_of_rotation: Ratio::ONE,
        },
    }
}

/// A target of a pool's own, or of another's.
pub fn target(pool: Option<usize>, metric: ScaleMetric, value: f64) -> ScaleTarget {
    ScaleTarget { signal: Signal { pool: pool.map(PoolId::from_index), metric }, value }
}

pub fn workers() -> ScaleMetric {
    ScaleMetric::Resource("workers".to_owned())
}

/// Kubernetes' defaults, keeping workers at 50 %.
pub fn scaler() -> Autoscaler {
    Autoscaler {
        name: "auto".to_owned(),
        targets: vec![target(None, workers(), 0.5)],
        min: 1,
        max: 200,
        sync_period: seconds(15.0),
        tolerance: 0.1,
        scale_up: ScaleRules::default_up(),
        scale_down: ScaleRules::default_down(),
        ideal: false,
    }
}

/// A pool of so many instances and first tries a second; the first one is scaled.
pub fn pool(index: usize, instances: u32, demand_rps: f64) -> Pool {
    Pool {
        has_demand: true,
        arrivals: Arrivals::Poisson,
        calls: Vec::new(),
        call_mode: CallMode::Sequence,
        autoscaler: (index == 0).then_some(AutoscalerId(0)),
        name: format!("pool-{index}"),
        zone: ZoneId::from_index(index),
        kind: KindId(0),
        service: ServiceId::from_index(index),
        client: ClientId(0),
        instances,
        demand: Rps::new(demand_rps).expect("a rate"),
        failover_threshold: ratio(0.5),
        panic_threshold: ratio(0.0),
        balancing: Balancing::Random,
    }
}

pub fn event(name: &str, at_s: f64, until_s: Option<f64>, action: Action) -> Event {
    Event {
        name: name.to_owned(),
        at: seconds(at_s),
        over: Seconds::ZERO,
        until: until_s.map(seconds),
        cause: None,
        action,
    }
}

/// A fleet of which the first pool is scaled.
pub struct Scaled {
    pub kind: InstanceKind,
    pub scaler: Autoscaler,
    pub pools: Vec<Pool>,
    pub events: Vec<Event>,
    pub duration_s: f64,
    pub step_s: f64,
}

impl Scaled {
    /// One pool for so long.
    pub fn new(instances: u32, demand_rps: f64, duration_s: f64) -> Self {
        Self {
            kind: kind(),
            scaler: scaler(),
            pools: vec![pool(0, instances, demand_rps)],
            events: Vec::new(),
            duration_s,
            step_s: 1.0,
        }
    }

    pub fn case(&self) -> Case {
        let fleet = Fleet {
            simulation: Simulation {
                duration: seconds(self.duration_s),
                step: seconds(self.step_s),
                seed: 1,
                plane: Plane::Fluid,
            },
            zones: self.pools.len(),
            services: self.pools.len(),
            kinds: vec![self.kind.clone()],
            clients: vec![Client {
                name: "default".to_owned(),
                timeout: None,
                cancel: false,
                retry: None,
            }],
            pools: self.pools.clone(),
            failover: vec![PoolFailover::Service; self.pools.len()],
            events: self.events.clone(),
            policy: policy("none", &[]),
        };
        let mut case = fleet.case();
        case.scenario.autoscalers = vec![self.scaler.clone()];
        case
    }

    pub fn run(&self) -> Run {
        Run { record: Record::of(&self.case(), 10), step_s: self.step_s }
    }
}

/// What came of it.
pub struct Run {
    pub record: Record,
    step_s: f64,
}

impl Run {
    /// The scaled pool at a time.
    pub fn at(&self, time_s: f64) -> &PoolStep {
        let step = (time_s / self.step_s).round() as usize;
        if step == 0 { &self.record.start[0] } else { &self.record.steps[step - 1][0] }
    }

    /// Changes of size: when, from, to.
    pub fn changes(&self) -> Vec<(f64, u32, u32)> {
        let changes = self.record.log.iter().filter_map(|entry| match entry.what {
            Happening::ScaleUp { from, to, .. } | Happening::ScaleDown { from, to, .. } => {
                Some((entry.time_s, from, to))
            }
            _ => None,
        });
        changes.collect()
    }

    /// When launches were refused, and how many.
    pub fn refusals(&self) -> Vec<(f64, u32)> {
        let refused = self.record.log.iter().filter_map(|entry| match entry.what {
            Happening::LaunchRefused { wanted, .. } => Some((entry.time_s, wanted)),
            _ => None,
        });
        refused.collect()
    }
}
