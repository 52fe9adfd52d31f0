//! What else arithmetic says of a file: detection, ramps, rollbacks, how many zones.

use super::pools::PoolNeed;
use crate::model::contingency::{Contingency, ServiceLoss};
use crate::model::{
    Action, Autoscaler, AutoscalerId, InstanceKind, KindId, PoolId, ScaleMetric, WORKERS,
    unloaded_calls_s,
};

/// Half of it is how long a change waits for the next decision on average, and one more is what the
/// mean of the metric lags behind.
const SYNCS: f64 = 1.5;
/// A zone too many by less than this is rounding.
const ROUNDING: f64 = 1e-9;

/// Closed forms that apply to a file.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    /// The least headroom of load of any service, when all is well; none without load or limit.
    pub headroom: Option<f64>,
    /// The fewest equal zones that survive the loss of one at that headroom.
    pub fewest_zones: Option<u64>,
    /// How long dead instances stay in rotation, by kind in use.
    pub detection: Vec<Detection>,
    /// Pools that an autoscaler sizes, in the order of the file.
    pub ramps: Vec<Ramp>,
    /// Drains among the events, by time.
    pub drains: Vec<Drained>,
}

/// How long probes take to find a dead instance.
#[derive(Debug, Clone, Copy)]
pub struct Detection {
    /// Of which kind.
    pub kind: KindId,
    /// (n−1) · interval + time-out, s.
    pub least_s: f64,
    /// One interval more, s.
    pub most_s: f64,
}

/// The ramp that never overloads a pool that is scaled meanwhile.
#[derive(Debug, Clone, Copy)]
pub struct Ramp {
    /// Which pool.
    pub pool: PoolId,
    /// By what it is sized.
    pub autoscaler: AutoscalerId,
    /// Growth of its load by the worst loss, Δ.
    pub growth: f64,
    /// What is left of its capacity when the autoscaler first acts, as a share of the load then;
    /// none where it watches nothing of the pool's own that says how full it is.
    pub left: Option<f64>,
    /// (start-up + health checks + 1.5 · sync) · Δ ÷ h′, s; none where no ramp is slow enough.
    pub ramp_s: Option<f64>,
}

/// Traffic that a drain moves to what else serves it.
#[derive(Debug, Clone, Copy)]
pub struct Drained {
    /// The event's position among the scenario's.
    pub event: usize,
    /// The share f of its services' load that moves.
    pub share: f64,
    /// f ÷ (1 − f): how much what is left grows; none where nothing is left.
    pub growth: Option<f64>,
}

/// The fewest equal zones of which one may be lost at a headroom of load: the smallest N with
/// 1 ÷ (N−1) ≤ headroom; none without headroom.
#[must_use]
pub fn fewest_zones(headroom: f64) -> Option<u64> {
    let others = (1.0 / headroom - ROUNDING).ceil().max(1.0);
    (headroom > 0.0 && others < 1e15).then(|| others as u64 + 1)
}

/// Those that apply. `services` are when all is well.
pub(super) fn rules(
    contingency: &Contingency<'_>,
    services: &[ServiceLoss],
    pools: &[PoolNeed],
) -> Rules {
    let headroom = services.iter().filter_map(ServiceLoss::headroom_of_load).reduce(f64::min);
    Rules {
        headroom,
        fewest_zones: headroom.and_then(fewest_zones),
        detection: detection(contingency),
        ramps: ramps(contingency, pools),
        drains: drains(contingency),
    }
}

fn detection(contingency: &Contingency<'_>) -> Vec<Detection> {
    let scenario = contingency.scenario();
    let mut is_used = vec![false; scenario.kinds.len()];
    scenario.pools.iter().for_each(|pool| is_used[pool.kind.index()] = true);
    let kinds = scenario.kinds.iter().enumerate().filter(|(index, _)| is_used[*index]);
    kinds
        .map(|(index, kind)| {
            let check = &kind.health_check;
            let interval_s = check.interval.get();
            let least_s =
                f64::from(check.unhealthy_threshold - 1) * interval_s + check.timeout.get();
            Detection { kind: KindId::from_index(index), least_s, most_s: least_s + interval_s }
        })
        .collect()
}

