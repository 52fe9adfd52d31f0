//! What is known of a run once it is over. Field names are the columns of the output files; the
//! terms are those of MODEL §1 and §10.

use crate::engine::LogEntry;
use crate::model::{Plane, PoolId};

/// A pool's state, the first that holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PoolState {
    /// Nothing in rotation.
    Down,
    /// Unhealthy.
    FailingOver,
    /// Some of its demand is to be moved away.
    Draining,
    /// Utilization over 1.
    Overloaded,
    /// Healthy, but short of instances in rotation.
    Recovering,
    /// None of these.
    Healthy,
}

impl PoolState {
    /// The word in the output files.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Down => "down",
            Self::FailingOver => "failing-over",
            Self::Draining => "draining",
            Self::Overloaded => "overloaded",
            Self::Recovering => "recovering",
            Self::Healthy => "healthy",
        }
    }
}

/// How a run went, the first that holds (MODEL §10).
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Outcome {
    /// At some step no pool was healthy.
    FullOutage,
    /// A pool that no event hit became unhealthy.
    PartialOutage,
    /// Over 0.1 % of the requests after the detection deadline were not completed in time.
    Degraded,
    /// None of these.
    Stable,
}

impl Outcome {
    /// The word in the output files.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::FullOutage => "full_outage",
            Self::PartialOutage => "partial_outage",
            Self::Degraded => "degraded",
            Self::Stable => "stable",
        }
    }
}

/// One pool over one row interval, which ends at `time_s`. Rates are means over it, levels are as
/// of its end.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PoolRow {
    /// End of the interval, simulation time.
    pub time_s: f64,
    /// Which pool.
    pub pool: PoolId,
    /// First tries and retries at this pool.
    pub offered_rps: f64,
    /// Of those, retries.
    pub retry_rps: f64,
    /// Tries of other pools that were sent here.
    pub redirected_in_rps: f64,
    /// Tries of this pool that were sent elsewhere.
    pub redirected_out_rps: f64,
    /// Answered in time.
    pub completed_rps: f64,
    /// Left the system after their client had given up.
    pub late_rps: f64,
    /// Answered by a fallback.
    pub degraded_rps: f64,
    /// Refused on purpose.
    pub shed_rps: f64,
    /// Refused by a full queue or a deadline.
    pub rejected_rps: f64,
    /// Sent to, or inside, a dead instance; or nothing was in rotation; or an `errors` event.
    pub lost_rps: f64,
    /// Instances whose process is up.
    pub instances: u32,
    /// Instances that the load balancer sends traffic to.
    pub instances_in_rotation: u32,
    /// Nominal capacity of the instances in rotation.
    pub capacity_rps: f64,
    /// Actual capacity of the instances in rotation and up.
    pub healthy_capacity_rps: f64,
    /// Work routed ÷ `capacity_rps`, over the interval; none while nothing was in rotation.
    pub utilization: Option<f64>,
    /// The most utilized resource, in the order of `Scenario::resource_names`; none where nothing
    /// is used.
    pub bottleneck: Option<u32>,
    /// Tries in the system.
    pub in_flight: f64,
    /// Tries that wait.
    pub queue: f64,
    /// Mean latency of an answer; none without answers.
    pub latency_mean_s: Option<f64>,
    /// 99th percentile of the latency of an answer; none without answers.
    pub latency_p99_s: Option<f64>,
    /// Tries of this pool that the fallback has yet to answer.
    pub deferred: f64,
    /// State.
    pub state: PoolState,
    /// The production signal of that name: utilization over the steps of the interval in which
    /// redirected traffic reached it; none where none did.
    pub receiving_pool_capacity_utilization: Option<f64>,
}

/// One resource of a pool over one row interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ResourceRow {
    /// End of the interval, simulation time.
    pub time_s: f64,
    /// Which pool.
    pub pool: PoolId,
    /// Which of its resources, in the order of `Scenario::resource_names`.
    pub resource: u32,
    /// Units used, on average over the interval, at all its instances that were up.
    pub used: f64,
    /// Units that there were.
    pub limit: f64,
    /// Used ÷ limit; none where there was nothing.
    pub utilization: Option<f64>,
    /// Is it the pool's most utilized resource?
    pub binding: bool,
}

/// One pool over one measuring window. Ratios are of the pool's own tries.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PhaseRow {
    /// Which phase of the scenario.
    pub phase: u32,
    /// Which pool.
    pub pool: PoolId,
    /// Requests in flight that the load implies when nothing queues: tries a second × unloaded
    /// latency (Little's law).
    pub offered_in_flight: f64,
    /// Most tries in the system at any moment.
    pub in_flight_peak: f64,
    /// Tries that its instances have room to serve at a time, at the end; none without a limit.
    pub concurrency_limit: Option<f64>,
    /// Instances up at the end.
    pub instances: u32,
    /// Mean utilization of the resource `cpu`; none without one.
    pub cpu_utilization: Option<f64>,
    /// Tries rejected ÷ tries; none without tries.
    pub rejected_ratio: Option<f64>,
    /// First tries a second.
    pub offered_rps: f64,
    /// Retries a second.
    pub retry_rps: f64,
    /// Completed a second.
    pub completed_rps: f64,
    /// Completed ÷ first tries; none without first tries.
    pub goodput_ratio: Option<f64>,
    /// The most utilized resource, in the order of `Scenario::resource_names`.
    pub bottleneck: Option<u32>,
    /// Its mean utilization.
    pub bottleneck_utilization: Option<f64>,
}

