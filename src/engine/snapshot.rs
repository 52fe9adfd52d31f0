//! What observers are shown at the end of every step.

use crate::queueing::Response;

use super::log::{LogEntry, ProbeFailure};

/// One pool over one step. Flows are in requests (not a second), levels are as of the step's end.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct PoolStep {
    /// First tries that arrived at home.
    pub first_tries: f64,
    /// Retries that arrived at home.
    pub retries: f64,
    /// Tries of other pools that were sent here.
    pub redirected_in: f64,
    /// Tries that were sent elsewhere.
    pub redirected_out: f64,
    /// Left the system in time.
    pub completed: f64,
    /// Left the system after their client had given up.
    pub late: f64,
    /// Refused on purpose.
    pub shed: f64,
    /// Refused by a full queue or a deadline.
    pub rejected: f64,
    /// Sent to, or inside, a dead instance; nothing in rotation; failed by an event.
    pub lost: f64,
    /// The part of `late` that left by being served.
    pub served_late: f64,
    /// The part of `lost` that was lost on arrival.
    pub served_lost: f64,
    /// The part of `lost` that was in the system when its instance died.
    pub died_inside: f64,
    /// Work routed here, in tries.
    pub work: f64,
    /// Nominal capacity in rotation as *route* saw it, rps.
    pub routed_capacity_rps: f64,
    /// Is some of its demand to be moved away?
    pub is_draining: bool,
    /// Answered by a fallback.
    pub degraded: f64,
    /// Tries of this pool that the fallback has yet to answer.
    pub deferred: f64,
    /// Tries in the system.
    pub in_flight: f64,
    /// Mean of that over the step.
    pub in_flight_mean: f64,
    /// Most of it at any moment of the step.
    pub in_flight_peak: f64,
    /// Tries that wait; only on rows.
    pub queue: f64,
    /// Tries in the system whose client has given up; only at the last step.
    pub given_up: f64,
    /// Instances whose process is up.
    pub up: u32,
    /// Instances in rotation.
    pub in_rotation: u32,
    /// Instances that it ought to have in rotation.
    pub expected: u32,
    /// Is the share in rotation at or over its threshold?
    pub is_healthy: bool,
    /// Nominal capacity of the instances in rotation, rps.
    pub capacity_rps: f64,
    /// Actual capacity of the instances in rotation and up, rps.
    pub healthy_capacity_rps: f64,
    /// Capacity of the instances that are up, at their dealt speeds, slowdowns not counted, rps.
    pub up_capacity_rps: f64,
    /// Latency of a request when nothing queues, here or where it calls, as settings are now, s.
    pub unloaded_latency_s: f64,
    /// Latency of the answers of this moment; only on rows, none without answers.
    pub latency: Option<Latency>,
}

/// What is known of answers' latencies.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Latency {
    /// Its distribution at the moment.
    Modelled(Response),
    /// What was measured since the last row.
    Measured {
        /// Mean, s.
        mean_s: f64,
        /// 99th percentile, s.
        p99_s: f64,
    },
}

impl Latency {
    /// Mean, s.
    #[must_use]
    pub fn mean_s(&self) -> f64 {
        match self {
            Self::Modelled(response) => response.mean_s(),
            Self::Measured { mean_s, .. } => *mean_s,
        }
    }

    /// 99th percentile, s.
    #[must_use]
    pub fn p99_s(&self) -> f64 {
        match self {
            Self::Modelled(response) => response.quantile_s(0.01),
            Self::Measured { p99_s, .. } => *p99_s,
        }
    }
}

/// One resource of a pool over one step: units of all its instances that are up.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct ResourceStep {
    /// What was used, on average over the step.
    pub used: f64,
    /// What there was.
    pub limit: f64,
}

impl ResourceStep {
    /// Used ÷ limit; none where there was nothing.
    #[must_use]
    pub fn utilization(&self) -> Option<f64> {
        (self.limit > 0.0).then(|| self.used / self.limit)
    }
}

