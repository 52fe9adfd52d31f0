//! Pools that can stand in for each other, and what of their traffic a perfect router could place.

use crate::metric::short_pools;
use crate::model::contingency::{Contingency, Loads};
use crate::model::{PoolId, Scenario};

/// A flow that falls short by less than this share falls short by rounding.
const ROUNDING: f64 = 1e-9;
/// A factor is found in a few rounds; so many are never needed.
const MOST_ROUNDS: usize = 100;

/// Pools that failover edges join, directly or by way of others.
pub struct Groups<'a> {
    contingency: &'a Contingency<'a>,
    /// By pool.
    pub of_pool: Vec<usize>,
    /// By group.
    pub list: Vec<Group>,
}

/// One group, when all is well.
#[derive(Debug, Clone, Copy, Default)]
pub struct Group {
    /// Tries that arrive, rps.
    pub demand_rps: f64,
    /// Capacity, rps; infinite where a pool has no limit.
    pub capacity_rps: f64,
    /// The speed of the slowest instance.
    pub slowest_speed: f64,
    /// Can everybody's traffic reach everybody, so that only sums count?
    pub is_mesh: bool,
    /// Is it called by other pools?
    pub is_called: bool,
    /// The most tries that one at any pool, with the calls that it leads to, brings here.
    pub tries_per_try: f64,
}

impl Group {
    /// Has it load and a limit, so that there is a headroom to speak of?
    pub fn is_limited(&self) -> bool {
        self.demand_rps > 0.0 && self.capacity_rps.is_finite()
    }
}

/// What a loss asks of one group.
#[derive(Debug, Clone, Copy, Default)]
pub struct Need {
    /// Times the surviving capacity that a perfect router needs to place everything; infinite where
    /// some traffic can reach none.
    pub factor: f64,
    /// Tries that it has to refuse at the ceiling, rps.
    pub refused_rps: f64,
}

impl<'a> Groups<'a> {
    pub fn new(contingency: &'a Contingency<'a>) -> Self {
        let scenario = contingency.scenario();
        let of_pool = joined(scenario);
        let count = of_pool.iter().max().map_or(0, |last| last + 1);
        let mut list = vec![Group { slowest_speed: 1.0, is_mesh: true, ..Group::default() }; count];
        let mut first: Vec<Option<PoolId>> = vec![None; count];
        let mut spans_zones = vec![false; count];
        for (index, pool) in scenario.pools.iter().enumerate() {
            let id = PoolId::from_index(index);
            let group = &mut list[of_pool[index]];
            group.demand_rps += contingency.home().home_rps[index];
            group.capacity_rps += contingency.capacity_rps(id);
            let kind = &scenario.kinds[pool.kind.index()];
            group.slowest_speed = group.slowest_speed.min(kind.slowest_speed(pool.instances));
            let first = *first[of_pool[index]].get_or_insert(id);
            let other = &scenario.pools[first.index()];
            spans_zones[of_pool[index]] |= other.zone != pool.zone;
            group.is_mesh &=
                scenario.graph.fails_over_by_service(id) && other.service == pool.service;
        }
        let mut sizes = vec![0_usize; count];
        of_pool.iter().for_each(|group| sizes[*group] += 1);
        for (index, group) in list.iter_mut().enumerate() {
            group.is_mesh = sizes[index] == 1 || group.is_mesh && spans_zones[index];
        }
        for call in scenario.pools.iter().flat_map(|pool| &pool.calls) {
            list[of_pool[call.to.index()]].is_called = true;
        }
        let mut groups = Self { contingency, of_pool, list };
        for group in 0..count {
            groups.list[group].tries_per_try = groups.tries_per_try(group);
        }
        groups
    }

    /// Calls count for each request that makes them, and so on down.
    fn tries_per_try(&self, group: usize) -> f64 {
        if !self.list[group].is_called {
            return 1.0;
        }
        let scenario = self.contingency.scenario();
        let mut tries = vec![0.0; scenario.pools.len()];
        for caller in scenario.call_order.iter().rev() {
            let calls = scenario.pools[caller.index()].calls.iter();
            let below: f64 = calls.map(|call| call.per_request * tries[call.to.index()]).sum();
            let own = f64::from(u8::from(self.of_pool[caller.index()] == group));
            tries[caller.index()] = own + below;
        }
        tries.into_iter().fold(0.0, f64::max)
    }

    /// What a loss asks of every group, at a ceiling of utilization.
    pub fn needs(&self, loads: &Loads, is_lost: &[bool], ceiling: f64) -> Vec<Need> {
        let scenario = self.contingency.scenario();
        let capacity_rps: Vec<f64> = (0..scenario.pools.len())
            .map(|p| match is_lost[scenario.pools[p].zone.index()] {
                true => 0.0,
                false => self.contingency.capacity_rps(PoolId::from_index(p)),
            })
            .collect();
        let demand_rps = self.summed(|pool| loads.home_rps[pool]);
        let surviving_rps = self.summed(|pool| capacity_rps[pool]);
        let mut needs: Vec<Need> = demand_rps
            .iter()
            .zip(&surviving_rps)
            .map(|(demand, capacity)| Need {
                factor: factor(*demand, *capacity),
                refused_rps: (demand - ceiling * capacity).max(0.0),
            })
            .collect();
        if self.list.iter().any(|group| !group.is_mesh) {
            self.find_factors(loads, &capacity_rps, &mut needs);
            self.find_refused(loads, &capacity_rps, ceiling, &mut needs);
        }
        needs
    }

    fn summed(&self, value: impl Fn(usize) -> f64) -> Vec<f64> {
        let mut sums = vec![0.0; self.list.len()];
        for (pool, group) in self.of_pool.iter().enumerate() {
            sums[*group] += value(pool);
        }
        sums
    }

