//! What each pool needs to survive every loss.

use std::collections::BTreeMap;

use super::steady::Instance;
use crate::model::contingency::{Contingency, USUAL_UTILIZATION};
use crate::model::{PoolId, unloaded_calls_s};

/// A pool through all losses, as `unconditional` splits traffic.
#[derive(Debug, Clone, Copy)]
pub struct PoolNeed {
    /// Which.
    pub pool: PoolId,
    /// Work when all is well, rps.
    pub home_rps: f64,
    /// Capacity, rps; infinite without limit.
    pub capacity_rps: f64,
    /// Most work after any loss that it survives, rps.
    pub most_work_rps: f64,
    /// The first loss after which it has that, by position; none when it is when all is well.
    pub worst_loss: Option<usize>,
    /// The same ÷ capacity at its slowest instance, probes included.
    pub slowest_utilization: f64,
    /// Headroom of its home load that leaves it at the ceiling then; none without load.
    pub headroom_needed: Option<f64>,
    /// Instances of which then not even the slowest is over the ceiling, its probes included; none
    /// where no number is enough.
    pub instances_needed: Option<u64>,
    /// The same at [`USUAL_UTILIZATION`].
    pub instances_needed_usual: Option<u64>,
    /// The pool's utilization at which its slowest instance's deep probes begin to fail: one in a
    /// hundred takes longer than its time-out. None where no load does that.
    pub probes_fail_at: Option<f64>,
}

impl PoolNeed {
    /// Utilization when all is well.
    #[must_use]
    pub fn home_utilization(&self) -> f64 {
        self.home_rps / self.capacity_rps
    }

    /// Utilization after its worst loss.
    #[must_use]
    pub fn worst_utilization(&self) -> f64 {
        self.most_work_rps / self.capacity_rps
    }

    /// Headroom of load; none without load or limit.
    #[must_use]
    pub fn headroom(&self) -> Option<f64> {
        let headroom = self.capacity_rps / self.home_rps - 1.0;
        headroom.is_finite().then_some(headroom)
    }
}

/// In the order of the file; `most_work` is by pool.
pub(super) fn pool_needs(
    contingency: &Contingency<'_>,
    most_work: &[(f64, Option<usize>)],
    ceiling: f64,
) -> Vec<PoolNeed> {
    let scenario = contingency.scenario();
    let calls_s = unloaded_calls_s(&scenario.kinds, &scenario.pools, &scenario.call_order);
    // Pools of one kind share the answer.
    let mut probes_fail_at: BTreeMap<(usize, bool, Option<u64>), Option<f64>> = BTreeMap::new();
    let mut need = |pool: PoolId| {
        let of_file = &scenario.pools[pool.index()];
        let kind = &scenario.kinds[of_file.kind.index()];
        let calls_s = calls_s[pool.index()];
        let key = (of_file.kind.index(), of_file.instances > 1, calls_s.map(f64::to_bits));
        let probes_fail_at = *probes_fail_at.entry(key).or_insert_with(|| {
            Instance::new(kind, kind.slowest_speed(of_file.instances), calls_s)
                .probes_fail_at(contingency.instance_rps(pool))
        });
        let (most_work_rps, worst_loss) = most_work[pool.index()];
        let home_rps = contingency.home().work_rps[pool.index()];
        PoolNeed {
            pool,
            home_rps,
            capacity_rps: contingency.capacity_rps(pool),
            most_work_rps,
            worst_loss,
            slowest_utilization: contingency.slowest_utilization(pool, most_work_rps),
            headroom_needed: (home_rps > 0.0).then(|| most_work_rps / ceiling / home_rps - 1.0),
            instances_needed: contingency.instances_for(pool, most_work_rps, ceiling),
            instances_needed_usual: contingency.instances_for(
                pool,
                most_work_rps,
                USUAL_UTILIZATION,
            ),
            probes_fail_at,
        }
    };
    scenario.pool_rows.iter().map(|pool| need(*pool)).collect()
}