/// Users' requests that arrived from some moment on, each counted once by how its last try ended.
/// arrived = completed + late + degraded + shed + rejected + lost + unfinished.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct RequestBook {
    /// The moment, simulation time; −∞ for what is in the system at the start, too.
    pub from_s: f64,
    /// Requests that arrived.
    pub arrived: f64,
    /// Completed in time.
    pub completed: f64,
    /// Late.
    pub late: f64,
    /// Answered by a fallback.
    pub degraded: f64,
    /// Shed.
    pub shed: f64,
    /// Rejected.
    pub rejected: f64,
    /// Lost.
    pub lost: f64,
    /// Still in the system, or about to be tried again.
    pub unfinished: f64,
    /// Of those, whose client has given up; counted in the last step.
    pub given_up: f64,
}

impl RequestBook {
    /// A count as a share of what arrived; 0 of nothing.
    #[must_use]
    pub fn share(&self, count: f64) -> f64 {
        if self.arrived > 0.0 { count / self.arrived } else { 0.0 }
    }
}

impl PoolStep {
    /// Forgets the flows of the step before; levels stay.
    pub(super) fn begin_step(&mut self) {
        self.late = 0.0;
        self.lost = 0.0;
        self.died_inside = 0.0;
        self.given_up = 0.0;
    }

    /// Work routed ÷ nominal capacity in rotation; none when nothing was in rotation, or nothing
    /// limits what is.
    #[must_use]
    pub fn utilization(&self, step_s: f64) -> Option<f64> {
        let capacity = self.routed_capacity_rps * step_s;
        (capacity > 0.0 && capacity.is_finite()).then(|| self.work / capacity)
    }
}

/// The fleet at the end of a step.
#[derive(Debug, Clone, Copy)]
pub struct Snapshot<'a> {
    /// Steps done.
    pub step: u32,
    /// End of the step, simulation time.
    pub time_s: f64,
    /// Its length.
    pub step_s: f64,
    /// Does a row of the series end here?
    pub is_row: bool,
    /// Pools by id.
    pub pools: &'a [PoolStep],
    /// Resources of all pools, in the order of `Scenario::resource_names`.
    pub resources: &'a [ResourceStep],
    /// Where each pool's resources begin in `resources`; one more than there are pools.
    pub resource_starts: &'a [u32],
    /// First tries of users this step, calls between pools apart.
    pub first_tries: f64,
    /// Retries of users this step, calls between pools apart.
    pub retries: f64,
    /// Users' requests from each of the observer's marks on.
    pub books: &'a [RequestBook],
}

impl Snapshot<'_> {
    /// The resources of a pool.
    #[must_use]
    pub fn resources_of(&self, pool: usize) -> &[ResourceStep] {
        let (from, to) = (self.resource_starts[pool], self.resource_starts[pool + 1]);
        &self.resources[from as usize..to as usize]
    }

    /// Did the step begin at a time, or later?
    #[must_use]
    pub fn began_at_or_after(&self, time_s: f64) -> bool {
        self.time_s - self.step_s >= time_s - 1e-9 * self.step_s
    }
}

/// Is told everything that happens and shown the fleet at the end of every step.
pub trait Observer {
    /// Moments from which users' requests are to be told apart.
    fn marks_s(&self) -> Vec<f64> {
        Vec::new()
    }
    /// The fleet before the first step.
    fn start(&mut self, snapshot: &Snapshot<'_>);
    /// Something happened.
    fn happened(&mut self, entry: &LogEntry);
    /// Is it to be told of failed probes? To ask for them costs a run time.
    fn wants_probes(&self) -> bool {
        false
    }
    /// A probe failed at an instance that was up.
    fn probe_failed(&mut self, _failure: &ProbeFailure) {}
    /// A step is over.
    fn step(&mut self, snapshot: &Snapshot<'_>);
}
