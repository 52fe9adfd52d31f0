//! Nothing is lost from the books of random fleets: whole numbers add up exactly at every step.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use zonefall::model::{
    Action, Arrivals, Change, ClientId, InstanceSetting, Plane, PoolId, ServiceDistribution,
    Source, origins,
};
use zonefall::policy::Case;
use zonefall::units::Rps;

use super::run::add_up;
use crate::fluid::build::Run;
use crate::fluid::random::{Extras, any_extras, case_of};
use crate::random::sketch::{Pointer, Sketch, seconds};
use crate::random::strategy::{any_sketch, pointer};
use crate::random::trial::holds_for;

/// What only this plane tells apart.
#[derive(Debug, Clone)]
pub struct Details {
    arrivals: Vec<Arrivals>,
    distributions: Vec<ServiceDistribution>,
    source: Option<(Pointer, Pointer, f64)>,
}

fn any_arrivals() -> impl Strategy<Value = Arrivals> {
    prop_oneof![
        2 => Just(Arrivals::Poisson),
        1 => Just(Arrivals::Uniform),
        1 => (0.01..20.0_f64).prop_map(|every_s| Arrivals::BatchEvery(seconds(every_s))),
        1 => (1..=30_u32).prop_map(Arrivals::BatchOf),
    ]
}

fn any_distribution() -> impl Strategy<Value = ServiceDistribution> {
    prop_oneof![
        1 => Just(ServiceDistribution::Exponential),
        1 => Just(ServiceDistribution::Deterministic),
        1 => (0.1..3.0_f64).prop_map(|cv| ServiceDistribution::Lognormal { cv }),
    ]
}

pub fn any_details() -> impl Strategy<Value = Details> {
    (
        vec(any_arrivals(), 6),
        vec(any_distribution(), 4),
        option::of((pointer(), pointer(), 0.0..2.0_f64)),
    )
        .prop_map(|(arrivals, distributions, source)| Details {
            arrivals,
            distributions,
            source,
        })
}

/// First tries of a run, about.
const FIRST_TRIES: f64 = 3_000.0;

/// The same fleet made so small that its demand is a few thousand requests: fewer workers, then
/// slower ones, then less load.
fn small(sketch: &Sketch) -> Sketch {
    /// Services so long still fit a run, and the warm-up before it.
    const LONGEST_S: f64 = 3.0;
    let factor = |sketch: &Sketch| {
        let scenario = sketch.fleet().case().scenario;
        let demand_rps: f64 = scenario.pools.iter().map(|pool| pool.demand.get()).sum();
        (demand_rps * scenario.simulation.duration.get() / FIRST_TRIES).max(1.0)
    };
    let mut sketch = sketch.clone();
    let by = factor(&sketch);
    for kind in &mut sketch.kinds {
        let workers = kind.workers.map(|workers| (f64::from(workers) / by).ceil().max(1.0) as u32);
        kind.workers = workers;
    }
    let by = factor(&sketch);
    for kind in &mut sketch.kinds {
        let service_s = kind.service_time.get();
        kind.service_time = seconds((service_s * by).min(LONGEST_S.max(service_s)));
    }
    let by = factor(&sketch);
    for pool in sketch.zones.iter_mut().flatten() {
        pool.load /= by;
    }
    sketch
}

/// A fleet with everything. Calls are at most two deep, so that retries of retries stay countable.
pub fn detailed(sketch: &Sketch, extras: &Extras, details: &Details) -> Case {
    let mut case = case_of(&small(sketch), extras);
    let scenario = &mut case.scenario;
    scenario.simulation.plane = Plane::Requests;
    for (kind, distribution) in scenario.kinds.iter_mut().zip(&details.distributions) {
        kind.service_distribution = *distribution;
    }
    let count = scenario.pools.len();
    for (index, pool) in scenario.pools.iter_mut().enumerate() {
        pool.arrivals = details.arrivals[index % details.arrivals.len()];
        if index % 3 == 2 {
            pool.calls.clear();
        }
        for call in &mut pool.calls {
            call.per_request = call.per_request.min(1.5);
            let to = index + 1 + (call.to.index() - index - 1) % 2;
            // Two pools on there is one that calls nobody.
            call.to =
                PoolId::from_index(if index % 3 == 1 { index + 1 } else { to.min(count - 1) });
        }
    }
    if let Some((to, client, share)) = details.source {
        let demand_rps = share * FIRST_TRIES / scenario.simulation.duration.get();
        scenario.sources = vec![Source {
            name: "users".to_owned(),
            to: PoolId::from_index(to % count),
            demand: Rps::new(demand_rps).expect("a rate"),
            arrivals: details.arrivals[0],
            client: ClientId::from_index(client % scenario.clients.len()),
        }];
    }
    scenario.origins = origins(&scenario.pools, &scenario.sources);
    // A file cannot give workers to those that have none.
    let without: Vec<bool> = scenario.kinds.iter().map(|kind| kind.workers.is_none()).collect();
    for event in &mut scenario.events {
        if let Action::Set { changes } = &mut event.action {
            changes.retain(|change| match change {
                Change::Instance { kind, setting: InstanceSetting::Workers, .. } => {
                    !without[kind.index()]
                }
                _ => true,
            });
        }
    }
    case
}

#[test]
fn every_try_and_request_ends_once_to_the_last_one() {
    let drawn = (any_sketch(), any_extras(), any_details());
    holds_for(500, 12, drawn, |(sketch, extras, details)| {
        let run = Run::of(&detailed(&sketch, &extras, &details));
        add_up(&run).map_err(TestCaseError::fail)?;
        for (step, resources) in run.resources.iter().enumerate() {
            for used in resources {
                if !(used.used.is_finite() && used.used >= -1e-9 && used.limit.is_finite()) {
                    return Err(TestCaseError::fail(format!("step {step}: {used:?}")));
                }
            }
        }
        Ok(())
    });
}

#[test]
fn the_same_case_gives_the_same_steps() {
    let drawn = (any_sketch(), any_extras(), any_details());
    holds_for(60, 13, drawn, |(sketch, extras, details)| {
        let case = detailed(&sketch, &extras, &details);
        let (one, two) = (Run::of(&case), Run::of(&case));
        let first = one.steps.iter().zip(&two.steps).position(|(one, two)| one != two);
        prop_assert_eq!(first, None);
        prop_assert_eq!(one.books, two.books);
        prop_assert_eq!(one.log, two.log);
        Ok(())
    });
}
