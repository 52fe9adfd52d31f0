//! Gradual failover: each failover edge's flow grows by a bounded amount a second.

use crate::model::PoolId;

use super::targets::{Share, accepts, share_to_move, shares};
use super::{Plan, Policy, PolicyKind, PolicySetting, SettingUnit, View};

/// The registry's entry.
pub const KIND: PolicyKind = PolicyKind {
    name: "rate-limited",
    summary: "the same targets, but each edge's flow ramps up; the rest stays while the home \
              serves, else it is shed",
    settings: &[
        PolicySetting {
            key: "ramp",
            unit: SettingUnit::Duration,
            least: 0.0,
            most: 86_400.0,
            default: Some(300.0),
            instead_of: Some("max_shift_rps_per_s"),
            sentence: "time in which an edge's flow may grow from nothing to its full share",
        },
        PolicySetting {
            key: "max_shift_rps_per_s",
            unit: SettingUnit::RpsPerSecond,
            least: 0.0,
            most: 1e12,
            default: None,
            instead_of: Some("ramp"),
            sentence: "how much an edge's flow may grow a second",
        },
    ],
    reads_load: false,
    build: |values| {
        let limit = match (values[1], values[0]) {
            (Some(rps_per_s), _) => Limit::RpsPerSecond(rps_per_s),
            (None, ramp_s) => Limit::Ramp { ramp_s: ramp_s.unwrap_or_default() },
        };
        Box::new(RateLimited { limit, flows: Vec::new(), shares: Vec::new() })
    },
};

#[derive(Debug, Clone, Copy)]
enum Limit {
    Ramp { ramp_s: f64 },
    RpsPerSecond(f64),
}

impl Limit {
    /// How much a flow may change in one step.
    fn step_rps(self, full_rps: f64, step_s: f64) -> f64 {
        match self {
            Self::Ramp { ramp_s } if ramp_s > 0.0 => full_rps / ramp_s * step_s,
            Self::Ramp { .. } => f64::INFINITY,
            Self::RpsPerSecond(rps_per_s) => rps_per_s * step_s,
        }
    }
}

/// The flow of one failover edge.
#[derive(Debug, Clone, Copy)]
struct Flow {
    to: PoolId,
    rps: f64,
    /// The share that it works towards; 0 on the way back home.
    full_rps: f64,
    /// The full share whose ramp it is on: on the way back the last one that it had.
    pace_rps: f64,
}

struct RateLimited {
    limit: Limit,
    /// By home, then target; a home without flows has no entry.
    flows: Vec<(PoolId, Vec<Flow>)>,
    shares: Vec<Share>,
}

impl Policy for RateLimited {
    fn route(&mut self, view: &View<'_>, plan: &mut Plan) {
        let mut before = std::mem::take(&mut self.flows).into_iter().peekable();
        for home in (0..view.pools.len()).map(PoolId::from_index) {
            let old = before.next_if(|(pool, _)| *pool == home).map(|(_, flows)| flows);
            let moved_rps = share_to_move(view, home) * view.pool(home).demand_rps;
            if old.is_none() && moved_rps <= 0.0 {
                continue;
            }
            self.shares.clear();
            if moved_rps > 0.0 {
                shares(view, home, &mut self.shares);
            }
            let mut flows = self.next_flows(view, home, &old.unwrap_or_default(), moved_rps);
            for flow in &mut flows {
                // On the way back a home may ask for less than it had moved: what is remembered is
                // what flows, lest it jump up again with the demand.
                flow.rps = flow.rps.min(plan.kept_rps[home.index()]);
                if flow.rps <= flow.full_rps {
                    flow.pace_rps = flow.full_rps;
                }
                plan.redirect(home, flow.to, flow.rps);
            }
            if !view.pool(home).serves() {
                // Nothing is left to serve what the ramp still holds back.
                let rest_rps = plan.kept_rps[home.index()];
                let anywhere = flows.iter().any(|flow| flow.full_rps > 0.0);
                if anywhere {
                    plan.shed(home, rest_rps);
                }
            }
            if !flows.is_empty() {
                self.flows.push((home, flows));
            }
        }
    }
}

impl RateLimited {
    /// The flows of a home this step, by target.
    fn next_flows(&self, view: &View<'_>, home: PoolId, old: &[Flow], moved_rps: f64) -> Vec<Flow> {
        let is_home_healthy = view.pool(home).is_healthy;
        let mut flows = Vec::with_capacity(self.shares.len().max(old.len()));
        let mut wanted = self.shares.iter().peekable();
        let mut had = old.iter().peekable();
        loop {
            let next = match (wanted.peek(), had.peek()) {
                (Some(share), Some(flow)) => share.to.min(flow.to),
                (Some(share), None) => share.to,
                (None, Some(flow)) => flow.to,
                (None, None) => return flows,
            };
            let wanted_rps =
                wanted.next_if(|share| share.to == next).map(|share| share.share * moved_rps);
            let had = had.next_if(|flow| flow.to == next);
            // Back to a healthy home, all or a part; not away from it to another target.
            let returns = is_home_healthy && (moved_rps <= 0.0 || wanted_rps.is_some());
            let flow = self.next_flow(view, next, wanted_rps, had, returns);
            if flow.rps > 0.0 || wanted_rps.is_some() {
                flows.push(flow);
            }
        }
    }

    fn next_flow(
        &self,
        view: &View<'_>,
        to: PoolId,
        wanted_rps: Option<f64>,
        had: Option<&Flow>,
        returns: bool,
    ) -> Flow {
        let had_rps = had.map_or(0.0, |flow| flow.rps);
        let full_rps = wanted_rps.unwrap_or(0.0);
        if full_rps >= had_rps {
            let step_rps = self.limit.step_rps(full_rps, view.step_s);
            let rps = full_rps.min(had_rps + step_rps);
            return Flow { to, rps, full_rps, pace_rps: full_rps };
        }
        // Back home over the same ramp; away from an unfit target at once.
        let pace_rps = had.map_or(0.0, |flow| flow.pace_rps);
        let step_rps = if returns && accepts(view, to) {
            self.limit.step_rps(pace_rps, view.step_s)
        } else {
            f64::INFINITY
        };
        Flow { to, rps: full_rps.max(had_rps - step_rps), full_rps, pace_rps }
    }
}
