//! Instances that run out of something and die of it (MODEL §4.3).

use crate::engine::world::World;
use crate::model::{Resource, ResourceUse, WhenFull};
use crate::queueing::{Load, Table};

/// Kills the instances whose number in system reaches the room that one of their resources has:
/// L + z·√V, with z their luck. They start again after `restart_time`, and leave rotation when
/// their probes find out.
///
/// Luck is drawn whenever a probe is sent, however short steps are; as a real unlucky queue does,
/// it remembers the last draw by exp(−interval ÷ τ), τ = 2V ÷ (r·B).
pub fn crash(world: &mut World<'_>) {
    for pool in 0..world.pools.len() {
        let Some((resource, room)) = least_room(&world.kind(pool).resources) else { continue };
        for i in world.pools[pool].instances() {
            if !world.instances.is_up(i) {
                continue;
            }
            draw(world, pool, i);
            let luck = f64::from(world.instances.crash_luck[i]);
            let sigma = world.instances.variance[i].max(0.0).sqrt();
            if world.instances.mean[i] + luck * sigma >= room {
                die(world, pool, i, resource);
            }
        }
    }
}

/// The resource that kills first, and how many requests it has room for.
fn least_room(resources: &[Resource]) -> Option<(u32, f64)> {
    let rooms = resources.iter().zip(0..).filter_map(|(resource, index)| match resource.usage {
        ResourceUse::Held { held, base, when_full: WhenFull::Crash } => {
            Some((index, ((resource.limit - base) / held).max(0.0)))
        }
        _ => None,
    });
    rooms.min_by(|a, b| a.1.total_cmp(&b.1))
}

fn draw(world: &mut World<'_>, pool: usize, i: usize) {
    let interval_s = world.kind(pool).health_check.interval.get();
    let since_s = world.boundary_s(world.step + 1) - world.probe_time_s(pool, i, 0);
    let due = (since_s / interval_s + 1e-9).floor().clamp(-1.0, f64::from(u32::MAX - 1)) + 1.0;
    let due = due as u32;
    if world.instances.crash_draws[i] >= due {
        return;
    }
    let table = world.tables.get(world.instances.table[i]);
    let load = Load { mean: world.instances.mean[i], variance: world.instances.variance[i] };
    let kept = libm::exp(-interval_s / memory_s(table, &load, world.rate(pool, i)).max(1e-9));
    let stream = world.crash_stream(pool, i);
    while world.instances.crash_draws[i] < due {
        world.instances.crash_draws[i] += 1;
        let fresh = stream.normal(u64::from(world.instances.crash_draws[i]));
        // The first is nobody's heir.
        let kept = if world.instances.crash_draws[i] == 1 { 0.0 } else { kept };
        let luck = f64::from(world.instances.crash_luck[i]);
        let luck = kept * luck + (1.0 - kept * kept).sqrt() * fresh;
        world.instances.crash_luck[i] = luck as f32;
    }
}

/// How long a station remembers its state, s.
fn memory_s(table: &Table, load: &Load, rate: f64) -> f64 {
    let busy = table.closure(load.mean, load.variance).busy;
    2.0 * load.variance / (rate * busy).max(1e-300)
}

fn die(world: &mut World<'_>, pool: usize, i: usize, resource: u32) {
    world.stop(pool, i);
    world.restart_crashed(pool, i, resource, world.boundary_s(world.step + 1));
}
