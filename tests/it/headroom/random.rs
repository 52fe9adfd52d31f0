//! Random uneven topologies against brute force, and against the simulation.

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};

use zonefall::experiment::contingency::{Contingencies, Loss, contingencies};
use zonefall::metric::{PoolRow, bound_rps, simulate};
use zonefall::model::Scenario;

use super::sketch::{INSTANCE_RPS, Sketch, any_complete, any_layers, any_sketch};
use super::{loaded, scenario};

fn holds_for<S: Strategy>(
    cases: u32,
    strategy: S,
    test: impl Fn(S::Value) -> Result<(), TestCaseError>,
) {
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[17; 32]);
    let outcome = TestRunner::new_with_rng(config, rng).run(&strategy, test);
    outcome.unwrap_or_else(|error| panic!("{error}"));
}

fn is_near(a: f64, b: f64) -> bool {
    a == b || (a - b).abs() <= 1e-7 * a.abs().max(b.abs()).max(1.0)
}

/// The zones of a loss, by number.
fn numbers(scenario: &Scenario, loss: &Loss) -> Vec<usize> {
    let name = |zone: usize| scenario.zones[zone].name[1..].parse().expect("a number");
    loss.zones.iter().map(|zone| name(zone.index())).collect()
}

fn check_loss(
    sketch: &Sketch,
    scenario: &Scenario,
    found: &Contingencies,
    loss: &Loss,
) -> Result<(), TestCaseError> {
    let lost = numbers(scenario, loss);
    let pools = 0..sketch.pools.len();
    let (before, _) = sketch.loads(&[]);
    let (home, work) = sketch.loads(&lost);
    let is_hit = |pool: usize| sketch.is_lost(pool, &lost) || !is_near(work[pool], before[pool]);
    let service = |pool: usize| sketch.pools[pool].service;
    let hit: Vec<usize> = pools.clone().filter(|pool| is_hit(*pool)).map(service).collect();
    // Taken together.
    let full = |wanted: usize| {
        let of = || pools.clone().filter(move |pool| service(*pool) == wanted);
        let capacity: f64 = of().map(|pool| sketch.capacity_rps(pool, &lost)).sum();
        of().map(|pool| home[pool]).sum::<f64>() / capacity
    };
    let fullest = hit.iter().map(|service| full(*service)).fold(f64::NEG_INFINITY, f64::max);
    let survivors = loss.survivor_utilization();
    if hit.is_empty() {
        prop_assert_eq!(loss.services.len(), 0);
    } else {
        prop_assert!(
            is_near(survivors.unwrap_or(f64::INFINITY), fullest),
            "{:?} {}",
            loss,
            fullest
        );
    }
    // As split.
    let loaded = |pool: usize| work[pool] / sketch.capacity_rps(pool, &lost);
    let left = pools.clone().filter(|p| !sketch.is_lost(*p, &lost) && hit.contains(&service(*p)));
    let worst = left.map(loaded).reduce(f64::max);
    match (worst, &loss.fullest) {
        (None, None) => {}
        (Some(worst), Some(fullest)) => {
            prop_assert!(is_near(fullest.utilization, worst), "{:?} {}", loss, worst);
            let name: usize =
                scenario.pools[fullest.pool.index()].name[1..].parse().expect("a number");
            prop_assert!(is_near(loaded(name), worst));
        }
        _ => prop_assert!(false, "{loss:?} {worst:?}"),
    }
    // As a perfect router would.
    let (placed, factor) = sketch.perfect(&home, &lost, found.ceiling);
    let all: f64 = home.iter().sum();
    prop_assert!(is_near(loss.shed_ratio, (1.0 - placed / all).max(0.0)), "{loss:?} {placed}");
    if hit.len() == sketch.pools.len() {
        prop_assert_eq!(loss.fits, factor <= found.ceiling * (1.0 + 1e-9), "{} {:?}", factor, loss);
    }
    Ok(())
}

