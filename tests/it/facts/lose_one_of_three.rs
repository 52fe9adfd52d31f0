//! The case where a fleet at 70 % loses a zone.

use super::fleet::{FLUID, Run, deviation, goodputs, mean, median, over_seeds, shipped};
use super::rows::{
    Fate, Row, WEB, WEB_SEEDS, WEB_SURVIVORS, shares_fate, survivor_losses, web_runs,
};

const SEEDS: u64 = 21;

fn differences(row: &Row) -> Vec<String> {
    let runs = web_runs(row, FLUID, SEEDS);
    let goodputs = goodputs(&runs);
    let (here, spread) = (mean(&goodputs), deviation(&goodputs));
    let same = runs.iter().filter(|run| shares_fate(run, row.fate, &WEB_SURVIVORS)).count();
    let losses: Vec<f64> = runs.iter().map(|run| survivor_losses(run, &WEB_SURVIVORS)).collect();
    println!(
        "{}: goodput {here:.1} ± {spread:.1} ({} of {WEB_SEEDS}), {:?} in {same} of {SEEDS}, \
         {:.1} losses",
        row.label,
        row.goodput,
        row.fate,
        mean(&losses)
    );
    let mut different = vec![];
    if (here - row.goodput).abs() > 4.0 {
        different.push(format!("{}: goodput {here:.2}, not {}", row.label, row.goodput));
    }
    if same < runs.len() {
        different.push(format!("{}: {:?} in {same} of {SEEDS}", row.label, row.fate));
    }
    different
}

#[test]
fn every_policy_ends_as_the_reference_says() {
    let different: Vec<String> = WEB.iter().flat_map(differences).collect();
    assert!(different.is_empty(), "{different:#?}");
}

#[test]
fn survivors_go_one_after_the_other_when_the_reference_says() {
    let runs = over_seeds(&shipped("lose-one-of-three"), "unconditional", &[], SEEDS, 20);
    let a_lost = median(runs.iter().map(|run| run.first_lost("web-a")));
    assert!((5.0..=7.0).contains(&a_lost), "a unhealthy {a_lost} s after the trigger");
    let first_out = |run: &Run| {
        let firsts = WEB_SURVIVORS.map(|name| run.out_at(name).first().copied());
        firsts.into_iter().flatten().min_by(f64::total_cmp)
    };
    let out = median(runs.iter().map(first_out));
    println!("a unhealthy {a_lost} s, first survivor out {out} s after the trigger");
    assert!((15.0..=32.0).contains(&out), "first survivor out {out} s after the trigger");
    for (index, run) in runs.iter().enumerate() {
        for survivor in WEB_SURVIVORS {
            let lost = run.first_lost(survivor);
            assert!(lost > first_out(run), "seed {}: {survivor} lost at {lost:?}", index + 1);
        }
        assert!(run.result.summary.time_to_full_outage_s.is_some(), "seed {}", index + 1);
    }
}

#[test]
fn at_720_rps_no_policy_loses_a_further_pool() {
    let text = shipped("lose-one-of-three");
    for policy in ["none", "unconditional", "rate-limited", "capacity-aware"] {
        for run in over_seeds(&text, policy, &["pool.*.demand_rps=240"], SEEDS, 20) {
            assert_eq!(run.first_lost("web-a").map(|lost| (5.0..=7.0).contains(&lost)), Some(true));
            assert!(shares_fate(&run, Fate::Kept, &WEB_SURVIVORS), "{policy}");
        }
    }
}
