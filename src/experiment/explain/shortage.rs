//! What ran out, and when.

use serde::Serialize;

use crate::engine::{Happening, LogEntry};
use crate::metric::{ResourceRow, RunResult, hit_pools};
use crate::model::{PoolId, Scenario};

use super::rows::Rows;

/// A pool without declared resources is short of workers when more work is sent to it than it can
/// do.
const OVERLOADED: f64 = 1.0;
/// A resource of which so much is used, on average over a row, runs out at moments: arrivals come
/// in clumps.
const FULL: f64 = 0.9;

/// What refuses tries is full at moments when it is used so much on average.
const CLUMPED: f64 = 0.5;

/// A resource of a pool that ran out.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Shortage {
    /// Which pool.
    pub pool: String,
    /// Which resource.
    pub resource: String,
    /// Did an event hit the pool itself?
    pub is_hit: bool,
    /// When it first ran out, from the trigger.
    pub time_to_s: f64,
    /// Were tries refused there, though it was not full on average?
    pub is_refusing: bool,
    /// The highest utilization: used ÷ limit where the file declares resources, else work ÷
    /// capacity before any of the pool's instances leaves rotation.
    pub peak_utilization: f64,
    /// Its utilization before the trigger; none without rows before it.
    pub utilization_before: Option<f64>,
}

/// What ran out, by time, each resource once; then what was tightest, where nothing ran out.
pub fn shortages(
    scenario: &Scenario,
    result: &RunResult,
    rows: &Rows<'_>,
    origin_s: f64,
) -> (Vec<Shortage>, Option<Shortage>) {
    let all = match result.resources.is_empty() {
        true => by_work(scenario, result, rows, origin_s),
        false => by_use(scenario, result, rows, origin_s),
    };
    let is_short = |one: &(f64, Shortage)| one.1.peak_utilization > one.0;
    let peak = |one: &(f64, Shortage)| one.1.peak_utilization;
    let tightest = all
        .iter()
        .reduce(|most, one| if peak(one) > peak(most) { one } else { most })
        .map(|one| one.1.clone());
    let mut short: Vec<Shortage> = all.into_iter().filter(is_short).map(|one| one.1).collect();
    short.sort_by(|a, b| a.time_to_s.total_cmp(&b.time_to_s));
    let tightest = tightest.filter(|_| short.is_empty());
    (short, tightest)
}

/// Where workers are all there is: work ÷ capacity. With each the level from which it is short.
fn by_work(
    scenario: &Scenario,
    result: &RunResult,
    rows: &Rows<'_>,
    origin_s: f64,
) -> Vec<(f64, Shortage)> {
    let hit = hit_pools(scenario);
    let end_s = scenario.simulation.duration.get();
    let pools = scenario.pool_rows.iter().filter_map(|&pool| {
        let out_s = first_out_s(result, pool, origin_s).unwrap_or(end_s);
        let peak = rows
            .peak(pool, origin_s, out_s, |means| means.utilization)
            .or_else(|| rows.peak(pool, origin_s, end_s, |means| means.utilization))?;
        let peak_utilization = peak.1.utilization?;
        let first = rows.between(pool, origin_s, end_s).iter().find_map(|row| {
            let from_s = (row.time_s - rows.window_s).max(origin_s);
            let is_long = row.time_s - origin_s >= rows.window_s - 1e-9;
            let now = rows.means(pool, from_s, row.time_s)?.utilization?;
            (is_long && now > OVERLOADED).then_some((row.time_s, now))
        });
        let resource = scenario.resource_names(pool).next()?.to_owned();
        let before = rows.means(pool, origin_s - 60.0, origin_s);
        let shortage = Shortage {
            pool: scenario.pools[pool.index()].name.clone(),
            resource,
            is_hit: hit[pool.index()],
            is_refusing: false,
            time_to_s: first.map_or(peak.0, |(time_s, _)| time_s) - origin_s,
            peak_utilization: first.map_or(peak_utilization, |(_, now)| now.max(peak_utilization)),
            utilization_before: before.and_then(|means| means.utilization),
        };
        Some((OVERLOADED, shortage))
    });
    pools.collect()
}

