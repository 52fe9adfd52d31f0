//! Which alert would have told, and how early.

use serde::Serialize;

use crate::metric::RunResult;
use crate::model::Scenario;

/// An alert that fired.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct AlertFact {
    /// Its name.
    pub name: String,
    /// What it watches.
    pub signal: &'static str,
    /// How much it matters.
    pub severity: &'static str,
    /// What is to be done.
    pub response: String,
    /// The pool that it is about.
    pub pool: Option<String>,
    /// When it fired, from the trigger.
    pub time_to_s: f64,
    /// The signal's value then.
    pub value: f64,
    /// How long before the first further pool was lost; below 0 after it, none without a loss.
    pub lead_s: Option<f64>,
    /// Did nothing come of what it warns of?
    pub is_false: bool,
}

/// The alerts that fired, by time.
pub fn alerts(
    scenario: &Scenario,
    result: &RunResult,
    origin_s: f64,
    first_loss_s: Option<f64>,
) -> Vec<AlertFact> {
    let fired = result.alerts.iter().filter_map(|fired| {
        let alert = scenario.alerts.get(fired.alert as usize)?;
        Some(AlertFact {
            name: alert.name.clone(),
            signal: alert.signal.word(),
            severity: alert.severity.word(),
            response: alert.response.clone(),
            pool: fired.pool.map(|pool| scenario.pools[pool.index()].name.clone()),
            time_to_s: fired.time_s - origin_s,
            value: fired.value,
            lead_s: first_loss_s.map(|loss_s| loss_s - fired.time_s),
            is_false: fired.is_false,
        })
    });
    fired.collect()
}
