//! What goes with any policy: breakers, shedding with a fallback, admission.

use super::fleet::{FLUID, REQUESTS, Run, mean, over_seeds, run, shipped};
use super::pair::{A_DIES, assert_close, at, pair};
use std::sync::atomic::AtomicBool;
use zonefall::config::{Matrix, Purpose, load_for};
use zonefall::engine::Happening;
use zonefall::experiment::{Jobs, Watch, compare};
use zonefall::metric::RunResult;
use zonefall::policy::Trip;

#[test]
fn with_admission_survivors_work_at_their_ceiling() {
    let sets = [
        REQUESTS,
        "instance.planner.service_distribution=deterministic",
        "instance.planner.health_check.kind=shallow",
        "instance.planner.max_wait=1s",
    ];
    let runs = over_seeds(&shipped("planner-agent"), "unconditional", &sets, 3, 20);
    for run in &runs {
        let settled: Vec<_> = run.result.fleet.iter().filter(|row| row.time_s > 300.0).collect();
        let offered: f64 = settled.iter().map(|row| row.offered_rps).sum();
        let completed: f64 = settled.iter().map(|row| row.completed_rps).sum();
        // 2(1 + h)/3, with each zone's own h: what the survivors have over what all ask for.
        let ceiling = 2.0 * 192.0 / (192.0 / 1.15 + 192.0 / 1.12 + 192.0 / 1.18);
        let share = completed / offered;
        println!("{:.2} % of what arrives, ceiling {:.2} %", 100.0 * share, 100.0 * ceiling);
        assert!((share - ceiling).abs() < 0.005, "{share}, not {ceiling}");
    }
}

/// When a run's breaker tripped first, s from the trigger, and why.
fn trip(run: &Run) -> Option<(f64, Trip)> {
    let trigger_s = run.result.trigger_s.unwrap_or(0.0);
    run.result.log.iter().find_map(|entry| match entry.what {
        Happening::BreakerOpen { trip, .. } => Some((entry.time_s - trigger_s, trip)),
        _ => None,
    })
}

#[test]
fn a_breaker_trips_when_the_reference_says() {
    let text = shipped("planner-agent");
    for (set, reference_s) in [("max_wait=2s", 80.0), ("max_wait=4s", 86.0), ("max_wait=8s", 98.0)]
    {
        let set = format!("policy.unconditional.breaker.{set}");
        for plane in [FLUID, REQUESTS] {
            let runs = over_seeds(&text, "unconditional", &[plane, &set], 5, 20);
            let times_s: Vec<f64> = runs
                .iter()
                .map(|run| match trip(run) {
                    Some((time_s, Trip::Wait { .. })) => time_s,
                    other => panic!("{set}: {other:?}"),
                })
                .collect();
            // Of this, 5 s are that zone a is unhealthy later here.
            let time_s = mean(&times_s);
            println!("{set}, {plane}: {time_s:.1} s, {reference_s} s");
            assert!((time_s / reference_s - 1.0).abs() < 0.1, "{set}: {time_s} s");
        }
    }
    let first = ["policy.unconditional.breaker.max_instances_out=0"];
    let run = run(&text, "unconditional", &first, 20);
    assert!(matches!(trip(&run), Some((140.0..155.0, Trip::InstancesOut { .. }))));
}

/// Both zones full to 70 %: what of a goes to b is too much for it.
const FULL: &str = "pool.*.demand_rps=280";

fn breaker(action: &str, more: &str) -> String {
    format!("policy.unconditional.breaker={{ by_hand_at = \"60s\", action = \"{action}\"{more} }}")
}

