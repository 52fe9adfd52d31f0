//! Pools that can stand in for each other, and what of their traffic a perfect router could place.

use std::cell::OnceCell;

use petgraph::algo::condensation;
use petgraph::graph::DiGraph;
use petgraph::visit::EdgeRef;

use crate::metric::{reach, short_nodes};
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
    /// What can reach each other in both directions, as one: only sums count within, as nothing
    /// limits what flows.
    clusters: DiGraph<(), ()>,
    /// By pool.
    cluster_of_pool: Vec<usize>,
    /// By cluster, its group; none where there is no pool.
    group_of_cluster: Vec<Option<usize>>,
    /// By group, where somebody has asked: see [`Self::tries_per_try`].
    tries_per_try: Vec<OnceCell<f64>>,
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
    /// Can everybody's traffic reach everybody, so that only sums count? One cluster, then.
    pub is_mesh: bool,
    /// Is it called by other pools?
    pub is_called: bool,
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
        let (clusters, cluster_of_pool) = clusters(scenario);
        let (of_pool, group_of_cluster) = joined(&clusters, &cluster_of_pool);
        let count = of_pool.iter().max().map_or(0, |last| last + 1);
        let mut list = vec![Group { slowest_speed: 1.0, is_mesh: true, ..Group::default() }; count];
        let mut first: Vec<Option<usize>> = vec![None; count];
        for (index, pool) in scenario.pools.iter().enumerate() {
            let group = &mut list[of_pool[index]];
            group.demand_rps += contingency.home().home_rps[index];
            group.capacity_rps += contingency.capacity_rps(PoolId::from_index(index));
            let kind = &scenario.kinds[pool.kind.index()];
            group.slowest_speed = group.slowest_speed.min(kind.slowest_speed(pool.instances));
            let cluster = cluster_of_pool[index];
            group.is_mesh &= *first[of_pool[index]].get_or_insert(cluster) == cluster;
        }
        for call in scenario.pools.iter().flat_map(|pool| &pool.calls) {
            list[of_pool[call.to.index()]].is_called = true;
        }
        let tries_per_try = vec![OnceCell::new(); count];
        Self {
            contingency,
            of_pool,
            list,
            clusters,
            cluster_of_pool,
            group_of_cluster,
            tries_per_try,
        }
    }

    /// The most tries that one at any pool, with the calls that it leads to, brings to a group:
    /// calls count for each request that makes them, and so on down.
    fn tries_per_try(&self, group: usize) -> f64 {
        *self.tries_per_try[group].get_or_init(|| self.find_tries_per_try(group))
    }

    fn find_tries_per_try(&self, group: usize) -> f64 {
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

    /// By group, demand and capacity behind the tightest cut when each group has its factor's.
    fn cut(
        &self,
        loads: &Loads,
        capacity_rps: &[f64],
        factor_of: impl Fn(usize) -> f64,
    ) -> (Vec<f64>, Vec<f64>) {
        let count = self.clusters.node_count();
        let (mut demand, mut capacity) = (vec![0.0; count], vec![0.0; count]);
        for (pool, cluster) in self.cluster_of_pool.iter().enumerate() {
            if !self.list[self.of_pool[pool]].is_mesh {
                demand[*cluster] += loads.home_rps[pool];
                capacity[*cluster] += capacity_rps[pool];
            }
        }
        let scaled = capacity.iter().zip(&self.group_of_cluster).map(|(rps, group)| match group {
            // Nothing stays nothing.
            Some(group) if *rps > 0.0 => rps * factor_of(*group),
            _ => 0.0,
        });
        let scaled: Vec<f64> =
            scaled.map(|rps| if rps.is_nan() { f64::INFINITY } else { rps }).collect();
        let is_short = short_nodes(&self.clusters, &demand, &scaled);
        let mut sums = (vec![0.0; self.list.len()], vec![0.0; self.list.len()]);
        for (cluster, group) in self.group_of_cluster.iter().enumerate() {
            if let (Some(group), true) = (group, is_short[cluster]) {
                sums.0[*group] += demand[cluster];
                sums.1[*group] += capacity[cluster];
            }
        }
        sums
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
        let groups = || (0..self.list.len()).filter(|group| needs[*group].refused_rps > 0.0);
        let at_entry = groups().filter(|group| !self.list[*group].is_called);
        let at_entry: f64 = at_entry.map(|group| needs[group].refused_rps).sum();
        let called = groups().filter(|group| self.list[*group].is_called);
        // At least its own pools bring a try for each.
        let called = called.map(|group| needs[group].refused_rps / self.tries_per_try(group));
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

/// The clusters, and each pool's.
fn clusters(scenario: &Scenario) -> (DiGraph<(), ()>, Vec<usize>) {
    let condensed = condensation(reach(&scenario.graph), true);
    let mut cluster_of_pool = vec![0; scenario.pools.len()];
    for cluster in condensed.node_indices() {
        for pool in condensed[cluster].iter().flatten() {
            cluster_of_pool[pool.index()] = cluster.index();
        }
    }
    (condensed.map(|_, _| (), |_, ()| ()), cluster_of_pool)
}

/// The numbers of groups, by pool and by cluster: in the order of their first pools.
fn joined(
    clusters: &DiGraph<(), ()>,
    cluster_of_pool: &[usize],
) -> (Vec<usize>, Vec<Option<usize>>) {
    let mut parent: Vec<usize> = (0..clusters.node_count()).collect();
    for edge in clusters.edge_references() {
        join(&mut parent, edge.source().index(), edge.target().index());
    }
    let mut numbers: Vec<Option<usize>> = vec![None; parent.len()];
    let mut next = 0;
    let mut of_pool = Vec::with_capacity(cluster_of_pool.len());
    for cluster in cluster_of_pool {
        let root = root(&mut parent, *cluster);
        let number = *numbers[root].get_or_insert_with(|| {
            next += 1;
            next - 1
        });
        of_pool.push(number);
    }
    let of_cluster = (0..parent.len()).map(|cluster| numbers[root(&mut parent, cluster)]);
    (of_pool, of_cluster.collect())
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
