//! Which pools the scenario's events hit: they are victims of the fault, not of the cascade.

use crate::model::{Action, Change, PoolId, Scenario};

/// By pool: is it the subject of any event?
#[must_use]
pub fn hit_pools(scenario: &Scenario) -> Vec<bool> {
    let mut hit = vec![false; scenario.pools.len()];
    for event in &scenario.events {
        for pool in pools_of(scenario, &event.action) {
            hit[pool.index()] = true;
        }
    }
    hit
}

fn pools_of(scenario: &Scenario, action: &Action) -> Vec<PoolId> {
    match action {
        Action::ZoneOutage { zone } => scenario.pools_in(*zone).collect(),
        Action::InstanceLoss { pool, .. } | Action::Surge { pool, .. } => vec![*pool],
        Action::Drain { pools, .. } | Action::Slow { pools, .. } | Action::Errors { pools, .. } => {
            pools.clone()
        }
        // Help is no fault.
        Action::AddInstances { .. } => Vec::new(),
        Action::Set { changes } => changes.iter().flat_map(|c| changed(scenario, c)).collect(),
    }
}

fn changed(scenario: &Scenario, change: &Change) -> Vec<PoolId> {
    let where_pool = |is: &dyn Fn(&crate::model::Pool) -> bool| {
        let pools = scenario.pools.iter().enumerate();
        pools.filter(|(_, pool)| is(pool)).map(|(p, _)| PoolId::from_index(p)).collect()
    };
    match change {
        Change::Pool { pool, .. } => vec![*pool],
        Change::Instance { kind, .. } => where_pool(&|pool| pool.kind == *kind),
        Change::Client { client, .. } => where_pool(&|pool| pool.client == *client),
    }
}

/// The time by which every fault is detected: the latest of at + over, plus
/// `unhealthy_threshold` × interval + time-out where instances are hit.
#[must_use]
pub fn detection_deadline_s(scenario: &Scenario) -> f64 {
    let detection_s = |pool: PoolId| {
        let kind = &scenario.kinds[scenario.pools[pool.index()].kind.index()];
        let check = &kind.health_check;
        f64::from(check.unhealthy_threshold) * check.interval.get() + check.timeout.get()
    };
    let deadlines = scenario.events.iter().map(|event| {
        let hits_instances = matches!(
            event.action,
            Action::ZoneOutage { .. } | Action::InstanceLoss { .. } | Action::Slow { .. }
        );
        let pools = if hits_instances { pools_of(scenario, &event.action) } else { Vec::new() };
        let slowest_s = pools.into_iter().map(detection_s).fold(0.0, f64::max);
        event.at.get() + event.over.get() + slowest_s
    });
    deadlines.fold(0.0, f64::max)
}
