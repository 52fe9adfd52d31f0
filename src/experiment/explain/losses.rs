//! Further pools that were lost, and what pushed them over.

use serde::Serialize;

use crate::engine::{Happening, ProbeFailure};
use crate::metric::{RunResult, hit_pools};
use crate::model::{PoolId, Scenario, unloaded_calls_s};

use super::cause::{InstanceOut, names};
use super::probes::{Streak, streaks};
use super::rows::Rows;

/// The probe that began a pool's end.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FailedProbe {
    /// Whose, counted from 0.
    pub instance: u32,
    /// When it was sent, from the trigger.
    pub sent_to_s: f64,
    /// Did the queue refuse it?
    pub is_refused: bool,
    /// How long the queue had it wait; none where it was refused or the instance stood still.
    pub wait_s: Option<f64>,
    /// How long a request takes when nothing queues.
    pub service_s: f64,
    /// The health check's time-out.
    pub timeout_s: f64,
    /// When the last probe of that streak was sent, from the trigger.
    pub last_sent_to_s: f64,
    /// How long the queue had that one wait; none where it was refused or the instance stood still.
    pub last_wait_s: Option<f64>,
    /// The pool's utilization over the seconds before; none where nothing came.
    pub utilization: Option<f64>,
    /// How much of what came to the pool then was redirected.
    pub redirected_ratio: f64,
}

/// A pool that no event hit and that was lost.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Loss {
    /// Which pool.
    pub pool: String,
    /// Its zone.
    pub zone: String,
    /// When it was first lost, from the trigger.
    pub time_to_s: f64,
    /// Instances in rotation then.
    pub in_rotation: u32,
    /// Instances that it ought to have.
    pub expected: u32,
    /// How often it was lost in all.
    pub times: u32,
    /// Whose redirected traffic it had, in the order of the file.
    pub pushed_by: Vec<String>,
    /// The first failed probe of those that took its first instances out; none where none did.
    pub probe: Option<FailedProbe>,
    /// Its first instance to leave rotation after the trigger.
    pub first_out: Option<InstanceOut>,
    /// Instances that ran out of a resource and died before that.
    pub crashes: u32,
}

/// The pools that no event hit and that were lost, by the time of the first.
pub fn losses(
    scenario: &Scenario,
    result: &RunResult,
    rows: &Rows<'_>,
    failures: &[ProbeFailure],
    origin_s: f64,
) -> Vec<Loss> {
    let hit = hit_pools(scenario);
    let threshold: Vec<u32> = scenario
        .pools
        .iter()
        .map(|pool| scenario.kinds[pool.kind.index()].health_check.unhealthy_threshold)
        .collect();
    let streaks = streaks(&result.log, failures, &threshold);
    let mut found: Vec<(PoolId, Loss)> = Vec::new();
    for entry in &result.log {
        let Happening::PoolUnhealthy { pool, in_rotation, expected } = entry.what else { continue };
        if hit[pool.index()] {
            continue;
        }
        if let Some((_, known)) = found.iter_mut().find(|(known, _)| *known == pool) {
            known.times += 1;
            continue;
        }
        let own = streaks.iter().filter(|streak| streak.first.pool == pool);
        let own = own.filter(|streak| streak.first.sent_s >= origin_s);
        let first = own.min_by(|a, b| a.first.sent_s.total_cmp(&b.first.sent_s));
        let before_s = first.map_or(entry.time_s, |streak| streak.first.sent_s);
        let of = &scenario.pools[pool.index()];
        let loss = Loss {
            pool: of.name.clone(),
            zone: scenario.zones[of.zone.index()].name.clone(),
            time_to_s: entry.time_s - origin_s,
            in_rotation,
            expected,
            times: 1,
            pushed_by: names(scenario, &pushers(scenario, rows, pool, before_s)),
            probe: first.map(|first| probe(scenario, rows, first, origin_s)),
            first_out: first_out(scenario, result, pool, origin_s),
            crashes: crashes(result, pool, entry.time_s),
        };
        found.push((pool, loss));
    }
    found.into_iter().map(|(_, loss)| loss).collect()
}

/// The pools that may fail over to a pool and whose traffic went elsewhere at a moment, in the
/// order of the file.
fn pushers(scenario: &Scenario, rows: &Rows<'_>, to: PoolId, at_s: f64) -> Vec<PoolId> {
    let received = rows.means(to, at_s - rows.window_s, at_s);
    if received.is_none_or(|means| means.redirected_in_rps <= 0.0) {
        return Vec::new();
    }
    let pushes = |pool: &PoolId| {
        let sent = rows.means(*pool, at_s - rows.window_s, at_s);
        sent.is_some_and(|means| means.redirected_out_rps > 0.0)
            && scenario.graph.targets(*pool).any(|target| target.pool == to)
    };
    scenario.pool_rows.iter().copied().filter(pushes).collect()
}

fn probe(scenario: &Scenario, rows: &Rows<'_>, streak: &Streak, origin_s: f64) -> FailedProbe {
    let failure = &streak.first;
    let pool = failure.pool;
    let now = rows.means(pool, failure.sent_s - rows.window_s, failure.sent_s).unwrap_or_default();
    let load_rps = now.load_rps();
    let calls_s = unloaded_calls_s(&scenario.kinds, &scenario.pools, &scenario.call_order);
    let own_s = scenario.kinds[scenario.pools[pool.index()].kind.index()].service_time.get();
    FailedProbe {
        instance: failure.instance,
        sent_to_s: failure.sent_s - origin_s,
        is_refused: failure.wait_s.is_none(),
        wait_s: failure.wait_s.filter(|wait_s| wait_s.is_finite()),
        service_s: own_s + calls_s[pool.index()].unwrap_or(0.0),
        timeout_s: failure.timeout_s,
        last_sent_to_s: streak.last.sent_s - origin_s,
        last_wait_s: streak.last.wait_s.filter(|wait_s| wait_s.is_finite()),
        utilization: now.utilization,
        redirected_ratio: if load_rps > 0.0 { now.redirected_in_rps / load_rps } else { 0.0 },
    }
}

/// A pool's first instance to leave rotation after the trigger.
fn first_out(
    scenario: &Scenario,
    result: &RunResult,
    of: PoolId,
    origin_s: f64,
) -> Option<InstanceOut> {
    result.log.iter().filter(|entry| entry.time_s >= origin_s).find_map(|entry| match entry.what {
        Happening::InstanceUnhealthy { pool, instance } if pool == of => Some(InstanceOut {
            pool: scenario.pools[pool.index()].name.clone(),
            instance,
            time_to_s: entry.time_s - origin_s,
        }),
        _ => None,
    })
}

fn crashes(result: &RunResult, of: PoolId, until_s: f64) -> u32 {
    let is_one =
        |what: &Happening| matches!(*what, Happening::InstanceCrashed { pool, .. } if pool == of);
    result.log.iter().filter(|entry| entry.time_s <= until_s && is_one(&entry.what)).count() as u32
}
