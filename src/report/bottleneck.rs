//! Which resource pools were short of, when, and which would have been next.

use super::{Run, words};
use crate::metric::{ResourceRow, RunResult};
use crate::model::{PoolId, Scenario};

/// A resource of which more than this is used is worth a word.
const TIGHT: f64 = 0.8;
/// From here on, on average over a row, a resource runs out at moments: arrivals come in clumps.
const FULL: f64 = 0.9;
/// More than these a policy would hide the first.
const MOST_TOLD: usize = 3;

/// The time in which a pool was short of one resource.
#[derive(Debug, Clone)]
struct Shortage {
    pool: PoolId,
    resource: u32,
    from_s: f64,
    until_s: f64,
    rows: u32,
    /// Rows in a row, and pauses between them.
    stretches: u32,
    peak: f64,
    /// The other resources of this pool and of those that its requests reach: where their rows are
    /// among those of an interval, and their utilizations' sum over the rows.
    others: Vec<(usize, f64)>,
}

/// A line a policy under which pools came to over 80 % of a resource, where instance kinds declare
/// resources beside workers; empty without any. Each ends with a line break.
#[must_use]
pub fn bottleneck_lines(runs: &[Run<'_>]) -> String {
    let lines = runs.iter().filter_map(|run| {
        let shortages = shortages(run.scenario, run.result);
        let mut told: Vec<String> =
            shortages.iter().take(MOST_TOLD).map(|shortage| told(run, shortage)).collect();
        if shortages.len() > MOST_TOLD {
            told.push(format!("and {} more", shortages.len() - MOST_TOLD));
        }
        (!told.is_empty())
            .then(|| format!("bottleneck under {}: {}\n", run.policy(), told.join("; ")))
    });
    lines.collect()
}

fn shortages(scenario: &Scenario, result: &RunResult) -> Vec<Shortage> {
    let mut found: Vec<Shortage> = Vec::new();
    let mut known: Vec<Vec<(u32, usize)>> = vec![Vec::new(); scenario.pools.len()];
    let mut before_s = 0.0;
    for rows in result.resources.chunk_by(|a, b| a.time_s == b.time_s) {
        for row in rows.iter().filter(|row| row.binding && row.utilization >= Some(TIGHT)) {
            if scenario.kinds[scenario.pools[row.pool.index()].kind.index()].resources.is_empty() {
                continue;
            }
            let known = &mut known[row.pool.index()];
            let place = known.iter().find(|(resource, _)| *resource == row.resource);
            let place = place.map_or(found.len(), |(_, place)| *place);
            if place == found.len() {
                known.push((row.resource, place));
                found.push(begin(scenario, rows, row, before_s));
            }
            extend(&mut found[place], rows, row, before_s);
        }
        before_s = rows[0].time_s;
    }
    found
}

/// A shortage without rows yet. Every interval has the same rows, so what is found once is found.
fn begin(scenario: &Scenario, rows: &[ResourceRow], row: &ResourceRow, from_s: f64) -> Shortage {
    let mut is_reached = vec![false; scenario.pools.len()];
    let mut todo = vec![row.pool];
    while let Some(pool) = todo.pop() {
        if !std::mem::replace(&mut is_reached[pool.index()], true) {
            todo.extend(scenario.pools[pool.index()].calls.iter().map(|call| call.to));
        }
    }
    let is_other = |other: &ResourceRow| {
        is_reached[other.pool.index()] && (other.pool, other.resource) != (row.pool, row.resource)
    };
    let others = rows.iter().enumerate().filter(|(_, other)| is_other(other));
    Shortage {
        pool: row.pool,
        resource: row.resource,
        from_s,
        until_s: from_s,
        rows: 0,
        stretches: 0,
        peak: 0.0,
        others: others.map(|(place, _)| (place, 0.0)).collect(),
    }
}

fn extend(shortage: &mut Shortage, rows: &[ResourceRow], row: &ResourceRow, before_s: f64) {
    if shortage.rows == 0 || shortage.until_s < before_s {
        shortage.stretches += 1;
    }
    shortage.rows += 1;
    shortage.until_s = row.time_s;
    shortage.peak = shortage.peak.max(row.utilization.unwrap_or(0.0));
    for (place, sum) in &mut shortage.others {
        *sum += rows.get(*place).and_then(|other| other.utilization).unwrap_or(0.0);
    }
}

/// The most utilized of the other resources while the shortage lasts, the first of equals, and its
/// mean utilization.
fn next<'r>(result: &'r RunResult, shortage: &Shortage) -> Option<(&'r ResourceRow, f64)> {
    let others = shortage.others.iter().copied();
    let (place, sum) = others.reduce(|most, other| if other.1 > most.1 { other } else { most })?;
    Some((result.resources.get(place)?, sum / f64::from(shortage.rows.max(1))))
}

