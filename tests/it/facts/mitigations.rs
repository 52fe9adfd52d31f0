//! Each setting that is meant to help does what it says.

use super::fleet::{Run, run};
use super::pair::{A_DIES, assert_close, pair};
use zonefall::engine::Happening;

/// The pair with room for 200 in the queue of an instance.
fn run_pair(more: &str, policy: &str, sets: &[&str], row_steps: u32) -> Run {
    let sets: Vec<&str> = ["instance.web.queue_limit=200"].iter().chain(sets).copied().collect();
    run(&pair(more), policy, &sets, row_steps)
}

/// Blocking of an M/M/c/K station at `erlangs`, from its state probabilities.
pub fn blocking(servers: u32, limit: u32, erlangs: f64) -> f64 {
    let mut weight = 1.0;
    let mut total = 1.0;
    for n in 1..=limit {
        weight *= erlangs / f64::from(n.min(servers));
        total += weight;
    }
    weight / total
}

#[test]
fn a_max_wait_blocks_as_a_queue_of_that_much_work_does() {
    for (workers, max_wait, places) in [(10, "250ms", 26), (10, "1s", 101), (4, "10ms", 1)] {
        for load in [0.9, 1.2, 2.0] {
            let demand_rps = load * f64::from(workers) * 10.0 * 4.0;
            let sets = [
                format!("instance.web.workers={workers}"),
                format!("instance.web.max_wait={max_wait}"),
                format!("pool.*.demand_rps={demand_rps}"),
            ];
            let sets: Vec<&str> = sets.iter().map(String::as_str).collect();
            let run = run_pair("", "none", &sets, 20);
            let last = run.last_row("web-a");
            // K = c + ⌊max_wait · c · r⌋ + 1.
            let expected = blocking(workers, workers + places, load * f64::from(workers));
            let what = format!("{workers} workers, {max_wait}, {load}");
            let share = last.rejected_rps / last.offered_rps;
            println!("{what}: {share:.6}, exact {expected:.6}");
            assert_close(&what, share, expected, 1e-3 * expected + 1e-7);
        }
    }
}

#[test]
fn a_max_wait_counts_on_the_speed_that_an_instance_has() {
    // At half the speed half as many may wait: K = 10 + ⌊1 s · 10 · 5⌋ + 1.
    let slow = "[event.slow]\nat = \"20s\"\nkind = \"slow\"\npool = \"web-a\"\nspeed = 0.5\n";
    let sets = ["instance.web.max_wait=1s", "pool.*.demand_rps=240"];
    let run = run_pair(slow, "none", &sets, 20);
    let last = run.last_row("web-a");
    let expected = blocking(10, 61, 12.0);
    assert_close("blocking", last.rejected_rps / last.offered_rps, expected, 1e-3 * expected);
}

/// When a returned instance came up, s.
fn came_up_s(run: &Run) -> f64 {
    let log = &run.result.log;
    let up = log.iter().find(|entry| matches!(entry.what, Happening::InstanceStarted { .. }));
    up.expect("an instance came up").time_s
}

#[test]
fn a_warm_up_ramps_the_speed_of_what_returns() {
    let back = format!("{A_DIES}until = \"60s\"\n");
    let run = run_pair(&back, "unconditional", &["instance.web.warm_up=40s"], 1);
    let up_s = came_up_s(&run);
    assert_close("up after start-up", up_s, 70.0, 0.5);
    for row in run.rows("web-a").iter().filter(|row| row.time_s >= up_s + 6.0) {
        // A tenth at first, then in proportion.
        let age = (row.time_s - up_s) / 40.0;
        let expected = 400.0 * (0.1 + 0.9 * age).min(1.0);
        assert_close(&format!("at {} s", row.time_s), row.healthy_capacity_rps, expected, 5.0);
        assert_close("what the balancer believes", row.capacity_rps, 400.0, 1e-9);
    }
    assert!(run.rows("web-b").iter().all(|row| row.healthy_capacity_rps == 400.0));
}

