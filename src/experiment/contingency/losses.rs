//! The losses, one by one.

use std::cmp::Ordering;

use super::groups::{Group, Groups, Need};
use super::pools::{PoolNeed, pool_needs};
use super::rules::{Rules, rules};
use super::steady::{Instance, Latency};
use crate::model::contingency::{Contingency, Loads, ServiceLoss, for_each_loss};
use crate::model::{Pool, PoolId, Scenario, ZoneId, unloaded_calls_s};

/// Differences between losses below this are rounding.
const ALIKE: f64 = 1e-9;

/// Every loss of up to so many zones, and what it takes to survive them.
#[derive(Debug, Clone)]
pub struct Contingencies {
    /// The highest utilization that survivors may be left at.
    pub ceiling: f64,
    /// Services when all is well.
    pub services: Vec<ServiceLoss>,
    /// Losses, fewer zones first; zones in the order of the file.
    pub losses: Vec<Loss>,
    /// Their positions, worst first, by the fullest pool.
    pub by_severity: Vec<usize>,
    /// What pools need to survive them all, in the order of the file.
    pub pools: Vec<PoolNeed>,
    /// What else arithmetic says of the file.
    pub rules: Rules,
}

impl Contingencies {
    /// The worst loss; none without any.
    #[must_use]
    pub fn worst(&self) -> Option<&Loss> {
        self.by_severity.first().map(|index| &self.losses[*index])
    }

    /// Instances now, and as many more as are needed; none where no number is enough.
    #[must_use]
    pub fn instances(&self, scenario: &Scenario, needed: Needed) -> (u64, Option<u64>) {
        let now = |need: &PoolNeed| u64::from(scenario.pools[need.pool.index()].instances);
        let more = |need: &PoolNeed| match needed {
            Needed::AtCeiling => Some(need.instances_needed?.saturating_sub(now(need))),
            Needed::AtUsual => Some(need.instances_needed_usual?.saturating_sub(now(need))),
        };
        (self.pools.iter().map(now).sum(), self.pools.iter().map(more).sum())
    }
}

/// What instances are counted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Needed {
    /// None over the ceiling.
    AtCeiling,
    /// None over the usual utilization.
    AtUsual,
}

/// The loss of some zones.
#[derive(Debug, Clone)]
pub struct Loss {
    /// What is lost.
    pub zones: Vec<ZoneId>,
    /// The services that it hits.
    pub services: Vec<ServiceLoss>,
    /// The fullest survivor as `unconditional` splits traffic; none where none is left.
    pub fullest: Option<FullestPool>,
    /// Share of all tries, calls included, that `unconditional` has nowhere to send.
    pub unplaced_ratio: f64,
    /// Share of all first tries that even a perfect router has to refuse at the ceiling.
    pub shed_ratio: f64,
    /// The headroom of load that all pools alike need, so that a perfect router fits everything in
    /// at the ceiling: N ÷ ((N−k)·U) − 1 of equal zones. None where no headroom is enough, and
    /// where nothing needs any.
    pub headroom_needed: Option<f64>,
    /// The same so that not even the slowest instance is over the ceiling.
    pub headroom_needed_slowest: Option<f64>,
    /// The headroom of load that all pools alike need when traffic is split as `unconditional`
    /// splits it.
    pub headroom_needed_as_split: Option<f64>,
    /// The same so that not even the slowest instance is over the ceiling.
    pub headroom_needed_as_split_slowest: Option<f64>,
    /// Does a perfect router fit everything in at the ceiling?
    pub fits: bool,
    /// Does it all fit as `unconditional` splits it?
    pub fits_as_split: bool,
}

/// A survivor.
#[derive(Debug, Clone, Copy)]
pub struct FullestPool {
    /// Which.
    pub pool: PoolId,
    /// Work ÷ capacity.
    pub utilization: f64,
    /// The same of its slowest instance, its probes included.
    pub slowest_utilization: f64,
    /// Latency at an instance of speed 1 in the steady state; none without one.
    pub latency: Option<Latency>,
    /// The same at its slowest instance.
    pub slowest_latency: Option<Latency>,
}

impl Loss {
    /// The service whose survivors are fullest when taken together: the first whose survivors are
    /// none, else by utilization. None where the loss hits none.
    #[must_use]
    pub fn worst_service(&self) -> Option<&ServiceLoss> {
        let full = |loss: &ServiceLoss| loss.survivor_utilization().unwrap_or(f64::INFINITY);
        self.services
            .iter()
            .reduce(|worst, next| if full(next) > full(worst) { next } else { worst })
    }

