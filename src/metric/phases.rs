//! The rows of `phases.csv`: measuring windows.

use std::ops::Range;

use crate::engine::{PoolStep, ResourceStep, Snapshot};
use crate::model::{PoolId, ResourceUse, Scenario, WORKERS};

use super::PhaseRow;
use super::resources::most_utilized;

/// What `cpu_utilization` is of.
const CPU: &str = "cpu";

/// Follows every phase. A step counts when it begins at or after `from` and before `until`.
pub struct Phases<'a> {
    scenario: &'a Scenario,
    windows: Vec<Window>,
}

struct Window {
    /// Its steps, from 0.
    steps: Range<u32>,
    length_s: f64,
    pools: Vec<PoolSums>,
    /// By resource of all pools: sums over the steps.
    resources: Vec<ResourceStep>,
    /// By resource of all pools: as of the last step.
    last: Vec<ResourceStep>,
}

/// One pool's sums over a phase, and its levels at the end.
#[derive(Debug, Clone, Copy, Default)]
struct PoolSums {
    first_tries: f64,
    retries: f64,
    tries: f64,
    completed: f64,
    rejected: f64,
    /// Tries × unloaded latency, s.
    held_s: f64,
    in_flight_peak: f64,
    up: u32,
}

impl<'a> Phases<'a> {
    /// Those of a scenario.
    pub fn new(scenario: &'a Scenario) -> Self {
        let simulation = &scenario.simulation;
        let boundary = |time_s: f64| simulation.boundary_at(time_s);
        let windows = scenario.phases.iter().map(|phase| Window {
            steps: boundary(phase.from.get())..boundary(phase.until.get()),
            length_s: 0.0,
            pools: vec![PoolSums::default(); scenario.pools.len()],
            resources: Vec::new(),
            last: Vec::new(),
        });
        Self { scenario, windows: windows.collect() }
    }

    /// Adds a step.
    pub fn step(&mut self, snapshot: &Snapshot<'_>) {
        let step = snapshot.step - 1;
        for window in self.windows.iter_mut().filter(|window| window.steps.contains(&step)) {
            window.length_s += snapshot.step_s;
            for (sums, pool) in window.pools.iter_mut().zip(snapshot.pools) {
                add(sums, pool);
            }
            window.resources.resize(snapshot.resources.len(), ResourceStep::default());
            for (sum, resource) in window.resources.iter_mut().zip(snapshot.resources) {
                sum.used += resource.used;
                sum.limit += resource.limit;
            }
            window.last.clear();
            window.last.extend(snapshot.resources);
        }
    }

    /// A row a phase and pool.
    pub fn rows(&self) -> Vec<PhaseRow> {
        let mut starts = vec![0; self.scenario.pools.len() + 1];
        for pool in 0..self.scenario.pools.len() {
            let count = self.scenario.resource_names(PoolId::from_index(pool)).count();
            starts[pool + 1] = starts[pool] + count;
        }
        let mut rows = Vec::with_capacity(self.windows.len() * self.scenario.pools.len());
        for (phase, window) in (0..).zip(&self.windows) {
            for &pool in &self.scenario.pool_rows {
                let range = starts[pool.index()]..starts[pool.index() + 1];
                rows.push(row(self.scenario, phase, pool, window, range));
            }
        }
        rows
    }
}

fn add(sums: &mut PoolSums, pool: &PoolStep) {
    let tries = pool.first_tries + pool.retries + pool.redirected_in - pool.redirected_out;
    sums.first_tries += pool.first_tries;
    sums.retries += pool.retries;
    sums.tries += tries;
    sums.completed += pool.completed;
    sums.rejected += pool.rejected;
    sums.held_s += tries * pool.unloaded_latency_s;
    sums.in_flight_peak = sums.in_flight_peak.max(pool.in_flight_peak);
    sums.up = pool.up;
}

fn row(
    scenario: &Scenario,
    phase: u32,
    pool: PoolId,
    window: &Window,
    range: Range<usize>,
) -> PhaseRow {
    let sums = &window.pools[pool.index()];
    let resources = window.resources.get(range.clone()).unwrap_or_default();
    let cpu = scenario.resource_names(pool).position(|name| name == CPU);
    let cpu = cpu.and_then(|index| resources.get(index));
    let bottleneck = most_utilized(resources.iter().copied());
    let binding = bottleneck.and_then(|index| resources.get(index as usize));
    let a_second = |count: f64| if window.length_s > 0.0 { count / window.length_s } else { 0.0 };
    let share = |part: f64, whole: f64| (whole > 0.0).then(|| part / whole);
    PhaseRow {
        phase,
        pool,
        offered_in_flight: a_second(sums.held_s),
        in_flight_peak: sums.in_flight_peak,
        concurrency_limit: window
            .last
            .get(range)
            .and_then(|last| concurrency_limit(scenario, pool, last, sums.up)),
        instances: sums.up,
        cpu_utilization: cpu.and_then(ResourceStep::utilization),
        rejected_ratio: share(sums.rejected, sums.tries),
        offered_rps: a_second(sums.first_tries),
        retry_rps: a_second(sums.retries),
        completed_rps: a_second(sums.completed),
        goodput_ratio: share(sums.completed, sums.first_tries),
        bottleneck,
        bottleneck_utilization: binding.and_then(ResourceStep::utilization),
    }
}

/// Requests that so many instances have room for at a time, by what is held while in flight, as
/// limits are then. Workers count where a request keeps its own.
fn concurrency_limit(
    scenario: &Scenario,
    pool: PoolId,
    last: &[ResourceStep],
    up: u32,
) -> Option<f64> {
    let settings = &scenario.pools[pool.index()];
    let kind = &scenario.kinds[settings.kind.index()];
    let holds_workers = kind.holds_workers(!settings.calls.is_empty());
    let room = |(name, now): (&str, &ResourceStep)| {
        if name == WORKERS {
            return holds_workers.then_some(now.limit);
        }
        let resource = kind.resources.iter().find(|resource| resource.name == name)?;
        match resource.usage {
            ResourceUse::Consumed { .. } => None,
            ResourceUse::Held { held, base, .. } => {
                // Each instance has room for whole requests.
                let count = f64::from(up);
                Some(count * ((now.limit / count.max(1.0) - base) / held + 1e-9).floor().max(0.0))
            }
        }
    };
    scenario.resource_names(pool).zip(last).filter_map(room).reduce(f64::min)
}