    fn is_meshed(&self, pool: usize) -> bool {
        self.list[self.of_pool[pool]].is_mesh
    }

    /// By group, demand and capacity behind the tightest cut when each group has its factor's.
    fn cut(
        &self,
        loads: &Loads,
        capacity_rps: &[f64],
        factor_of: impl Fn(usize) -> f64,
    ) -> (Vec<f64>, Vec<f64>) {
        let unmeshed = |pool: usize, value: f64| if self.is_meshed(pool) { 0.0 } else { value };
        let pools = 0..capacity_rps.len();
        let demand: Vec<f64> = pools.clone().map(|p| unmeshed(p, loads.home_rps[p])).collect();
        let scaled = pools.map(|pool| match capacity_rps[pool] {
            // Neither nothing nor no limit changes.
            0.0 => 0.0,
            f64::INFINITY => unmeshed(pool, f64::INFINITY),
            rps => unmeshed(pool, rps * factor_of(self.of_pool[pool]).min(f64::MAX)),
        });
        let graph = &self.contingency.scenario().graph;
        let is_short = short_pools(graph, &demand, &scaled.collect::<Vec<f64>>());
        let short = |value: &[f64], pool: usize| if is_short[pool] { value[pool] } else { 0.0 };
        let demand = self.summed(|pool| short(&demand, pool));
        (demand, self.summed(|pool| short(capacity_rps, pool)))
    }

    /// The factors of groups that are no mesh. From a factor that is too small the tightest cut
    /// tells a larger one that may still be too small, until everything flows (Dinkelbach 1967).
    fn find_factors(&self, loads: &Loads, capacity_rps: &[f64], needs: &mut [Need]) {
        for _ in 0..MOST_ROUNDS {
            let (demand, capacity) = self.cut(loads, capacity_rps, |group| needs[group].factor);
            let mut is_found = true;
            for (need, (demand, capacity)) in needs.iter_mut().zip(demand.iter().zip(&capacity)) {
                let larger = factor(*demand, *capacity);
                if need.factor.is_finite() && larger > need.factor * (1.0 + ROUNDING) {
                    need.factor = larger;
                    is_found = false;
                }
            }
            if is_found {
                break;
            }
        }
    }

    fn find_refused(&self, loads: &Loads, capacity_rps: &[f64], ceiling: f64, needs: &mut [Need]) {
        let groups = || self.list.iter().enumerate().filter(|(_, group)| !group.is_mesh);
        let is_enough = |group: usize| needs[group].factor <= ceiling * (1.0 + ROUNDING);
        if groups().all(|(group, _)| is_enough(group)) {
            groups().for_each(|(group, _)| needs[group].refused_rps = 0.0);
            return;
        }
        let (demand, capacity) = self.cut(loads, capacity_rps, |_| ceiling);
        for (group, _) in groups() {
            needs[group].refused_rps = (demand[group] - ceiling * capacity[group]).max(0.0);
        }
    }

    /// The least share of first tries that has to be refused. Whoever refuses a call fails the
    /// request behind it, but one refusal may save several calls, and a request several refusals.
    pub fn shed_ratio(&self, needs: &[Need]) -> f64 {
        let all_rps: f64 = self.contingency.entry_rps().iter().sum();
        let groups = || self.list.iter().zip(needs);
        let at_entry = groups().filter(|(group, _)| !group.is_called);
        let at_entry: f64 = at_entry.map(|(_, need)| need.refused_rps).sum();
        let called = groups().filter(|(group, _)| group.is_called && group.tries_per_try > 0.0);
        let called = called.map(|(group, need)| need.refused_rps / group.tries_per_try);
        let refused_rps = called.fold(at_entry, f64::max);
        if all_rps > 0.0 && refused_rps > ROUNDING * all_rps {
            (refused_rps / all_rps).min(1.0)
        } else {
            0.0
        }
    }
}

fn factor(demand_rps: f64, capacity_rps: f64) -> f64 {
    if demand_rps <= 0.0 { 0.0 } else { demand_rps / capacity_rps }
}

/// By pool, the number of its group: in the order of their first pools.
fn joined(scenario: &Scenario) -> Vec<usize> {
    let graph = &scenario.graph;
    let mut parent: Vec<usize> = (0..scenario.pools.len()).collect();
    let mut hub_of: Vec<Option<usize>> = vec![None; scenario.services.len()];
    for (index, pool) in scenario.pools.iter().enumerate() {
        if graph.fails_over_by_service(PoolId::from_index(index)) {
            hub_of[pool.service.index()].get_or_insert(index);
        }
    }
    for (index, pool) in scenario.pools.iter().enumerate() {
        let id = PoolId::from_index(index);
        // All of a service that anybody comes to by its hub.
        if let Some(hub) = hub_of[pool.service.index()] {
            join(&mut parent, index, hub);
        }
        if !graph.fails_over_by_service(id) {
            graph.targets(id).for_each(|target| join(&mut parent, index, target.pool.index()));
        }
    }
    let mut numbers: Vec<Option<usize>> = vec![None; parent.len()];
    let mut next = 0;
    (0..parent.len())
        .map(|pool| {
            let root = root(&mut parent, pool);
            *numbers[root].get_or_insert_with(|| {
                next += 1;
                next - 1
            })
        })
        .collect()
}

fn root(parent: &mut [usize], mut pool: usize) -> usize {
    while parent[pool] != pool {
        parent[pool] = parent[parent[pool]];
        pool = parent[pool];
    }
    pool
}

fn join(parent: &mut [usize], one: usize, other: usize) {
    let (one, other) = (root(parent, one), root(parent, other));
    parent[one.max(other)] = one.min(other);
}