    /// All demand ÷ all surviving capacity of that service; none where nothing is left of it.
    #[must_use]
    pub fn survivor_utilization(&self) -> Option<f64> {
        self.worst_service()?.survivor_utilization()
    }

    /// The highest utilization when all is well at which the loss just fits: U·(N−k) ÷ N of equal
    /// zones.
    #[must_use]
    pub fn highest_home_utilization(&self) -> Option<f64> {
        self.headroom_needed.map(|headroom| 1.0 / (1.0 + headroom))
    }

    /// The spare share of capacity that it takes: 1 − U·(N−k) ÷ N of equal zones.
    #[must_use]
    pub fn spare_of_capacity_needed(&self) -> Option<f64> {
        self.highest_home_utilization().map(|utilization| 1.0 - utilization)
    }
}

/// Works out every loss of 1 to `most_zones` zones of a scenario, at a ceiling of utilization over
/// 0.
/// Takes time and memory in proportion to losses × pools: see
/// [`are_too_many`](crate::model::contingency::are_too_many).
#[must_use]
pub fn contingencies(scenario: &Scenario, most_zones: usize, ceiling: f64) -> Contingencies {
    let contingency = Contingency::new(scenario);
    let finder = Finder::new(&contingency, ceiling);
    let none_lost = vec![false; scenario.zones.len()];
    let mut is_lost = none_lost.clone();
    let mut losses = Vec::new();
    let mut most_work: Vec<(f64, Option<usize>)> =
        contingency.home().work_rps.iter().map(|rps| (*rps, None)).collect();
    for_each_loss(scenario.zones.len(), most_zones, |set| {
        let zones: Vec<ZoneId> = set.iter().map(|row| scenario.zone_rows[*row]).collect();
        zones.iter().for_each(|zone| is_lost[zone.index()] = true);
        let loads = contingency.after(&is_lost);
        for (most, work_rps) in most_work.iter_mut().zip(&loads.work_rps) {
            if *work_rps > most.0 * (1.0 + ALIKE) {
                *most = (*work_rps, Some(losses.len()));
            }
        }
        losses.push(finder.loss(&zones, &loads, &is_lost));
        is_lost.clone_from(&none_lost);
    });
    let services = contingency.services(contingency.home(), &none_lost);
    let pools = pool_needs(&contingency, &most_work, ceiling);
    Contingencies {
        ceiling,
        by_severity: by_severity(&losses),
        rules: rules(&contingency, &services, &pools),
        services,
        losses,
        pools,
    }
}

/// Works out the loss of one set of zones, at a ceiling of utilization over 0.
#[must_use]
pub fn loss_of(scenario: &Scenario, zones: &[ZoneId], ceiling: f64) -> Loss {
    let contingency = Contingency::new(scenario);
    let mut is_lost = vec![false; scenario.zones.len()];
    zones.iter().for_each(|zone| is_lost[zone.index()] = true);
    let loads = contingency.after(&is_lost);
    Finder::new(&contingency, ceiling).loss(zones, &loads, &is_lost)
}

/// Losses by how bad they are, worst first, in order where they are alike: by what has nowhere to
/// go, by the fullest pool, by what has to be refused.
fn by_severity(losses: &[Loss]) -> Vec<usize> {
    let key = |index: &usize| {
        let loss = &losses[*index];
        let fullest = loss.fullest.map_or(0.0, |pool| pool.utilization);
        [loss.unplaced_ratio, fullest, loss.shed_ratio].map(|value| -(value / ALIKE).round())
    };
    let mut order: Vec<usize> = (0..losses.len()).collect();
    order.sort_by(|a, b| {
        let pairs = key(a).into_iter().zip(key(b));
        pairs.map(|(a, b)| a.total_cmp(&b)).find(|by| by.is_ne()).unwrap_or(Ordering::Equal)
    });
    order
}

/// What all losses are worked out with.
struct Finder<'a> {
    contingency: &'a Contingency<'a>,
    groups: Groups<'a>,
    ceiling: f64,
    calls_s: Vec<Option<f64>>,
}

impl<'a> Finder<'a> {
    fn new(contingency: &'a Contingency<'a>, ceiling: f64) -> Self {
        let scenario = contingency.scenario();
        let calls_s = unloaded_calls_s(&scenario.kinds, &scenario.pools, &scenario.call_order);
        Self { contingency, groups: Groups::new(contingency), ceiling, calls_s }
    }

