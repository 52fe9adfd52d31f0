//! What is used of every resource of a pool (MODEL §4.3).

use crate::engine::snapshot::ResourceStep;
use crate::engine::world::World;
use crate::model::{ResourceUse, WhenFull};

/// What the instances of a pool did in a step, probes included.
#[derive(Debug, Clone, Copy, Default)]
pub struct Usage {
    /// Time of servers that were busy, s.
    pub busy_s: f64,
    /// Own service of the requests that left, s; only where they make calls.
    pub own_s: f64,
    /// Requests that left.
    pub done: f64,
    /// In the system, on average over the step.
    pub inside: f64,
}

/// Notes what was used of a pool's resources over the step, on average.
pub fn note(world: &mut World<'_>, pool: usize, usage: &Usage) {
    let (from, to) = (world.resource_starts[pool], world.resource_starts[pool + 1]);
    let steps = from as usize..to as usize;
    if steps.is_empty() {
        return;
    }
    let kind = &world.kinds[world.scenario.pools[pool].kind.index()];
    let state = &world.pools[pool];
    let up = f64::from(state.out.up);
    let mut steps = world.resources[steps].iter_mut();
    let step_s = world.step_s;
    let busy = usage.busy_s / step_s;
    if let Some(workers) = kind.workers
        && let Some(step) = steps.next()
    {
        let is_held = kind.holds_workers(world.calls_s[pool].is_some());
        let used = if is_held { busy } else { usage.own_s / step_s };
        *step = ResourceStep { used, limit: f64::from(workers) * up };
    }
    let cost = 1.0 + state.redirected_share * (kind.redirect_cost - 1.0);
    for (step, resource) in steps.zip(&kind.resources) {
        let used = match resource.usage {
            ResourceUse::Consumed { per_request } => per_request * cost * usage.done / step_s,
            ResourceUse::Held { held, base, when_full } => {
                let holding = if when_full == WhenFull::Queue { busy } else { usage.inside };
                base * up + held * holding
            }
        };
        // A mean over what may be there, and not yet has killed anyone, can lie above the limit.
        let limit = resource.limit * up;
        *step = ResourceStep { used: used.min(limit), limit };
    }
}
