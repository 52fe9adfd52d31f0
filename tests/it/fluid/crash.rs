//! Instances that run out of memory: the crash cascade of the Google SRE book, chapter 22.

use zonefall::engine::Happening;
use zonefall::model::{Action, Change, PoolId, PoolSetting, Surged, WhenFull};

use super::build::{Plan, Run, client, event, held, kind, pool};
use crate::random::sketch::ratio;

/// A fleet whose load changes at 60 s, and again at 240 s.
fn fleet(full: bool, seed: u64, loads_rps: [f64; 3]) -> Run {
    let (instances, workers, room, part) =
        if full { (50, 16, 1000.0, 1.0) } else { (10, 8, 500.0, 0.1) };
    let mut plan = Plan::new(0.5, 600.0);
    plan.seed = seed;
    let mut one = kind(Some(workers), 0.072);
    one.speed_spread = ratio(0.05);
    one.resources = vec![held("memory", room, 0.0, WhenFull::Crash)];
    plan.kinds = vec![one];
    plan.clients = vec![client(None, 1)];
    plan.pools = vec![pool(0, instances, loads_rps[0] * part, &[])];
    let to = |value: f64| Action::Set {
        changes: vec![Change::Pool {
            pool: PoolId(0),
            setting: PoolSetting::Demand,
            value: value * part,
        }],
    };
    plan.events = vec![event(60.0, None, to(loads_rps[1])), event(240.0, None, to(loads_rps[2]))];
    let run = plan.run();
    run.balances();
    run
}

fn crashes(run: &Run, from_s: f64) -> usize {
    let is_crash =
        |what: &Happening| matches!(what, Happening::InstanceCrashed { resource: 0, .. });
    run.log.iter().filter(|entry| entry.time_s >= from_s && is_crash(&entry.what)).count()
}

#[test]
fn a_crash_cascade_goes_on_at_the_load_that_was_fine_and_ends_at_a_tenth() {
    for full in [false, true] {
        for seed in 1..=5 {
            let calm = fleet(full, seed, [10_000.0; 3]);
            assert_eq!(crashes(&calm, 0.0), 0, "full {full}, seed {seed}");
            let over = fleet(full, seed, [10_000.0, 11_000.0, 9_000.0]);
            println!(
                "full {full}, seed {seed}: {} crashes, {} after 360 s",
                crashes(&over, 0.0),
                crashes(&over, 360.0)
            );
            assert!(crashes(&over, 60.0) > 10, "full {full}, seed {seed}");
            assert!(crashes(&over, 500.0) > 10, "full {full}, seed {seed}: it went out");
            let eased = fleet(full, seed, [10_000.0, 11_000.0, 1_000.0]);
            assert_eq!(crashes(&eased, 400.0), 0, "full {full}, seed {seed}");
            let last = eased.last(0);
            assert!(last.completed > 0.999 * last.first_tries, "full {full}, seed {seed}");
        }
    }
}

/// A cluster that takes over another's: from 1000 to 1200 of its own measure.
#[test]
fn fifteen_percent_of_headroom_crash_at_a_fifth_more_load_and_a_quarter_does_not() {
    for seed in 1..=5 {
        for (headroom, crashes_there) in [(0.15, true), (0.25, false)] {
            let mut plan = Plan::new(0.5, 900.0);
            plan.seed = seed;
            let mut one = kind(Some(16), 0.072);
            one.speed_spread = ratio(0.03);
            one.resources = vec![held("memory", 1000.0, 0.0, WhenFull::Crash)];
            plan.kinds = vec![one];
            plan.clients = vec![client(None, 1)];
            let home_rps = 10.0 * 16.0 / 0.072 / (1.0 + headroom);
            plan.pools = vec![pool(0, 10, home_rps, &[])];
            let of = Surged::Pool(PoolId(0));
            let surge = Action::Surge { of, factor: ratio(1.2) };
            plan.events = vec![event(60.0, None, surge)];
            let run = plan.run();
            run.balances();
            let count = crashes(&run, 600.0);
            assert_eq!(count > 10, crashes_there, "{headroom}, seed {seed}: {count} crashes");
            assert!(crashes_there || crashes(&run, 0.0) == 0, "{headroom}, seed {seed}");
        }
    }
}
