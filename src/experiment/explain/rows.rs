//! Rows of the timeline by pool, and means over them.

use crate::metric::{PoolRow, RunResult};
use crate::model::{PoolId, Scenario};

/// Levels are taken as means over this long: a row of half a second holds a few dozen requests, and
/// its utilization is mostly chance.
const MOST_WINDOW_S: f64 = 10.0;
/// In a short run over this share of it.
const WINDOW_SHARE: f64 = 0.05;

/// The rows of each pool.
pub struct Rows<'a> {
    pools: Vec<Vec<&'a PoolRow>>,
    /// What levels are means over, s.
    pub window_s: f64,
}

/// Means over a window.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct Means {
    /// First tries and retries, rps.
    pub offered_rps: f64,
    /// Retries, rps.
    pub retry_rps: f64,
    /// From other pools, rps.
    pub redirected_in_rps: f64,
    /// To other pools, rps.
    pub redirected_out_rps: f64,
    /// Answered in time, rps.
    pub completed_rps: f64,
    /// Refused on purpose, rps.
    pub shed_rps: f64,
    /// Late, refused or lost, rps.
    pub failed_rps: f64,
    /// Nominal capacity in rotation, rps.
    pub capacity_rps: f64,
    /// Work ÷ capacity; none while nothing was in rotation.
    pub utilization: Option<f64>,
}

impl Means {
    /// What comes to the pool, rps.
    pub fn load_rps(&self) -> f64 {
        self.offered_rps + self.redirected_in_rps - self.redirected_out_rps
    }
}

impl<'a> Rows<'a> {
    /// Of a scenario's run.
    pub fn new(scenario: &Scenario, result: &'a RunResult) -> Self {
        let mut pools = vec![Vec::new(); scenario.pools.len()];
        for row in &result.timeline {
            pools[row.pool.index()].push(row);
        }
        let simulation = &scenario.simulation;
        let short_s = (WINDOW_SHARE * simulation.duration.get()).max(simulation.step.get());
        Self { pools, window_s: short_s.min(MOST_WINDOW_S) }
    }

    /// A pool's rows, by time.
    pub fn of(&self, pool: PoolId) -> &[&'a PoolRow] {
        &self.pools[pool.index()]
    }

    /// A pool's rows that end after `from_s` and no later than `until_s`.
    pub fn between(&self, pool: PoolId, from_s: f64, until_s: f64) -> &[&'a PoolRow] {
        let rows = self.of(pool);
        // A row that ends where a window does belongs to it, however that is rounded.
        let first = rows.partition_point(|row| row.time_s <= from_s + 1e-9);
        let last = rows.partition_point(|row| row.time_s <= until_s + 1e-9);
        &rows[first..last.max(first)]
    }

    /// Means over a window; none without a row that ends in it.
    pub fn means(&self, pool: PoolId, from_s: f64, until_s: f64) -> Option<Means> {
        means(self.between(pool, from_s, until_s))
    }

    /// The highest mean over the seconds up to a row that ends in a window: the earliest within a
    /// hundredth of it, and when those seconds ended.
    pub fn peak(
        &self,
        pool: PoolId,
        from_s: f64,
        until_s: f64,
        value: impl Fn(&Means) -> Option<f64>,
    ) -> Option<(f64, Means)> {
        let ends = self.between(pool, from_s, until_s).iter().map(|row| row.time_s);
        let all: Vec<(f64, f64, Means)> = ends
            .filter_map(|end_s| {
                let means = self.means(pool, (end_s - self.window_s).max(from_s), end_s)?;
                // The first moments of a window would be chance again.
                let is_long = end_s - from_s >= self.window_s.min(until_s - from_s) - 1e-9;
                value(&means).filter(|_| is_long).map(|value| (value, end_s, means))
            })
            .collect();
        let most = all.iter().map(|(value, ..)| *value).reduce(f64::max)?;
        let near = all.into_iter().find(|(value, ..)| *value >= 0.99 * most)?;
        Some((near.1, near.2))
    }
}

fn means(rows: &[&PoolRow]) -> Option<Means> {
    let count = rows.len() as f64;
    if rows.is_empty() {
        return None;
    }
    let mean = |value: fn(&PoolRow) -> f64| rows.iter().map(|row| value(row)).sum::<f64>() / count;
    let used: Vec<f64> = rows.iter().filter_map(|row| row.utilization).collect();
    let utilization = (!used.is_empty()).then(|| used.iter().sum::<f64>() / used.len() as f64);
    Some(Means {
        offered_rps: mean(|row| row.offered_rps),
        retry_rps: mean(|row| row.retry_rps),
        redirected_in_rps: mean(|row| row.redirected_in_rps),
        redirected_out_rps: mean(|row| row.redirected_out_rps),
        completed_rps: mean(|row| row.completed_rps),
        shed_rps: mean(|row| row.shed_rps),
        failed_rps: mean(|row| row.late_rps + row.rejected_rps + row.lost_rps),
        capacity_rps: mean(|row| row.capacity_rps),
        utilization,
    })
}
