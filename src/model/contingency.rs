//! What pools are sent once zones are lost: arithmetic, before anything is simulated.
//!
//! A lost pool's traffic is split as `unconditional` splits it once the loss is known: among the
//! surviving failover targets of the best priority that has one, by weight. Calls follow the
//! requests that make them, and a lost callee's calls fail over like anything else.

use super::graph::Target;
use super::id::{PoolId, ServiceId};
use super::scenario::Scenario;

/// The utilization that survivors are left at where nothing else is said.
pub const USUAL_UTILIZATION: f64 = 0.85;
/// Most loads of a pool after a loss that are worked out at a time.
pub const MOST_POOL_LOADS: f64 = 10e6;
/// Fewest pools that a loss is counted as, so that it is not for nothing where there are few.
const FEWEST_POOLS: usize = 64;
/// Rounds after which calls that go in a circle by way of failover edges are left as they are.
const MOST_ROUNDS: usize = 200;
/// A surplus that is only rounding, in instances.
const ROUNDING: f64 = 1e-9;

/// Who takes whose traffic, ready to be asked about any loss.
#[derive(Debug, Clone)]
pub struct Contingency<'a> {
    scenario: &'a Scenario,
    entry_rps: Vec<f64>,
    instance_rps: Vec<f64>,
    /// By pool: its own failover targets; none where its service's pools take over.
    targets: Vec<Option<Vec<Target>>>,
    home: Loads,
}

/// What every pool is sent, rps, by pool.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Loads {
    /// Tries for which a pool is home, lost or not: first tries and calls.
    pub home_rps: Vec<f64>,
    /// Tries that it is sent, redirected ones included; 0 where it is lost.
    pub tries_rps: Vec<f64>,
    /// The same as work: a redirected try counts `redirect_cost`.
    pub work_rps: Vec<f64>,
    /// Tries of lost pools that have no surviving target.
    pub unplaced_rps: f64,
}

/// A service after a loss.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ServiceLoss {
    /// Which.
    pub service: ServiceId,
    /// All tries that have to be served, rps.
    pub demand_rps: f64,
    /// Capacity before the loss, rps; infinite without limit.
    pub capacity_rps: f64,
    /// Capacity of the pools that are left, rps.
    pub surviving_capacity_rps: f64,
}

impl ServiceLoss {
    /// All demand ÷ all surviving capacity: how full the survivors are, taken together. None where
    /// nothing is left to serve a demand.
    #[must_use]
    pub fn survivor_utilization(&self) -> Option<f64> {
        if self.demand_rps <= 0.0 {
            return Some(0.0);
        }
        (self.surviving_capacity_rps > 0.0).then(|| self.demand_rps / self.surviving_capacity_rps)
    }

    /// Headroom of load before the loss: capacity ÷ load − 1; none without load or limit.
    #[must_use]
    pub fn headroom_of_load(&self) -> Option<f64> {
        let headroom = self.capacity_rps / self.demand_rps - 1.0;
        headroom.is_finite().then_some(headroom)
    }
}

impl<'a> Contingency<'a> {
    /// Of a scenario.
    #[must_use]
    pub fn new(scenario: &'a Scenario) -> Self {
        let pools = || (0..scenario.pools.len()).map(PoolId::from_index);
        let mut entry_rps: Vec<f64> = scenario.pools.iter().map(|p| p.demand.get()).collect();
        for source in &scenario.sources {
            entry_rps[source.to.index()] += source.demand.get();
        }
        let own = |pool| {
            let own = !scenario.graph.fails_over_by_service(pool);
            own.then(|| scenario.graph.targets(pool).collect())
        };
        let mut contingency = Self {
            scenario,
            entry_rps,
            instance_rps: scenario.instance_capacities_rps(),
            targets: pools().map(own).collect(),
            home: Loads::default(),
        };
        contingency.home = contingency.after(&vec![false; scenario.zones.len()]);
        contingency
    }

