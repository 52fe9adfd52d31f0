//! A scenario's alerts as a Prometheus rule file.

use std::fmt::Write;

use crate::metric::{RATE_S, own_share};
use crate::model::{Alert, AlertSignal, PoolId, Scenario};

/// Writes recording rules for the three signals and a rule for each alert, in YAML. They go by
/// gauges that are called like the columns of `timeline.csv`; the file's comments name them.
///
/// What a rule cannot know is which pools an event hit. So a further pool is one that took
/// redirected traffic before it was lost, and the trigger's own share is a number out of the
/// scenario ([`own_share`]): a fall counts once the fleet is short of more than that.
#[must_use]
pub fn prometheus_rules(scenario: &Scenario) -> String {
    let mut out = head(scenario);
    for signal in AlertSignal::ALL {
        let window_s = window_s(scenario, signal);
        let expression = expression(scenario, signal, window_s);
        let _ = writeln!(out, "      - record: {}", signal.word());
        let _ = writeln!(out, "        expr: {}", quoted(&expression));
    }
    for alert in &scenario.alerts {
        write_alert(scenario, alert, &mut out);
    }
    out
}

fn head(scenario: &Scenario) -> String {
    let name = &scenario.name;
    format!(
        "\
# Alerts of the zonefall scenario {name}, with its names, thresholds and responses.
#
# They need these gauges, with the labels zone and pool, named like the columns of timeline.csv:
#   utilization           work routed to a pool / its capacity in rotation, mean over {RATE_S} s
#   redirected_in_rps     traffic of other pools that comes to it
#   redirected_out_rps    traffic of its own that goes elsewhere
#   healthy_capacity_rps  what its instances in rotation and up can complete a second
#   pool_unhealthy        1 while its state is failing-over or down, else 0
# Where others report gauges of these names too, add a selector to each.
#
# A further pool is one that took redirected traffic before it was lost. Constants out of the
# scenario: the fleet's healthy capacity when all is well, and the share of it that the trigger
# takes by itself.
groups:
  - name: {}
    rules:
",
        quoted(name)
    )
}

/// The window of a recorded signal: the first alert's on it, or the usual one.
fn window_s(scenario: &Scenario, signal: AlertSignal) -> f64 {
    let alert = scenario.alerts.iter().find(|alert| alert.signal == signal);
    alert.map_or(signal.default_threshold().within_s, |alert| alert.within.get())
}

/// A signal in PromQL.
fn expression(scenario: &Scenario, signal: AlertSignal, window_s: f64) -> String {
    let window = duration(window_s);
    match signal {
        AlertSignal::ReceivingPoolCapacityUtilization => {
            "utilization and on (zone, pool) redirected_in_rps > 0".to_owned()
        }
        AlertSignal::CascadePropagationCount => format!(
            "count(max_over_time(pool_unhealthy[{window}]) == 1 \
             unless on (zone, pool) pool_unhealthy offset {window} == 1 \
             and on (zone, pool) max_over_time(redirected_in_rps[{window}]) > 0) or vector(0)"
        ),
        AlertSignal::FleetWideCapacityTrend => format!(
            "(sum(healthy_capacity_rps) - sum(healthy_capacity_rps offset {window})) / {}",
            fleet_rps(scenario)
        ),
    }
}

/// Nominal capacity of all pools that have a limit, rps.
fn fleet_rps(scenario: &Scenario) -> f64 {
    let pools = (0..scenario.pools.len()).map(PoolId::from_index);
    let rps: f64 = pools
        .map(|pool| scenario.nominal_capacity_rps(pool))
        .filter(|pool_rps| pool_rps.is_finite())
        .sum();
    if rps > 0.0 { (rps * 1e6).round() / 1e6 } else { 1.0 }
}