    fn loss(&self, zones: &[ZoneId], loads: &Loads, is_lost: &[bool]) -> Loss {
        let scenario = self.contingency.scenario();
        let is_hit = self.contingency.is_hit(loads, is_lost);
        let mut hit_services = vec![false; scenario.services.len()];
        let mut hit_groups = vec![false; self.groups.list.len()];
        for (pool, _) in is_hit.iter().enumerate().filter(|(_, is_hit)| **is_hit) {
            hit_services[scenario.pools[pool].service.index()] = true;
            hit_groups[self.groups.of_pool[pool]] = true;
        }
        let needs = self.groups.needs(loads, is_lost, self.ceiling);
        let in_hit_service =
            |pool: PoolId| hit_services[scenario.pools[pool.index()].service.index()];
        let fullest = self.contingency.fullest(loads, is_lost, in_hit_service);
        let mut services = self.contingency.services(loads, is_lost);
        services.retain(|loss| hit_services[loss.service.index()]);
        let (needed, needed_slowest) = self.headroom_needed(&needs, &hit_groups);
        let (as_split, as_split_slowest) = self.as_split(loads, is_lost, &hit_groups);
        let all_rps: f64 = loads.home_rps.iter().sum();
        let unplaced_ratio = if all_rps > 0.0 { loads.unplaced_rps / all_rps } else { 0.0 };
        let most = self.ceiling * (1.0 + ALIKE);
        let is_placed = unplaced_ratio <= ALIKE;
        let fitting = |need: (&Need, &bool)| !need.1 || need.0.factor <= most;
        Loss {
            zones: zones.to_vec(),
            services,
            fullest: fullest.map(|(pool, utilization)| self.fullest(pool, utilization, loads)),
            unplaced_ratio,
            shed_ratio: self.groups.shed_ratio(&needs),
            headroom_needed: needed,
            headroom_needed_slowest: needed_slowest,
            headroom_needed_as_split: as_split.filter(|_| is_placed),
            headroom_needed_as_split_slowest: as_split_slowest.filter(|_| is_placed),
            fits: needs.iter().zip(&hit_groups).all(fitting),
            fits_as_split: is_placed && fullest.is_none_or(|(_, full)| full <= most),
        }
    }

    fn fullest(&self, pool: PoolId, utilization: f64, loads: &Loads) -> FullestPool {
        let scenario = self.contingency.scenario();
        let Pool { kind, instances, .. } = &scenario.pools[pool.index()];
        let kind = &scenario.kinds[kind.index()];
        let work_rps = loads.work_rps[pool.index()];
        let each_rps = work_rps / f64::from(*instances);
        let latency =
            |speed| Instance::new(kind, speed, self.calls_s[pool.index()]).latency(each_rps);
        FullestPool {
            pool,
            utilization,
            slowest_utilization: self.contingency.slowest_utilization(pool, work_rps),
            latency: latency(1.0),
            slowest_latency: latency(kind.slowest_speed(*instances)),
        }
    }

    /// A perfect router's: the group that needs most, all of them alike.
    fn headroom_needed(&self, needs: &[Need], is_hit: &[bool]) -> (Option<f64>, Option<f64>) {
        let groups = self.groups.list.iter().zip(needs).zip(is_hit);
        let hit = groups.filter(|((group, _), hit)| **hit && group.is_limited());
        let times = hit.map(|((group, need), _)| {
            let times = need.factor / self.ceiling * group.capacity_rps / group.demand_rps;
            (times, times / group.slowest_speed)
        });
        most_of_each(times)
    }

    /// As `unconditional` splits it: the pool that needs most of what its group has.
    fn as_split(
        &self,
        loads: &Loads,
        is_lost: &[bool],
        is_hit: &[bool],
    ) -> (Option<f64>, Option<f64>) {
        let scenario = self.contingency.scenario();
        let times = scenario.pools.iter().enumerate().filter_map(|(index, pool)| {
            let (id, group) = (PoolId::from_index(index), self.groups.of_pool[index]);
            let Group { demand_rps, capacity_rps, .. } = self.groups.list[group];
            let counts = is_hit[group] && self.groups.list[group].is_limited();
            if is_lost[pool.zone.index()] || !counts {
                return None;
            }
            let full = self.contingency.utilization(id, loads);
            let times = full / self.ceiling * capacity_rps / demand_rps;
            let kind = &scenario.kinds[pool.kind.index()];
            Some((times, times / kind.slowest_speed(pool.instances)))
        });
        most_of_each(times)
    }
}

/// The largest of each, as headroom of load; none without any, and where one is without end.
fn most_of_each(times: impl Iterator<Item = (f64, f64)>) -> (Option<f64>, Option<f64>) {
    let most = times.reduce(|a, b| (a.0.max(b.0), a.1.max(b.1)));
    let headroom = |times: f64| times.is_finite().then_some(times - 1.0);
    (most.and_then(|most| headroom(most.0)), most.and_then(|most| headroom(most.1)))
}
