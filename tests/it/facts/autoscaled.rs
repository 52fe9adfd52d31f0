//! `planner-agent` with an autoscaler: does it add what a failover takes in time?

use super::fleet::{FLUID, REQUESTS, Run, over_seeds, shipped};

const SEEDS: u64 = 21;

fn is_saved(run: &Run) -> bool {
    ["planner-b", "planner-c"].iter().all(|name| run.first_lost(name).is_none())
}

/// Runs without a further pool lost under the two-minute ramp, by start-up.
fn saved(plane: &str, startup_s: u32, seeds: u64) -> usize {
    let startup = format!("instance.planner.startup_time={startup_s}s");
    let text = shipped("planner-agent-autoscaled");
    let runs = over_seeds(&text, "ramp-2m", &[plane, &startup], seeds, 20);
    let count = runs.iter().filter(|run| is_saved(run)).count();
    println!("{plane}, start-up {startup_s} s: {count} of {seeds} saved");
    count
}

#[test]
fn in_peace_nothing_scales_and_nothing_is_ejected() {
    let text = shipped("planner-agent-autoscaled");
    let quiet = text.split("[event.").next().expect("the part before the event");
    for plane in [FLUID, REQUESTS] {
        let sets = [plane, "simulation.duration=1h"];
        for (index, run) in over_seeds(quiet, "ramp-2m", &sets, 4, 7200).iter().enumerate() {
            let seed = index + 1;
            assert_eq!((run.scalings(), run.ejections()), (0, 0), "{plane}, seed {seed}");
        }
    }
}

#[test]
fn survival_of_a_two_minute_ramp_falls_with_the_start_up() {
    let startups_s: Vec<u32> = (0..=60).step_by(5).collect();
    let counts: Vec<usize> = startups_s.iter().map(|s| saved(FLUID, *s, SEEDS)).collect();
    assert!(counts.is_sorted_by(|shorter, longer| shorter >= longer), "{counts:?}");
    // The number in the file's comment and in docs/autoscaling.md.
    let mut longest = startups_s.iter().zip(&counts).filter(|(_, count)| **count == SEEDS as usize);
    assert_eq!(longest.next_back().map(|(startup_s, _)| *startup_s), Some(5), "{counts:?}");
    assert!(counts[5..].iter().all(|count| *count == 0), "from 25 s on: {counts:?}");
    for (startup_s, least, most) in [(0, 7, 7), (5, 7, 7), (15, 1, 6), (25, 0, 0), (60, 0, 0)] {
        let count = saved(REQUESTS, startup_s, 7);
        assert!((least..=most).contains(&count), "start-up {startup_s} s: {count} of 7 saved");
    }
}

#[test]
fn as_shipped_a_ramp_saves_it_and_a_failover_at_once_rarely_does() {
    let text = shipped("planner-agent-autoscaled");
    for (plane, seeds) in [(FLUID, SEEDS), (REQUESTS, 8)] {
        for policy in ["ramp-2m", "ramp-5m"] {
            let runs = over_seeds(&text, policy, &[plane], seeds, 20);
            assert!(runs.iter().all(is_saved), "{plane}, {policy}");
        }
        let at_once = over_seeds(&text, "unconditional", &[plane], seeds, 20);
        let count = at_once.iter().filter(|run| is_saved(run)).count();
        println!("{plane}, at once: {count} of {seeds} saved");
        assert!(2 * count < seeds as usize, "{plane}: {count} of {seeds} saved");
    }
}
