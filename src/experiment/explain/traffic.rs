//! How pools' traffic fared before the trigger and at the end.

use serde::Serialize;

use crate::metric::hit_pools;
use crate::model::{PoolId, Scenario};

use super::rows::{Means, Rows};

/// A pool's traffic over a window.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct Traffic {
    /// First tries, rps.
    pub first_tries_rps: f64,
    /// Retries, rps.
    pub retry_rps: f64,
    /// Answered in time, rps.
    pub completed_rps: f64,
    /// Answered in time ÷ first tries; none without first tries.
    pub answered_ratio: Option<f64>,
    /// Work ÷ capacity; none while nothing was in rotation or nothing limits the pool.
    pub utilization: Option<f64>,
}

/// A pool's traffic over the run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct PoolTraffic {
    /// Which pool.
    pub pool: String,
    /// Did an event hit it?
    pub is_hit: bool,
    /// In the last minute before the trigger; none where the run begins with it.
    pub before: Option<Traffic>,
    /// While most first tries a second went unanswered, after the trigger.
    pub worst: Option<Traffic>,
    /// When that was, from the trigger: the end of the window.
    pub time_to_worst_s: Option<f64>,
    /// In the last minute of the run, or the last quarter of a short one.
    pub end: Traffic,
}

/// The pools that anything came to, in the order of the file.
pub fn traffic(scenario: &Scenario, rows: &Rows<'_>, origin_s: f64) -> Vec<PoolTraffic> {
    let hit = hit_pools(scenario);
    let end_s = scenario.simulation.duration.get();
    let last_s = (end_s - 60.0).max(end_s - 0.25 * (end_s - origin_s));
    let one = |pool: PoolId| {
        let end = of(&rows.means(pool, last_s, end_s)?);
        let before = rows.means(pool, (origin_s - 60.0).max(0.0), origin_s);
        let unanswered = |means: &Means| {
            let traffic = of(means);
            let rps = traffic.first_tries_rps - traffic.completed_rps;
            Some(rps).filter(|_| traffic.answered_ratio.is_some())
        };
        let worst = rows.peak(pool, origin_s, end_s, unanswered);
        let found = PoolTraffic {
            pool: scenario.pools[pool.index()].name.clone(),
            is_hit: hit[pool.index()],
            before: before.as_ref().map(of),
            worst: worst.as_ref().map(|(_, means)| of(means)),
            time_to_worst_s: worst.map(|(time_s, _)| time_s - origin_s),
            end,
        };
        let came = |traffic: &Traffic| traffic.first_tries_rps > 0.0;
        let any = [found.before, found.worst, Some(found.end)];
        any.iter().flatten().any(came).then_some(found)
    };
    scenario.pool_rows.iter().filter_map(|pool| one(*pool)).collect()
}

fn of(means: &Means) -> Traffic {
    let first_tries_rps = (means.offered_rps - means.retry_rps).max(0.0);
    Traffic {
        first_tries_rps,
        retry_rps: means.retry_rps,
        completed_rps: means.completed_rps,
        answered_ratio: (first_tries_rps > 1e-9).then(|| means.completed_rps / first_tries_rps),
        utilization: means.utilization,
    }
}
