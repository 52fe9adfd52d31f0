//! What happened to the fleet, and how the load balancer found out.

use serde::Serialize;

use crate::engine::Happening;
use crate::metric::{RunResult, hit_pools};
use crate::model::{Action, Event, LossAmount, PoolId, ProbeKind, Scenario};

/// An event of the file.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EventFact {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: &'static str,
    /// Is `amount` a share?
    pub is_share: bool,
    /// Why, in the file's words.
    pub cause: Option<String>,
    /// The zone that fails.
    pub zone: Option<String>,
    /// The pools that it hits, by name.
    pub pools: Vec<String>,
    /// How much: instances, the share of a pool's, of its demand or tries, the multiple of speed or
    /// of first tries, or the number of settings; none where that is everything.
    pub amount: Option<f64>,
    /// When, simulation time.
    pub at_s: f64,
    /// Spread over this time.
    pub over_s: f64,
    /// When it is undone, simulation time.
    pub until_s: Option<f64>,
}

/// An instance that left rotation.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct InstanceOut {
    /// Its pool.
    pub pool: String,
    /// Which one, counted from 0.
    pub instance: u32,
    /// When, from the trigger.
    pub time_to_s: f64,
}

/// A pool that was lost.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PoolOut {
    /// Which pool.
    pub pool: String,
    /// When, from the trigger.
    pub time_to_s: f64,
    /// Instances in rotation then.
    pub in_rotation: u32,
    /// Instances that it ought to have.
    pub expected: u32,
    /// Below this share in rotation it is lost.
    pub failover_threshold: f64,
}

/// How the load balancer found out what an event did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Detection {
    /// The first instance of a pool that an event hit to leave rotation.
    pub first_out: InstanceOut,
    /// The first such pool that was lost.
    pub pool_out: Option<PoolOut>,
    /// The probe's word.
    pub probe: &'static str,
    /// Between two probes of one instance.
    pub interval_s: f64,
    /// A probe that takes longer has failed.
    pub timeout_s: f64,
    /// Failures in a row that take an instance out.
    pub failures: u32,
}

/// The events of a scenario, by time.
pub fn events(scenario: &Scenario) -> Vec<EventFact> {
    let fact = |event: &Event| EventFact {
        name: event.name.clone(),
        kind: event.action.kind(),
        is_share: matches!(
            event.action,
            Action::InstanceLoss { amount: LossAmount::Share(_), .. }
                | Action::Drain { .. }
                | Action::Errors { .. }
                | Action::Slow { .. }
        ),
        cause: event.cause.clone(),
        zone: match &event.action {
            Action::ZoneOutage { zone } => Some(scenario.zones[zone.index()].name.clone()),
            _ => None,
        },
        pools: names(scenario, &scenario.pools_hit_by(&event.action)),
        amount: amount(&event.action),
        at_s: event.at.get(),
        over_s: event.over.get(),
        until_s: event.until.map(|until| until.get()),
    };
    scenario.events.iter().map(fact).collect()
}

fn amount(action: &Action) -> Option<f64> {
    match action {
        Action::ZoneOutage { .. } | Action::LaunchesRefused { .. } => None,
        Action::InstanceLoss { amount: LossAmount::Count(count), .. }
        | Action::AddInstances { count, .. } => Some(f64::from(*count)),
        Action::InstanceLoss { amount: LossAmount::Share(share), .. }
        | Action::Drain { share, .. }
        | Action::Errors { share, .. } => Some(share.get()),
        Action::Slow { speed, .. } => Some(speed.get()),
        Action::Surge { factor, .. } => Some(factor.get()),
        Action::Set { changes } => Some(changes.len() as f64),
    }
}

/// The names of pools.
pub fn names(scenario: &Scenario, pools: &[PoolId]) -> Vec<String> {
    pools.iter().map(|pool| scenario.pools[pool.index()].name.clone()).collect()
}

/// How the load balancer found out; none where no instance of a pool that an event hit left
/// rotation.
pub fn detection(scenario: &Scenario, result: &RunResult, origin_s: f64) -> Option<Detection> {
    let hit = hit_pools(scenario);
    let since = || result.log.iter().filter(|entry| entry.time_s >= origin_s);
    let (pool, instance, time_s) = since().find_map(|entry| match entry.what {
        Happening::InstanceUnhealthy { pool, instance } if hit[pool.index()] => {
            Some((pool, instance, entry.time_s))
        }
        _ => None,
    })?;
    let pool_out = since().find_map(|entry| match entry.what {
        Happening::PoolUnhealthy { pool, in_rotation, expected } if hit[pool.index()] => {
            let of = &scenario.pools[pool.index()];
            Some(PoolOut {
                pool: of.name.clone(),
                time_to_s: entry.time_s - origin_s,
                in_rotation,
                expected,
                failover_threshold: of.failover_threshold.get(),
            })
        }
        _ => None,
    });
    let of = &scenario.pools[pool.index()];
    let check = &scenario.kinds[of.kind.index()].health_check;
    Some(Detection {
        first_out: InstanceOut { pool: of.name.clone(), instance, time_to_s: time_s - origin_s },
        pool_out,
        probe: match check.kind {
            ProbeKind::Deep => "deep",
            ProbeKind::Shallow => "shallow",
        },
        interval_s: check.interval.get(),
        timeout_s: check.timeout.get(),
        failures: check.unhealthy_threshold,
    })
}
