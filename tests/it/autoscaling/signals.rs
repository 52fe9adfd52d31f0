//! What autoscalers watch.

use zonefall::model::ScaleMetric;

use super::fleet::{Scaled, pool, target, workers};

#[test]
fn tries_a_second_and_instance() {
    let mut scaled = Scaled::new(10, 900.0, 31.0);
    scaled.scaler.targets = vec![target(None, ScaleMetric::Rps, 60.0)];
    assert_eq!(scaled.run().changes(), vec![(15.0, 10, 15)]);
}

#[test]
fn tries_in_flight_an_instance() {
    // 5 erlangs on 10 workers: 5.036 in system (Erlang C), against 4.
    let mut scaled = Scaled::new(10, 500.0, 31.0);
    scaled.scaler.targets = vec![target(None, ScaleMetric::InFlight, 4.0)];
    assert_eq!(scaled.run().changes(), vec![(15.0, 10, 13)]);
}

#[test]
fn the_largest_of_several_wins() {
    let signals = [
        target(None, workers(), 0.5),
        target(None, ScaleMetric::Rps, 50.0),
        target(None, ScaleMetric::InFlight, 20.0),
    ];
    for turn in 0..3 {
        let mut scaled = Scaled::new(10, 700.0, 20.0);
        scaled.scaler.targets = signals.to_vec();
        scaled.scaler.targets.rotate_left(turn);
        assert_eq!(scaled.run().changes(), vec![(15.0, 10, 14)]);
    }
}

#[test]
fn on_the_wrong_pool_it_does_nothing() {
    let mut scaled = Scaled::new(10, 1500.0, 300.0);
    scaled.pools.push(pool(1, 10, 500.0));
    scaled.scaler.targets = vec![target(Some(1), workers(), 0.5)];
    let run = scaled.run();
    assert_eq!(run.changes(), vec![]);
    assert!(run.at(300.0).rejected > 400.0, "{:?}", run.at(300.0));
    // On its own it would have.
    scaled.scaler.targets = vec![target(None, workers(), 0.5)];
    assert!(scaled.run().at(300.0).rejected < 1.0);
}

#[test]
fn another_pools_utilization_is_a_ratio_and_its_tries_are_shared_out() {
    let mut scaled = Scaled::new(10, 100.0, 16.0);
    scaled.pools.push(pool(1, 10, 750.0));
    // 75 % against 50 %: half as many again.
    scaled.scaler.targets = vec![target(Some(1), workers(), 0.5)];
    assert_eq!(scaled.run().changes(), vec![(15.0, 10, 15)]);
    // 750 rps at 50 an instance of the scaled pool, whatever the other has.
    scaled.scaler.targets = vec![target(Some(1), ScaleMetric::Rps, 50.0)];
    scaled.pools[1].instances = 20;
    assert_eq!(scaled.run().changes(), vec![(15.0, 10, 15)]);
}
