//! What arithmetic alone says about losing a zone, before anything is simulated.
//!
//! For N equal zones, k lost, at headroom of load h, the survivors' utilization is
//! N ÷ ((N − k)(1 + h)); that is demand ÷ capacity of the surviving pools, which also holds for
//! uneven zones and is what is computed here.

use super::words;
use crate::model::{Action, PoolId, Scenario, ServiceId, ZoneId};

/// The service that a zone's loss hits hardest.
struct ZoneLoss {
    zone: ZoneId,
    service: ServiceId,
    demand_rps: f64,
    capacity_rps: f64,
    surviving_capacity_rps: f64,
}

/// One line on the first zone that the events take; none when they take none. Bounds, not
/// forecasts: with unequal instances and random waits a fleet needs more.
#[must_use]
pub fn closed_form_line(scenario: &Scenario) -> Option<String> {
    let loss = first_zone_loss(scenario)?;
    let zone = &scenario.zones[loss.zone.index()].name;
    let service = match scenario.services.as_slice() {
        [_] => String::new(),
        services => format!(" of {}", services[loss.service.index()]),
    };
    let demand = words::rps(loss.demand_rps);
    if loss.surviving_capacity_rps <= 0.0 {
        return Some(format!("closed form: without zone {zone} nothing is left to serve {demand}"));
    }
    let utilization = loss.demand_rps / loss.surviving_capacity_rps;
    let needed = loss.capacity_rps / loss.surviving_capacity_rps - 1.0;
    let headroom = loss.capacity_rps / loss.demand_rps - 1.0;
    let shed = (1.0 - 1.0 / utilization).max(0.0);
    let percent = words::percent_to_one_decimal;
    let or_shed = match shed {
        0.0 => String::new(),
        shed => format!(", or shedding {}", percent(shed)),
    };
    let (worst, as_split) = match worst_survivor(scenario, &loss) {
        Some((pool, worst)) if worst > utilization + 0.01 => {
            let name = &scenario.pools[pool.index()].name;
            // All demands grow together, and the worst survivor's load with them.
            let needed = (1.0 + headroom) * worst - 1.0;
            let is_hidden = worst >= 1.0 && utilization < 1.0;
            (
                format!(" ({name} worst, {})", percent(worst)),
                if is_hidden {
                    format!("; {name} as loaded takes {}", percent(needed))
                } else {
                    String::new()
                },
            )
        }
        _ => (String::new(), String::new()),
    };
    Some(format!(
        "closed form: without zone {zone}, {demand}{service} meet {} of capacity: {} \
         utilization{worst}, N ÷ ((N−k)(1+h)) for equal zones; to stay below 100 % takes {} \
         headroom of load (now {}{as_split}){or_shed}; waits ask for more",
        words::rps(loss.surviving_capacity_rps),
        percent(utilization),
        percent(needed),
        percent(headroom)
    ))
}

fn first_zone_loss(scenario: &Scenario) -> Option<ZoneLoss> {
    // Events are sorted by time.
    let zone = scenario.events.iter().find_map(|event| match &event.action {
        Action::ZoneOutage { zone } => Some(zone),
        _ => None,
    })?;
    let utilization = |loss: &ZoneLoss| loss.demand_rps / loss.surviving_capacity_rps;
    (0..scenario.services.len())
        .map(ServiceId::from_index)
        .filter(|service| {
            scenario.pools_in(*zone).any(|pool| service_of(scenario, pool) == *service)
        })
        .map(|service| zone_loss(scenario, *zone, service))
        .filter(|loss| loss.demand_rps > 0.0)
        .reduce(|worst, loss| if utilization(&loss) > utilization(&worst) { loss } else { worst })
}

/// The survivor that is loaded most when the lost pools' demand is split as `unconditional` splits
/// it: among the targets of the best priority, by weight. Its utilization is demand ÷ capacity.
fn worst_survivor(scenario: &Scenario, loss: &ZoneLoss) -> Option<(PoolId, f64)> {
    let survives = |pool: PoolId| scenario.pools[pool.index()].zone != loss.zone;
    let mut load_rps: Vec<f64> = scenario.pools.iter().map(|pool| pool.demand.get()).collect();
    for lost in scenario.pools_in(loss.zone) {
        let targets = || scenario.graph.targets(lost).filter(|target| survives(target.pool));
        let Some(best) = targets().map(|target| target.priority).min() else { continue };
        let chosen = || targets().filter(|target| target.priority == best);
        let weights: f64 = chosen().map(|target| target.weight).sum();
        for target in chosen() {
            load_rps[target.pool.index()] +=
                scenario.pools[lost.index()].demand.get() * target.weight / weights;
        }
    }
    (0..scenario.pools.len())
        .map(PoolId::from_index)
        .filter(|pool| survives(*pool) && service_of(scenario, *pool) == loss.service)
        .map(|pool| (pool, load_rps[pool.index()] / scenario.nominal_capacity_rps(pool)))
        .reduce(|worst, next| if next.1 > worst.1 { next } else { worst })
}

fn service_of(scenario: &Scenario, pool: PoolId) -> ServiceId {
    scenario.pools[pool.index()].service
}

fn zone_loss(scenario: &Scenario, zone: ZoneId, service: ServiceId) -> ZoneLoss {
    let mut loss =
        ZoneLoss { zone, service, demand_rps: 0.0, capacity_rps: 0.0, surviving_capacity_rps: 0.0 };
    for (index, pool) in scenario.pools.iter().enumerate() {
        if pool.service == service {
            let capacity_rps = scenario.nominal_capacity_rps(PoolId::from_index(index));
            loss.demand_rps += pool.demand.get();
            loss.capacity_rps += capacity_rps;
            if pool.zone != zone {
                loss.surviving_capacity_rps += capacity_rps;
            }
        }
    }
    loss
}
