//! A fleet as separate tables, which a test may reorder or multiply before it becomes a scenario.

use zonefall::model::{
    Action, Change, Client, Event, FailoverEdge, InstanceKind, KindId, LossAmount, Pool,
    PoolFailover, PoolId, PoolSetting, Scenario, Simulation, Surged, TopologyGraph, Zone, ZoneId,
    origins,
};
use zonefall::policy::{Case, Mitigations, PolicySpec};
use zonefall::units::Rps;

/// Everything of a case but its graph.
#[derive(Debug, Clone)]
pub struct Fleet {
    pub simulation: Simulation,
    pub zones: usize,
    pub services: usize,
    pub kinds: Vec<InstanceKind>,
    pub clients: Vec<Client>,
    pub pools: Vec<Pool>,
    pub failover: Vec<PoolFailover>,
    pub events: Vec<Event>,
    pub policy: PolicySpec,
}

impl Fleet {
    pub fn case(&self) -> Case {
        let mut events = self.events.clone();
        events.sort_by(|a, b| a.at.get().total_cmp(&b.at.get()).then_with(|| a.name.cmp(&b.name)));
        let scenario = Scenario {
            name: "random".to_owned(),
            simulation: self.simulation,
            zones: (0..self.zones).map(|zone| Zone { name: format!("z{zone:02}") }).collect(),
            kinds: self.kinds.clone(),
            clients: self.clients.clone(),
            services: (0..self.services).map(|service| format!("s{service}")).collect(),
            pools: self.pools.clone(),
            sources: Vec::new(),
            origins: origins(&self.pools, &[]),
            autoscalers: Vec::new(),
            phases: Vec::new(),
            alerts: vec![],
            call_order: (0..self.pools.len()).map(PoolId::from_index).collect(),
            graph: TopologyGraph::new(self.zones, self.services, &self.pools, &self.failover),
            events,
            pool_rows: (0..self.pools.len()).map(PoolId::from_index).collect(),
            zone_rows: (0..self.zones).map(ZoneId::from_index).collect(),
        };
        Case { policy: self.policy.clone(), scenario }
    }

    /// The same fleet under names that sort the other way round: every table is upside down.
    pub fn upside_down(&self) -> Self {
        let pool = |id: PoolId| PoolId::from_index(self.pools.len() - 1 - id.index());
        let zone = |id: ZoneId| ZoneId::from_index(self.zones - 1 - id.index());
        let kind = |id: KindId| KindId::from_index(self.kinds.len() - 1 - id.index());
        let mut fleet = self.clone();
        fleet.kinds.reverse();
        fleet.failover.reverse();
        fleet.pools.reverse();
        for (index, one) in fleet.pools.iter_mut().enumerate() {
            one.name = format!("q{index:03}");
            one.zone = zone(one.zone);
            one.kind = kind(one.kind);
        }
        for rule in &mut fleet.failover {
            if let PoolFailover::Explicit(edges) = rule {
                edges.iter_mut().for_each(|(to, _)| *to = pool(*to));
            }
        }
        for event in &mut fleet.events {
            match &mut event.action {
                Action::ZoneOutage { zone: at } => *at = zone(*at),
                Action::InstanceLoss { pool: at, .. }
                | Action::Surge { of: Surged::Pool(at), .. }
                | Action::AddInstances { pool: at, .. } => *at = pool(*at),
                Action::Drain { pools, .. }
                | Action::Slow { pools, .. }
                | Action::Errors { pools, .. } => {
                    pools.iter_mut().for_each(|at| *at = pool(*at));
                    pools.sort_unstable();
                }
                Action::Surge { .. } | Action::LaunchesRefused { .. } => {}
                Action::Set { changes } => changes.iter_mut().for_each(|change| match change {
                    Change::Instance { kind: of, .. } => *of = kind(*of),
                    Change::Pool { pool: of, .. } => *of = pool(*of),
                    _ => {}
                }),
            }
        }
        fleet
    }

    /// The same fleet with `factor` times the instances and the demand.
    pub fn times(&self, factor: u32) -> Self {
        let many = f64::from(factor);
        let mut fleet = self.clone();
        for pool in &mut fleet.pools {
            pool.instances *= factor;
            pool.demand = Rps::new(pool.demand.get() * many).expect("a rate");
        }
        multiply_events(&mut fleet.events, factor);
        multiply_policy(&mut fleet.policy, many);
        fleet
    }
}

/// Multiplies the counts and rates of events.
pub fn multiply_events(events: &mut [Event], factor: u32) {
    for event in events {
        match &mut event.action {
            Action::InstanceLoss { amount: LossAmount::Count(count), .. }
            | Action::AddInstances { count, .. } => *count *= factor,
            Action::Set { changes } => {
                for change in changes {
                    if let Change::Pool { setting: PoolSetting::Demand, value, .. } = change {
                        *value *= f64::from(factor);
                    }
                }
            }
            _ => {}
        }
    }
}

/// Multiplies what a policy gives in requests a second.
pub fn multiply_policy(policy: &mut PolicySpec, factor: f64) {
    if let Some(fallback) = policy.mitigations.shed.as_mut().and_then(|it| it.fallback.as_mut()) {
        fallback.capacity = Rps::new(fallback.capacity.get() * factor).expect("a rate");
        fallback.queue_limit *= factor;
    }
    for (setting, value) in policy.kind.settings.iter().zip(&mut policy.values) {
        if setting.key == "max_shift_rps_per_s" {
            *value = value.map(|rps| rps * factor);
        }
    }
}

/// A failover edge.
pub fn edge(to: usize, weight: f64, priority: u32) -> (PoolId, FailoverEdge) {
    (PoolId::from_index(to), FailoverEdge { weight, priority })
}

/// A policy by kind, with the values of its settings.
pub fn policy(kind: &str, values: &[Option<f64>]) -> PolicySpec {
    let kind = zonefall::policy::kind(kind).expect("a kind of policy");
    assert_eq!(values.len(), kind.settings.len(), "a value a setting");
    PolicySpec {
        name: kind.name.to_owned(),
        kind,
        values: values.to_vec(),
        report_interval: zonefall::units::Seconds::ZERO,
        mitigations: Mitigations::default(),
        bundles: vec![],
    }
}