/// The fleet over one row interval.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FleetRow {
    /// End of the interval, simulation time.
    pub time_s: f64,
    /// First tries and retries of users; calls between pools are not counted.
    pub offered_rps: f64,
    /// Users' requests answered in time.
    pub completed_rps: f64,
    /// Actual capacity of the instances in rotation and up.
    pub healthy_capacity_rps: f64,
    /// The same as a share of time 0.
    pub healthy_capacity_ratio: f64,
    /// The most that full knowledge could serve (max flow, MODEL §9).
    pub bound_rps: f64,
    /// The highest of the pools' [`PoolRow::receiving_pool_capacity_utilization`].
    pub receiving_pool_capacity_utilization: Option<f64>,
    /// Distinct pools, hit by no event, that turned unhealthy after the first shift, so far.
    pub cascade_propagation_count: u32,
    /// Change of the fleet's healthy capacity over the last minute, or the window of the scenario's
    /// first alert on it, as a share of time 0: negative while it falls. Before the window is full,
    /// since time 0.
    pub fleet_wide_capacity_trend: f64,
}

/// One row of the comparison. Shares are of the requests that arrive in the window; times are from
/// the trigger.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// How it went.
    pub outcome: Outcome,
    /// Did any request arrive after the detection deadline? If not, `stable` only says that
    /// nothing was lost so far.
    pub is_judged: bool,
    /// Did the fleet recover? None when the trigger never ends, or the run within a minute of it.
    pub recovered: Option<bool>,
    /// Completed in time.
    pub goodput_ratio: f64,
    /// Late.
    pub late_ratio: f64,
    /// Answered by a fallback.
    pub degraded_ratio: f64,
    /// Shed.
    pub shed_ratio: f64,
    /// Rejected.
    pub rejected_ratio: f64,
    /// Lost.
    pub lost_ratio: f64,
    /// Still in the system at the end.
    pub unfinished_ratio: f64,
    /// Completed ÷ the bound, over the window; none when the bound is 0.
    pub goodput_of_bound: Option<f64>,
    /// Least healthy capacity of the fleet in the window ÷ time 0.
    pub min_healthy_capacity_ratio: f64,
    /// Healthy capacity of the fleet at the end ÷ time 0.
    pub final_healthy_capacity_ratio: f64,
    /// Highest utilization of a pool that received redirected traffic.
    pub peak_receiver_utilization: Option<f64>,
    /// Distinct pools, hit by no event, that turned unhealthy after the first shift.
    pub cascade_propagation_count: u32,
    /// First redirect.
    pub time_to_first_redirect_s: Option<f64>,
    /// First pool, hit by no event, that turned unhealthy.
    pub time_to_first_propagation_s: Option<f64>,
    /// First step at which no pool was healthy.
    pub time_to_full_outage_s: Option<f64>,
    /// First step at which nothing was in rotation anywhere.
    pub time_to_nothing_in_rotation_s: Option<f64>,
    /// Start of the first minute from which the completed share stays at 99 % of that before.
    pub time_to_recover_s: Option<f64>,
    /// Largest tries ÷ first tries of users over ten seconds; none without first tries.
    pub peak_amplification: Option<f64>,
}

/// An alert that fired.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FiredAlert {
    /// Which alert of the scenario.
    pub alert: u32,
    /// When, simulation time.
    pub time_s: f64,
    /// The pool that it is about; none where it is about the fleet.
    pub pool: Option<PoolId>,
    /// The signal's value then; for the trend the fall beyond the trigger's own share, positive.
    pub value: f64,
    /// From then to the outage that it warns of ([`crate::model::AlertSignal::outage`]), s:
    /// negative where it came too late; none where there was no such outage.
    pub lead_s: Option<f64>,
    /// A false alarm: neither did that outage come, nor was any pool lost that no event hit.
    pub is_false: bool,
}

/// Everything that reports and charts are drawn from.
#[derive(Debug, Clone, PartialEq)]
pub struct RunResult {
    /// The policy's name in the file.
    pub policy: String,
    /// The policy's kind.
    pub policy_kind: &'static str,
    /// The named bundles of settings that it was run with, joined by semicolons.
    pub mitigations: String,
    /// Its place among the runs that it is compared with, the best first, from 1; none where it is
    /// compared with none.
    pub rank: Option<u32>,
    /// How instances served.
    pub plane: Plane,
    /// First event; none without events.
    pub trigger_s: Option<f64>,
    /// A row a pool and interval: by time, then by pool in the order of the file.
    pub timeline: Vec<PoolRow>,
    /// A row an interval.
    pub fleet: Vec<FleetRow>,
    /// A row a pool, resource and interval: by time, then by pool in the order of the file. Only
    /// where an instance kind declares resources, or a pool calls another.
    pub resources: Vec<ResourceRow>,
    /// A row a phase and pool: by phase, then by pool in the order of the file.
    pub phases: Vec<PhaseRow>,
    /// What happened, in order.
    pub log: Vec<LogEntry>,
    /// Alerts that fired, in order; each the first time that it did.
    pub alerts: Vec<FiredAlert>,
    /// Their names, joined by semicolons.
    pub alert_names: String,
    /// The verdict.
    pub summary: Summary,
}
