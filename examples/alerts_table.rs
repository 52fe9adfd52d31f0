//! Prints `docs/alerts.md`: what alerts at several thresholds say of every shipped topology.
//! `cargo run --release --example alerts_table > docs/alerts.md`
//!
//! With names of topologies as arguments it looks at those only.

use rayon::prelude::*;

use zonefall::cli::EXAMPLES;
use zonefall::config;
use zonefall::metric::{FiredAlert, RunResult, Summary, simulate};
use zonefall::model::{Alert, AlertOutage, AlertSignal, AlertThreshold};
use zonefall::policy::Case;

/// Planes and how many seeds each is run with.
const PLANES: [(&str, u64); 2] = [("fluid", 10), ("requests", 3)];

/// The thresholds that are compared: above, within and for, s.
const RECEIVING: &[(f64, f64, f64)] = &[
    (0.8, 60.0, 0.0),
    (0.85, 60.0, 0.0),
    (0.9, 60.0, 0.0),
    (0.95, 60.0, 0.0),
    (1.0, 60.0, 0.0),
    (0.85, 300.0, 0.0),
    (0.9, 300.0, 0.0),
    (0.95, 300.0, 0.0),
    (1.0, 300.0, 0.0),
    (1.0, 300.0, 10.0),
    (1.05, 300.0, 0.0),
    (1.1, 300.0, 0.0),
    (1.2, 300.0, 0.0),
];
const COUNT: &[(f64, f64, f64)] = &[(0.0, 300.0, 0.0), (1.0, 300.0, 0.0)];
const TREND: &[(f64, f64, f64)] = &[
    (0.0, 60.0, 0.0),
    (0.0, 60.0, 10.0),
    (0.0, 60.0, 30.0),
    (0.02, 60.0, 0.0),
    (0.05, 60.0, 0.0),
    (0.05, 60.0, 10.0),
    (0.05, 30.0, 0.0),
    (0.1, 60.0, 0.0),
    (0.2, 60.0, 0.0),
];

fn candidates() -> Vec<Alert> {
    let of_signal = |(signal, thresholds): (AlertSignal, &[(f64, f64, f64)])| {
        let alert = |&(above, within_s, sustained_s): &(f64, f64, f64)| {
            Alert::usual(signal, AlertThreshold { above, within_s, sustained_s })
        };
        thresholds.iter().map(alert).collect::<Vec<_>>()
    };
    AlertSignal::ALL.into_iter().zip([RECEIVING, COUNT, TREND]).flat_map(of_signal).collect()
}

/// A run and what it was of.
struct Ran {
    topology: &'static str,
    policy: String,
    result: RunResult,
}