/// When an instance of a pool first leaves rotation after the trigger.
fn first_out_s(result: &RunResult, of: PoolId, origin_s: f64) -> Option<f64> {
    let is_one = |entry: &&LogEntry| {
        entry.time_s >= origin_s
            && matches!(entry.what, Happening::InstanceUnhealthy { pool, .. } if pool == of)
    };
    result.log.iter().find(is_one).map(|entry| entry.time_s)
}

/// Where the file declares resources: used ÷ limit, where it was the pool's most utilized.
fn by_use(
    scenario: &Scenario,
    result: &RunResult,
    timeline: &Rows<'_>,
    origin_s: f64,
) -> Vec<(f64, Shortage)> {
    let end_s = scenario.simulation.duration.get();
    let hit = hit_pools(scenario);
    let intervals: Vec<&[ResourceRow]> =
        result.resources.chunk_by(|a, b| a.time_s == b.time_s).collect();
    let places = intervals.first().map_or(0, |rows| rows.len());
    let names: Vec<Vec<&str>> = (0..scenario.pools.len())
        .map(|pool| scenario.resource_names(PoolId::from_index(pool)).collect())
        .collect();
    let found = (0..places).filter_map(|place| {
        let rows: Vec<&ResourceRow> = intervals.iter().filter_map(|rows| rows.get(place)).collect();
        let first = rows.first()?;
        // Over a short window: what is rejected for want of a slot does not wait for ten seconds.
        let means = sliding(&rows, timeline.window_s);
        let after = means.iter().filter(|(end_s, ..)| *end_s > origin_s + 1e-9);
        let binding = after.clone().filter(|(_, _, binding)| *binding);
        let peak = binding.clone().map(|(_, mean, _)| *mean).reduce(f64::max)?;
        let refused = timeline.between(first.pool, origin_s, end_s).iter();
        let refused_s = refused.clone().find(|row| row.rejected_rps > 0.0).map(|row| row.time_s);
        let full_s = binding.clone().find(|(_, mean, _)| *mean > FULL).map(|(end_s, ..)| *end_s);
        let at_most = || after.clone().find(|(_, mean, _)| *mean >= 0.99 * peak);
        let first_s = full_s.or(refused_s).or_else(|| at_most().map(|(end_s, ..)| *end_s))?;
        let before: Vec<f64> = rows
            .iter()
            .filter(|row| row.time_s <= origin_s + 1e-9 && row.time_s > origin_s - 60.0)
            .filter_map(|row| row.utilization)
            .collect();
        let before = (!before.is_empty()).then(|| before.iter().sum::<f64>() / before.len() as f64);
        let shortage = Shortage {
            pool: scenario.pools[first.pool.index()].name.clone(),
            resource: names[first.pool.index()][first.resource as usize].to_owned(),
            is_hit: hit[first.pool.index()],
            is_refusing: full_s.is_none() && refused_s.is_some(),
            time_to_s: first_s - origin_s,
            peak_utilization: peak,
            utilization_before: before,
        };
        // What holds clumps is full at moments, whatever it is on average.
        Some((if refused_s.is_some() { CLUMPED } else { FULL }, shortage))
    });
    found.collect()
}

/// Means over the window that ends with each row, and whether the resource binds then.
fn sliding(rows: &[&ResourceRow], window_s: f64) -> Vec<(f64, f64, bool)> {
    let mut from = 0;
    let mut found = Vec::with_capacity(rows.len());
    for (index, row) in rows.iter().enumerate() {
        while rows[from].time_s <= row.time_s - window_s + 1e-9 && from < index {
            from += 1;
        }
        let used: Vec<f64> = rows[from..=index].iter().filter_map(|row| row.utilization).collect();
        if !used.is_empty() {
            let mean = used.iter().sum::<f64>() / used.len() as f64;
            found.push((row.time_s, mean, row.binding));
        }
    }
    found
}