#[test]
fn what_a_breaker_holds_stays_and_what_it_retracts_is_shed() {
    for plane in [FLUID, REQUESTS] {
        let hold = breaker("hold", "");
        let run_held = run(&pair(A_DIES), "unconditional", &[plane, FULL, &hold], 1);
        assert_close("held", at(&run_held, "web-a", 150.0).redirected_out_rps, 280.0, 60.0);
        let retract = breaker("retract", "");
        let taken = run(&pair(A_DIES), "unconditional", &[plane, FULL, &retract], 1);
        let rows = |from_s: f64, to_s: f64| {
            let rows = taken.rows("web-a").into_iter();
            rows.filter(move |row| row.time_s > from_s && row.time_s <= to_s)
        };
        assert!(rows(30.0, 60.0).all(|row| row.redirected_out_rps > 150.0 && row.shed_rps == 0.0));
        assert!(rows(60.0, 200.0).all(|row| row.redirected_out_rps == 0.0 && row.shed_rps > 150.0));
        assert_eq!(taken.times(|what| matches!(what, Happening::BreakerOpen { .. })), [40.0]);
        assert!(taken.times(|what| matches!(what, Happening::BreakerClosed)).is_empty());
    }
}

#[test]
fn a_breaker_tries_again_and_closes_with_the_shift() {
    let back = format!("{A_DIES}until = \"150s\"\n");
    let retract = breaker("retract", ", retry_after = \"30s\", window = \"20s\"");
    let run = run(&pair(&back), "unconditional", &[FULL, &retract], 1);
    assert_eq!(run.times(|what| matches!(what, Happening::BreakerOpen { .. })), [40.0]);
    assert_eq!(run.times(|what| matches!(what, Happening::BreakerHalfOpen)), [70.0]);
    let closed = run.times(|what| matches!(what, Happening::BreakerClosed));
    assert!(closed.len() == 1 && (90.0..91.5).contains(&closed[0]), "{closed:?}");
    assert!(at(&run, "web-a", 100.0).redirected_out_rps > 200.0);
    assert_eq!(at(&run, "web-a", 199.0).redirected_out_rps, 0.0);
}

#[test]
fn pools_refuse_what_is_over_their_limit_and_the_fallback_answers_its_share() {
    let shed = |more: &str| format!("policy.unconditional.shed={{ above = \"90%\"{more} }}");
    for plane in [FLUID, REQUESTS] {
        let plain = run(&pair(A_DIES), "unconditional", &[plane, FULL, &shed("")], 1);
        // 560 rps for 90 % of 400: 200 are refused, of both pools alike.
        let over_rows = |run: &Run, of: fn(&zonefall::metric::PoolRow) -> f64| {
            let late = run.result.timeline.iter().filter(|row| row.time_s > 100.0);
            late.map(of).sum::<f64>() / 200.0
        };
        assert_close("shed", over_rows(&plain, |row| row.shed_rps), 200.0, 5.0);
        assert_close("redirected", over_rows(&plain, |row| row.redirected_in_rps), 180.0, 5.0);
        let model = shed(", fallback_rps = 80, fallback_latency = \"300ms\"");
        let model = run(&pair(A_DIES), "unconditional", &[plane, FULL, &model], 1);
        assert_close("degraded", over_rows(&model, |row| row.degraded_rps), 80.0, 2.0);
        assert_close("shed", over_rows(&model, |row| row.shed_rps), 120.0, 5.0);
        // By Little's law.
        assert_close("under way", over_rows(&model, |row| row.deferred) / 2.0 * 1.0, 12.0, 1.5);
        let all = [&plain, &model].map(|run| {
            let s = &run.result.summary;
            let refused = s.degraded_ratio + s.shed_ratio + s.rejected_ratio;
            s.goodput_ratio + s.late_ratio + refused + s.lost_ratio + s.unfinished_ratio
        });
        assert!(all.iter().all(|all| (all - 1.0).abs() < 1e-9), "{all:?}");
    }
}