#[test]
fn every_loss_is_brute_forces() {
    holds_for(300, (any_sketch(), prop_oneof![Just(1.0), Just(0.85)]), |(sketch, ceiling)| {
        let scenario = scenario(&sketch.text(), &[]);
        let found = contingencies(&scenario, 2.min(sketch.zones), ceiling);
        for loss in &found.losses {
            check_loss(&sketch, &scenario, &found, loss)?;
            // The bound of comparisons is the same flow.
            let lost = numbers(&scenario, loss);
            let by_id = |of: &dyn Fn(usize) -> f64| {
                let names = scenario.pools.iter().map(|pool| pool.name[1..].parse());
                names.map(|name| of(name.expect("a number"))).collect::<Vec<f64>>()
            };
            let demand = by_id(&|pool| sketch.pools[pool].demand_rps);
            let capacity = by_id(&|pool| ceiling * sketch.capacity_rps(pool, &lost));
            let bound = bound_rps(&scenario.graph, &demand, &capacity);
            let shed = 1.0 - bound / demand.iter().sum::<f64>();
            prop_assert!(is_near(loss.shed_ratio, shed), "{loss:?} {shed}");
        }
        Ok(())
    });
}

#[test]
fn the_headroom_that_is_needed_is_just_enough() {
    holds_for(100, (any_complete(), 0.5..1.0_f64), |(sketch, ceiling)| {
        let text = sketch.text();
        let world = scenario(&text, &[]);
        let capacity: f64 =
            (0..sketch.pools.len()).map(|pool| sketch.capacity_rps(pool, &[])).sum();
        let load: f64 = sketch.pools.iter().map(|pool| pool.demand_rps).sum();
        for (index, loss) in contingencies(&world, 1, ceiling).losses.iter().enumerate() {
            let fits = |headroom: f64| {
                // Everybody's demand by the same factor, so that there is that much headroom.
                let factor = capacity / load / (1.0 + headroom);
                let mut sketch = sketch.clone();
                sketch.pools.iter_mut().for_each(|pool| pool.demand_rps *= factor);
                let world = scenario(&sketch.text(), &[]);
                let loss = contingencies(&world, 1, ceiling).losses[index].clone();
                (loss.fits, loss.fits_as_split)
            };
            let needed = loss.headroom_needed.expect("a headroom");
            prop_assert!(fits(needed + 1e-6).0 && !fits(needed - 1e-6).0, "{loss:?}");
            let as_split = loss.headroom_needed_as_split.expect("a headroom");
            prop_assert!(as_split >= needed - 1e-9);
            prop_assert!(fits(as_split + 1e-6).1 && !fits(as_split - 1e-6).1, "{loss:?}");
        }
        Ok(())
    });
}

#[test]
fn calls_follow_the_requests_that_make_them() {
    holds_for(100, any_layers(), |sketch| {
        let scenario = scenario(&sketch.text(), &[]);
        let found = contingencies(&scenario, 2, 1.0);
        for loss in &found.losses {
            let (home, work) = sketch.loads(&numbers(&scenario, loss));
            let all = |of: &[f64], from: usize| of[from..from + 3].iter().sum::<f64>();
            for service in &loss.services {
                let from = 3 * usize::from(scenario.services[service.service.index()] == "s1");
                prop_assert!(is_near(service.demand_rps, all(&home, from)), "{service:?}");
            }
            let fullest = loss.fullest.expect("survivors");
            let name: usize =
                scenario.pools[fullest.pool.index()].name[1..].parse().expect("a number");
            let instances = f64::from(sketch.pools[name].instances);
            prop_assert!(is_near(fullest.utilization, work[name] / instances / INSTANCE_RPS));
            // Who refuses at the back fails those in front that called.
            let first: f64 = sketch.pools.iter().map(|pool| pool.demand_rps).sum();
            let kept = |from: usize| {
                let lost = numbers(&scenario, loss);
                let capacity: f64 = (from..from + 3).map(|p| sketch.capacity_rps(p, &lost)).sum();
                (all(&home, from) - capacity).max(0.0)
            };
            let per_request = sketch.pools[0].calls[0].1.max(1.0);
            let shed = kept(0).max(kept(3) / per_request) / first;
            prop_assert!(is_near(loss.shed_ratio, shed.min(1.0)), "{loss:?} {shed}");
        }
        Ok(())
    });
}

