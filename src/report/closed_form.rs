//! What arithmetic alone says about losing a zone, before anything is simulated.
//!
//! For N equal zones, k lost, at headroom of load h, the survivors' utilization is
//! N ÷ ((N − k)(1 + h)); that is demand ÷ capacity of the surviving pools, which also holds for
//! uneven zones and is what is computed here (`model::contingency`).

use super::words;
use crate::experiment::contingency;
use crate::model::contingency::{Contingency, ServiceLoss};
use crate::model::{Action, PoolId, Scenario, ZoneId};

/// The service that a zone's loss hits hardest, and its fullest survivor as traffic is split.
struct ZoneLoss {
    zone: ZoneId,
    service: ServiceLoss,
    fullest: Option<(PoolId, f64)>,
}

/// One line on the first zone that the events take; none when they take none. Bounds, not
/// forecasts: with unequal instances and random waits a fleet needs more.
#[must_use]
pub fn closed_form_line(scenario: &Scenario) -> Option<String> {
    let loss = first_zone_loss(scenario)?;
    let zone = &scenario.zones[loss.zone.index()].name;
    let ZoneLoss { service: hit, fullest, .. } = &loss;
    let service = match scenario.services.as_slice() {
        [_] => String::new(),
        services => format!(" of {}", services[hit.service.index()]),
    };
    let demand = words::rps(hit.demand_rps);
    let Some(utilization) = hit.survivor_utilization() else {
        return Some(format!("closed form: without zone {zone} nothing is left to serve {demand}"));
    };
    let headroom = hit.headroom_of_load()?;
    // As a perfect router would use the failover edges that there are.
    let perfect = contingency::loss_of(scenario, &[loss.zone], 1.0);
    let needed = perfect.headroom_needed;
    let percent = words::percent_to_one_decimal;
    let or_shed = match perfect.shed_ratio {
        shed if shed > 1e-9 => format!(", or shedding {}", percent(shed)),
        _ => String::new(),
    };
    let takes = match needed {
        Some(needed) => format!("takes {} headroom of load", percent(needed)),
        None => "no headroom is enough".to_owned(),
    };
    let (worst, as_split) = match *fullest {
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
         utilization{worst}, N ÷ ((N−k)(1+h)) for equal zones; to stay below 100 % {takes} \
         (now {}{as_split}){or_shed}; waits ask for more",
        words::rps(hit.surviving_capacity_rps),
        percent(utilization),
        percent(headroom)
    ))
}

fn first_zone_loss(scenario: &Scenario) -> Option<ZoneLoss> {
    // Events are sorted by time.
    let zone = scenario.events.iter().find_map(|event| match &event.action {
        Action::ZoneOutage { zone } => Some(*zone),
        _ => None,
    })?;
    let contingency = Contingency::new(scenario);
    let mut is_lost = vec![false; scenario.zones.len()];
    is_lost[zone.index()] = true;
    let loads = contingency.after(&is_lost);
    let has_pool_there = |loss: &ServiceLoss| {
        scenario.pools_in(zone).any(|pool| scenario.pools[pool.index()].service == loss.service)
    };
    let full = |loss: &ServiceLoss| loss.survivor_utilization().unwrap_or(f64::INFINITY);
    let service = contingency
        .services(&loads, &is_lost)
        .into_iter()
        .filter(|loss| loss.demand_rps > 0.0 && has_pool_there(loss))
        .reduce(|worst, loss| if full(&loss) > full(&worst) { loss } else { worst })?;
    let serves = |pool: PoolId| scenario.pools[pool.index()].service == service.service;
    let fullest = contingency.fullest(&loads, &is_lost, serves);
    Some(ZoneLoss { zone, service, fullest })
}
