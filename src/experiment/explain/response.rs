//! What else the fleet did: scaling, shedding, breakers, crashes.

use serde::Serialize;

use crate::engine::{Happening, LogEntry};
use crate::metric::RunResult;
use crate::model::Scenario;

/// What an autoscaler did.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Scaling {
    /// Of which pool.
    pub pool: String,
    /// When it first launched instances, from the trigger.
    pub time_to_s: f64,
    /// Instances before that.
    pub from: u32,
    /// Most instances at any time after that.
    pub most: u32,
}

/// Instances that ran out of a resource and died.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Crashes {
    /// Of which pool.
    pub pool: String,
    /// Of which resource.
    pub resource: String,
    /// When the first did, from the trigger.
    pub time_to_s: f64,
    /// How often, from the trigger on.
    pub count: u32,
}

/// What the fleet did beside redirecting, each from the trigger on.
#[derive(Debug, Clone, PartialEq, Default, Serialize)]
pub struct Response {
    /// By pool, in the order of their first launches.
    pub scaled: Vec<Scaling>,
    /// By pool and resource, in the order of their first crashes.
    pub crashed: Vec<Crashes>,
    /// When traffic was first refused on purpose.
    pub time_to_shed_s: Option<f64>,
    /// When the breaker first tripped.
    pub time_to_breaker_s: Option<f64>,
    /// When a launch was first refused.
    pub time_to_refused_launch_s: Option<f64>,
}

/// What the fleet did beside redirecting.
pub fn response(scenario: &Scenario, result: &RunResult, origin_s: f64) -> Response {
    let mut found = Response::default();
    for entry in result.log.iter().filter(|entry| entry.time_s >= origin_s) {
        note(scenario, entry, entry.time_s - origin_s, &mut found);
    }
    found
}

fn note(scenario: &Scenario, entry: &LogEntry, time_to_s: f64, found: &mut Response) {
    match entry.what {
        Happening::ScaleUp { pool, from, to } => {
            let name = &scenario.pools[pool.index()].name;
            match found.scaled.iter_mut().find(|one| one.pool == *name) {
                Some(known) => known.most = known.most.max(to),
                None => {
                    found.scaled.push(Scaling { pool: name.clone(), time_to_s, from, most: to })
                }
            }
        }
        Happening::InstanceCrashed { pool, resource, .. } => {
            let of = &scenario.pools[pool.index()];
            let resources = &scenario.kinds[of.kind.index()].resources;
            let Some(resource) = resources.get(resource as usize) else { return };
            let is_known =
                |one: &&mut Crashes| one.pool == of.name && one.resource == resource.name;
            match found.crashed.iter_mut().find(is_known) {
                Some(known) => known.count += 1,
                None => found.crashed.push(Crashes {
                    pool: of.name.clone(),
                    resource: resource.name.clone(),
                    time_to_s,
                    count: 1,
                }),
            }
        }
        Happening::ShedStart { .. } => {
            found.time_to_shed_s.get_or_insert(time_to_s);
        }
        Happening::BreakerOpen { .. } => {
            found.time_to_breaker_s.get_or_insert(time_to_s);
        }
        Happening::LaunchRefused { .. } => {
            found.time_to_refused_launch_s.get_or_insert(time_to_s);
        }
        _ => {}
    }
}
