//! What of each resource was used in a step.

use super::flow::Flow;
use crate::engine::snapshot::ResourceStep;
use crate::engine::world::World;
use crate::model::{ResourceUse, WhenFull};

/// Works out every resource's use in the step that is over.
pub fn show(world: &mut World<'_>, flow: &Flow) {
    let step_s = world.step_s;
    for (pool, desk) in flow.desks.iter().enumerate() {
        let kind = &world.kinds[world.scenario.pools[pool].kind.index()];
        let up = f64::from(world.pools[pool].out.up);
        let mean = |time: i128| time as f64 / 1e9 / step_s;
        let is_held = kind.holds_workers(world.calls_s[pool].is_some());
        let working_time = if is_held { desk.now.busy_time } else { desk.now.working_time };
        let workers = kind.workers.map(|workers| ResourceStep {
            used: mean(working_time),
            limit: f64::from(workers) * up,
        });
        let others = kind.resources.iter().map(|resource| ResourceStep {
            used: match resource.usage {
                ResourceUse::Consumed { per_request } => per_request * desk.work_done() / step_s,
                ResourceUse::Held { held, base, when_full: WhenFull::Queue } => {
                    base * up + held * mean(desk.now.busy_time)
                }
                ResourceUse::Held { held, base, .. } => {
                    base * up + held * mean(desk.now.present_time)
                }
            },
            limit: resource.limit * up,
        });
        let first = world.resource_starts[pool] as usize;
        for (place, step) in workers.into_iter().chain(others).enumerate() {
            world.resources[first + place] = step;
        }
    }
}