#[test]
fn deferred_replies_are_worked_off_once_the_overload_is_over_or_counted() {
    let surge = "[event.surge]\nat = \"20s\"\nuntil = \"80s\"\nkind = \"surge\"\npool = \"web-a\"\n\
                 factor = 3\n";
    let shed = |queue: u32| {
        format!(
            "policy.none.shed={{ above = \"100%\", fallback_rps = 100, fallback_latency = \"1s\", \
             fallback_queue = {queue} }}"
        )
    };
    for plane in [FLUID, REQUESTS] {
        // 60 s of 200 rps too much, of which 100 a second are answered meanwhile.
        let roomy = run(&pair(surge), "none", &[plane, &shed(50_000)], 1);
        assert_close("deferred", at(&roomy, "web-a", 80.0).deferred, 6100.0, 400.0);
        assert_close("half worked off", at(&roomy, "web-a", 110.0).deferred, 3100.0, 400.0);
        assert_eq!(roomy.last_row("web-a").deferred.round(), 0.0);
        assert_eq!(roomy.result.summary.shed_ratio, 0.0);
        let degraded: f64 = roomy.rows("web-a").iter().map(|row| row.degraded_rps * 0.5).sum();
        assert_close("worked off", degraded, 12_000.0, 500.0);
        let cramped = run(&pair(surge), "none", &[plane, &shed(1000)], 1);
        let most = cramped.rows("web-a").iter().map(|row| row.deferred).fold(0.0, f64::max);
        assert_close("a full queue, and a second's answers", most, 1100.0, 10.0);
        assert!(cramped.result.summary.shed_ratio > 0.03);
        // Cut off in the middle, what is deferred is unfinished.
        let cut = run(&pair(surge), "none", &[plane, &shed(50_000), "simulation.duration=80s"], 1);
        let summary = &cut.result.summary;
        let arrived = 60.0 * (600.0 + 200.0);
        assert_close("unfinished", summary.unfinished_ratio * arrived, 6100.0 + 60.0, 450.0);
    }
}

/// Every policy of the mitigations' file with none and each of them, in the fluid plane.
fn matrix() -> Vec<RunResult> {
    let purpose = Purpose { matrix: Matrix::Each, runs: 1 };
    let text = shipped("planner-agent-mitigations");
    let loaded = load_for("test.toml", text.as_bytes(), &[FLUID.to_owned()], &purpose);
    let cancel = AtomicBool::new(false);
    let watch = Watch { on_done: &|| {}, cancel: &cancel };
    let loaded = loaded.expect("a valid file");
    compare(&loaded.cases, 20, Jobs::Auto, watch).expect("not cancelled")
}

#[test]
fn of_the_write_ups_mitigations_the_breaker_on_pools_alone_saves_nothing() {
    let results = matrix();
    assert_eq!(results.len(), 4 * 6);
    let of = |name: &str| {
        let result = results.iter().find(|result| result.policy == name);
        result.unwrap_or_else(|| panic!("no {name}"))
    };
    let lost = |name: &str| of(name).summary.cascade_propagation_count;
    for policy in ["unconditional", "rate-limited"] {
        assert_eq!(lost(policy), 2);
        for mitigation in ["breaker-on-waits", "admission", "smaller-model", "deferred-reply"] {
            assert_eq!(lost(&format!("{policy}+{mitigation}")), 0, "{policy}+{mitigation}");
        }
    }
    assert_eq!(lost("unconditional+breaker-on-pools"), 2);
    for policy in ["none", "capacity-aware"] {
        let with = of(&format!("{policy}+breaker-on-waits"));
        assert_eq!(with.summary, of(policy).summary, "{policy}: nothing for a breaker to do");
    }
    assert_eq!(of("unconditional+admission").rank, Some(1));
    assert_eq!(of("unconditional+admission").mitigations, "admission");
    let worst = results.iter().max_by_key(|result| result.rank).expect("runs");
    assert_eq!((worst.policy.as_str(), worst.rank), ("unconditional", Some(24)));
}

/// Sums of a pool's rows from a time to another, a second.
fn mean_of(
    run: &Run,
    pool: &str,
    (from_s, to_s): (f64, f64),
    of: fn(&zonefall::metric::PoolRow) -> f64,
) -> f64 {
    let rows = run.rows(pool).into_iter();
    let rows = rows.filter(|row| row.time_s > from_s && row.time_s <= to_s);
    mean(&rows.map(of).collect::<Vec<_>>())
}

