//! What is used of every resource in a step, for autoscalers to see.

use crate::model::{InstanceKind, ResourceUse, WORKERS};
use crate::queueing::Load;

use super::snapshot::ResourceStep;
use super::world::World;

/// What one pool's instances did in a step, added up over those that are up.
struct Activity {
    up: f64,
    /// Workers at work.
    busy: f64,
    /// In the system.
    inside: f64,
    /// Completions a second.
    left_rps: f64,
}

/// Fills in the step's use of resources and the mean number in flight. Means over the step are
/// those of its end: a fluid moves little in a step.
pub fn account(world: &mut World<'_>) {
    if world.scalers.is_empty() {
        return;
    }
    for pool in 0..world.pools.len() {
        let activity = activity(world, pool);
        let out = &mut world.pools[pool].out;
        out.in_flight_mean = out.in_flight;
        out.in_flight_peak = out.in_flight;
        let kind = world.kind(pool);
        let workers = kind.workers.map(|_| WORKERS);
        let names = workers.into_iter().chain(kind.resources.iter().map(|r| r.name.as_str()));
        let used: Vec<_> = names.map(|name| resource_step(kind, name, &activity)).collect();
        let from = world.resource_starts[pool] as usize;
        world.resources[from..from + used.len()].copy_from_slice(&used);
    }
}

fn activity(world: &World<'_>, pool: usize) -> Activity {
    let mut activity = Activity { up: 0.0, busy: 0.0, inside: 0.0, left_rps: 0.0 };
    for i in world.pools[pool].instances().filter(|&i| world.instances.is_up(i)) {
        let load = Load { mean: world.instances.mean[i], variance: world.instances.variance[i] };
        let closure = world.tables.get(world.instances.table[i]).closure(load.mean, load.variance);
        let busy = closure.busy.min(load.mean);
        activity.up += 1.0;
        activity.busy += busy;
        activity.inside += load.mean;
        activity.left_rps += busy * world.rate(pool, i);
    }
    activity
}

fn resource_step(kind: &InstanceKind, name: &str, activity: &Activity) -> ResourceStep {
    let Some(resource) = kind.resources.iter().find(|resource| resource.name == name) else {
        let workers = kind.workers.map_or(0.0, f64::from);
        return ResourceStep { used: activity.busy, limit: workers * activity.up };
    };
    let limit = resource.limit * activity.up;
    let used = match resource.usage {
        ResourceUse::Consumed { per_request } => per_request * activity.left_rps,
        ResourceUse::Held { held, base, .. } => {
            (base * activity.up + held * activity.inside).min(limit)
        }
    };
    ResourceStep { used, limit }
}