#[test]
fn a_slow_start_ramps_the_traffic_of_what_returns() {
    // No queue, so that blocking shows how an instance is loaded; one of two instances comes back.
    let event = "[event.one-dies]\nat = \"20s\"\nkind = \"instance-loss\"\npool = \"web-a\"\n\
                 count = 1\nuntil = \"60s\"\n";
    let sets = ["instance.web.queue_limit=0", "pool.*.instances=2", "pool.*.demand_rps=120"];
    let slow: Vec<&str> = sets.iter().copied().chain(["instance.web.slow_start=40s"]).collect();
    let slow = run_pair(event, "none", &slow, 1);
    let even = run_pair(event, "none", &sets, 1);
    let is_back = |what: &Happening| matches!(what, Happening::InstanceHealthy { .. });
    let back_s = slow.result.log.iter().find(|entry| is_back(&entry.what)).unwrap().time_s;
    let blocked = |run: &Run, age_s: f64| {
        let rows = run.rows("web-a");
        let row = rows.iter().find(|row| row.time_s >= back_s + age_s).unwrap();
        row.rejected_rps / row.offered_rps
    };
    for age_s in [3.0, 10.0, 20.0, 30.0, 40.0, 60.0] {
        // The row's step began half a second before its end, and the ramp goes by its beginning.
        let weight = f64::min(0.1 + 0.9 * (age_s - 0.5) / 40.0, 1.0);
        let share = weight / (1.0 + weight);
        let expected = share * blocking(10, 10, 12.0 * share)
            + (1.0 - share) * blocking(10, 10, 12.0 * (1.0 - share));
        let what = format!("{age_s} s after its return");
        // Loads follow the ramp a service time later.
        assert_close(&what, blocked(&slow, age_s), expected, 0.02 * expected);
    }
    let expected = blocking(10, 10, 6.0);
    assert_close("without", blocked(&even, 3.0), expected, 0.01 * expected);
}

#[test]
fn a_redirected_try_takes_as_much_work_as_its_cost_says() {
    for (cost, mean_cost) in [("1", 1.0), ("2", 1.5), ("4", 2.5)] {
        let set = format!("instance.web.redirect_cost={cost}");
        let run = run_pair(A_DIES, "unconditional", &[&set, "pool.*.demand_rps=300"], 20);
        let last = run.last_row("web-b");
        let expected = 600.0 * mean_cost / 400.0;
        assert_close("utilization", last.utilization.unwrap(), expected, 1e-9);
        // Overloaded, it completes what its capacity is at the mean cost of its tries.
        assert_close("completed", last.completed_rps, 400.0 / mean_cost, 0.5);
    }
}

#[test]
fn under_the_panic_threshold_traffic_goes_to_all_instances_dead_or_alive() {
    let three_die = "[event.three-die]\nat = \"20s\"\nkind = \"instance-loss\"\npool = \"web-a\"\n\
                     count = 3\n";
    let last = |sets: &[&str]| {
        let sets: Vec<&str> = sets.iter().copied().chain(["pool.*.demand_rps=200"]).collect();
        *run_pair(three_die, "none", &sets, 20).last_row("web-a")
    };
    let closed = last(&[]);
    // One instance of 100 rps is left with 200.
    assert_close("lost", closed.lost_rps, 0.0, 1e-9);
    assert_close("completed", closed.completed_rps, 100.0, 0.1);
    assert_close("rejected", closed.rejected_rps, 100.0, 0.1);
    let panicking = last(&["pool.*.panic_threshold=30%"]);
    assert_close("lost", panicking.lost_rps, 150.0, 1e-9);
    assert_close("completed", panicking.completed_rps, 50.0, 1e-6);
    // A quarter in rotation is not below a quarter.
    let at_threshold = last(&["pool.*.panic_threshold=25%"]);
    assert_close("lost", at_threshold.lost_rps, 0.0, 1e-9);
}

#[test]
fn a_panicking_pool_with_nothing_in_rotation_still_serves_with_what_is_up() {
    // Every probe fails, though every instance serves: time-outs are shorter than a service.
    let sets = [
        "instance.web.health_check.kind=deep",
        "instance.web.health_check.timeout=1ms",
        "instance.web.health_check.on_unhealthy=remove",
    ];
    let last = |more: &[&str]| {
        let sets: Vec<&str> = sets.iter().chain(more).copied().collect();
        *run_pair("", "none", &sets, 20).last_row("web-a")
    };
    let closed = last(&[]);
    assert_eq!(closed.instances_in_rotation, 0);
    assert_close("fail-closed", closed.lost_rps, 200.0, 1e-9);
    let open = last(&["pool.*.panic_threshold=50%"]);
    assert_eq!(open.instances_in_rotation, 0);
    assert_close("fail-open", open.completed_rps, 200.0, 0.1);
}