/// What pools have settled at after the loss of one zone: the last rows.
fn settled(text: &str, policy: &str, zone: usize) -> (Scenario, Vec<PoolRow>) {
    let event = format!("[event.loss]\nat = \"4s\"\nkind = \"zone-outage\"\nzone = \"z{zone}\"\n");
    let loaded = loaded(&(text.to_owned() + &event), &[]);
    let case = loaded.cases.into_iter().find(|case| case.policy.name == policy).expect("a policy");
    let rows = simulate(&case, 1).timeline;
    let last = rows[rows.len() - case.scenario.pools.len()..].to_vec();
    (case.scenario, last)
}

#[test]
fn the_simulation_settles_at_what_arithmetic_says() {
    holds_for(200, (any_sketch(), 0..5_usize), |(sketch, zone)| {
        let text = sketch.text();
        let zone = zone % sketch.zones;
        let (scenario, rows) = settled(&text, "unconditional", zone);
        let found = contingencies(&scenario, 1, 1.0);
        let loss = found.losses.iter().find(|loss| numbers(&scenario, loss) == [zone]);
        let loss = loss.expect("every zone");
        if loss.services.len() < scenario.services.len() {
            return Ok(());
        }
        let survivors = rows.iter().filter_map(|row| row.utilization);
        match loss.fullest {
            None => prop_assert_eq!(survivors.count(), 0),
            Some(fullest) => {
                let peak = survivors.fold(0.0, f64::max);
                prop_assert!(is_near(peak, fullest.utilization), "{peak} {fullest:?}");
                let of = |row: &&PoolRow| row.pool == fullest.pool;
                let own = rows.iter().find(of).and_then(|row| row.utilization);
                prop_assert!(own.is_some_and(|own| is_near(own, fullest.utilization)));
                let is_over = fullest.utilization > 1.0 + 1e-9;
                prop_assert_eq!(loss.fits_as_split, !is_over && loss.unplaced_ratio == 0.0);
            }
        }
        Ok(())
    });
}

#[test]
fn capacity_aware_sheds_what_a_perfect_router_has_to() {
    let shed = std::cell::Cell::new(0);
    holds_for(200, (any_complete(), 0..6_usize), |(sketch, zone)| {
        let zone = zone % sketch.zones;
        let (scenario, rows) = settled(&sketch.text(), "aware", zone);
        let found = contingencies(&scenario, 1, 1.0);
        let loss = found.losses.iter().find(|loss| numbers(&scenario, loss) == [zone]);
        let loss = loss.expect("every zone");
        let offered: f64 = rows.iter().map(|row| row.offered_rps).sum();
        let refused: f64 = rows.iter().map(|row| row.shed_rps).sum();
        prop_assert!(is_near(refused / offered, loss.shed_ratio), "{refused} {offered} {loss:?}");
        shed.set(shed.get() + u32::from(loss.shed_ratio > 0.0));
        Ok(())
    });
    assert!((40..160).contains(&shed.get()), "both sides: {}", shed.get());
}

#[test]
fn the_work_of_all_losses_is_the_most_of_each() {
    holds_for(50, any_sketch(), |sketch| {
        let scenario = scenario(&sketch.text(), &[]);
        let most = 2.min(sketch.zones);
        let found = contingencies(&scenario, most, 0.9);
        for need in &found.pools {
            let name: usize =
                scenario.pools[need.pool.index()].name[1..].parse().expect("a number");
            let works = found.losses.iter().map(|loss| {
                let (_, work) = sketch.loads(&numbers(&scenario, loss));
                work[name]
            });
            let (_, home) = sketch.loads(&[]);
            let worst = works.fold(home[name], f64::max);
            prop_assert!(is_near(need.most_work_rps, worst), "{need:?} {worst}");
            let needed = need.instances_needed.expect("a number");
            let is_enough = |instances: f64| worst <= 0.9 * instances * INSTANCE_RPS * (1.0 + 1e-9);
            prop_assert!(is_enough(needed as f64), "{need:?}");
            prop_assert!(needed == 1 || !is_enough(needed as f64 - 1.0), "{need:?}");
        }
        Ok(())
    });
}
