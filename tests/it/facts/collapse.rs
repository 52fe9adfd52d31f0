//! Equal sharing among unequal instances: the pool is gone as soon as its slowest instance is.

use rayon::prelude::*;

use super::fleet::REQUESTS;
use super::fleet::{FLUID, Run, deviation, goodputs, mean, over_seeds, run, shipped};
use super::rows::{PLANNER_SURVIVORS, survivor_losses};

const INSTANCES: usize = 1000;

/// A thousand instances of speeds evenly spaced over 1 ± `spread`, each with this share of its mean
/// capacity as load. A probe takes a 25th of its time-out: only a queue fails it.
fn pool(spread: f64, load: f64) -> Run {
    let capacity_rps = 100.0 / 0.01;
    let demand_rps = load * capacity_rps * INSTANCES as f64;
    let text = format!(
        r#"schema_version = 1
[simulation]
duration = "5m"
step = "1s"
[instance.web]
workers = 100
service_time = "10ms"
speed_spread = {spread}
[instance.web.health_check]
interval = "1s"
timeout = "250ms"
unhealthy_threshold = 2
on_unhealthy = "remove"
[zone.a]
[pool.web]
zone = "a"
instance = "web"
instances = {INSTANCES}
demand_rps = {demand_rps}
[policy.none]
kind = "none"
"#
    );
    run(&text, "none", &[FLUID], 300)
}

/// When each instance left, s.
fn out_s(spread: f64, load: f64) -> Vec<f64> {
    pool(spread, load).out_at("web")
}

#[test]
fn a_pool_of_unequal_instances_collapses_where_its_slowest_does() {
    // With capacities Uniform(1−w, 1+w) and w ≤ 1/3, each one that leaves puts more on the others
    // than the next slowest has more: it ends when nothing is left.
    let spreads = [0.1, 0.2, 1.0 / 3.0];
    spreads.into_par_iter().for_each(|spread| {
        let (mut holds, mut collapses) = (0.94 * (1.0 - spread), 1.05 * (1.0 - spread));
        assert_eq!(out_s(spread, holds).len(), 0, "{spread}: {holds}");
        while collapses - holds > 0.003 {
            let load = (holds + collapses) / 2.0;
            let out = out_s(spread, load).len();
            if out > INSTANCES / 2 { collapses = load } else { holds = load }
        }
        let off = (collapses / (1.0 - spread) - 1.0).abs();
        println!("w = {spread:.3}: collapses at {collapses:.4}, {:.2} % off", 100.0 * off);
        assert!(off < 0.02, "w = {spread}: {collapses}, not {}", 1.0 - spread);
        // One after the other: half of them take longer than the other half, and all go.
        let out = out_s(spread, 1.02 * (1.0 - spread));
        assert_eq!(out.len(), INSTANCES, "{spread}");
        println!("w = {spread:.3}: out from {} s, half {} s, all {} s", out[0], out[500], out[999]);
        assert!(out[500] - out[0] > out[999] - out[500], "{spread}: {out:?}");
    });
}

#[test]
fn restarted_agents_flap_the_longer_they_take_the_fewer_times() {
    let text = shipped("planner-agent");
    let flapping = |plane: &str, seeds: u64, restart_s: f64| {
        let restart = format!("instance.planner.restart_time={restart_s}s");
        let sets = [plane, "instance.planner.health_check.on_unhealthy=restart", &restart];
        let runs = over_seeds(&text, "unconditional", &sets, seeds, 20);
        for (run, goodput) in runs.iter().zip(goodputs(&runs)) {
            let losses = survivor_losses(run, &PLANNER_SURVIVORS);
            let what = format!("{plane}, restart {restart_s} s");
            assert!(losses >= 3.0, "{what}: {losses} losses");
            assert!((28.0..=42.0).contains(&goodput), "{what}: {goodput} %");
        }
        let losses: Vec<f64> =
            runs.iter().map(|run| survivor_losses(run, &PLANNER_SURVIVORS)).collect();
        (mean(&losses), mean(&goodputs(&runs)), deviation(&goodputs(&runs)))
    };
    for (plane, seeds) in [(FLUID, 10), (REQUESTS, 3)] {
        let seen = [60.0, 120.0, 180.0].map(|restart_s| flapping(plane, seeds, restart_s));
        println!("{plane}: losses, goodput and its deviation {seen:.1?}");
        assert!(seen.is_sorted_by(|a, b| a.0 > b.0 && a.1 > b.1), "{plane}: {seen:?}");
    }
}
