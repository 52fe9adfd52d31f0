//! What can be read off one run.

use serde::Serialize;

use crate::engine::ProbeFailure;
use crate::metric::{RunResult, Summary};
use crate::model::Scenario;

use super::alerts::{AlertFact, alerts};
use super::cause::{Detection, EventFact, InstanceOut, detection, events};
use super::losses::{Loss, losses};
use super::response::{Response, response};
use super::rows::Rows;
use super::shift::{Shift, shift};
use super::shortage::{Shortage, shortages};
use super::traffic::{PoolTraffic, traffic};

/// What can be read off one run.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Facts {
    /// The first event, simulation time; none without events.
    pub trigger_s: Option<f64>,
    /// Levels are means over this long.
    pub window_s: f64,
    /// First tries of all clients, as the file begins.
    pub first_tries_rps: f64,
    /// What happens, by time.
    pub events: Vec<EventFact>,
    /// How the load balancer found out.
    pub detection: Option<Detection>,
    /// What it moved.
    pub shift: Option<Shift>,
    /// What ran out, by time.
    pub shortages: Vec<Shortage>,
    /// What was tightest, where nothing ran out.
    pub tightest: Option<Shortage>,
    /// Further pools lost, by time.
    pub losses: Vec<Loss>,
    /// Which of the lost pools' instances left rotation first.
    pub first_ejection: Option<InstanceOut>,
    /// What else the fleet did.
    pub response: Response,
    /// How pools' traffic fared.
    pub traffic: Vec<PoolTraffic>,
    /// Alerts that fired.
    pub alerts: Vec<AlertFact>,
    /// How it ended.
    pub ending: Ending,
}

/// How a run ended: the comparison's columns that the story needs.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Ending {
    /// Its word.
    pub outcome: &'static str,
    /// Was there a request after the detection deadline to judge by?
    pub is_judged: bool,
    /// Did the fleet recover? None when the trigger never ends.
    pub recovered: Option<bool>,
    /// From the trigger.
    pub time_to_recover_s: Option<f64>,
    /// From the trigger.
    pub time_to_full_outage_s: Option<f64>,
    /// From the trigger.
    pub time_to_nothing_in_rotation_s: Option<f64>,
    /// Share of requests answered in time.
    pub goodput_ratio: f64,
    /// Share of requests answered by a fallback.
    pub degraded_ratio: f64,
    /// Share of requests refused on purpose.
    pub shed_ratio: f64,
    /// Healthy capacity at the end ÷ time 0.
    pub final_healthy_capacity_ratio: f64,
    /// Largest tries ÷ first tries.
    pub peak_amplification: Option<f64>,
    /// Distinct further pools lost after the first shift.
    pub cascade_propagation_count: u32,
}

impl Ending {
    fn new(summary: &Summary) -> Self {
        Self {
            outcome: summary.outcome.word(),
            is_judged: summary.is_judged,
            recovered: summary.recovered,
            time_to_recover_s: summary.time_to_recover_s,
            time_to_full_outage_s: summary.time_to_full_outage_s,
            time_to_nothing_in_rotation_s: summary.time_to_nothing_in_rotation_s,
            goodput_ratio: summary.goodput_ratio,
            degraded_ratio: summary.degraded_ratio,
            shed_ratio: summary.shed_ratio,
            final_healthy_capacity_ratio: summary.final_healthy_capacity_ratio,
            peak_amplification: summary.peak_amplification,
            cascade_propagation_count: summary.cascade_propagation_count,
        }
    }
}

impl Facts {
    /// Reads them off a run and its failed probes.
    #[must_use]
    pub fn new(scenario: &Scenario, result: &RunResult, failures: &[ProbeFailure]) -> Self {
        let origin_s = result.trigger_s.unwrap_or(0.0);
        let rows = Rows::new(scenario, result);
        let losses = losses(scenario, result, &rows, failures, origin_s);
        let first_loss_s = losses.first().map(|loss| loss.time_to_s + origin_s);
        let (shortages, tightest) = shortages(scenario, result, &rows, origin_s);
        let outs = losses.iter().filter_map(|loss| loss.first_out.as_ref());
        let first_ejection = outs.min_by(|a, b| a.time_to_s.total_cmp(&b.time_to_s)).cloned();
        Self {
            trigger_s: result.trigger_s,
            window_s: rows.window_s,
            first_tries_rps: scenario.demand_rps(),
            events: events(scenario),
            detection: detection(scenario, result, origin_s),
            shift: shift(scenario, result, &rows, origin_s),
            shortages,
            tightest,
            first_ejection,
            response: response(scenario, result, origin_s),
            traffic: traffic(scenario, &rows, origin_s),
            alerts: alerts(scenario, result, origin_s, first_loss_s),
            ending: Ending::new(&result.summary),
            losses,
        }
    }
}
