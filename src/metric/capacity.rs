//! Healthy capacity of the fleet, and the load on pools that receive redirected traffic.

use crate::engine::Snapshot;

use super::{Metric, Summary};

/// Healthy capacity of the fleet, rps; of pools that have a limit.
pub fn healthy_capacity_rps(snapshot: &Snapshot<'_>) -> f64 {
    let limits_rps = snapshot.pools.iter().map(|pool| pool.healthy_capacity_rps);
    limits_rps.filter(|limit_rps| limit_rps.is_finite()).sum()
}

/// Least and last healthy capacity, highest utilization of a receiver.
pub struct Capacity {
    trigger_s: f64,
    at_start_rps: f64,
    least_rps: f64,
    last_rps: f64,
    peak_receiver_utilization: Option<f64>,
}

impl Capacity {
    /// Over the window that begins at `trigger_s`.
    pub fn new(trigger_s: f64) -> Self {
        Self {
            trigger_s,
            at_start_rps: 0.0,
            least_rps: f64::INFINITY,
            last_rps: 0.0,
            peak_receiver_utilization: None,
        }
    }
}

impl Metric for Capacity {
    fn start(&mut self, snapshot: &Snapshot<'_>) {
        self.at_start_rps = healthy_capacity_rps(snapshot);
        self.last_rps = self.at_start_rps;
    }

    fn step(&mut self, snapshot: &Snapshot<'_>) {
        self.last_rps = healthy_capacity_rps(snapshot);
        if snapshot.began_at_or_after(self.trigger_s) {
            self.least_rps = self.least_rps.min(self.last_rps);
        }
        for pool in snapshot.pools.iter().filter(|pool| pool.redirected_in > 0.0) {
            if let Some(utilization) = pool.utilization(snapshot.step_s) {
                let peak = self.peak_receiver_utilization.unwrap_or(0.0);
                self.peak_receiver_utilization = Some(peak.max(utilization));
            }
        }
    }

    fn finish(&mut self, summary: &mut Summary) {
        let ratio = |rps: f64| if self.at_start_rps > 0.0 { rps / self.at_start_rps } else { 0.0 };
        summary.min_healthy_capacity_ratio = ratio(self.least_rps.min(self.at_start_rps));
        summary.final_healthy_capacity_ratio = ratio(self.last_rps);
        summary.peak_receiver_utilization = self.peak_receiver_utilization;
    }
}
