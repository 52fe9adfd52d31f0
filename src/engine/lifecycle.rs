//! What happens to one instance: it fails or passes its health check, stops, starts.

use crate::model::{OnUnhealthy, PoolId};

use super::instances::{NEVER, Process, flag};
use super::log::Happening;
use super::plane::fluid::given_up_share;
use super::world::World;

impl World<'_> {
    /// Takes an instance out of rotation, and does what its kind's `on_unhealthy` says; false when
    /// as many are out as may be, and nothing was done.
    pub fn fail_health_check(&mut self, pool: usize, i: usize) -> bool {
        let id = PoolId::from_index(pool);
        let boundary = self.step + 1;
        let instance = (i - self.pools[pool].first) as u32;
        if self.instances.has(i, flag::IN_ROTATION) {
            if !self.another_may_be_out(pool) {
                return false;
            }
            self.instances.mark(i, flag::IN_ROTATION, false);
            self.pools[pool].out.in_rotation -= 1;
            self.pools[pool].is_stale = true;
            self.pools[pool].calm = None;
            self.note(boundary, Happening::InstanceUnhealthy { pool: id, instance });
        }
        match self.kind(pool).health_check.on_unhealthy {
            OnUnhealthy::Eject => {}
            OnUnhealthy::Remove => {
                self.instances.mark(i, flag::REMOVED, true);
                self.pools[pool].calm = None;
                self.instances.probe_step[i] = NEVER;
            }
            OnUnhealthy::Restart if self.instances.is_up(i) => {
                self.stop(pool, i);
                let restart_s = self.kind(pool).restart_time.get();
                let up_s = self.boundary_s(boundary) + restart_s;
                self.start_later(pool, i, up_s);
                self.note(boundary, Happening::InstanceRestarted { pool: id, instance });
            }
            OnUnhealthy::Restart => {}
        }
        true
    }

    /// May another instance of a pool be out of rotation?
    fn another_may_be_out(&self, pool: usize) -> bool {
        let most = self.kind(pool).health_check.max_out_of_rotation.get();
        let out = &self.pools[pool].out;
        let would_be = (out.expected + 1).saturating_sub(out.in_rotation);
        // A third of 12 is 4, however that is written.
        f64::from(would_be) <= most * f64::from(out.expected) + 1e-9
    }

    /// Puts an instance into rotation.
    pub fn pass_health_check(&mut self, pool: usize, i: usize) {
        let id = PoolId::from_index(pool);
        let boundary = self.step + 1;
        let instance = (i - self.pools[pool].first) as u32;
        self.instances.mark(i, flag::IN_ROTATION, true);
        self.instances.rotation_since[i] = boundary as i32;
        let out = &mut self.pools[pool].out;
        out.in_rotation += 1;
        if !self.instances.has(i, flag::EXPECTED) {
            self.instances.mark(i, flag::EXPECTED, true);
            out.expected += 1;
        }
        self.pools[pool].is_stale = true;
        self.pools[pool].calm = None;
        self.note(boundary, Happening::InstanceHealthy { pool: id, instance });
    }

    /// Launches an instance, or starts a stopped one again: it comes up at a time.
    pub fn start_later(&mut self, pool: usize, i: usize, up_s: f64) {
        if self.instances.process[i] != Process::Starting {
            self.pools[pool].starting += 1;
        }
        self.instances.process[i] = Process::Starting;
        self.instances.up_at[i] = i32::try_from(self.boundary_at(up_s)).unwrap_or(i32::MAX);
    }

    /// Ends an instance's process: what is inside is lost, or late where the client has given up.
    pub fn stop(&mut self, pool: usize, i: usize) {
        if self.instances.is_up(i) {
            let (late, lost) = if self.requests.is_some() {
                self.kill_requests(pool, i)
            } else {
                let tries = self.instances.tries[i];
                let late = match &mut self.lanes {
                    Some(lanes) => {
                        lanes.ages_at(i).clear();
                        lanes.die(pool, tries)
                    }
                    None => tries * given_up_share(self, pool, i, None),
                };
                (late, tries - late)
            };
            let state = &mut self.pools[pool];
            state.out.up -= 1;
            state.is_stale = true;
            state.calm = None;
            state.out.late += late;
            state.out.lost += lost;
            state.out.died_inside += lost;
            self.instances.clear_load(i);
        }
    }

    /// Ends every request inside an instance, and those of callers that can do nothing but fail
    /// with it; returns how many here were late, and lost.
    fn kill_requests(&mut self, pool: usize, i: usize) -> (f64, f64) {
        let Some(requests) = &mut self.requests else { return (0.0, 0.0) };
        let mut here = (0.0, 0.0);
        for killed in requests.kill(i) {
            let (late, lost) = (killed.late as f64, killed.lost as f64);
            let state = &mut self.pools[killed.pool];
            state.is_stale = true;
            // A redirected call may have been at the pool of its caller.
            if !self.settings[killed.pool].calls.is_empty() {
                for caller in state.instances() {
                    self.instances.tries[caller] = requests.tries_at(caller);
                }
            }
            if killed.pool == pool {
                here = (late, lost);
            } else {
                state.out.late += late;
                state.out.lost += lost;
            }
        }
        here
    }

    /// An instance has run out of a resource at a time: it is down, and starts again.
    pub fn crashed(&mut self, pool: usize, i: usize, resource: u32, at_s: f64) {
        if !self.instances.is_up(i) {
            return;
        }
        let state = &mut self.pools[pool];
        state.out.up -= 1;
        state.is_stale = true;
        state.calm = None;
        self.instances.clear_load(i);
        self.restart_crashed(pool, i, resource, at_s);
    }

    /// An instance that is down since a time, as it ran out of a resource, starts again; one that
    /// is no longer wanted does not.
    pub fn restart_crashed(&mut self, pool: usize, i: usize, resource: u32, at_s: f64) {
        let instance = (i - self.pools[pool].first) as u32;
        if self.instances.has(i, flag::DISMISSED) {
            self.pools[pool].finishing -= 1;
            self.instances.process[i] = Process::Absent;
        } else {
            let up_s = at_s + self.kind(pool).restart_time.get();
            self.start_later(pool, i, up_s);
        }
        let pool = PoolId::from_index(pool);
        self.note(self.step + 1, Happening::InstanceCrashed { pool, instance, resource });
    }
}
