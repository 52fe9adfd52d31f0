//! The trigger's own share: the capacity that the scenario's events take by themselves. A fall of
//! the fleet's capacity beyond it is the cascade's.

use crate::engine::{Happening, LogEntry};
use crate::model::{Action, Change, InstanceSetting, LossAmount, PoolId, Scenario};

/// By pool, the share of its instances that an event takes, in (0, 1]. A pool that is slowed, or
/// whose instances change what they can do, counts whole: its health checks may take it out. So do
/// the pools that call it, which wait for it. Drains, surges and errors take no capacity.
fn taken_by(scenario: &Scenario, action: &Action) -> Vec<(PoolId, f64)> {
    let whole = |pools: Vec<PoolId>| pools.into_iter().map(|pool| (pool, 1.0)).collect();
    match action {
        Action::InstanceLoss { pool, amount } => {
            let of = &scenario.pools[pool.index()];
            let instances = f64::from(of.instances);
            let count = match amount {
                LossAmount::Count(count) => f64::from(*count),
                LossAmount::Share(share) => (share.get() * instances).round(),
            };
            // Nobody says that it is not the fastest that die.
            let fastest = 1.0 + scenario.kinds[of.kind.index()].speed_spread.get();
            vec![(*pool, (count * fastest / instances).min(1.0))]
        }
        Action::ZoneOutage { .. } => whole(scenario.pools_hit_by(action)),
        Action::Slow { pools, speed } if speed.get() < 1.0 => {
            whole(with_callers(scenario, pools.clone()))
        }
        Action::Set { changes } => {
            let changes = changes.iter().filter(|change| moves_capacity(change)).copied().collect();
            whole(with_callers(scenario, scenario.pools_hit_by(&Action::Set { changes })))
        }
        Action::Slow { .. }
        | Action::Drain { .. }
        | Action::Errors { .. }
        | Action::Surge { .. }
        | Action::AddInstances { .. }
        | Action::LaunchesRefused { .. } => Vec::new(),
    }
}

/// These pools and all that call them, directly or not, each once.
fn with_callers(scenario: &Scenario, mut pools: Vec<PoolId>) -> Vec<PoolId> {
    // From the callees up, so that one pass is enough.
    for &caller in scenario.call_order.iter().rev() {
        let calls = &scenario.pools[caller.index()].calls;
        if calls.iter().any(|call| pools.contains(&call.to)) {
            pools.push(caller);
        }
    }
    pools.sort_unstable();
    pools.dedup();
    pools
}

const fn moves_capacity(change: &Change) -> bool {
    match change {
        Change::ResourceLimit { .. } => true,
        Change::Instance { setting, .. } => {
            matches!(setting, InstanceSetting::Workers | InstanceSetting::ServiceTime)
        }
        _ => false,
    }
}

/// What the events under way take of each pool.
#[derive(Debug)]
pub(super) struct OwnShare<'a> {
    scenario: &'a Scenario,
    is_under_way: Vec<bool>,
    /// By pool, in 0 to 1.
    pub(super) taken: Vec<f64>,
}

impl<'a> OwnShare<'a> {
    /// Before any event.
    pub(super) fn new(scenario: &'a Scenario) -> Self {
        Self {
            scenario,
            is_under_way: vec![false; scenario.events.len()],
            taken: vec![0.0; scenario.pools.len()],
        }
    }

    /// An event begins or ends.
    pub(super) fn happened(&mut self, entry: &LogEntry) {
        match entry.what {
            Happening::EventBegan { event, .. } => self.turn(event as usize, true),
            Happening::EventEnded { event, .. } => self.turn(event as usize, false),
            _ => {}
        }
    }

    fn turn(&mut self, event: usize, is_under_way: bool) {
        if std::mem::replace(&mut self.is_under_way[event], is_under_way) == is_under_way {
            return;
        }
        self.taken.fill(0.0);
        let events = self.scenario.events.iter().zip(&self.is_under_way);
        for (event, _) in events.filter(|(_, is_under_way)| **is_under_way) {
            for (pool, share) in taken_by(self.scenario, &event.action) {
                let taken = &mut self.taken[pool.index()];
                *taken = (*taken + share).min(1.0);
            }
        }
    }

    /// As a share of the fleet's nominal capacity; 0 where nothing has any.
    fn of_fleet(&self) -> f64 {
        let (mut all_rps, mut taken_rps) = (0.0, 0.0);
        for (index, taken) in self.taken.iter().enumerate() {
            let rps = self.scenario.nominal_capacity_rps(PoolId::from_index(index));
            if rps.is_finite() {
                all_rps += rps;
                taken_rps += taken * rps;
            }
        }
        if all_rps > 0.0 { taken_rps / all_rps } else { 0.0 }
    }
}

/// The largest share of the fleet's capacity at time 0 that the scenario's events take at any
/// moment, in 0 to 1.
#[must_use]
pub fn own_share(scenario: &Scenario) -> f64 {
    let mut turns: Vec<(f64, bool, usize)> = Vec::new();
    for (index, event) in scenario.events.iter().enumerate() {
        turns.push((event.at.get(), true, index));
        turns.extend(event.until.map(|until| (until.get(), false, index)));
    }
    // Whatever begins as another ends adds to it: detection of the first is still on its way.
    turns.sort_by(|a, b| a.0.total_cmp(&b.0).then(b.1.cmp(&a.1)).then(a.2.cmp(&b.2)));
    let mut share = OwnShare::new(scenario);
    let mut most = 0.0_f64;
    for (_, begins, event) in turns {
        share.turn(event, begins);
        most = most.max(share.of_fleet());
    }
    most
}
