//! What a load balancer knows.

use crate::model::{PoolId, TopologyGraph};

/// One pool as the load balancer sees it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PoolView {
    /// Its demand this step: first tries and due retries, rps.
    pub demand_rps: f64,
    /// Its demand when it last reported, rps.
    pub reported_demand_rps: f64,
    /// Its mean queue wait when it last reported, s; 0 where no policy asks.
    pub reported_wait_s: f64,
    /// Nominal capacity of the instances in rotation, rps.
    pub capacity_rps: f64,
    /// Instances in rotation.
    pub in_rotation: u32,
    /// Instances in rotation ÷ instances it ought to have.
    pub share_in_rotation: f64,
    /// Is the share at or over the failover threshold?
    pub is_healthy: bool,
    /// The share of its demand that is to be moved away while it serves.
    pub drain_share: f64,
    /// The work of a redirected try there, in tries.
    pub redirect_cost: f64,
}

impl PoolView {
    /// Can it be sent anything at all?
    #[must_use]
    pub const fn serves(&self) -> bool {
        self.in_rotation > 0
    }
}

/// Everything a policy may look at.
#[derive(Debug, Clone, Copy)]
pub struct View<'a> {
    /// Beginning of the step, simulation time.
    pub time_s: f64,
    /// Length of the step, s.
    pub step_s: f64,
    /// Zones, pools, failover edges.
    pub graph: &'a TopologyGraph,
    /// Pools by id.
    pub pools: &'a [PoolView],
}

impl View<'_> {
    /// The pool of that id.
    #[must_use]
    pub fn pool(&self, pool: PoolId) -> &PoolView {
        &self.pools[pool.index()]
    }
}