    /// The scenario that this is about.
    #[must_use]
    pub const fn scenario(&self) -> &'a Scenario {
        self.scenario
    }

    /// What pools are sent when all is well.
    #[must_use]
    pub const fn home(&self) -> &Loads {
        &self.home
    }

    /// First tries from outside for each pool, rps.
    #[must_use]
    pub fn entry_rps(&self) -> &[f64] {
        &self.entry_rps
    }

    /// Capacity of one instance of a pool, rps; infinite without limit.
    #[must_use]
    pub fn instance_rps(&self, pool: PoolId) -> f64 {
        self.instance_rps[pool.index()]
    }

    /// Capacity of a pool with all its instances, rps; infinite without limit.
    #[must_use]
    pub fn capacity_rps(&self, pool: PoolId) -> f64 {
        f64::from(self.scenario.pools[pool.index()].instances) * self.instance_rps(pool)
    }

    /// What pools are sent after the loss of zones; `is_lost` is by zone.
    ///
    /// # Panics
    /// When `is_lost` is not as long as the scenario's zones.
    #[must_use]
    pub fn after(&self, is_lost: &[bool]) -> Loads {
        assert_eq!(is_lost.len(), self.scenario.zones.len(), "one flag a zone");
        let mut loads = self.spread(self.entry_rps.clone(), is_lost);
        if !self.scenario.has_calls() {
            return loads;
        }
        // One round a layer of calls: a caller's traffic has to be where it goes before its calls.
        for _ in 0..MOST_ROUNDS {
            let mut home_rps = self.entry_rps.clone();
            for &caller in &self.scenario.call_order {
                for call in &self.scenario.pools[caller.index()].calls {
                    let calls_rps = loads.tries_rps[caller.index()] * call.per_request;
                    home_rps[call.to.index()] += calls_rps;
                }
            }
            if home_rps == loads.home_rps {
                break;
            }
            loads = self.spread(home_rps, is_lost);
        }
        loads
    }

    /// Sends every home's tries to it, or to those that stand in for it.
    fn spread(&self, home_rps: Vec<f64>, is_lost: &[bool]) -> Loads {
        let scenario = self.scenario;
        let lost = |pool: PoolId| is_lost[scenario.pools[pool.index()].zone.index()];
        let pools = || (0..home_rps.len()).map(PoolId::from_index);
        let mut survivors = vec![0.0; scenario.services.len()];
        let mut by_service_rps = vec![0.0; scenario.services.len()];
        let mut received_rps = vec![0.0; home_rps.len()];
        let mut unplaced_rps = 0.0;
        for pool in pools() {
            let service = scenario.pools[pool.index()].service.index();
            let own_rps = home_rps[pool.index()];
            match (&self.targets[pool.index()], lost(pool)) {
                (_, false) => survivors[service] += 1.0,
                (None, true) => by_service_rps[service] += own_rps,
                (Some(targets), true) => {
                    let left = || targets.iter().filter(|target| !lost(target.pool));
                    let best = left().map(|target| target.priority).min();
                    let chosen = || left().filter(|target| Some(target.priority) == best);
                    let weights: f64 = chosen().map(|target| target.weight).sum();
                    for target in chosen() {
                        received_rps[target.pool.index()] += own_rps * target.weight / weights;
                    }
                    unplaced_rps += if best.is_none() { own_rps } else { 0.0 };
                }
            }
        }
        let unserved = by_service_rps.iter().zip(&survivors).filter(|(_, left)| **left == 0.0);
        unplaced_rps += unserved.map(|(rps, _)| rps).sum::<f64>();
        let mut loads = Loads { unplaced_rps, ..Loads::default() };
        for pool in pools().filter(|pool| !lost(*pool)) {
            let service = scenario.pools[pool.index()].service.index();
            // Whoever is home in a lost zone has survivors of other zones only.
            received_rps[pool.index()] += by_service_rps[service] / survivors[service];
        }
        for pool in pools() {
            let cost = scenario.kinds[scenario.pools[pool.index()].kind.index()].redirect_cost;
            let own_rps = if lost(pool) { 0.0 } else { home_rps[pool.index()] };
            loads.tries_rps.push(own_rps + received_rps[pool.index()]);
            loads.work_rps.push(own_rps + cost * received_rps[pool.index()]);
        }
        Loads { home_rps, ..loads }
    }

    /// Every service after a loss.
    #[must_use]
    pub fn services(&self, loads: &Loads, is_lost: &[bool]) -> Vec<ServiceLoss> {
        let services = (0..self.scenario.services.len()).map(|service| ServiceLoss {
            service: ServiceId::from_index(service),
            demand_rps: 0.0,
            capacity_rps: 0.0,
            surviving_capacity_rps: 0.0,
        });
        let mut services: Vec<ServiceLoss> = services.collect();
        for (index, pool) in self.scenario.pools.iter().enumerate() {
            let service = &mut services[pool.service.index()];
            let capacity_rps = self.capacity_rps(PoolId::from_index(index));
            service.demand_rps += loads.home_rps[index];
            service.capacity_rps += capacity_rps;
            if !is_lost[pool.zone.index()] {
                service.surviving_capacity_rps += capacity_rps;
            }
        }
        services
    }

    /// By pool: does a loss take it, or move traffic to or from it?
    #[must_use]
    pub fn is_hit(&self, loads: &Loads, is_lost: &[bool]) -> Vec<bool> {
        let moves = |pool: usize| {
            let (before, after) = (self.home.tries_rps[pool], loads.tries_rps[pool]);
            (after - before).abs() > ROUNDING * before
        };
        let pools = self.scenario.pools.iter().enumerate();
        pools.map(|(index, pool)| is_lost[pool.zone.index()] || moves(index)).collect()
    }

    /// The share of a pool's capacity that its work takes.
    #[must_use]
    pub fn utilization(&self, pool: PoolId, loads: &Loads) -> f64 {
        loads.work_rps[pool.index()] / self.capacity_rps(pool)
    }

    /// The survivor, of those that `is_wanted` names, that is fullest, and its utilization; the
    /// first by name where several are.
    #[must_use]
    pub fn fullest(
        &self,
        loads: &Loads,
        is_lost: &[bool],
        is_wanted: impl Fn(PoolId) -> bool,
    ) -> Option<(PoolId, f64)> {
        (0..self.scenario.pools.len())
            .map(PoolId::from_index)
            .filter(|pool| !is_lost[self.scenario.pools[pool.index()].zone.index()])
            .filter(|pool| is_wanted(*pool))
            .map(|pool| (pool, self.utilization(pool, loads)))
            .reduce(|worst, next| if next.1 > worst.1 { next } else { worst })
    }

    /// The share of its capacity that the slowest instance of a pool works at, its probes included,
    /// when so much work is spread evenly over the pool's instances.
    #[must_use]
    pub fn slowest_utilization(&self, pool: PoolId, work_rps: f64) -> f64 {
        let instances = self.scenario.pools[pool.index()].instances;
        let kind = &self.scenario.kinds[self.scenario.pools[pool.index()].kind.index()];
        let sent_rps = work_rps / f64::from(instances) + kind.health_check.work_rps();
        sent_rps / (self.instance_rps(pool) * kind.slowest_speed(instances))
    }

    /// The fewest instances of which none, the slowest included, is above `utilization` when they
    /// share so much work evenly, their own probes included. None where no number is enough: the
    /// probes alone are too much.
    #[must_use]
    pub fn instances_for(&self, pool: PoolId, work_rps: f64, utilization: f64) -> Option<u64> {
        let kind = &self.scenario.kinds[self.scenario.pools[pool.index()].kind.index()];
        let most_rps = |instances| {
            utilization * self.instance_rps(pool) * kind.slowest_speed(instances)
                - kind.health_check.work_rps()
        };
        if work_rps <= most_rps(1) * (1.0 + ROUNDING) {
            return Some(1);
        }
        let each_rps = most_rps(2);
        let instances = (work_rps / each_rps - ROUNDING).ceil();
        (each_rps > 0.0 && instances < 1e15).then_some((instances as u64).max(2))
    }
}

