//! Random uneven topologies, and what is true of them by the slowest means.

use std::fmt::Write;

use proptest::collection::vec;
use proptest::prelude::*;

/// A pool of a random file.
#[derive(Debug, Clone)]
pub struct PoolSketch {
    pub zone: usize,
    pub service: usize,
    pub instances: u32,
    pub demand_rps: f64,
    /// Other pools with weight and priority; the service's in other zones without.
    pub failover: Option<Vec<(usize, f64, u32)>>,
    /// Others, further on, and how often a request calls them.
    pub calls: Vec<(usize, f64)>,
}

/// A random file.
#[derive(Debug, Clone)]
pub struct Sketch {
    pub zones: usize,
    pub redirect_cost: f64,
    pub pools: Vec<PoolSketch>,
}

/// Requests a second that an instance sustains.
pub const INSTANCE_RPS: f64 = 40.0;

impl Sketch {
    /// The file. Instances are alike and shallowly checked.
    pub fn text(&self) -> String {
        let mut text = format!(
            r#"schema_version = 1
[simulation]
duration = "20s"
step = "500ms"
plane = "fluid"
[instance.web]
workers = 4
service_time = "100ms"
queue_limit = 50
speed_spread = 0
redirect_cost = {}
[instance.web.health_check]
kind = "shallow"
interval = "1s"
timeout = "500ms"
unhealthy_threshold = 1
[policy.unconditional]
kind = "unconditional"
[policy.aware]
kind = "capacity-aware"
max_utilization = 1.0
"#,
            self.redirect_cost
        );
        for zone in 0..self.zones {
            let _ = writeln!(text, "[zone.z{zone}]");
        }
        for (index, pool) in self.pools.iter().enumerate() {
            let PoolSketch { zone, service, instances, demand_rps, .. } = pool;
            let _ = writeln!(
                text,
                "[pool.p{index}]\nzone = \"z{zone}\"\ninstance = \"web\"\n\
                 service = \"s{service}\"\n\
                 instances = {instances}\ndemand_rps = {demand_rps}"
            );
            if pool.failover.as_ref().is_some_and(Vec::is_empty) {
                text += "failover = {}\n";
            }
            for (to, weight, priority) in pool.failover.iter().flatten() {
                let _ = writeln!(
                    text,
                    "failover.p{to} = {{ weight = {weight}, priority = {priority} }}"
                );
            }
            for (to, per_request) in &pool.calls {
                let _ = writeln!(text, "calls.p{to} = {{ per_request = {per_request} }}");
            }
        }
        text
    }

    /// The pools that may take over from one, with weight and priority.
    fn targets(&self, home: usize) -> Vec<(usize, f64, u32)> {
        let pool = &self.pools[home];
        pool.failover.clone().unwrap_or_else(|| {
            let all = self.pools.iter().enumerate();
            let others = all.filter(|(_, p)| p.service == pool.service && p.zone != pool.zone);
            others.map(|(index, _)| (index, 1.0, 0)).collect()
        })
    }

    pub fn is_lost(&self, pool: usize, lost: &[usize]) -> bool {
        lost.contains(&self.pools[pool].zone)
    }

    pub fn capacity_rps(&self, pool: usize, lost: &[usize]) -> f64 {
        if self.is_lost(pool, lost) {
            0.0
        } else {
            f64::from(self.pools[pool].instances) * INSTANCE_RPS
        }
    }

    /// By pool, tries that arrive for it as home, and the work that it is sent: one parcel of
    /// traffic after the other, callers before those that they call.
    pub fn loads(&self, lost: &[usize]) -> (Vec<f64>, Vec<f64>) {
        let (mut home, mut work) = (vec![0.0; self.pools.len()], vec![0.0; self.pools.len()]);
        let mut parcels: Vec<(usize, f64)> =
            self.pools.iter().enumerate().map(|(index, pool)| (index, pool.demand_rps)).collect();
        while let Some((pool, rps)) = parcels.pop() {
            home[pool] += rps;
            let mut arrivals = vec![];
            if self.is_lost(pool, lost) {
                let mut targets = self.targets(pool);
                targets.retain(|(to, ..)| !self.is_lost(*to, lost));
                let best = targets.iter().map(|(.., priority)| *priority).min();
                targets.retain(|(.., priority)| Some(*priority) == best);
                let weights: f64 = targets.iter().map(|(_, weight, _)| weight).sum();
                let share = |(to, weight, _): &(usize, f64, u32)| (*to, rps * weight / weights);
                arrivals.extend(targets.iter().map(share));
                arrivals.iter().for_each(|(to, rps)| work[*to] += self.redirect_cost * rps);
            } else {
                arrivals.push((pool, rps));
                work[pool] += rps;
            }
            for (at, rps) in arrivals {
                parcels.extend(self.pools[at].calls.iter().map(|(to, n)| (*to, rps * n)));
            }
        }
        (home, work)
    }

