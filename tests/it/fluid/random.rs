//! Nothing is lost from the books of random fleets with resources, calls, retries and crashes.

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use zonefall::model::{
    Backoff, Budget, Call, CallMode, ClientId, Jitter, PoolId, Resource, ResourceUse, Retry,
    Scenario, WhenFull, origins, unloaded_calls_s,
};
use zonefall::policy::Case;
use zonefall::units::{Rps, Seconds};

use super::build::Run;
use crate::random::sketch::{Pointer, Sketch, ratio, seconds};
use crate::random::strategy::{any_sketch, pointer, spread_out};
use crate::random::trial::holds_for;

/// What a sketch has not: retries, resources, calls.
#[derive(Debug, Clone)]
pub struct Extras {
    retries: Vec<Option<(Retry, bool)>>,
    resources: Vec<Vec<Resource>>,
    without_workers: Vec<bool>,
    held_workers: bool,
    calls: Vec<Option<(Pointer, f64, Pointer)>>,
    mode: CallMode,
}

fn any_retry() -> impl Strategy<Value = (Retry, bool)> {
    let base = || spread_out(0.05, 20.0).prop_map(seconds);
    let backoff = prop_oneof![
        2 => Just(Backoff::None),
        1 => base().prop_map(|base| Backoff::Fixed { base }),
        1 => (base(), option::of(base()))
            .prop_map(|(base, most)| Backoff::Exponential { base, most }),
    ];
    let budget = prop_oneof![
        2 => Just(None),
        1 => (0.0..0.5_f64).prop_map(|share| Some(Budget::Ratio(ratio(share)))),
        1 => (0.1..50.0_f64, 1.0..100.0_f64).prop_map(|(rps, size)| {
            Some(Budget::Bucket { rate: Rps::new(rps).expect("a rate"), size })
        }),
    ];
    let jitter = prop_oneof![Just(Jitter::None), Just(Jitter::Full)];
    (1..=6_u32, backoff, jitter, budget, any::<bool>(), any::<bool>()).prop_map(
        |(max_attempts, backoff, jitter, budget, on_shed, cancel)| {
            (Retry { max_attempts, backoff, jitter, budget, on_shed }, cancel)
        },
    )
}

fn any_resource() -> impl Strategy<Value = Resource> {
    let when_full =
        prop_oneof![Just(WhenFull::Reject), Just(WhenFull::Queue), Just(WhenFull::Crash)];
    let held = (0.5..3.0_f64, 0.0..20.0_f64, when_full)
        .prop_map(|(held, base, when_full)| ResourceUse::Held { held, base, when_full });
    let consumed = (2.0..20.0_f64).prop_map(|per_request| ResourceUse::Consumed { per_request });
    (spread_out(25.0, 2000.0), prop_oneof![held, consumed]).prop_map(|(limit, usage)| Resource {
        name: "thing".to_owned(),
        limit,
        usage,
    })
}

/// How they are drawn.
pub fn any_extras() -> impl Strategy<Value = Extras> {
    let call = option::weighted(0.3, (pointer(), 0.2..3.0_f64, pointer()));
    let mode = prop_oneof![Just(CallMode::Sequence), Just(CallMode::Parallel)];
    (
        vec(option::weighted(0.7, any_retry()), 3),
        vec(vec(any_resource(), 0..=2), 4),
        vec(prop::bool::weighted(0.2), 4),
        any::<bool>(),
        vec(call, 48),
        mode,
    )
        .prop_map(|(retries, resources, without_workers, held_workers, calls, mode)| Extras {
            retries,
            resources,
            without_workers,
            held_workers,
            calls,
            mode,
        })
}

/// A fleet with everything. Pools call later ones, so that nobody calls in a circle.
pub fn case_of(sketch: &Sketch, extras: &Extras) -> Case {
    let mut case = sketch.fleet().case();
    let scenario: &mut Scenario = &mut case.scenario;
    for (client, retry) in scenario.clients.iter_mut().zip(&extras.retries) {
        if let Some((retry, cancel)) = retry {
            client.retry = Some(*retry);
            client.cancel = *cancel && client.timeout.is_some();
        }
    }
    let parts = extras.resources.iter().zip(&extras.without_workers);
    for (kind, (resources, without)) in scenario.kinds.iter_mut().zip(parts) {
        kind.resources.clone_from(resources);
        kind.workers_held_during_calls = extras.held_workers;
        if *without {
            kind.workers = None;
        }
    }
    let count = scenario.pools.len();
    let clients = scenario.clients.len();
    for (index, call) in extras.calls.iter().enumerate().take(count.saturating_sub(1)) {
        if let Some((to, per_request, client)) = *call {
            scenario.pools[index].call_mode = extras.mode;
            scenario.pools[index].calls = vec![Call {
                to: PoolId::from_index(index + 1 + to % (count - index - 1)),
                per_request,
                client: ClientId::from_index(client % clients),
            }];
        }
    }
    scenario.origins = origins(&scenario.pools, &[]);
    let calls_s = unloaded_calls_s(&scenario.kinds, &scenario.pools, &scenario.call_order);
    for (kind, has_calls) in scenario.pools.iter().map(|p| p.kind).zip(calls_s) {
        if has_calls.is_some() && sketch.seed.is_multiple_of(3) {
            scenario.kinds[kind.index()].warm_up = Seconds::ZERO;
        }
    }
    case
}

#[test]
fn every_try_and_request_ends_once_with_retries_resources_and_calls() {
    holds_for(6, 9, (any_sketch(), any_extras()), |(sketch, extras)| {
        let case = case_of(&sketch, &extras);
        let run = Run::of(&case);
        run.check().map_err(TestCaseError::fail)?;
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
