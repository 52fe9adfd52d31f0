//! Every instance of the fleet, as a structure of arrays: a pool's instances are one range.

/// Where an instance's process is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Process {
    /// Not launched.
    Absent,
    /// Launched or killed, comes up later.
    Starting,
    /// Lives.
    Up,
    /// Killed by an event, until that is undone.
    Dead,
}

/// A step that never comes.
pub const NEVER: u32 = u32::MAX;

/// Instances' state. All arrays are as long as the fleet, launches to come included.
#[derive(Debug, Default)]
pub struct Instances {
    /// Mean number in system: tries and probes.
    pub mean: Vec<f64>,
    /// Its variance.
    pub variance: Vec<f64>,
    /// Mean number of tries in system.
    pub tries: Vec<f64>,
    /// Of those, being served; empty unless some pool makes calls.
    pub serving: Vec<f64>,
    /// Dealt speed, around 1.
    pub speed: Vec<f64>,
    /// Standard normal: how lucky its last probe was.
    pub luck: Vec<f32>,
    /// Age of the oldest that waits, s.
    pub head_age_s: Vec<f32>,
    /// Age of the youngest that waits, s.
    pub tail_age_s: Vec<f32>,
    /// How long those being served have waited, s.
    pub served_wait_s: Vec<f32>,
    /// Standard normal: how lucky its number in system is; empty unless that can kill some
    /// instance.
    pub crash_luck: Vec<f32>,
    /// How often that was drawn; empty likewise.
    pub crash_draws: Vec<u32>,
    /// What is kept beside, in some fleets only.
    pub kept: Kept,
    /// Which table it reads.
    pub table: Vec<u32>,
    /// The step in which its next probe is sent.
    pub probe_step: Vec<u32>,
    /// Probes sent so far.
    pub probes: Vec<u32>,
    /// The boundary at which a pending probe's answer takes effect.
    pub answer_step: Vec<u32>,
    /// The boundary at which it comes up while starting, or at which it last came up; long ago for
    /// those there from the start.
    pub up_at: Vec<i32>,
    /// When it last entered rotation.
    pub rotation_since: Vec<i32>,
    /// Probes in a row that passed, or, below 0, that failed.
    pub streak: Vec<i16>,
    /// Where its process is.
    pub process: Vec<Process>,
    /// Events that hold it dead.
    pub deaths: Vec<u16>,
    /// See the constants of [`flag`].
    pub flags: Vec<u8>,
}

/// What is kept of instances in some fleets only: a large fleet is mostly memory.
#[derive(Debug, Clone, Copy, Default)]
pub struct Kept {
    /// Tries that are being served.
    pub serving: bool,
    /// The luck of queues that may kill their instance.
    pub crashes: bool,
}

/// Bits of [`Instances::flags`].
pub mod flag {
    /// The load balancer sends it traffic.
    pub const IN_ROTATION: u8 = 1;
    /// It counts in its pool's share in rotation.
    pub const EXPECTED: u8 = 2;
    /// The health check gave it up for good.
    pub const REMOVED: u8 = 4;
    /// The pending probe has passed.
    pub const PASSED: u8 = 8;
    /// Its places are limited by `max_wait`, which probes ignore.
    pub const BY_DEADLINE: u8 = 32;
    /// Nobody wants it any more: it finishes what it has, and ends.
    pub const DISMISSED: u8 = 16;
}

/// Steps that lie far enough in the past for every ramp to be over.
pub const LONG_AGO: i32 = i32::MIN;

impl Instances {
    /// Adds one that is not launched yet.
    pub fn push_absent(&mut self, speed: f64) {
        self.mean.push(0.0);
        self.variance.push(0.0);
        self.tries.push(0.0);
        self.speed.push(speed);
        self.luck.push(0.0);
        self.head_age_s.push(0.0);
        self.tail_age_s.push(0.0);
        self.served_wait_s.push(0.0);
        self.table.push(0);
        self.probe_step.push(NEVER);
        self.probes.push(0);
        self.answer_step.push(NEVER);
        self.up_at.push(LONG_AGO);
        self.rotation_since.push(LONG_AGO);
        self.streak.push(0);
        self.process.push(Process::Absent);
        self.deaths.push(0);
        self.flags.push(0);
        if self.kept.serving {
            self.serving.push(0.0);
        }
        if self.kept.crashes {
            self.crash_luck.push(0.0);
            self.crash_draws.push(0);
        }
    }

    /// Reserves room for so many.
    pub fn reserve(&mut self, count: usize) {
        self.mean.reserve_exact(count);
        self.variance.reserve_exact(count);
        self.tries.reserve_exact(count);
        self.speed.reserve_exact(count);
        self.luck.reserve_exact(count);
        self.head_age_s.reserve_exact(count);
        self.tail_age_s.reserve_exact(count);
        self.served_wait_s.reserve_exact(count);
        self.table.reserve_exact(count);
        self.probe_step.reserve_exact(count);
        self.probes.reserve_exact(count);
        self.answer_step.reserve_exact(count);
        self.up_at.reserve_exact(count);
        self.rotation_since.reserve_exact(count);
        self.streak.reserve_exact(count);
        self.process.reserve_exact(count);
        self.deaths.reserve_exact(count);
        self.flags.reserve_exact(count);
    }

    /// Does its process live?
    #[must_use]
    pub fn is_up(&self, i: usize) -> bool {
        self.process[i] == Process::Up
    }

    /// Is a bit of its flags set?
    #[must_use]
    pub fn has(&self, i: usize, bit: u8) -> bool {
        self.flags[i] & bit != 0
    }

    /// Sets or clears a bit of its flags.
    pub fn mark(&mut self, i: usize, bit: u8, on: bool) {
        if on { self.flags[i] |= bit } else { self.flags[i] &= !bit }
    }

    /// Empties it: nothing is in the system any more.
    pub fn clear_load(&mut self, i: usize) {
        self.mean[i] = 0.0;
        self.variance[i] = 0.0;
        self.tries[i] = 0.0;
        if let Some(serving) = self.serving.get_mut(i) {
            *serving = 0.0;
        }
        self.head_age_s[i] = 0.0;
        self.tail_age_s[i] = 0.0;
        self.served_wait_s[i] = 0.0;
    }
}
