//! The rows of `timeline.csv` and `fleet.csv`.

use crate::engine::{Latency, PoolStep, Snapshot};
use crate::model::{PoolId, Scenario};

use super::capacity::healthy_capacity_rps;
use super::signals::Signals;
use super::users::Users;
use super::{FleetRow, PoolRow, PoolState};

/// Sums since the last row.
#[derive(Debug, Clone, Copy, Default)]
struct Sums {
    flows: PoolStep,
    routed_capacity: f64,
    /// The same of the steps in which redirected traffic came, and the work in them.
    receiving_capacity: f64,
    receiving_work: f64,
}

/// The latest 99th percentile: a pool in a steady state asks for the same one row after row.
#[derive(Debug, Clone, Copy, Default)]
struct LastP99 {
    latency: Option<Latency>,
    p99_s: Option<f64>,
}

impl LastP99 {
    fn of(&mut self, latency: Option<Latency>) -> Option<f64> {
        if self.latency != latency {
            self.latency = latency;
            self.p99_s = latency.map(|latency| latency.p99_s());
        }
        self.p99_s
    }
}

/// Collects rows.
pub struct Series<'a> {
    scenario: &'a Scenario,
    sums: Vec<Sums>,
    last_p99: Vec<LastP99>,
    /// Where the pools' sums do not tell how users' requests end.
    users: Option<Users>,
    first_tries: f64,
    retries: f64,
    completed: f64,
    bound: f64,
    length_s: f64,
    at_start_rps: f64,
    /// Rows so far.
    pub timeline: Vec<PoolRow>,
    /// Rows so far.
    pub fleet: Vec<FleetRow>,
}

impl<'a> Series<'a> {
    /// With room for the rows of a run that ends one every `row_steps`.
    pub fn new(scenario: &'a Scenario, row_steps: u32) -> Self {
        let rows = (scenario.simulation.steps() / row_steps.max(1)) as usize + 1;
        Self {
            scenario,
            sums: vec![Sums::default(); scenario.pools.len()],
            last_p99: vec![LastP99::default(); scenario.pools.len()],
            users: Some(Users::new(scenario)).filter(|users| users.mark_s().is_some()),
            first_tries: 0.0,
            retries: 0.0,
            completed: 0.0,
            bound: 0.0,
            length_s: 0.0,
            at_start_rps: 0.0,
            timeline: Vec::with_capacity(rows * scenario.pools.len()),
            fleet: Vec::with_capacity(rows),
        }
    }

    /// The moment from which it needs a book of users' requests.
    pub fn mark_s(&self) -> Option<f64> {
        self.users.as_ref().and_then(Users::mark_s)
    }

    /// The fleet before the first step.
    pub fn start(&mut self, snapshot: &Snapshot<'_>) {
        self.at_start_rps = healthy_capacity_rps(snapshot);
    }

    /// Adds a step, and a row where one ends. `bottlenecks` are the pools' most utilized resources.
    pub fn step(
        &mut self,
        snapshot: &Snapshot<'_>,
        bound_rps: f64,
        bottlenecks: &[Option<u32>],
        signals: &Signals<'_>,
    ) {
        self.length_s += snapshot.step_s;
        self.first_tries += snapshot.first_tries;
        self.retries += snapshot.retries;
        if let Some(users) = &mut self.users {
            self.completed += users.completed(snapshot);
        }
        self.bound += bound_rps * snapshot.step_s;
        for (sums, pool) in self.sums.iter_mut().zip(snapshot.pools) {
            add(sums, pool, snapshot.step_s);
        }
        if snapshot.is_row {
            self.end_row(snapshot, bottlenecks, signals);
        }
    }

