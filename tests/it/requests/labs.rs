//! The follow-up labs: retry storms and budgets, hasty clients, shared gates (FACTS §1).

use super::slots::phases;
use crate::facts::fleet::{Run, run as run_file, shipped};

fn run(name: &str, policy: &str) -> Run {
    run_file(&shipped(name), policy, &["simulation.plane=requests"], 20)
}

fn near(what: &str, got: f64, expected: f64, tolerance: f64) {
    println!("{what}: {got}, expected {expected}");
    assert!((got - expected).abs() <= tolerance, "{what}: {got}, not {expected}");
}

#[test]
fn five_tries_at_once_make_a_storm_of_known_size() {
    let rows = phases(&run("retry-storm", "five-tries-at-once"), "proxy");
    let tries = [500.0, 1000.0, 6000.0, 16000.0];
    let answered = [500.0, 1000.0, 1000.0, 1000.0];
    assert_eq!(rows.len(), 4);
    for (at, row) in rows.iter().enumerate() {
        near("tries a second", row.offered_rps + row.retry_rps, tries[at], 1e-6);
        near("goodput", row.completed_rps, answered[at], 1e-6);
        let share = row.completed_rps / row.offered_rps;
        let times = (row.offered_rps + row.retry_rps) / row.offered_rps;
        near("tries a request", times, share + 5.0 * (1.0 - share), 1e-9);
    }
    for row in phases(&run("retry-storm", "one-try"), "proxy") {
        assert_eq!(row.retry_rps, 0.0);
        near("goodput", row.completed_rps, row.offered_rps.min(1000.0), 1e-6);
    }
}

#[test]
fn back_off_and_a_budget_tame_it() {
    let rows = phases(&run("retry-budget", "back-off-and-budget"), "proxy");
    for (row, (offered, answered)) in rows.iter().zip([(2000.0, 1037.0), (4000.0, 1072.0)]) {
        near("first tries", row.offered_rps, offered, 1e-6);
        near("tries a second", row.offered_rps + row.retry_rps, 1.1 * offered, 0.001 * offered);
        near("goodput", row.completed_rps, answered, 0.02 * answered);
    }
    assert_eq!(rows.len(), 2);
    for row in phases(&run("retry-budget", "at-once"), "proxy") {
        let share = row.completed_rps / row.offered_rps;
        let times = (row.offered_rps + row.retry_rps) / row.offered_rps;
        near("tries a request", times, share + 5.0 * (1.0 - share), 1e-9);
    }
}

#[test]
fn a_hasty_client_multiplies_its_load_and_a_budget_does_not_let_it() {
    let row = |policy| phases(&run("client-timeout-storm", policy), "service")[0];
    let times = |policy| {
        let row = row(policy);
        (row.offered_rps + row.retry_rps) / row.offered_rps
    };
    near("without a budget", times("storm"), 10.0, 0.02);
    assert_eq!(row("storm").completed_rps, 0.0);
    near("with a budget of 10 %", times("budget"), 1.1, 0.002);
    let patient = row("time-out-of-1s");
    assert_eq!(patient.retry_rps, 0.0);
    near("patient", patient.goodput_ratio.expect("it has requests"), 1.0, 0.005);
}

#[test]
fn one_gate_shares_the_misery_and_three_keep_it_where_it_belongs() {
    let success = |file: &str| {
        let run = run(file, "none");
        ["quiet-1", "quiet-2", "noisy"]
            .map(|pool| 100.0 * phases(&run, pool)[0].goodput_ratio.expect("it has requests"))
    };
    for (got, expected) in success("shared-gate").into_iter().zip([44.1; 3]) {
        near("one gate", got, expected, 2.0);
    }
    for (got, expected) in success("bulkheads").into_iter().zip([100.0, 100.0, 16.7]) {
        near("a gate each", got, expected, 2.0);
    }
}