fn told(run: &Run<'_>, shortage: &Shortage) -> String {
    let names = run.resource_names();
    let name = |pool: PoolId, resource: u32| names[pool.index()][resource as usize];
    let pool = &run.pool(shortage.pool).name;
    let resource = name(shortage.pool, shortage.resource);
    let end_s = run.scenario.simulation.duration.get();
    let from = match shortage.from_s {
        0.0 => "the start".to_owned(),
        from_s => words::duration(from_s),
    };
    let to_the_end = shortage.until_s >= end_s - 1e-9 * end_s;
    let when = match (shortage.stretches, to_the_end) {
        (0 | 1, true) if shortage.from_s == 0.0 => "throughout".to_owned(),
        (0 | 1, true) => format!("from {from} on"),
        (0 | 1, false) => format!("from {from} to {}", words::duration(shortage.until_s)),
        (times, true) => format!("{times} times from {from} on"),
        (times, false) => {
            format!("{times} times from {from} to {}", words::duration(shortage.until_s))
        }
    };
    let peak = words::percent(shortage.peak);
    let mut text = if shortage.peak >= FULL {
        format!("{resource} of {pool} bound {when} ({peak})")
    } else {
        format!("{resource} of {pool} tightest {when} (up to {peak})")
    };
    if let Some((other, utilization)) = next(run.result, shortage) {
        let of = match other.pool == shortage.pool {
            true => String::new(),
            false => format!(" of {}", run.pool(other.pool).name),
        };
        let at = words::percent(utilization);
        text.push_str(&format!(", next {}{of} at {at}", name(other.pool, other.resource)));
    }
    text
}

/// One resource of a pool over a whole run.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct ResourceSummary {
    /// Which pool.
    pub pool: PoolId,
    /// Which of its resources.
    pub resource: u32,
    /// Mean over the rows in which there was any.
    pub mean_utilization: Option<f64>,
    /// The highest of any row.
    pub peak_utilization: Option<f64>,
    /// End of that row's interval.
    pub peak_time_s: Option<f64>,
    /// Share of the rows in which it was the pool's most utilized.
    pub binding_ratio: f64,
}

/// Every resource of a run that has rows, by pool in the order of the file.
pub(super) fn resource_summaries(result: &RunResult) -> Vec<ResourceSummary> {
    let mut intervals = result.resources.chunk_by(|a, b| a.time_s == b.time_s).peekable();
    let width = intervals.peek().map_or(0, |rows| rows.len());
    let mut found: Vec<(ResourceSummary, f64, f64)> = Vec::with_capacity(width);
    let mut count = 0.0;
    for rows in intervals {
        count += 1.0;
        for (place, row) in rows.iter().enumerate() {
            if place == found.len() {
                let summary = ResourceSummary {
                    pool: row.pool,
                    resource: row.resource,
                    mean_utilization: None,
                    peak_utilization: None,
                    peak_time_s: None,
                    binding_ratio: 0.0,
                };
                found.push((summary, 0.0, 0.0));
            }
            let (summary, sum, with) = &mut found[place];
            summary.binding_ratio += f64::from(u8::from(row.binding));
            if let Some(utilization) = row.utilization {
                (*sum, *with) = (*sum + utilization, *with + 1.0);
                if summary.peak_utilization.is_none_or(|peak| utilization > peak) {
                    summary.peak_utilization = Some(utilization);
                    summary.peak_time_s = Some(row.time_s);
                }
            }
        }
    }
    let finish = |(mut summary, sum, with): (ResourceSummary, f64, f64)| {
        summary.binding_ratio /= count;
        summary.mean_utilization = (with > 0.0).then(|| sum / with);
        summary
    };
    found.into_iter().map(finish).collect()
}