    fn end_row(
        &mut self,
        snapshot: &Snapshot<'_>,
        bottlenecks: &[Option<u32>],
        signals: &Signals<'_>,
    ) {
        let time_s = snapshot.time_s;
        let length_s = self.length_s;
        let healthy_rps = healthy_capacity_rps(snapshot);
        let completed = match self.users {
            Some(_) => self.completed,
            None => self.sums.iter().map(|sums| sums.flows.completed).sum(),
        };
        let at_start_rps = self.at_start_rps;
        self.fleet.push(FleetRow {
            time_s,
            offered_rps: (self.first_tries + self.retries) / length_s,
            completed_rps: completed / length_s,
            healthy_capacity_rps: healthy_rps,
            healthy_capacity_ratio: if at_start_rps > 0.0 {
                healthy_rps / at_start_rps
            } else {
                0.0
            },
            bound_rps: self.bound / length_s,
            receiving_pool_capacity_utilization: highest(self.sums.iter().map(receiving)),
            cascade_propagation_count: signals.further_lost,
            fleet_wide_capacity_trend: signals.trend(),
        });
        for &pool in &self.scenario.pool_rows {
            let sums = &self.sums[pool.index()];
            let level = &snapshot.pools[pool.index()];
            let p99_s = self.last_p99[pool.index()].of(level.latency);
            let bottleneck = bottlenecks[pool.index()];
            let row = row(pool, sums, level, p99_s, snapshot, length_s);
            self.timeline.push(PoolRow { bottleneck, ..row });
        }
        self.sums.fill(Sums::default());
        (self.first_tries, self.retries, self.completed) = (0.0, 0.0, 0.0);
        self.bound = 0.0;
        self.length_s = 0.0;
    }
}

/// Utilization over the steps in which redirected traffic came.
fn receiving(sums: &Sums) -> Option<f64> {
    let capacity = sums.receiving_capacity;
    (capacity > 0.0 && capacity.is_finite()).then(|| sums.receiving_work / capacity)
}

fn highest(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    values.flatten().max_by(f64::total_cmp)
}

fn add(sums: &mut Sums, pool: &PoolStep, step_s: f64) {
    sums.routed_capacity += pool.routed_capacity_rps * step_s;
    let flows = &mut sums.flows;
    flows.first_tries += pool.first_tries;
    flows.retries += pool.retries;
    flows.redirected_in += pool.redirected_in;
    flows.redirected_out += pool.redirected_out;
    flows.completed += pool.completed;
    flows.late += pool.late;
    flows.degraded += pool.degraded;
    flows.shed += pool.shed;
    flows.rejected += pool.rejected;
    flows.lost += pool.lost;
    // Work sent where nothing was in rotation is lost, not utilization.
    if pool.routed_capacity_rps > 0.0 {
        flows.work += pool.work;
        if pool.redirected_in > 0.0 {
            sums.receiving_work += pool.work;
            sums.receiving_capacity += pool.routed_capacity_rps * step_s;
        }
    }
}

fn row(
    pool: PoolId,
    sums: &Sums,
    level: &PoolStep,
    latency_p99_s: Option<f64>,
    snapshot: &Snapshot<'_>,
    length_s: f64,
) -> PoolRow {
    let flows = &sums.flows;
    let has_limit = sums.routed_capacity > 0.0 && sums.routed_capacity.is_finite();
    let utilization = has_limit.then(|| flows.work / sums.routed_capacity);
    PoolRow {
        time_s: snapshot.time_s,
        pool,
        offered_rps: (flows.first_tries + flows.retries) / length_s,
        retry_rps: flows.retries / length_s,
        redirected_in_rps: flows.redirected_in / length_s,
        redirected_out_rps: flows.redirected_out / length_s,
        completed_rps: flows.completed / length_s,
        late_rps: flows.late / length_s,
        degraded_rps: flows.degraded / length_s,
        shed_rps: flows.shed / length_s,
        rejected_rps: flows.rejected / length_s,
        lost_rps: flows.lost / length_s,
        instances: level.up,
        instances_in_rotation: level.in_rotation,
        capacity_rps: level.capacity_rps,
        healthy_capacity_rps: level.healthy_capacity_rps,
        utilization,
        bottleneck: None,
        in_flight: level.in_flight,
        queue: level.queue,
        latency_mean_s: level.latency.map(|latency| latency.mean_s()),
        latency_p99_s,
        deferred: level.deferred,
        state: state(level, snapshot.step_s),
        receiving_pool_capacity_utilization: receiving(sums),
    }
}

fn state(level: &PoolStep, step_s: f64) -> PoolState {
    if level.in_rotation == 0 {
        PoolState::Down
    } else if !level.is_healthy {
        PoolState::FailingOver
    } else if level.is_draining {
        PoolState::Draining
    } else if level.utilization(step_s).is_some_and(|utilization| utilization > 1.0) {
        PoolState::Overloaded
    } else if level.in_rotation < level.expected {
        PoolState::Recovering
    } else {
        PoolState::Healthy
    }
}