    /// By pool, which pools its traffic can get to over any number of failover edges.
    fn reach(&self) -> Vec<u32> {
        let mut reach: Vec<u32> = (0..self.pools.len()).map(|pool| 1 << pool).collect();
        for _ in &self.pools {
            for pool in 0..self.pools.len() {
                for (to, ..) in self.targets(pool) {
                    reach[pool] |= reach[to];
                }
            }
        }
        reach
    }

    /// What a perfect router places of so much demand by home at a ceiling, and the factor on all
    /// capacity with which it places everything: over every set of pools, of which the demand can
    /// only go where it reaches (Hall 1935).
    pub fn perfect(&self, home: &[f64], lost: &[usize], ceiling: f64) -> (f64, f64) {
        let (reach, all) = (self.reach(), home.iter().sum::<f64>());
        let (mut placed, mut factor) = (all, 0.0_f64);
        for set in 1..(1_u32 << self.pools.len()) {
            let members = || (0..self.pools.len()).filter(|pool| set & (1 << pool) != 0);
            let reached = members().fold(0, |reached, pool| reached | reach[pool]);
            let demand: f64 = members().map(|pool| home[pool]).sum();
            let within = (0..self.pools.len()).filter(|pool| reached & (1 << pool) != 0);
            let capacity: f64 = within.map(|pool| self.capacity_rps(pool, lost)).sum();
            placed = placed.min(all - demand + ceiling * capacity);
            if demand > 0.0 {
                factor = factor.max(demand / capacity);
            }
        }
        (placed, factor)
    }
}

fn any_pool(zones: usize, services: usize) -> impl Strategy<Value = PoolSketch> {
    (0..zones, 0..services, 1..=6_u32, 0.1..1.3_f64).prop_map(|(zone, service, instances, load)| {
        let demand_rps = f64::from(instances) * INSTANCE_RPS * load;
        PoolSketch { zone, service, instances, demand_rps, failover: None, calls: vec![] }
    })
}

/// Any failover: by the service, to nobody, to some of any weight and priority. At most one zone's
/// pools more than one.
pub fn any_sketch() -> impl Strategy<Value = Sketch> {
    (2..=5_usize, 1..=2_usize).prop_flat_map(|(zones, services)| {
        let pools = vec(any_pool(zones, services), 2..=8);
        let edges = vec(vec((0..8_usize, 0.5..4.0_f64, 0..3_u32), 0..4), 8);
        let ways = vec(0..3_u32, 8);
        (pools, edges, ways, prop_oneof![Just(1.0), 1.0..1.5_f64]).prop_map(
            move |(mut pools, edges, ways, redirect_cost)| {
                let count = pools.len();
                let places: Vec<usize> = pools.iter().map(|pool| pool.zone).collect();
                for (index, pool) in pools.iter_mut().enumerate() {
                    let mut edges = edges[index].clone();
                    edges.retain(|(to, ..)| *to < count && *to != index);
                    edges.retain(|(to, ..)| places[*to] != pool.zone);
                    edges.sort_by_key(|(to, ..)| *to);
                    edges.dedup_by_key(|(to, ..)| *to);
                    pool.failover = (ways[index] > 0).then_some(edges);
                }
                Sketch { zones, redirect_cost, pools }
            },
        )
    })
}

/// Layers that call each other, all by the services' default failover.
pub fn any_layers() -> impl Strategy<Value = Sketch> {
    let layer = || vec((1..=6_u32, 0.5..1.1_f64), 3);
    (layer(), layer(), 0.2..2.0_f64, 1..=3_u32).prop_map(|(front, back, load, spare)| {
        let pool = |zone: usize, service: usize, (instances, demand_rps, calls)| PoolSketch {
            zone,
            service,
            instances,
            demand_rps,
            failover: None,
            calls,
        };
        let front = front.into_iter().enumerate().map(|(zone, (instances, demand))| {
            let demand_rps = f64::from(instances) * INSTANCE_RPS * demand;
            pool(zone, 0, (instances, demand_rps, vec![(zone + 3, load)]))
        });
        let back = back.into_iter().enumerate().map(|(zone, (instances, demand))| {
            pool(zone, 1, (instances * spare, INSTANCE_RPS * demand, vec![]))
        });
        let pools = front.chain(back).collect();
        Sketch { zones: 3, redirect_cost: 1.0, pools }
    })
}

/// A pool a zone, each of which may be sent to from all others, with any weight and priority.
pub fn any_complete() -> impl Strategy<Value = Sketch> {
    let pool = (1..=6_u32, 0.3..1.1_f64);
    let edges = vec(vec((0.5..4.0_f64, 0..3_u32), 6), 6);
    (vec(pool, 2..=6), edges).prop_map(|(pools, edges)| {
        let count = pools.len();
        let pools = pools.into_iter().enumerate().map(|(zone, (instances, load))| {
            let others = (0..count).filter(|to| *to != zone);
            let edge = |to: usize| (to, edges[zone][to].0, edges[zone][to].1);
            PoolSketch {
                zone,
                service: 0,
                instances,
                demand_rps: f64::from(instances) * INSTANCE_RPS * load,
                failover: Some(others.map(edge).collect()),
                calls: vec![],
            }
        });
        Sketch { zones: count, redirect_cost: 1.0, pools: pools.collect() }
    })
}