/// How many losses of 1 to `most` of so many zones there are.
#[must_use]
pub fn losses(zones: usize, most: usize) -> f64 {
    let mut sets = 1.0;
    let mut all = 0.0;
    for size in 0..most.min(zones) {
        sets *= (zones - size) as f64 / (size + 1) as f64;
        all += sets;
    }
    all
}

/// Are the losses of 1 to `most` zones too many to work out?
#[must_use]
pub fn are_too_many(scenario: &Scenario, most: usize) -> bool {
    let pools = scenario.pools.len().max(FEWEST_POOLS);
    losses(scenario.zones.len(), most) * pools as f64 > MOST_POOL_LOADS
}

/// Calls `on_loss` with every set of 1 to `most` of so many zones: smaller sets first, each set and
/// all of a size in ascending order.
pub fn for_each_loss(zones: usize, most: usize, mut on_loss: impl FnMut(&[usize])) {
    for size in 1..=most.min(zones) {
        let mut set: Vec<usize> = (0..size).collect();
        loop {
            on_loss(&set);
            // The last that can move on does, and those after it follow right behind.
            let Some(moving) = (0..size).rev().find(|i| set[*i] < zones - size + i) else { break };
            set[moving] += 1;
            for follower in moving + 1..size {
                set[follower] = set[follower - 1] + 1;
            }
        }
    }
}

/// By pool, the most work that it has after any loss of up to `most` zones that it survives, or
/// when all is well, rps.
#[must_use]
pub fn most_work_rps(contingency: &Contingency<'_>, most: usize) -> Vec<f64> {
    let scenario = contingency.scenario();
    let mut most_rps = contingency.home().work_rps.clone();
    let mut is_lost = vec![false; scenario.zones.len()];
    for_each_loss(scenario.zones.len(), most, |set| {
        set.iter().for_each(|zone| is_lost[*zone] = true);
        let loads = contingency.after(&is_lost);
        for (most_rps, work_rps) in most_rps.iter_mut().zip(&loads.work_rps) {
            *most_rps = most_rps.max(*work_rps);
        }
        set.iter().for_each(|zone| is_lost[*zone] = false);
    });
    most_rps
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_of_zones_comes_once_in_order() {
        let mut sets = vec![];
        for_each_loss(4, 2, |set| sets.push(set.to_vec()));
        let pairs = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
        let ones = (0..4).map(|zone| vec![zone]);
        assert_eq!(sets, ones.chain(pairs.map(Vec::from)).collect::<Vec<_>>());
        for (zones, most) in [(1, 1), (4, 2), (5, 5), (3, 9), (7, 3)] {
            let mut count = 0.0;
            for_each_loss(zones, most, |_| count += 1.0);
            assert_eq!(count, losses(zones, most), "{zones} {most}");
        }
    }
}
