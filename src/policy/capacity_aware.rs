//! Failover that looks first: nobody is sent more than it can take, the rest is shed.

use crate::model::{PoolId, Target};

use super::targets::accepts;
use super::{Plan, Policy, PolicyKind, PolicySetting, SettingUnit, View};

/// The registry's entry.
pub const KIND: PolicyKind = PolicyKind {
    name: "capacity-aware",
    summary: "while anything is amiss no pool is sent more than max_utilization of its capacity; \
              what fits nowhere is shed",
    settings: &[PolicySetting {
        key: "max_utilization",
        unit: SettingUnit::Ratio,
        least: 0.0,
        most: 10.0,
        default: Some(0.85),
        instead_of: None,
        sentence: "highest utilization that a pool is given while anything is amiss",
    }],
    reads_load: true,
    build: |values| {
        let max_utilization = values[0].unwrap_or(1.0);
        Box::new(CapacityAware { max_utilization, room: Vec::new(), movers: Vec::new() })
    },
};

/// A remainder below this share of what was to be placed is placed.
const PLACED: f64 = 1e-12;

struct CapacityAware {
    max_utilization: f64,
    /// Work that each pool may still take, by pool, rps.
    room: Vec<f64>,
    movers: Vec<Mover>,
}

/// Traffic of one home that looks for a place.
struct Mover {
    home: PoolId,
    wanted_rps: f64,
    left_rps: f64,
    /// The part that may stay at home if it finds no place.
    drained_rps: f64,
    placed: Vec<Placed>,
}

struct Placed {
    target: Target,
    rps: f64,
    /// What is offered in the current round.
    offer_rps: f64,
}

impl Policy for CapacityAware {
    fn route(&mut self, view: &View<'_>, plan: &mut Plan) {
        let amiss = |pool: &super::PoolView| pool.share_in_rotation < 1.0 || pool.drain_share > 0.0;
        if !view.pools.iter().any(amiss) {
            return;
        }
        self.settle_homes(view);
        self.fill(view);
        for mover in &self.movers {
            let home = mover.home;
            if !has_anything_in_rotation(view, home) {
                // Nothing is refused on purpose where nothing could have served: it is lost.
                continue;
            }
            for placed in &mover.placed {
                plan.redirect(home, placed.target.pool, placed.rps);
            }
            // A drain that finds no place stays while the home may take it.
            let back_rps = mover.left_rps.min(mover.drained_rps).min(self.room[home.index()]);
            let back_rps = back_rps.max(0.0);
            self.room[home.index()] -= back_rps;
            plan.shed(home, mover.left_rps - back_rps);
        }
    }
}

/// Is anything in rotation at a home, or at any of its targets?
fn has_anything_in_rotation(view: &View<'_>, home: PoolId) -> bool {
    let serves = |pool: PoolId| view.pool(pool).serves();
    serves(home) || view.graph.targets(home).any(|target| serves(target.pool))
}

impl CapacityAware {
    /// Own demand first: finds out what every home keeps, what it has to move, and the room left.
    fn settle_homes(&mut self, view: &View<'_>) {
        self.room.clear();
        self.movers.clear();
        for (index, pool) in view.pools.iter().enumerate() {
            let most_rps = self.max_utilization * pool.capacity_rps;
            let drained_rps = pool.drain_share * pool.demand_rps;
            let own_rps = pool.demand_rps - drained_rps;
            let kept_rps = own_rps.min(most_rps);
            // What others may use is known only as well as the pool reports its load.
            let reported_rps = pool.reported_demand_rps * (1.0 - pool.drain_share);
            self.room.push((most_rps - kept_rps.max(reported_rps)).max(0.0));
            let wanted_rps = own_rps - kept_rps + drained_rps;
            if wanted_rps > 0.0 {
                self.movers.push(Mover {
                    home: PoolId::from_index(index),
                    wanted_rps,
                    left_rps: wanted_rps,
                    drained_rps,
                    placed: Vec::new(),
                });
            }
        }
        self.find_targets(view);
    }

    /// Only targets with room are worth a place in the list: in a large fleet that is full, every
    /// home has something to move and nowhere to move it.
    fn find_targets(&mut self, view: &View<'_>) {
        if self.room.iter().all(|room| *room <= 0.0) {
            return;
        }
        for mover in &mut self.movers {
            let targets = view.graph.targets(mover.home);
            let open = targets.filter(|target| {
                self.room[target.pool.index()] > 0.0 && accepts(view, target.pool)
            });
            mover.placed = open.map(|target| Placed { target, rps: 0.0, offer_rps: 0.0 }).collect();
        }
    }

    /// Water-filling: priority by priority, all homes at once; what one target cannot take is
    /// offered to the others of its priority until nothing moves.
    fn fill(&mut self, view: &View<'_>) {
        let mut priorities: Vec<u32> = self
            .movers
            .iter()
            .flat_map(|mover| mover.placed.iter().map(|placed| placed.target.priority))
            .collect();
        priorities.sort_unstable();
        priorities.dedup();
        let mut offered = vec![0.0; self.room.len()];
        for priority in priorities {
            // Each round fills a target or places everything.
            for _ in 0..=self.room.len() {
                if !self.fill_once(view, priority, &mut offered) {
                    break;
                }
            }
        }
    }

    /// One round of offers; false once nothing was placed.
    fn fill_once(&mut self, view: &View<'_>, priority: u32, offered: &mut [f64]) -> bool {
        offered.fill(0.0);
        let has_room = |room: &[f64], placed: &Placed| {
            placed.target.priority == priority && room[placed.target.pool.index()] > 0.0
        };
        for mover in &mut self.movers {
            let open = mover.placed.iter().filter(|placed| has_room(&self.room, placed));
            let weights: f64 = open.map(|placed| placed.target.weight).sum();
            for placed in &mut mover.placed {
                let is_open = weights > 0.0 && has_room(&self.room, placed);
                let share = if is_open { placed.target.weight / weights } else { 0.0 };
                placed.offer_rps = mover.left_rps * share;
                let to = placed.target.pool;
                offered[to.index()] += placed.offer_rps * view.pool(to).redirect_cost;
            }
        }
        let mut moved = false;
        for mover in &mut self.movers {
            for placed in &mut mover.placed {
                let to = placed.target.pool.index();
                if placed.offer_rps > 0.0 {
                    let taken_rps = placed.offer_rps * (self.room[to] / offered[to]).min(1.0);
                    placed.rps += taken_rps;
                    mover.left_rps = (mover.left_rps - taken_rps).max(0.0);
                    moved = true;
                }
            }
            if mover.left_rps < PLACED * mover.wanted_rps {
                mover.left_rps = 0.0;
            }
        }
        for (room, offered) in self.room.iter_mut().zip(offered.iter()) {
            *room = if *offered >= *room { 0.0 } else { *room - offered };
        }
        moved
    }
}