/// Every policy of every topology, with these alerts.
fn runs(plane: &str, seeds: u64, alerts: &[Alert], names: &[String]) -> Vec<Ran> {
    let chosen = EXAMPLES.iter().filter(|e| names.is_empty() || names.iter().any(|n| n == e.name));
    let mut cases: Vec<(&'static str, Case)> = Vec::new();
    for example in chosen {
        for seed in 1..=seeds {
            let sets = [format!("simulation.seed={seed}"), format!("simulation.plane={plane}")];
            match config::load(example.name, example.text.as_bytes(), &sets) {
                Ok(loaded) => {
                    cases.extend(loaded.cases.into_iter().map(|case| (example.name, case)));
                }
                Err(rejected) => panic!("{}: {:#?}", example.name, rejected.problems),
            }
        }
    }
    let run = |(topology, mut case): (&'static str, Case)| {
        case.scenario.alerts = alerts.to_vec();
        let result = simulate(&case, u32::MAX);
        Ran { topology, policy: case.policy.name, result }
    };
    cases.into_par_iter().with_max_len(1).map(run).collect()
}

fn outage_s(summary: &Summary, signal: AlertSignal) -> Option<f64> {
    match signal.outage() {
        AlertOutage::FurtherPoolLost => summary.time_to_first_propagation_s,
        AlertOutage::NoPoolHealthy => summary.time_to_full_outage_s,
    }
}

fn fired(ran: &Ran, alert: usize) -> Option<&FiredAlert> {
    ran.result.alerts.iter().find(|fired| fired.alert as usize == alert)
}

/// The median, and the least; none of nothing.
fn spread(mut leads_s: Vec<f64>) -> Option<(f64, f64)> {
    leads_s.sort_by(f64::total_cmp);
    Some((*leads_s.get(leads_s.len() / 2)?, *leads_s.first()?))
}

fn threshold(alert: &Alert) -> String {
    let above = match alert.signal {
        AlertSignal::CascadePropagationCount => format!("{}", alert.above),
        _ => format!("{:.0} %", 100.0 * alert.above),
    };
    let times = [alert.within, alert.sustained].map(|time| format!("{} s", time.get()));
    let numbers = (alert.above, alert.within.get(), alert.sustained.get());
    let is = |of: AlertThreshold| (of.above, of.within_s, of.sustained_s) == numbers;
    let name = match alert.signal {
        signal if is(signal.default_threshold()) => " **default**",
        signal if is(signal.published_threshold()) => " *published*",
        _ => "",
    };
    format!("> {above}{name} | {} | {}", times[0], times[1])
}

fn print_row(index: usize, alert: &Alert, runs: &[Ran]) {
    let with_outage: Vec<&Ran> =
        runs.iter().filter(|ran| outage_s(&ran.result.summary, alert.signal).is_some()).collect();
    let leads_s: Vec<f64> =
        with_outage.iter().filter_map(|ran| fired(ran, index)?.lead_s).collect();
    let ahead = leads_s.iter().filter(|lead_s| **lead_s > 0.0).count();
    let (late, missed) = (leads_s.len() - ahead, with_outage.len() - leads_s.len());
    let all: Vec<&FiredAlert> = runs.iter().filter_map(|ran| fired(ran, index)).collect();
    let false_alarms = all.iter().filter(|fired| fired.is_false).count();
    let lead = spread(leads_s)
        .map_or("– | –".to_owned(), |(median, least)| format!("{median:.1} | {least:.1}"));
    println!(
        "| {} | {} | {} | {ahead} of {} | {lead} | {late} | {missed} | {false_alarms} |",
        alert.signal.word(),
        threshold(alert),
        all.len(),
        with_outage.len()
    );
}

/// What each default alert says of one policy, over its runs.
fn print_policy(runs: &[Ran]) {
    let [first, ..] = runs else { return };
    let lost = runs.iter().filter(|ran| ran.result.summary.time_to_first_propagation_s.is_some());
    let lost = lost.count();
    let of_alert = |index: usize| {
        let all: Vec<&FiredAlert> = runs.iter().filter_map(|ran| fired(ran, index)).collect();
        let is_false = all.iter().filter(|fired| fired.is_false).count();
        match spread(all.iter().filter_map(|fired| fired.lead_s).collect()) {
            Some((median, _)) if all.len() == runs.len() => format!("{median:.1}"),
            Some((median, _)) => format!("{median:.1} ({} of {})", all.len(), runs.len()),
            None if all.is_empty() => "–".to_owned(),
            None if is_false == all.len() => format!("false, {is_false} of {}", runs.len()),
            None => format!("no outage ({} of {})", all.len(), runs.len()),
        }
    };
    let cells = [0, 1, 2].map(of_alert);
    if lost > 0 || cells.iter().any(|cell| cell != "–") {
        println!(
            "| {} | {} | {lost} of {} | {} |",
            first.topology,
            first.policy,
            runs.len(),
            cells.join(" | ")
        );
    }
}

const HEAD: &str = "\
# Which alerts warn in time?

Made by `cargo run --release --example alerts_table > docs/alerts.md`. Every policy of every shipped
topology, over seeds, with alerts at several thresholds.

- `receiving_pool_capacity_utilization`: mean over 10 s of the work routed to a pool ÷ its capacity
  in rotation, while redirected traffic reaches it and the latest redirect began at most `within`
  ago. It warns of the first further pool that is lost.
- `cascade_propagation_count`: distinct pools, hit by no event, that were lost in the last `within`
  after the first redirect. It warns of the moment at which no pool is healthy.
- `fleet_wide_capacity_trend`: the fall of the fleet's healthy capacity over the last `within`, as a
  share of time 0, beyond what the events themselves take and what autoscalers take away. It warns
  of the moment at which no pool is healthy.

*Ahead*: fired before what it warns of, of the runs in which that came. *Late*: fired then or later.
*Missed*: never fired, and it came. *False*: fired, and neither that came nor was any further pool
lost. Leads are in seconds, over the runs in which both came; a negative one is too late.

The default thresholds come from this table. The published 85 % is passed by every redirect
between pools that run at 60 % or more, whether they hold or not; over 100 % no queue empties. A
minute after the redirect is over before a slow ramp does its harm, five are not. One further pool
is the cascade: waiting for the second of two leaves no time. A fall of single instances is everyday
luck, 5 % is more than that; and to wait whether it lasts costs the lead.";

const ROWS: &str = "\
| signal | threshold | within | for | fired | ahead | lead, median | lead, least | late | missed \
| false |\n| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |";

fn main() {
    let names: Vec<String> = std::env::args().skip(1).collect();
    println!("{HEAD}");
    let alerts = candidates();
    for (plane, seeds) in PLANES {
        let runs = runs(plane, seeds, &alerts, &names);
        let count =
            |is: fn(&Summary) -> bool| runs.iter().filter(|r| is(&r.result.summary)).count();
        println!(
            "\n## {plane}\n\n{} runs, {seeds} seeds; a further pool is lost in {}, no pool is \
             healthy at some time in {}.\n\n{ROWS}",
            runs.len(),
            count(|summary| summary.time_to_first_propagation_s.is_some()),
            count(|summary| summary.time_to_full_outage_s.is_some()),
        );
        for (index, alert) in alerts.iter().enumerate() {
            print_row(index, alert, &runs);
        }
    }
    let (plane, seeds) = PLANES[0];
    let defaults = AlertSignal::ALL.map(|signal| Alert::usual(signal, signal.default_threshold()));
    let mut runs = runs(plane, seeds, &defaults, &names);
    println!(
        "\n## The default alerts by topology and policy\n\nMedian lead in seconds ({plane}, \
         {seeds} seeds); policies under which nothing was lost and nothing fired are left out.\n\n\
         | topology | policy | further pool lost | {} |\n| --- | --- | --- | --- | --- | --- |",
        AlertSignal::ALL.map(AlertSignal::usual_name).join(" | ")
    );
    runs.sort_by(|a, b| a.topology.cmp(b.topology).then_with(|| a.policy.cmp(&b.policy)));
    let is_same = |a: &Ran, b: &Ran| (a.topology, &a.policy) == (b.topology, &b.policy);
    runs.chunk_by(is_same).for_each(print_policy);
}
