//! A policy whose pools refuse what would take them over a utilization.

use crate::policy::{Plan, Policy, View};

/// Plans as its policy does, then sheds what is too much for a pool: the same share of everything
/// that is sent there, wherever it comes from.
pub struct Shedding {
    /// The utilization above which a pool refuses.
    pub above: f64,
    /// Is there a fallback, so that it pays to refuse where nothing is in rotation?
    pub has_fallback: bool,
    /// The policy.
    pub policy: Box<dyn Policy>,
    /// Work sent to each pool, rps.
    pub work_rps: Vec<f64>,
}

impl Policy for Shedding {
    fn route(&mut self, view: &View<'_>, plan: &mut Plan) {
        self.policy.route(view, plan);
        self.work_rps.clone_from(&plan.kept_rps);
        for flow in &plan.redirects {
            self.work_rps[flow.to.index()] += flow.rps * view.pool(flow.to).redirect_cost;
        }
        // From here on the share of the work that a pool lets in.
        for (work_rps, pool) in self.work_rps.iter_mut().zip(view.pools) {
            let most_rps = self.above * pool.capacity_rps;
            *work_rps = match pool.serves() || self.has_fallback {
                true if *work_rps > most_rps => most_rps / *work_rps,
                _ => 1.0,
            };
        }
        let admitted = &self.work_rps;
        for (pool, share) in admitted.iter().enumerate().filter(|(_, share)| **share < 1.0) {
            let refused_rps = plan.kept_rps[pool] * (1.0 - share);
            plan.kept_rps[pool] -= refused_rps;
            plan.shed_rps[pool] += refused_rps;
        }
        for flow in &mut plan.redirects {
            let refused_rps = flow.rps * (1.0 - admitted[flow.to.index()]);
            flow.rps -= refused_rps;
            plan.shed_rps[flow.from.index()] += refused_rps;
        }
        plan.redirects.retain(|flow| flow.rps > 0.0);
    }
}
