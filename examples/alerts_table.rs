//! Prints `docs/alerts.md`: what alerts at several thresholds say of every shipped topology.
//! `cargo run --release --example alerts_table > docs/alerts.md`

use zonefall::cli::EXAMPLES;
use zonefall::config;
use zonefall::metric::{RunResult, simulate};
use zonefall::model::{Alert, AlertOutage, AlertSignal, AlertThreshold};

const SEEDS: u64 = 10;

/// The thresholds that are compared: above, within, for.
fn candidates() -> Vec<Alert> {
    let receiving: Vec<_> = [0.8, 0.85, 0.9, 0.95, 1.0, 1.05, 1.1, 1.2]
        .into_iter()
        .flat_map(|above| {
            [(60.0, 0.0), (300.0, 0.0), (3600.0, 0.0), (60.0, 10.0), (3600.0, 10.0)]
                .map(|(w, f)| (above, w, f))
        })
        .collect();
    let count = [0.0, 1.0].map(|above| (above, 300.0, 0.0)).to_vec();
    let trend: Vec<_> = [0.0, 0.02, 0.05, 0.1, 0.2]
        .into_iter()
        .flat_map(|above| {
            [(60.0, 0.0), (60.0, 10.0), (60.0, 30.0), (120.0, 0.0), (30.0, 0.0)]
                .map(|(w, f)| (above, w, f))
        })
        .collect();
    let mut all = Vec::new();
    for (signal, thresholds) in AlertSignal::ALL.into_iter().zip([receiving, count, trend]) {
        for (above, within_s, sustained_s) in thresholds {
            let mut alert = Alert::usual(signal, AlertThreshold { above, within_s, sustained_s });
            alert.name = format!("{} > {above} within {within_s} for {sustained_s}", signal.word());
            all.push(alert);
        }
    }
    all
}

fn main() {
    let plane = if std::env::args().any(|a| a == "requests") { "requests" } else { "fluid" };
    let seeds: u64 = if plane == "fluid" { SEEDS } else { 2 };
    let alerts = candidates();
    let mut runs: Vec<(String, RunResult)> = vec![];
    for example in EXAMPLES {
        for seed in 1..=seeds {
            let sets = [format!("simulation.seed={seed}"), format!("simulation.plane={plane}")];
            let Ok(loaded) = config::load(example.name, example.text.as_bytes(), &sets) else {
                continue;
            };
            for mut case in loaded.cases {
                case.scenario.alerts = alerts.clone();
                let result = simulate(&case, 1_000_000);
                runs.push((format!("{} {}", example.name, case.policy.name), result));
            }
        }
    }
    let lost = runs.iter().filter(|r| r.1.summary.time_to_first_propagation_s.is_some()).count();
    let full = runs.iter().filter(|r| r.1.summary.time_to_full_outage_s.is_some()).count();
    println!("{} runs, further lost in {lost}, full outage {full}", runs.len());
    for (index, alert) in alerts.iter().enumerate() {
        let outage = |r: &RunResult| match alert.signal.outage() {
            AlertOutage::FurtherPoolLost => r.summary.time_to_first_propagation_s,
            AlertOutage::NoPoolHealthy => r.summary.time_to_full_outage_s,
        };
        let (mut fired, mut missed, mut late, mut false_alarms, mut averted) = (0, 0, 0, 0, 0);
        let mut leads = vec![];
        let mut names_false: Vec<&str> = vec![];
        let mut names_missed: Vec<&str> = vec![];
        for (name, r) in &runs {
            let hit = r.alerts.iter().find(|f| f.alert as usize == index);
            match (hit, outage(r)) {
                (Some(f), _) if f.is_false => {
                    fired += 1;
                    false_alarms += 1;
                    names_false.push(name);
                }
                (Some(f), Some(_)) => {
                    fired += 1;
                    let lead = f.lead_s.unwrap_or(0.0);
                    if lead <= 0.0 {
                        late += 1;
                        names_missed.push(name);
                    }
                    leads.push(lead);
                }
                (Some(_), None) => {
                    fired += 1;
                    averted += 1;
                }
                (None, Some(_)) => {
                    missed += 1;
                    names_missed.push(name);
                }
                (None, None) => {}
            }
        }
        leads.sort_by(f64::total_cmp);
        let median = leads.get(leads.len() / 2).copied().unwrap_or(f64::NAN);
        let min = leads.first().copied().unwrap_or(f64::NAN);
        names_false.dedup();
        names_missed.dedup();
        names_false.sort();
        names_false.dedup();
        names_missed.sort();
        names_missed.dedup();
        println!(
            "{}: fired {fired} false {false_alarms} missed {missed} late {late} averted {averted} median {median:.1} min {min:.1}\n   F {names_false:?}\n   M {names_missed:?}",
            alert.name
        );
    }
}
