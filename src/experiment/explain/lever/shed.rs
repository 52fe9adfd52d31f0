//! Shedding: pools refuse what would take them over a utilization.

use super::search::Dial;
use super::{Asked, Grid, LeverKind};
use crate::experiment::explain::Goal;
use crate::policy::Shed;
use crate::units::Ratio;

/// Above twice its capacity a pool is as good as not shedding.
const MOST: f64 = 2.0;
/// Below this nobody would shed.
const LEAST: f64 = 0.2;

/// The lever. None where it could not help: what is shed is not served, so it makes no fleet stable
/// that loses no pool; and where a fleet holds that does not shed.
pub fn dial<'a>(asked: &Asked<'a>) -> Option<Dial<'a>> {
    let case = asked.case;
    let own = case.policy.mitigations.shed;
    let value = own.and_then(|shed| shed.above).map(Ratio::get);
    let (from, until) = match (asked.is_missed, asked.goal, value) {
        (true, Goal::NoneLost | Goal::Recovers, value) => (value.unwrap_or(MOST), LEAST),
        (false, _, Some(value)) => (value, MOST),
        _ => return None,
    };
    if asked.is_missed != (until < from) || from == until {
        return None;
    }
    Some(Dial {
        kind: LeverKind::Shed,
        value,
        grid: Grid { from, until, resolution: 0.01 },
        turn: Box::new(move |above| {
            let mut changed = case.clone();
            let fallback = own.and_then(|shed| shed.fallback);
            let above_ratio = Ratio::new(above).ok();
            changed.policy.mitigations.shed = Some(Shed { above: above_ratio, fallback });
            (changed, vec![format!("policy.{}.shed.above={above}", case.policy.own_name())])
        }),
    })
}
