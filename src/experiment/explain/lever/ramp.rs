//! Ramp: the same shift, more slowly.

use super::search::Dial;
use super::{Asked, Grid, LeverKind};
use crate::policy;

/// The lever: what redirects at once becomes rate-limited, or the ramp changes. None where nothing
/// was redirected, or by a policy whose flows no ramp limits.
pub fn dial<'a>(asked: &Asked<'a>) -> Option<Dial<'a>> {
    let (case, shift) = (asked.case, asked.facts.shift.as_ref()?);
    let rate_limited = policy::kind("rate-limited")?;
    let own = &case.policy;
    let value = match own.kind.name {
        "unconditional" => Some(0.0),
        "rate-limited" => own.values.first().copied().flatten(),
        _ => None,
    }?;
    let trigger_s = asked.facts.trigger_s.unwrap_or(0.0);
    let left_s = case.scenario.simulation.duration.get() - trigger_s - shift.time_to_s;
    let until = if asked.is_missed { left_s.floor() } else { 0.0 };
    if asked.is_missed != (until > value) {
        return None;
    }
    Some(Dial {
        kind: LeverKind::Ramp,
        value: (own.kind.name == "rate-limited").then_some(value),
        grid: Grid { from: value, until, resolution: 1.0 },
        turn: Box::new(move |ramp_s| {
            let mut changed = case.clone();
            changed.policy.kind = rate_limited;
            changed.policy.values = vec![Some(ramp_s), None];
            let name = case.policy.own_name();
            let mut sets = vec![format!("policy.{name}.ramp={ramp_s}s")];
            if case.policy.kind.name != rate_limited.name {
                sets.insert(0, format!("policy.{name}.kind={}", rate_limited.name));
            }
            (changed, sets)
        }),
    })
}
