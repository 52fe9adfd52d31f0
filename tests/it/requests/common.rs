//! Common random numbers: what is added or changed elsewhere changes nobody's draws.

use zonefall::metric::PoolRow;

use crate::facts::fleet::{Run, case, run as run_file};
use crate::facts::pair::{A_DIES, pair};

const REQUESTS: &str = "simulation.plane=requests";

fn run(text: &str, policy: &str, sets: &[&str]) -> Run {
    let sets: Vec<&str> =
        [REQUESTS, "simulation.duration=100s"].iter().chain(sets).copied().collect();
    run_file(text, policy, &sets, 1)
}

/// A pool's rows without the pool's number.
fn rows(run: &Run, pool: &str) -> Vec<String> {
    let bare =
        |row: &&PoolRow| format!("{:?}", PoolRow { pool: zonefall::model::PoolId(0), ..**row });
    run.rows(pool).iter().map(bare).collect()
}

fn first_tries(run: &Run, pool: &str) -> Vec<f64> {
    run.rows(pool).iter().map(|row| row.offered_rps).collect()
}

#[test]
fn an_added_pool_changes_nothing_for_the_others() {
    let other = "[instance.other]\nworkers = 3\nservice_time = \"50ms\"\n[pool.aaa]\nzone = \"b\"\n\
                 instance = \"other\"\ninstances = 2\ndemand_rps = 50\nfailover = {}\n";
    for policy in ["none", "unconditional"] {
        let plain = run(&pair(A_DIES), policy, &[]);
        let more = run(&pair(&format!("{other}{A_DIES}")), policy, &[]);
        assert_eq!(more.rows("aaa").len(), plain.rows("web-a").len());
        for pool in ["web-a", "web-b"] {
            assert!(rows(&plain, pool) == rows(&more, pool), "{policy}: {pool}");
        }
    }
}

#[test]
fn policies_and_capacity_leave_arrivals_alone() {
    let plain = run(&pair(A_DIES), "none", &[]);
    let others = [
        run(&pair(A_DIES), "unconditional", &[]),
        run(&pair(A_DIES), "none", &["pool.*.instances=5"]),
        run(&pair(A_DIES), "none", &["pool.*.balancing=round-robin"]),
        run(&pair(A_DIES), "none", &["instance.web.service_distribution=deterministic"]),
        run(&pair(""), "none", &[]),
    ];
    for (at, other) in others.iter().enumerate() {
        for pool in ["web-a", "web-b"] {
            assert!(first_tries(&plain, pool) == first_tries(other, pool), "{at}: {pool}");
        }
    }
    // What is drawn for the seed and the name does change.
    let seed = run(&pair(A_DIES), "none", &["simulation.seed=77"]);
    assert!(first_tries(&plain, "web-a") != first_tries(&seed, "web-a"));
    assert!(first_tries(&plain, "web-a") != first_tries(&plain, "web-b"));
}

#[test]
fn an_added_instance_leaves_the_services_of_requests_alone() {
    // With room for everyone a request's latency is its own draw, wherever it is served.
    let answers = |instances| -> Vec<_> {
        let run = run(&pair(""), "none", &["instance.web.workers=1000", instances]);
        let seen = |row: &&PoolRow| (row.completed_rps, row.latency_mean_s, row.latency_p99_s);
        run.rows("web-a").iter().map(seen).collect()
    };
    let four = answers("pool.*.instances=4");
    assert!(four.iter().all(|row| row.0 > 0.0 && row.1.is_some()));
    assert_eq!(four, answers("pool.*.instances=7"));
}

#[test]
fn half_the_step_gives_the_same_requests() {
    let count = |step: &str, row_steps: u32| {
        let step = format!("simulation.step={step}");
        let sets = [REQUESTS, "simulation.duration=100s", step.as_str()];
        let case = case(&pair(""), "none", &sets);
        let result = zonefall::metric::simulate(&case, row_steps);
        let rows = result.timeline.iter();
        rows.map(|row| (row.pool, row.offered_rps, row.completed_rps, row.in_flight))
            .collect::<Vec<_>>()
    };
    let (one, half) = (count("500ms", 1), count("250ms", 2));
    assert_eq!(one.len(), half.len());
    let first = one.iter().zip(&half).position(|(one, half)| one != half);
    assert_eq!(first, None);
}
