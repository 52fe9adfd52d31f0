//! What pools can do, added up over their instances.

use super::instances::flag;
use super::world::{Modifiers, World};

impl World<'_> {
    /// Nominal capacity of one instance of a pool, rps.
    #[must_use]
    pub fn nominal_rps(&self, pool: usize) -> f64 {
        self.kind(pool).capacity_rps(self.calls_s[pool])
    }

    /// Adds up what a pool's instances can do, where something has changed.
    pub fn add_up_capacities(&mut self) {
        for pool in 0..self.pools.len() {
            let kind = self.kind(pool);
            let unloaded_s = kind.service_time.get() + self.calls_s[pool].unwrap_or(0.0);
            let has_warm_up = kind.warm_up.get() > 0.0;
            self.pools[pool].out.unloaded_latency_s = unloaded_s;
            if !self.pools[pool].is_stale && !has_warm_up {
                continue;
            }
            let nominal_rps = self.nominal_rps(pool);
            let Modifiers { speed, speed_up, .. } = self.pools[pool].modifiers;
            let (mut healthy_rps, mut up_rps, mut in_flight) = (0.0, 0.0, 0.0);
            for i in self.pools[pool].instances() {
                if self.instances.is_up(i) {
                    in_flight += self.instances.tries[i];
                    let own_rps = self.instances.speed[i] * nominal_rps;
                    up_rps += own_rps * speed_up;
                    // Where nothing limits an instance, a stall still does.
                    if self.instances.has(i, flag::IN_ROTATION) && speed > 0.0 {
                        healthy_rps += own_rps * speed * self.warmth(self.kind(pool), i);
                    }
                }
            }
            let state = &mut self.pools[pool];
            state.is_stale = false;
            state.out.capacity_rps = match state.out.in_rotation {
                0 => 0.0,
                in_rotation => f64::from(in_rotation) * nominal_rps,
            };
            state.out.healthy_capacity_rps = healthy_rps;
            state.out.up_capacity_rps = up_rps;
            // Not what was there less what died: that would leave rounding behind.
            state.out.in_flight = in_flight;
            state.out.queue = state.out.queue.min(in_flight);
        }
    }
}
