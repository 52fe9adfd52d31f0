//! Settings of alerts.

use super::{LENGTH, TIME};
use crate::config::setting::{Default, Kind, Range, Setting};

const SIGNALS: &[&str] = &[
    "receiving_pool_capacity_utilization",
    "cascade_propagation_count",
    "fleet_wide_capacity_trend",
];

pub(super) fn alert() -> Vec<Setting> {
    let by_signal = Default::Derived("depends on the signal");
    vec![
        Setting::new("alert.*.signal", Kind::Word(SIGNALS), Default::Required, "What it watches."),
        Setting::new(
            "alert.*.above",
            Kind::Ratio(Range::from(0.0, 1_000_000.0)),
            by_signal.clone(),
            "It fires when the signal is above this: a utilization, a number of pools, or a fall \
             of capacity beyond the trigger's own share.",
        ),
        Setting::new(
            "alert.*.within",
            LENGTH,
            by_signal.clone(),
            "How long after a redirect it watches utilization, how long a lost pool counts, or \
             the time over which capacity falls.",
        ),
        Setting::new(
            "alert.*.for",
            TIME,
            by_signal.clone(),
            "How long the condition has to hold without a break.",
        ),
        Setting::new(
            "alert.*.severity",
            Kind::Word(&["low", "medium", "high"]),
            Default::Is("\"high\""),
            "How much it matters.",
        ),
        Setting::new("alert.*.response", Kind::Text, by_signal, "What is to be done."),
    ]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::{AlertSet, AlertSeverity, AlertSignal};

    #[test]
    fn words_are_the_models() {
        assert_eq!(SIGNALS, AlertSignal::ALL.map(AlertSignal::word));
        let settings = [alert(), super::super::run::simulation()].concat();
        let words = |path: &str| match settings.iter().find(|s| s.path == path).map(|s| &s.kind) {
            Some(Kind::Word(words)) => words.to_vec(),
            _ => vec![],
        };
        assert_eq!(words("alert.*.severity"), AlertSeverity::ALL.map(AlertSeverity::word));
        assert_eq!(words("simulation.alerts"), AlertSet::ALL.map(AlertSet::word));
    }
}
