//! One line on the worst loss.

use super::{Headroom, words};
use crate::experiment::contingency::{FullestPool, Loss};
use crate::model::contingency::USUAL_UTILIZATION;

/// A pool is named beside its service when it is fuller by more than this.
const APART: f64 = 0.01;

/// What the worst loss comes to.
#[must_use]
pub fn verdict(headroom: &Headroom<'_>) -> String {
    let Some(loss) = headroom.found.worst() else { return "no zone is lost".to_owned() };
    let zones = words::listed(&headroom.zone_names(&loss.zones));
    let Some(worst) = loss.worst_service() else {
        return format!("losing {zones}: nothing is there to lose");
    };
    if worst.survivor_utilization().is_none() {
        let demand = words::rps(worst.demand_rps);
        let of = of_service(headroom, worst.service.index());
        return format!("losing {zones}: nothing is left to serve {demand}{of}");
    }
    let ends = match (loss.unplaced_ratio > 0.0, loss.fits_as_split, loss.fits) {
        (true, ..) => nowhere(headroom, loss),
        (false, true, _) => fits(headroom, loss),
        (false, false, false) => overfull(headroom, loss),
        (false, false, true) => badly_split(headroom, loss),
    };
    format!("losing {zones}: {ends}")
}

fn of_service(headroom: &Headroom<'_>, service: usize) -> String {
    match headroom.scenario.services.as_slice() {
        [_] => String::new(),
        services => format!(" of {}", services[service]),
    }
}

/// `survivors at 130.4 %`, with the fullest pool where that is much fuller.
fn survivors(headroom: &Headroom<'_>, loss: &Loss) -> String {
    let percent = words::percent_to_one_decimal;
    let Some((worst, utilization)) =
        loss.worst_service().and_then(|worst| Some((worst, worst.survivor_utilization()?)))
    else {
        return String::new();
    };
    let of = of_service(headroom, worst.service.index());
    let fullest = match &loss.fullest {
        Some(fullest) if fullest.utilization > utilization + APART => {
            format!(", {} worst at {}", name(headroom, fullest), percent(fullest.utilization))
        }
        _ => String::new(),
    };
    format!("survivors{of} at {}{fullest}", percent(utilization))
}

fn name<'a>(headroom: &Headroom<'a>, fullest: &FullestPool) -> &'a str {
    &headroom.scenario.pools[fullest.pool.index()].name
}

/// ` below 85 %`, where the ceiling is not the whole.
fn below(headroom: &Headroom<'_>) -> String {
    match headroom.found.ceiling {
        1.0 => String::new(),
        ceiling => format!(" below {}", words::percent_to_one_decimal(ceiling)),
    }
}

/// What headroom would do, and what more would leave room to spare.
fn enough(headroom: &Headroom<'_>, needed: Option<f64>) -> String {
    let percent = words::percent_to_one_decimal;
    let Some(needed) = needed else { return "no headroom is enough".to_owned() };
    let just = format!("{} headroom of load would just fit", percent(needed));
    let ceiling = headroom.found.ceiling;
    if ceiling <= USUAL_UTILIZATION {
        return just;
    }
    let usual = (1.0 + needed) * ceiling / USUAL_UTILIZATION - 1.0;
    format!("{just}, {} leave them at {}", percent(usual), percent(USUAL_UTILIZATION))
}

fn shed(loss: &Loss) -> String {
    if loss.shed_ratio > 0.0 {
        format!(", {} of requests have to be shed", words::percent_to_one_decimal(loss.shed_ratio))
    } else {
        String::new()
    }
}

fn nowhere(headroom: &Headroom<'_>, loss: &Loss) -> String {
    let share = words::percent_to_one_decimal(loss.unplaced_ratio);
    let survivors = survivors(headroom, loss);
    format!("{share} of tries have nowhere to fail over to{}; {survivors}", shed(loss))
}

fn overfull(headroom: &Headroom<'_>, loss: &Loss) -> String {
    format!(
        "{}: does not fit{}{}; {}",
        survivors(headroom, loss),
        below(headroom),
        shed(loss),
        enough(headroom, loss.headroom_needed)
    )
}

fn badly_split(headroom: &Headroom<'_>, loss: &Loss) -> String {
    format!(
        "{}: does not fit{} as unconditional splits it, though there is room; {}",
        survivors(headroom, loss),
        below(headroom),
        enough(headroom, loss.headroom_needed_as_split)
    )
}

/// Fitting in is not always fine.
fn fits(headroom: &Headroom<'_>, loss: &Loss) -> String {
    let percent = words::percent_to_one_decimal;
    let fits = format!("{}: fits{}", survivors(headroom, loss), below(headroom));
    let Some(fullest) = &loss.fullest else { return fits };
    let need = headroom.found.pools.iter().find(|need| need.pool == fullest.pool);
    let fail_at = need.and_then(|need| need.probes_fail_at);
    let at = percent(fullest.slowest_utilization);
    if fullest.slowest_utilization > headroom.found.ceiling {
        let pool = name(headroom, fullest);
        format!("{fits} on average, but the slowest instance of {pool} is at {at}")
    } else if let Some(fail_at) = fail_at.filter(|fail_at| *fail_at <= fullest.utilization) {
        let pool = name(headroom, fullest);
        format!("{fits}, but deep probes of {pool} begin to fail at {}", percent(fail_at))
    } else {
        format!("{fits}, the slowest instance at {at}; waits ask for more")
    }
}