fn ramps(contingency: &Contingency<'_>, pools: &[PoolNeed]) -> Vec<Ramp> {
    let scenario = contingency.scenario();
    let calls_s = unloaded_calls_s(&scenario.kinds, &scenario.pools, &scenario.call_order);
    let sized = pools.iter().filter_map(|need| {
        let pool = &scenario.pools[need.pool.index()];
        let id = pool.autoscaler?;
        let autoscaler = &scenario.autoscalers[id.index()];
        let kind = &scenario.kinds[pool.kind.index()];
        let capacity_rps = contingency.instance_rps(need.pool);
        let calls_s = calls_s[need.pool.index()];
        let growth =
            if need.home_rps > 0.0 { need.most_work_rps / need.home_rps - 1.0 } else { 0.0 };
        let left = left_when_acting(autoscaler, need.pool, kind, capacity_rps, calls_s);
        let check = &kind.health_check;
        let checks_s = f64::from(check.healthy_threshold) * check.interval.get();
        let launch_s = if autoscaler.ideal { 0.0 } else { kind.startup_time.get() + checks_s };
        let delay_s = launch_s + SYNCS * autoscaler.sync_period.get();
        let room = left.zip(need.headroom()).map(|(left, headroom)| left.min(headroom));
        let ramp_s = room.filter(|room| *room > 0.0).map(|room| delay_s * growth / room);
        Some(Ramp { pool: need.pool, autoscaler: id, growth, left, ramp_s })
    });
    sized.collect()
}

/// What is left of an instance's capacity, as a share of its load, when the first of the
/// autoscaler's targets on the pool itself is over its tolerance: 1 ÷ (target · (1 + tolerance)) −
/// 1 where the resource that it watches is the one that binds.
fn left_when_acting(
    autoscaler: &Autoscaler,
    pool: PoolId,
    kind: &InstanceKind,
    capacity_rps: f64,
    calls_s: Option<f64>,
) -> Option<f64> {
    let tolerance = if autoscaler.ideal { 0.0 } else { autoscaler.tolerance };
    let own = autoscaler
        .targets
        .iter()
        .filter(|target| target.signal.pool.is_none_or(|watched| watched == pool));
    let acts_at_rps = own.filter_map(|target| {
        let full_rps = match &target.signal.metric {
            ScaleMetric::Rps => 1.0,
            ScaleMetric::InFlight => 1.0 / (kind.service_time.get() + calls_s.unwrap_or(0.0)),
            ScaleMetric::Resource(name) => full_rps(kind, name, calls_s)?,
        };
        Some(target.value * (1.0 + tolerance) * full_rps)
    });
    let first_rps = acts_at_rps.reduce(f64::min)?;
    let left = capacity_rps / first_rps - 1.0;
    left.is_finite().then_some(left)
}

/// Requests a second at which an instance has used up one of its resources, at unloaded latencies.
fn full_rps(kind: &InstanceKind, resource: &str, calls_s: Option<f64>) -> Option<f64> {
    let held_s = kind.service_time.get() + calls_s.unwrap_or(0.0);
    if resource == WORKERS {
        let busy_s = match kind.holds_workers(calls_s.is_some()) {
            true => held_s,
            false => kind.service_time.get(),
        };
        return Some(f64::from(kind.workers?) / busy_s);
    }
    let resource = kind.resources.iter().find(|known| known.name == resource)?;
    let held = resource.room().map(|room| room as f64 / held_s);
    resource.rate_rps().or(held)
}

fn drains(contingency: &Contingency<'_>) -> Vec<Drained> {
    let scenario = contingency.scenario();
    let load_rps = &contingency.home().home_rps;
    let drained = |(event, action): (usize, &Action)| {
        let Action::Drain { pools, share } = action else { return None };
        let mut is_part = vec![false; scenario.services.len()];
        pools.iter().for_each(|p| is_part[scenario.pools[p.index()].service.index()] = true);
        let moved: f64 = pools.iter().map(|p| load_rps[p.index()] * share.get()).sum();
        let all = scenario.pools.iter().zip(load_rps);
        let all: f64 = all.filter(|(pool, _)| is_part[pool.service.index()]).map(|(_, l)| l).sum();
        let share = if all > 0.0 { moved / all } else { 0.0 };
        let growth = (share < 1.0 - ROUNDING).then(|| share / (1.0 - share));
        Some(Drained { event, share, growth })
    };
    let events = scenario.events.iter().map(|event| &event.action).enumerate();
    events.filter_map(drained).collect()
}
