//! What was redirected, and what it did to who received it.

use serde::Serialize;

use crate::engine::Happening;
use crate::metric::{RunResult, hit_pools};
use crate::model::{PoolId, Scenario};

use super::rows::Rows;

/// Less than this a second is no redirect worth a word.
const LEAST_RPS: f64 = 1e-6;

/// A pool whose traffic went elsewhere.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Home {
    /// Which pool.
    pub pool: String,
    /// When that began, from the trigger.
    pub time_to_s: f64,
    /// The most of it, rps.
    pub redirected_rps: f64,
}

/// A pool that took redirected traffic.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Receiver {
    /// Which pool.
    pub pool: String,
    /// Its own load before, rps.
    pub load_rps: f64,
    /// Its capacity before, rps.
    pub capacity_rps: f64,
    /// Capacity ÷ load − 1; none without load.
    pub headroom: Option<f64>,
    /// Utilization before.
    pub utilization_before: Option<f64>,
    /// The most that it took, rps.
    pub redirected_rps: f64,
    /// Its highest utilization with it, while every further instance was still in rotation.
    pub utilization_after: Option<f64>,
    /// When that was reached, from the trigger.
    pub time_to_after_s: f64,
}

/// A shift of traffic.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Shift {
    /// When the first traffic went elsewhere, from the trigger.
    pub time_to_s: f64,
    /// Whose traffic, in the order in which it began to, up to when the first
    /// further instance leaves rotation.
    pub homes: Vec<Home>,
    /// Who took it, in the order of the file.
    pub receivers: Vec<Receiver>,
}

/// The first shift of a run, up to when the first further instance leaves rotation; none without.
pub fn shift(
    scenario: &Scenario,
    result: &RunResult,
    rows: &Rows<'_>,
    origin_s: f64,
) -> Option<Shift> {
    let starts = result.log.iter().filter_map(|entry| match entry.what {
        Happening::RedirectStart { pool, .. } => Some((entry.time_s, pool)),
        _ => None,
    });
    let (from_s, first_home) = starts.clone().next()?;
    let is_hit = hit_pools(scenario);
    let outs = result.log.iter().filter_map(|entry| match entry.what {
        Happening::InstanceUnhealthy { pool, .. } => Some((entry.time_s, pool)),
        _ => None,
    });
    let is_further = |pool: PoolId| pool != first_home && !is_hit[pool.index()];
    let mut further = outs.filter(|(time_s, pool)| *time_s > from_s && is_further(*pool));
    let end_s = scenario.simulation.duration.get();
    let until_s = further.next().map_or(end_s, |(time_s, _)| time_s);
    let mut homes: Vec<(PoolId, Home)> = Vec::new();
    for (start_s, pool) in starts.filter(|(start_s, _)| *start_s < until_s || *start_s == from_s) {
        if homes.iter().any(|(known, _)| *known == pool) {
            continue;
        }
        let peak = rows.peak(pool, from_s, until_s, |means| Some(means.redirected_out_rps));
        homes.push((
            pool,
            Home {
                pool: scenario.pools[pool.index()].name.clone(),
                time_to_s: start_s - origin_s,
                redirected_rps: peak.map_or(0.0, |(_, means)| means.redirected_out_rps),
            },
        ));
    }
    let receivers = scenario.pool_rows.iter();
    let receivers = receivers
        .filter_map(|pool| receiver(scenario, rows, *pool, origin_s, (from_s, until_s)))
        .collect();
    let homes = homes.into_iter().map(|(_, home)| home).collect();
    Some(Shift { time_to_s: from_s - origin_s, homes, receivers })
}

fn receiver(
    scenario: &Scenario,
    rows: &Rows<'_>,
    pool: PoolId,
    origin_s: f64,
    (from_s, until_s): (f64, f64),
) -> Option<Receiver> {
    let taken = rows.peak(pool, from_s, until_s, |means| Some(means.redirected_in_rps))?;
    let redirected_rps = taken.1.redirected_in_rps;
    if redirected_rps <= LEAST_RPS {
        return None;
    }
    // Before the trigger, or where that is at time 0, up to the redirect.
    let before_s = if origin_s > 0.0 { origin_s } else { from_s };
    let before = rows.means(pool, before_s - 60.0, before_s).unwrap_or_default();
    let after = rows.peak(pool, from_s, until_s, |means| {
        means.utilization.filter(|_| means.redirected_in_rps > LEAST_RPS)
    });
    let load_rps = before.load_rps();
    Some(Receiver {
        pool: scenario.pools[pool.index()].name.clone(),
        load_rps,
        capacity_rps: before.capacity_rps,
        headroom: (load_rps > LEAST_RPS).then(|| before.capacity_rps / load_rps - 1.0),
        utilization_before: before.utilization,
        redirected_rps,
        utilization_after: after.and_then(|(_, means)| means.utilization),
        time_to_after_s: after.unwrap_or(taken).0 - origin_s,
    })
}
