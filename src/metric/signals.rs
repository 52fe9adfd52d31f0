//! The production signals as a monitoring system sees them, step by step (MODEL §10). All but what
//! the events hit, which the scenario says, could be known from outside.

use crate::engine::{Happening, LogEntry, Snapshot};
use crate::model::{AlertSignal, Scenario};

use super::capacity::healthy_capacity_rps;
use super::hit::hit_pools;
use super::own_share::OwnShare;
use super::past::Past;

/// Utilization is a mean over this time, as of counters that are read every few seconds: of single
/// steps, luck would be alarming.
pub const RATE_S: f64 = 10.0;
/// Parts of that time that are summed one by one.
const MOST_SLOTS: u32 = 20;
/// Window of the trend in `fleet.csv` where no alert says.
const TREND_S: f64 = 60.0;

/// Sums of a pool over one slot.
#[derive(Debug, Clone, Copy, Default)]
struct Slot {
    work: f64,
    /// Requests that it could have served.
    room: f64,
}

/// Signals so far.
#[derive(Debug)]
pub(super) struct Signals<'a> {
    is_hit: Vec<bool>,
    own_share: OwnShare<'a>,
    steps: u32,
    slot_steps: u32,
    slots_a_pool: usize,
    slots: Vec<Slot>,
    /// By pool, the last step in which redirected traffic reached it; 0 for never.
    last_received: Vec<u32>,
    /// By pool: its utilization over the last [`RATE_S`], while redirected traffic reaches it.
    pub(super) receiving: Vec<Option<f64>>,
    /// When the latest redirect of any pool began, s.
    pub(super) last_redirect_s: Option<f64>,
    /// By pool, hit by no event: when it was last lost after the first redirect, s.
    lost_s: Vec<Option<f64>>,
    /// How many of those there are.
    pub(super) further_lost: u32,
    at_start_rps: f64,
    /// Healthy capacity of each pool in the step before, rps.
    pool_rps: Vec<f64>,
    /// Instances that each pool ought to have had then.
    pool_expected: Vec<u32>,
    /// Healthy capacity of the pools at the start, rps.
    pool_at_start_rps: Vec<f64>,
    /// Change of the fleet's healthy capacity since time 0 that neither an event nor an autoscaler
    /// explains, rps.
    unexplained_rps: f64,
    capacity: Past,
}

impl<'a> Signals<'a> {
    /// Before the first step.
    pub(super) fn new(scenario: &'a Scenario) -> Self {
        let pools = scenario.pools.len();
        let rate_steps = (RATE_S / scenario.simulation.step.get()).round().clamp(1.0, 1e9) as u32;
        let slot_steps = rate_steps.div_ceil(MOST_SLOTS);
        let slots_a_pool = rate_steps.div_ceil(slot_steps) as usize;
        Self {
            is_hit: hit_pools(scenario),
            own_share: OwnShare::new(scenario),
            steps: 0,
            slot_steps,
            slots_a_pool,
            slots: vec![Slot::default(); pools * slots_a_pool],
            last_received: vec![0; pools],
            receiving: vec![None; pools],
            last_redirect_s: None,
            lost_s: vec![None; pools],
            further_lost: 0,
            at_start_rps: 0.0,
            pool_rps: Vec::new(),
            pool_expected: Vec::new(),
            pool_at_start_rps: Vec::new(),
            unexplained_rps: 0.0,
            capacity: Past::new(TREND_S, scenario.simulation.step.get(), 0.0),
        }
    }

    /// The fleet before the first step.
    pub(super) fn start(&mut self, scenario: &Scenario, snapshot: &Snapshot<'_>) {
        self.at_start_rps = healthy_capacity_rps(snapshot);
        self.pool_rps = snapshot.pools.iter().map(|pool| pool.healthy_capacity_rps).collect();
        self.pool_expected = snapshot.pools.iter().map(|pool| pool.expected).collect();
        self.pool_at_start_rps.clone_from(&self.pool_rps);
        let is_trend = |signal| signal == AlertSignal::FleetWideCapacityTrend;
        let alert = scenario.alerts.iter().find(|alert| is_trend(alert.signal));
        let window_s = alert.map_or(TREND_S, |alert| alert.within.get());
        self.capacity = Past::new(window_s, snapshot.step_s, self.at_start_rps);
    }

