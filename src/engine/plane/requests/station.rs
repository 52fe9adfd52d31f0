//! One instance's servers, workers and queues.

use std::collections::VecDeque;

use super::clock::Nanos;
use super::tries::TryRef;

/// No limit.
pub const UNLIMITED: u64 = u64::MAX;

/// An instance.
#[derive(Debug, Clone)]
pub struct Station {
    /// Its pool.
    pub pool: u32,
    /// Does its process live?
    pub is_up: bool,
    /// Tries and probes inside.
    pub inside: u64,
    /// Of those, tries.
    pub tries: u64,
    /// Requests that are served at a time, c.
    pub servers: u64,
    /// Of those, taken.
    pub busy: u64,
    /// Where calls free workers: how many there are, else unlimited.
    pub workers: u64,
    /// Of those, working.
    pub working: u64,
    /// Most inside that a try finds and is still admitted.
    pub limit: u64,
    /// The same for a probe.
    pub hard_limit: u64,
    /// Most inside before it dies.
    pub crash_room: u64,
    /// The resource that kills it.
    pub crash_resource: u32,
    /// Mean time of a piece of work, ns; infinite in a stall.
    pub mean: f64,
    /// Those that wait for a server.
    pub queue: VecDeque<TryRef>,
    /// Those that wait for a worker.
    pub ready: VecDeque<TryRef>,
    /// The probe under way.
    pub probe: Option<Probe>,
}

/// A probe under way.
#[derive(Debug, Clone, Copy)]
pub struct Probe {
    /// Its place in the slab; nobody where the queue was full.
    pub at: TryRef,
    /// When it was sent.
    pub sent: Nanos,
    /// When it counts as failed.
    pub deadline: Nanos,
    /// How long the queue had it wait then, ns; none where it was refused.
    pub wait: Option<f64>,
}

impl Station {
    /// An empty instance of a pool.
    #[must_use]
    pub fn new(pool: u32) -> Self {
        Self {
            pool,
            is_up: false,
            inside: 0,
            tries: 0,
            servers: UNLIMITED,
            busy: 0,
            workers: UNLIMITED,
            working: 0,
            limit: UNLIMITED,
            hard_limit: UNLIMITED,
            crash_room: UNLIMITED,
            crash_resource: 0,
            mean: f64::INFINITY,
            queue: VecDeque::new(),
            ready: VecDeque::new(),
            probe: None,
        }
    }

    /// How long a newcomer waits when so many stand in the queue: until as many and one more are
    /// done, ns.
    #[must_use]
    pub fn wait(&self, waiting: usize) -> f64 {
        let ready = if self.working < self.workers { 0.0 } else { 1.0 + self.ready.len() as f64 };
        let queued = if self.busy < self.servers { 0.0 } else { 1.0 + waiting as f64 };
        let each = |places: u64| self.mean / places.max(1) as f64;
        let wait = |count: f64, places| if count > 0.0 { count * each(places) } else { 0.0 };
        wait(queued, self.servers).max(wait(ready, self.workers))
    }

    /// Empties it.
    pub fn clear(&mut self) {
        self.inside = 0;
        self.tries = 0;
        self.busy = 0;
        self.working = 0;
        self.queue.clear();
        self.ready.clear();
        self.probe = None;
    }
}
