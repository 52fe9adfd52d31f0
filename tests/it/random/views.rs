//! Random sequences of what a load balancer sees, given to policies without an engine.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use zonefall::model::{PoolId, Target, TopologyGraph};
use zonefall::policy::{Plan, PoolView, View};

use super::sketch::Sketch;
use super::strategy::{any_kind, any_policy, any_pool, spread_out};

/// Length of a step, s.
pub const STEP_S: f64 = 0.5;
const MOST_POOLS: usize = 15;

/// A topology and what is seen of it, step by step.
#[derive(Debug, Clone)]
pub struct Sight {
    pub graph: TopologyGraph,
    pub steps: Vec<Vec<PoolView>>,
}

impl Sight {
    pub fn targets(&self, home: PoolId) -> Vec<Target> {
        self.graph.targets(home).collect()
    }

    /// Lets a policy decide every step, and looks at each plan.
    pub fn watch(
        &self,
        spec: &zonefall::policy::PolicySpec,
        mut look: impl FnMut(&[PoolView], &Plan) -> Result<(), TestCaseError>,
    ) -> Result<(), TestCaseError> {
        let mut policy = spec.build();
        let mut plan = Plan::default();
        for (step, pools) in self.steps.iter().enumerate() {
            plan.reset(pools.iter().map(|pool| pool.demand_rps));
            let (time_s, step_s) = (step as f64 * STEP_S, STEP_S);
            policy.route(&View { time_s, step_s, graph: &self.graph, pools }, &mut plan);
            look(pools, &plan)?;
        }
        Ok(())
    }
}

fn any_view() -> impl Strategy<Value = PoolView> {
    let demand = prop_oneof![1 => Just(0.0), 6 => spread_out(0.1, 1e4)];
    let rotation = prop_oneof![3 => Just(8_u32), 2 => Just(0), 4 => 0..=8_u32];
    let drain = prop_oneof![3 => Just(0.0), 1 => Just(1.0), 1 => 0.01..1.0_f64];
    let cost = prop_oneof![2 => Just(1.0), 1 => 1.0..3.0_f64];
    (demand, rotation, drain, cost, spread_out(1.0, 1000.0), 0.1..1.0_f64).prop_map(
        |(demand_rps, in_rotation, drain_share, redirect_cost, each_rps, threshold)| {
            let share_in_rotation = f64::from(in_rotation) / 8.0;
            PoolView {
                reported_wait_s: 20.0 * (1.0 - share_in_rotation),
                demand_rps,
                reported_demand_rps: demand_rps,
                capacity_rps: each_rps * f64::from(in_rotation),
                in_rotation,
                share_in_rotation,
                is_healthy: in_rotation > 0 && share_in_rotation >= threshold,
                drain_share,
                redirect_cost,
            }
        },
    )
}

/// Any topology of up to 15 pools; what is seen of a pool changes every few steps.
pub fn any_sight() -> impl Strategy<Value = Sight> {
    let zones = vec(vec(any_pool(), 1..=3), 1..=5);
    let step = vec(option::weighted(0.15, any_view()), MOST_POOLS);
    let first = vec(any_view(), MOST_POOLS);
    (zones, 1..=2_usize, any_kind(), any_policy(), first, vec(step, 1..40)).prop_map(
        |(zones, services, kind, policy, first, changes)| {
            let kinds = vec![kind];
            let clients = vec![None];
            let (events, step_s, steps, seed) = (vec![], STEP_S, 1, 0);
            let sketch =
                Sketch { step_s, steps, seed, kinds, clients, services, zones, events, policy };
            let graph = sketch.fleet().case().scenario.graph;
            let pools = sketch.zones.iter().map(Vec::len).sum();
            let mut now = first[..pools].to_vec();
            let mut steps = vec![now.clone()];
            for change in changes {
                for (view, new) in now.iter_mut().zip(change) {
                    *view = new.unwrap_or(*view);
                }
                steps.push(now.clone());
            }
            Sight { graph, steps }
        },
    )
}