fn write_alert(scenario: &Scenario, alert: &Alert, out: &mut String) {
    let (above, within) = (alert.above, duration(alert.within.get()));
    let (condition, summary) = match alert.signal {
        AlertSignal::ReceivingPoolCapacityUtilization => (
            format!(
                "{} > {above} and on () count(redirected_out_rps > 0 \
                 unless redirected_out_rps offset {within} > 0) > 0",
                alert.signal.word()
            ),
            "{{ $labels.pool }} takes redirected traffic at {{ $value | humanizePercentage }} of \
             its capacity"
                .to_owned(),
        ),
        AlertSignal::CascadePropagationCount => (
            format!("{} > {above}", count(scenario, alert)),
            format!("{{{{ $value }}}} further pools were lost within {within}"),
        ),
        AlertSignal::FleetWideCapacityTrend => {
            // Rounded up: the trigger's own fall alone is no alarm.
            let own = (own_share(scenario) * 1e6).ceil() / 1e6;
            let summary = format!(
                "healthy capacity fell by {{{{ $value | humanizePercentage }}}} within {within} \
                 beyond the trigger's own share"
            );
            // What is missing beyond the trigger's share, and how much of that is new.
            let missing = |offset: &str| {
                let fleet_rps = fleet_rps(scenario);
                format!("clamp_min(1 - sum(healthy_capacity_rps{offset}) / {fleet_rps} - {own}, 0)")
            };
            let now_and_then = [missing(""), missing(&format!(" offset {within}"))];
            (format!("{} > {above}", now_and_then.join(" - ")), summary)
        }
    };
    let _ = writeln!(out, "      - alert: {}", quoted(&alert.name));
    let _ = writeln!(out, "        expr: {}", quoted(&condition));
    let _ = writeln!(out, "        for: {}", duration(alert.sustained.get()));
    let _ = writeln!(out, "        labels:");
    let _ = writeln!(out, "          severity: {}", alert.severity.word());
    let _ = writeln!(out, "          signal: {}", alert.signal.word());
    let _ = writeln!(out, "        annotations:");
    let _ = writeln!(out, "          summary: {}", quoted(&summary));
    let _ = writeln!(out, "          response: {}", quoted(&literal(&alert.response)));
}

/// The recorded count where its window is the alert's, else one of its own.
fn count(scenario: &Scenario, alert: &Alert) -> String {
    let window_s = alert.within.get();
    match window_s == self::window_s(scenario, alert.signal) {
        true => alert.signal.word().to_owned(),
        false => format!("({})", expression(scenario, alert.signal, window_s)),
    }
}

/// In whole milliseconds, as Prometheus counts; a length is never rounded to nothing.
fn duration(seconds: f64) -> String {
    let milliseconds = (seconds * 1000.0).round() as u64;
    match milliseconds {
        0 if seconds > 0.0 => "1ms".to_owned(),
        whole if whole.is_multiple_of(60_000) && whole > 0 => format!("{}m", whole / 60_000),
        whole if whole.is_multiple_of(1000) => format!("{}s", whole / 1000),
        other => format!("{other}ms"),
    }
}

/// Text that a template prints as it is.
fn literal(text: &str) -> String {
    text.replace("{{", "{{ \"{{\" }}")
}

/// A double-quoted YAML scalar.
fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' | '\\' => out.extend(['\\', c]),
            c if c.is_control() || matches!(c, '\u{2028}' | '\u{2029}' | '\u{feff}') => {
                let _ = write!(out, "\\u{:04X}", c as u32);
            }
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_are_those_of_prometheus() {
        let words = [0.0, 0.0001, 0.25, 1.5, 30.0, 90.0, 300.0].map(duration);
        assert_eq!(words, ["0s", "1ms", "250ms", "1500ms", "30s", "90s", "5m"]);
    }

    #[test]
    fn text_is_quoted_and_no_template() {
        assert_eq!(quoted("a \"b\" \\ \u{85}\n"), "\"a \\\"b\\\" \\\\ \\u0085\\u000A\"");
        assert_eq!(literal("{{ x }}"), "{{ \"{{\" }} x }}");
    }
}