    /// Something happened.
    pub(super) fn happened(&mut self, entry: &LogEntry) {
        match entry.what {
            Happening::RedirectStart { .. } => self.last_redirect_s = Some(entry.time_s),
            Happening::PoolUnhealthy { pool, .. } if !self.is_hit[pool.index()] => {
                if self.last_redirect_s.is_some() {
                    let before = self.lost_s[pool.index()].replace(entry.time_s);
                    self.further_lost += u32::from(before.is_none());
                }
            }
            _ => self.own_share.happened(entry),
        }
    }

    /// A step is over.
    pub(super) fn step(&mut self, snapshot: &Snapshot<'_>) {
        self.steps += 1;
        self.add_utilization(snapshot);
        let mut fleet_rps = 0.0;
        for (index, pool) in snapshot.pools.iter().enumerate() {
            let expected = std::mem::replace(&mut self.pool_expected[index], pool.expected);
            let now_rps = pool.healthy_capacity_rps;
            if !now_rps.is_finite() {
                continue;
            }
            fleet_rps += now_rps;
            let before_rps = std::mem::replace(&mut self.pool_rps[index], now_rps);
            if now_rps != before_rps && before_rps.is_finite() {
                // What is scaled down is not wanted any more.
                let kept = f64::from(pool.expected) / f64::from(expected.max(1));
                let before_rps = before_rps * kept.min(1.0);
                // What the events take may come and go.
                let most_rps = match self.own_share.taken[index] {
                    0.0 => f64::INFINITY,
                    taken => (1.0 - taken) * self.pool_at_start_rps[index],
                };
                self.unexplained_rps += now_rps.min(most_rps) - before_rps.min(most_rps);
            }
        }
        self.capacity.add(fleet_rps);
    }

    fn add_utilization(&mut self, snapshot: &Snapshot<'_>) {
        let step = self.steps - 1;
        let slot = (step / self.slot_steps) as usize % self.slots_a_pool;
        let is_new = step.is_multiple_of(self.slot_steps);
        let long_ago = self.slot_steps * self.slots_a_pool as u32;
        let slots = self.slots.chunks_exact_mut(self.slots_a_pool);
        for (index, (slots, pool)) in slots.zip(snapshot.pools).enumerate() {
            if is_new {
                slots[slot] = Slot::default();
            }
            let room = pool.routed_capacity_rps * snapshot.step_s;
            // Work sent where nothing was in rotation is lost, not utilization.
            if room > 0.0 {
                slots[slot].work += pool.work;
                slots[slot].room += room;
            }
            if pool.redirected_in > 0.0 {
                self.last_received[index] = self.steps;
            }
            let last = self.last_received[index];
            let receives = last > 0 && self.steps - last < long_ago;
            self.receiving[index] = if receives { mean(slots) } else { None };
        }
    }

    /// Distinct further pools lost in the time since `since_s`.
    pub(super) fn lost_since(&self, since_s: f64) -> u32 {
        if self.further_lost == 0 {
            return 0;
        }
        self.lost_s.iter().flatten().filter(|lost_s| **lost_s >= since_s).count() as u32
    }

    /// Change of the fleet's healthy capacity over the trend's window ÷ time 0; falling is
    /// negative.
    pub(super) fn trend(&self) -> f64 {
        self.share(self.pool_rps_sum() - self.capacity.then())
    }

    fn pool_rps_sum(&self) -> f64 {
        self.pool_rps.iter().filter(|rps| rps.is_finite()).sum()
    }

    /// Change since time 0 of the fleet's healthy capacity that neither an event nor an autoscaler
    /// explains ÷ time 0.
    pub(super) fn unexplained(&self) -> f64 {
        self.share(self.unexplained_rps)
    }

    fn share(&self, rps: f64) -> f64 {
        if self.at_start_rps > 0.0 { rps / self.at_start_rps } else { 0.0 }
    }
}

fn mean(slots: &[Slot]) -> Option<f64> {
    let (work, room) =
        slots.iter().fold((0.0, 0.0), |sums, slot| (sums.0 + slot.work, sums.1 + slot.room));
    (room > 0.0 && room.is_finite()).then(|| work / room)
}
