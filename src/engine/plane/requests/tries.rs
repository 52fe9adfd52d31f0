//! Every try that is somewhere, in a slab whose places are used again.

use super::clock::Nanos;
use crate::engine::rng::Draws;

/// A try by its place in the slab; stale once another serial is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TryRef {
    /// Place in the slab.
    pub index: u32,
    /// Which of those that have been there.
    pub serial: u32,
}

impl TryRef {
    /// Nobody.
    pub const NONE: Self = Self { index: u32::MAX, serial: 0 };
}

/// The origin of probes.
pub const PROBE: u32 = u32::MAX;

/// Where a try is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// Not in any instance: about to be sent, or waiting for its time.
    Outside,
    /// Waiting for a server.
    Queued,
    /// Waiting for a worker, while it has a server.
    Ready,
    /// Being worked on.
    Working,
    /// Waiting for pools that it calls.
    Calling,
}

/// A try, or a probe.
#[derive(Debug, Clone, Copy)]
pub struct Try {
    /// Which of those that have been at this place.
    pub serial: u32,
    /// Where it comes from; [`PROBE`] for a probe.
    pub origin: u32,
    /// The instance that it is at.
    pub station: u32,
    /// The pool of that.
    pub pool: u32,
    /// 1 for a first try.
    pub attempt: u32,
    /// Where it is.
    pub stage: Stage,
    /// Has its client given up?
    pub timed_out: bool,
    /// Is its end the end of its request?
    pub is_last: bool,
    /// Was it sent to another pool than its home?
    pub redirected: bool,
    /// When the request's first try was sent.
    pub born: Nanos,
    /// When this try was sent.
    pub sent: Nanos,
    /// The try whose call it is, if it is one.
    pub parent: TryRef,
    /// The call edge that it is at.
    pub call: u32,
    /// Calls of that edge that are to be made yet.
    pub calls_left: u32,
    /// Calls that are under way.
    pub calls_open: u32,
    /// Work left while its instance stands still, in mean service times.
    pub work_left: f64,
    /// What is drawn for it.
    pub draws: Draws,
    /// Its neighbours at its instance, by place.
    pub beside: [u32; 2],
}

/// No place in the slab.
pub const NOWHERE: u32 = u32::MAX;

impl Try {
    /// A first try that is sent now and has not got anywhere.
    #[must_use]
    pub const fn first(origin: u32, pool: u32, now: Nanos, draws: Draws) -> Self {
        Self {
            serial: 0,
            origin,
            station: u32::MAX,
            pool,
            attempt: 1,
            stage: Stage::Outside,
            timed_out: false,
            is_last: false,
            redirected: false,
            born: now,
            sent: now,
            parent: TryRef::NONE,
            call: 0,
            calls_left: 0,
            calls_open: 0,
            work_left: 0.0,
            beside: [NOWHERE; 2],
            draws,
        }
    }
}

/// The slab.
#[derive(Debug, Default)]
pub struct Tries {
    all: Vec<Try>,
    free: Vec<u32>,
    /// By instance: one of those that are there, who leads to all others.
    heads: Vec<u32>,
}

impl Tries {
    /// Adds one.
    pub fn add(&mut self, mut one: Try) -> TryRef {
        if let Some(index) = self.free.pop() {
            one.serial = self.all[index as usize].serial;
            self.all[index as usize] = one;
            return TryRef { index, serial: one.serial };
        }
        one.serial = 0;
        self.all.push(one);
        TryRef { index: (self.all.len() - 1) as u32, serial: 0 }
    }

    /// The one that is meant, while it is still there.
    #[must_use]
    pub fn get(&self, one: TryRef) -> Option<&Try> {
        self.all.get(one.index as usize).filter(|there| there.serial == one.serial)
    }

    /// The one that is meant, to be changed.
    pub fn get_mut(&mut self, one: TryRef) -> Option<&mut Try> {
        self.all.get_mut(one.index as usize).filter(|there| there.serial == one.serial)
    }

    /// Gives up its place.
    pub fn remove(&mut self, one: TryRef) {
        if let Some(there) = self.get_mut(one) {
            there.serial = there.serial.wrapping_add(1);
            there.stage = Stage::Outside;
            there.station = u32::MAX;
            there.origin = PROBE;
            self.free.push(one.index);
        }
    }

    /// Makes it another try at the same place: references to the old one are stale.
    pub fn renew(&mut self, one: TryRef) -> TryRef {
        match self.get_mut(one) {
            Some(there) => {
                there.serial = there.serial.wrapping_add(1);
                TryRef { index: one.index, serial: there.serial }
            }
            None => one,
        }
    }

    /// Is nobody anywhere?
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.all.len() == self.free.len()
    }

    /// Notes that one is inside its instance now.
    pub fn come_in(&mut self, one: TryRef) {
        let Some(there) = self.get(one) else { return };
        let station = there.station as usize;
        if self.heads.len() <= station {
            self.heads.resize(station + 1, NOWHERE);
        }
        let next = std::mem::replace(&mut self.heads[station], one.index);
        self.all[one.index as usize].beside = [NOWHERE, next];
        if let Some(next) = self.all.get_mut(next as usize) {
            next.beside[0] = one.index;
        }
    }

    /// Notes that one is no longer inside its instance.
    pub fn go_out(&mut self, one: TryRef) {
        let Some(&Try { station, beside: [before, after], .. }) = self.get(one) else { return };
        match self.all.get_mut(before as usize) {
            Some(before) => before.beside[1] = after,
            None => self.heads[station as usize] = after,
        }
        if let Some(after) = self.all.get_mut(after as usize) {
            after.beside[0] = before;
        }
    }

    /// Takes everyone out of an instance, by place.
    pub fn take_all(&mut self, station: u32) -> Vec<TryRef> {
        let Some(head) = self.heads.get_mut(station as usize) else { return Vec::new() };
        let mut next = std::mem::replace(head, NOWHERE);
        let mut all = Vec::new();
        while let Some(there) = self.all.get_mut(next as usize) {
            there.stage = Stage::Outside;
            all.push(TryRef { index: next, serial: there.serial });
            next = there.beside[1];
        }
        all.sort_unstable_by_key(|one| one.index);
        all
    }

    /// Everyone at any instance, by place.
    pub fn inside(&self) -> impl Iterator<Item = (TryRef, &Try)> {
        let all = self.all.iter().enumerate();
        all.filter(|(_, there)| there.stage != Stage::Outside)
            .map(|(index, there)| (TryRef { index: index as u32, serial: there.serial }, there))
    }
}
