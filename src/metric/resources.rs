//! The rows of `resources.csv`, and which resource each pool is shortest of.

use crate::engine::{PoolStep, ResourceStep, Snapshot};
use crate::model::{PoolId, Scenario};

use super::ResourceRow;

/// Collects what is used of every resource. Rows are kept only where an instance kind declares a
/// resource or a pool calls another; elsewhere workers are all there is, and the timeline tells.
pub struct Resources<'a> {
    scenario: &'a Scenario,
    is_recorded: bool,
    /// By resource, sums over the steps since the last row.
    sums: Vec<ResourceStep>,
    steps: f64,
    /// By pool: its most utilized resource in the row that ended last.
    pub bottlenecks: Vec<Option<u32>>,
    /// Rows so far.
    pub rows: Vec<ResourceRow>,
}

impl<'a> Resources<'a> {
    /// Of a scenario's pools.
    pub fn new(scenario: &'a Scenario) -> Self {
        let declares = scenario.kinds.iter().any(|kind| !kind.resources.is_empty());
        Self {
            scenario,
            is_recorded: declares || scenario.has_calls(),
            sums: Vec::new(),
            steps: 0.0,
            bottlenecks: vec![None; scenario.pools.len()],
            rows: Vec::new(),
        }
    }

    /// Adds a step, and rows where one ends.
    pub fn step(&mut self, snapshot: &Snapshot<'_>) {
        if self.is_recorded {
            self.sums.resize(snapshot.resources.len(), ResourceStep::default());
            for (sum, resource) in self.sums.iter_mut().zip(snapshot.resources) {
                sum.used += resource.used;
                sum.limit += resource.limit;
            }
            self.steps += 1.0;
            if snapshot.is_row {
                self.end_row(snapshot);
            }
        } else if snapshot.is_row {
            for (pool, bottleneck) in self.bottlenecks.iter_mut().enumerate() {
                let has_workers = !snapshot.resources_of(pool).is_empty();
                *bottleneck = if has_workers { only_resource(&snapshot.pools[pool]) } else { None };
            }
        }
    }

    fn end_row(&mut self, snapshot: &Snapshot<'_>) {
        for &pool in &self.scenario.pool_rows {
            let range = range_of(snapshot, pool);
            let means = self.sums[range].iter().map(|sum| ResourceStep {
                used: sum.used / self.steps,
                limit: sum.limit / self.steps,
            });
            let bottleneck = most_utilized(means.clone());
            self.bottlenecks[pool.index()] = bottleneck;
            for (resource, mean) in (0..).zip(means) {
                self.rows.push(ResourceRow {
                    time_s: snapshot.time_s,
                    pool,
                    resource,
                    used: mean.used,
                    limit: mean.limit,
                    utilization: mean.utilization(),
                    binding: bottleneck == Some(resource),
                });
            }
        }
        self.sums.fill(ResourceStep::default());
        self.steps = 0.0;
    }
}

/// Workers, where there is nothing else to run out of and something is in the system.
fn only_resource(pool: &PoolStep) -> Option<u32> {
    (pool.in_flight > 0.0 || pool.work > 0.0).then_some(0)
}

fn range_of(snapshot: &Snapshot<'_>, pool: PoolId) -> std::ops::Range<usize> {
    let starts = &snapshot.resource_starts[pool.index()..];
    starts[0] as usize..starts[1] as usize
}

/// The resource of the highest utilization, the first of equals; none where nothing is used.
pub fn most_utilized(resources: impl Iterator<Item = ResourceStep>) -> Option<u32> {
    let mut most = 0.0;
    let mut found = None;
    for (index, resource) in (0..).zip(resources) {
        let utilization = resource.utilization().unwrap_or(0.0);
        if utilization > most {
            most = utilization;
            found = Some(index);
        }
    }
    found
}
