//! What the death of an instance does to what is inside.

use super::flow::{Crash, Flow};
use super::station::Probe;
use super::tries::{PROBE, TryRef};
use crate::engine::retry::Failure;

impl Flow {
    /// An instance runs out of something and dies.
    pub(super) fn crash(&mut self, station: usize) {
        let resource = self.stations[station].crash_resource;
        self.crashes.push(Crash { station: station as u32, resource, at: self.now });
        self.kill(station);
    }

    /// An instance dies: everything inside is lost, or late where the client has given up.
    pub fn kill(&mut self, station: usize) {
        let left = i128::from(self.end.saturating_sub(self.now));
        // All have left before the first fails: a call that was redirected may die with its caller.
        let inside = self.tries.take_all(station as u32);
        let there = &mut self.stations[station];
        let desk = &mut self.desks[there.pool as usize];
        desk.present -= there.inside;
        desk.inside -= there.tries;
        desk.busy -= there.busy;
        desk.working -= there.working;
        desk.now.present_time -= left * i128::from(there.inside);
        desk.now.inside_time -= left * i128::from(there.tries);
        desk.now.busy_time -= left * i128::from(there.busy);
        desk.now.working_time -= left * i128::from(there.working);
        there.is_up = false;
        let probe = there.probe;
        there.clear();
        there.probe = probe.map(|probe| Probe { at: TryRef::NONE, ..probe });
        self.lose_plainly(station);
        for one in inside {
            let Some(&there) = self.tries.get(one) else { continue };
            if there.origin == PROBE {
                self.tries.remove(one);
            } else if self.is_given_up(&there) {
                self.leave_late(one, &there);
            } else {
                let counts = &mut self.desks[there.pool as usize].now;
                counts.lost += 1;
                counts.died_inside += 1;
                self.fail(one, Failure::Lost);
            }
        }
    }
}
