//! Which alerts fire, when, and how long before what they warn of.

use crate::engine::{LogEntry, Snapshot};
use crate::model::{Alert, AlertOutage, AlertSignal, PoolId, Scenario};

use super::past::Past;
use super::signals::Signals;
use super::{FiredAlert, Summary};

/// Watches the signals of a run.
#[derive(Debug)]
pub struct Alerts<'a> {
    scenario: &'a Scenario,
    trigger_s: f64,
    pub(super) signals: Signals<'a>,
    watched: Vec<Watched<'a>>,
    fired: Vec<FiredAlert>,
}

/// An alert that has not fired yet.
#[derive(Debug)]
struct Watched<'a> {
    index: u32,
    alert: &'a Alert,
    /// Since when its condition holds without a break: by pool for the receiving pool.
    since_s: Vec<Option<f64>>,
    /// For the trend: what no event explains, as it was a window ago.
    unexplained: Option<Past>,
}

impl<'a> Alerts<'a> {
    /// For a scenario whose window begins at `trigger_s`.
    pub fn new(scenario: &'a Scenario, trigger_s: f64) -> Self {
        let step_s = scenario.simulation.step.get();
        let watched = |(index, alert): (usize, &'a Alert)| {
            let of_fleet = match alert.signal {
                AlertSignal::ReceivingPoolCapacityUtilization => None,
                AlertSignal::CascadePropagationCount | AlertSignal::FleetWideCapacityTrend => {
                    Some(1)
                }
            };
            let is_trend = alert.signal == AlertSignal::FleetWideCapacityTrend;
            Watched {
                index: index as u32,
                alert,
                since_s: vec![None; of_fleet.unwrap_or(scenario.pools.len())],
                unexplained: is_trend.then(|| Past::new(alert.within.get(), step_s, 0.0)),
            }
        };
        Self {
            scenario,
            trigger_s,
            signals: Signals::new(scenario),
            watched: scenario.alerts.iter().enumerate().map(watched).collect(),
            fired: Vec::new(),
        }
    }

    /// The fleet before the first step.
    pub fn start(&mut self, snapshot: &Snapshot<'_>) {
        self.signals.start(self.scenario, snapshot);
    }

    /// Something happened.
    pub fn happened(&mut self, entry: &LogEntry) {
        self.signals.happened(entry);
    }

    /// A step is over. Each alert fires at most once a run: who is called stays awake.
    pub fn step(&mut self, snapshot: &Snapshot<'_>) {
        self.signals.step(snapshot);
        let Self { signals, watched, fired, .. } = self;
        watched.retain_mut(|watched| match watched.step(signals, snapshot) {
            Some(alert) => {
                fired.push(alert);
                false
            }
            None => true,
        });
    }

    /// The alerts that fired, in order, with their lead over what came.
    pub fn finish(self, summary: &Summary) -> Vec<FiredAlert> {
        let Self { scenario, trigger_s, mut fired, .. } = self;
        for alert in &mut fired {
            let outage_s = match scenario.alerts[alert.alert as usize].signal.outage() {
                AlertOutage::FurtherPoolLost => summary.time_to_first_propagation_s,
                AlertOutage::NoPoolHealthy => summary.time_to_full_outage_s,
            };
            alert.lead_s = outage_s.map(|outage_s| outage_s - (alert.time_s - trigger_s));
            let is_quiet = summary.time_to_first_propagation_s.is_none();
            alert.is_false = is_quiet && outage_s.is_none();
        }
        fired
    }
}

impl Watched<'_> {
    fn step(&mut self, signals: &Signals<'_>, snapshot: &Snapshot<'_>) -> Option<FiredAlert> {
        let time_s = snapshot.time_s;
        let within_s = self.alert.within.get() + 1e-9 * snapshot.step_s;
        match self.alert.signal {
            AlertSignal::ReceivingPoolCapacityUtilization => {
                let redirect_s = signals.last_redirect_s?;
                let is_within = time_s - redirect_s <= within_s;
                let mut highest: Option<FiredAlert> = None;
                for (index, utilization) in signals.receiving.iter().enumerate() {
                    let value = utilization.filter(|_| is_within);
                    if let Some(value) = self.held(index, value, snapshot)
                        && highest.is_none_or(|highest| value > highest.value)
                    {
                        let pool = Some(PoolId::from_index(index));
                        highest = Some(self.fired(time_s, pool, value));
                    }
                }
                highest
            }
            AlertSignal::CascadePropagationCount => {
                let count = f64::from(signals.lost_since(time_s - within_s));
                let value = self.held(0, Some(count), snapshot)?;
                Some(self.fired(time_s, None, value))
            }
            AlertSignal::FleetWideCapacityTrend => {
                let past = self.unexplained.as_mut()?;
                let now = signals.unexplained();
                past.add(now);
                // A fall that is nothing but rounding is none.
                let fall = past.then() - now;
                let fall = if fall > 1e-9 { fall } else { 0.0 };
                let value = self.held(0, Some(fall), snapshot)?;
                Some(self.fired(time_s, None, value))
            }
        }
    }

    /// The value, if it has been above the threshold for long enough.
    fn held(&mut self, place: usize, value: Option<f64>, snapshot: &Snapshot<'_>) -> Option<f64> {
        let above = value.filter(|value| *value > self.alert.above);
        let since_s = &mut self.since_s[place];
        let Some(value) = above else {
            *since_s = None;
            return None;
        };
        let held_s = snapshot.time_s - *since_s.get_or_insert(snapshot.time_s);
        (held_s >= self.alert.sustained.get() - 1e-9 * snapshot.step_s).then_some(value)
    }

    const fn fired(&self, time_s: f64, pool: Option<PoolId>, value: f64) -> FiredAlert {
        FiredAlert { alert: self.index, time_s, pool, value, lead_s: None, is_false: false }
    }
}