#[test]
fn a_drain_that_a_breaker_takes_back_stays_with_the_home_that_serves() {
    let drain = "[event.drain]\nat = \"20s\"\nkind = \"drain\"\npool = \"web-a\"\n";
    let run = run(&pair(drain), "unconditional", &[&breaker("retract", "")], 1);
    assert_close(
        "drained",
        mean_of(&run, "web-a", (30.0, 60.0), |r| r.redirected_out_rps),
        200.0,
        1e-6,
    );
    assert_close("kept", mean_of(&run, "web-a", (70.0, 200.0), |r| r.completed_rps), 200.0, 1.0);
    assert_eq!(run.result.summary.shed_ratio, 0.0);
}

#[test]
fn a_home_that_is_fit_again_is_not_shed_over_a_ramp_that_never_was() {
    let back = format!("{A_DIES}until = \"100s\"\n");
    let ramp = "[policy.rate-limited]\nkind = \"rate-limited\"\nramp = \"60s\"\n";
    let set = "policy.rate-limited.breaker={ by_hand_at = \"40s\" }";
    let run = run(&pair(&format!("{back}{ramp}")), "rate-limited", &[set], 1);
    let shed = |from_s: f64, to_s: f64| mean_of(&run, "web-a", (from_s, to_s), |row| row.shed_rps);
    assert_close("while it is down", shed(45.0, 105.0), 200.0, 1e-6);
    assert_eq!(shed(120.0, 200.0), 0.0);
    assert_close(
        "own",
        mean_of(&run, "web-a", (130.0, 200.0), |row| row.completed_rps),
        200.0,
        1.0,
    );
}

#[test]
fn what_may_not_leave_a_dead_home_while_a_breaker_is_open_goes_to_the_fallback() {
    let b_dies = A_DIES.replace("a-dies", "b-dies").replace("\"a\"", "\"b\"").replace("20s", "80s");
    let text = pair(&format!("{A_DIES}{b_dies}"));
    let text = text.replace("[zone.b]", "[zone.b]\n[zone.c]").replace("\"b\"]", "\"b\", \"c\"]");
    let shed = "policy.unconditional.shed={ fallback_rps = 1000 }";
    for (action, of_a_rps) in [("hold", 0.0), ("retract", 200.0)] {
        let run = run(&text, "unconditional", &[&breaker(action, ""), shed], 1);
        let degraded = |pool| mean_of(&run, pool, (100.0, 200.0), |row| row.degraded_rps);
        // What is held of a goes on to b and c.
        assert_close("web-a", degraded("web-a"), of_a_rps, 1e-6);
        assert_close("web-b", degraded("web-b"), 200.0, 1e-6);
    }
}

#[test]
fn the_wait_of_who_is_out_of_rotation_trips_nothing() {
    let text = shipped("lose-one-of-three");
    let sets = ["policy.unconditional.breaker.max_wait=1h"];
    for plane in [FLUID, REQUESTS] {
        let run = run(&text, "unconditional", &[plane, sets[0]], 20);
        assert!(trip(&run).is_none(), "{:?}", trip(&run));
    }
}

#[test]
fn a_pool_that_panics_refuses_what_all_its_instances_cannot_take() {
    let half =
        "[event.half]\nat = \"20s\"\nkind = \"instance-loss\"\npool = \"web-a\"\ncount = 3\n";
    let sets = ["pool.web-a.panic_threshold=60%", "policy.none.shed.above=120%"];
    let run = run(&pair(half), "none", &sets, 1);
    // A quarter of them, at half of the capacity of all.
    assert_eq!(mean_of(&run, "web-a", (60.0, 200.0), |row| row.shed_rps), 0.0);
    assert_close("lost", mean_of(&run, "web-a", (60.0, 200.0), |row| row.lost_rps), 150.0, 1e-6);
}
