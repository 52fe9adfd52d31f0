//! Headroom: less demand for the same fleet.

use super::search::Dial;
use super::{Asked, Grid, LeverKind};
use crate::model::{Action, Change, PoolId, PoolSetting, Scenario};
use crate::policy::Case;
use crate::units::Rps;

/// At four times its load no pool is short of anything.
const MOST: f64 = 3.0;

/// The lever; none where no pool has a limit or an event sets demands by itself.
pub fn dial<'a>(asked: &Asked<'a>) -> Option<Dial<'a>> {
    let case = asked.case;
    let scenario = &case.scenario;
    if sets_demand(scenario) {
        return None;
    }
    let from = least_headroom(scenario)?;
    let until = if asked.is_missed { MOST } else { 0.0 };
    if asked.is_missed != (until > from) {
        return None;
    }
    let is_more = asked.is_missed;
    let is_even = scenario.sources.is_empty() && !scenario.has_calls();
    Some(Dial {
        kind: LeverKind::Headroom,
        value: Some(from),
        grid: Grid { from, until, resolution: 0.01 },
        turn: Box::new(move |headroom| match is_even {
            true => by_pool(case, headroom, is_more),
            false => all_alike(case, (1.0 + from) / (1.0 + headroom)),
        }),
    })
}

/// Does an event give a demand another value?
fn sets_demand(scenario: &Scenario) -> bool {
    let sets = |change: &Change| {
        matches!(
            change,
            Change::SourceDemand { .. } | Change::Pool { setting: PoolSetting::Demand, .. }
        )
    };
    let is_one = |action: &Action| match action {
        Action::Set { changes } => changes.iter().any(sets),
        _ => false,
    };
    scenario.events.iter().any(|event| is_one(&event.action))
}

/// Capacity ÷ load − 1 of the pool that has least; none where no pool with load has a limit.
fn least_headroom(scenario: &Scenario) -> Option<f64> {
    let load_rps = scenario.home_load_rps();
    let pools = load_rps.iter().enumerate().filter(|(_, load_rps)| **load_rps > 0.0);
    let headroom = pools.map(|(pool, load_rps)| {
        scenario.nominal_capacity_rps(PoolId::from_index(pool)) / load_rps - 1.0
    });
    headroom.filter(|headroom| headroom.is_finite()).reduce(f64::min)
}

/// Every pool has at least (`is_more`) or at most this headroom.
fn by_pool(case: &Case, headroom: f64, is_more: bool) -> (Case, Vec<String>) {
    let mut changed = case.clone();
    let mut sets = Vec::new();
    for &pool in &case.scenario.pool_rows {
        let capacity_rps = case.scenario.nominal_capacity_rps(pool);
        let own = &mut changed.scenario.pools[pool.index()];
        let demand_rps = rounded(capacity_rps / (1.0 + headroom), is_more);
        let now_rps = own.demand.get();
        let is_change = if is_more { demand_rps < now_rps } else { demand_rps > now_rps };
        if now_rps > 0.0
            && is_change
            && let Ok(demand) = Rps::new(demand_rps)
        {
            own.demand = demand;
            sets.push(format!("pool.{}.demand_rps={demand_rps}", own.name));
        }
    }
    (changed, sets)
}

/// All first tries by the same factor.
fn all_alike(case: &Case, factor: f64) -> (Case, Vec<String>) {
    let mut changed = case.clone();
    let mut sets = Vec::new();
    let scaled = |demand: Rps| {
        let rps = rounded(demand.get() * factor, factor < 1.0);
        Rps::new(rps).ok().filter(|_| rps > 0.0)
    };
    for &pool in &case.scenario.pool_rows {
        let own = &mut changed.scenario.pools[pool.index()];
        if let Some(demand) = scaled(own.demand) {
            own.demand = demand;
            sets.push(format!("pool.{}.demand_rps={}", own.name, demand.get()));
        }
    }
    for source in &mut changed.scenario.sources {
        if let Some(demand) = scaled(source.demand) {
            source.demand = demand;
            sets.push(format!("source.{}.demand_rps={}", source.name, demand.get()));
        }
    }
    (changed, sets)
}

/// To six digits, so that a `--set` says it all, and never past the headroom that it stands for.
fn rounded(rps: f64, down: bool) -> f64 {
    if rps <= 0.0 || !rps.is_finite() {
        return rps;
    }
    let mut unit = 1.0;
    while rps / unit >= 1e6 {
        unit *= 10.0;
    }
    let mut parts = 1.0;
    while rps / unit * parts < 1e5 && parts < 1e15 {
        parts *= 10.0;
    }
    let count = rps / unit * parts;
    let count = if down { (count + 1e-6).floor() } else { (count - 1e-6).ceil() };
    if parts > 1.0 { count / parts } else { count * unit }
}

#[cfg(test)]
mod tests {
    use super::rounded;

    #[test]
    fn demands_have_six_digits() {
        assert_eq!(rounded(123.456_789, true), 123.456);
        assert_eq!(rounded(123.456_789, false), 123.457);
        assert_eq!(rounded(120.0, true), 120.0);
        assert_eq!(rounded(12_345_678.0, true), 12_345_600.0);
        assert_eq!(rounded(0.001_234_567_8, true), 0.001_234_56);
    }
}
