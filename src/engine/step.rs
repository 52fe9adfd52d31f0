//! The simulation: one pass down MODEL §3's list for every step.

use crate::policy::{Case, Policy, PoolView};

use super::books::FluidBooks;
use super::snapshot::{Observer, PoolStep, Snapshot};
use super::world::World;
use super::{demand, events, observe, probe, route, scale, serve};

/// Buffers that a step fills again and again.
#[derive(Default)]
struct Scratch {
    views: Vec<PoolView>,
    shares: Vec<f64>,
    shown: Vec<PoolStep>,
}

/// Runs a case from time 0 to its end. A row of the series ends every
/// `row_steps` ≥ 1 steps, and at the end.
pub fn run(case: &Case, row_steps: u32, observer: &mut dyn Observer) {
    let scenario = &case.scenario;
    let mut policy = case.policy.build();
    let report_interval_s = case.policy.report_interval.get();
    let mut world = World::new(scenario, &case.policy.mitigations);
    let mut scratch = Scratch::default();
    let steps = scenario.simulation.steps();
    world.books = FluidBooks::new(&observer.marks_s());
    world.probe_failures = observer.wants_probes().then(Vec::new);
    start(&mut world, observer);
    while world.step < steps {
        let is_row = (world.step + 1).is_multiple_of(row_steps.max(1)) || world.step + 1 == steps;
        step(&mut world, policy.as_mut(), report_interval_s, is_row, observer, &mut scratch);
        world.step += 1;
    }
}

/// The steady state of the demand, and everything in rotation.
fn start(world: &mut World<'_>, observer: &mut dyn Observer) {
    demand::demand(world, 0.0);
    serve::start(world);
    world.add_up_capacities();
    let shown: Vec<PoolStep> = world.pools.iter().map(|pool| pool.out).collect();
    let step_s = world.step_s;
    observer.start(&Snapshot {
        step: 0,
        time_s: 0.0,
        step_s,
        is_row: false,
        pools: &shown,
        resources: &world.resources,
        resource_starts: &world.resource_starts,
        first_tries: 0.0,
        retries: 0.0,
        books: &world.books.shown,
    });
}

/// One step. The order is the model's; retries join it with the clients that retry.
fn step(
    world: &mut World<'_>,
    policy: &mut dyn Policy,
    report_interval_s: f64,
    is_row: bool,
    observer: &mut dyn Observer,
    scratch: &mut Scratch,
) {
    let (time_s, step_s) = (world.time_s(), world.step_s);
    match &world.lanes {
        Some(lanes) => world.books.open_requests(time_s, step_s, lanes.requests.open),
        None => world.books.open(time_s, step_s, world.pools.iter().map(|pool| &pool.out)),
    }
    for pool in &mut world.pools {
        pool.out.begin_step();
    }
    events::events(world);
    observe::judge_pools(world, world.step);
    world.add_up_capacities();
    demand::demand(world, report_interval_s);
    route::route(world, policy, &mut scratch.views);
    serve::serve(world, is_row, &mut scratch.shares);
    probe::probe(world);
    scale::scale(world);
    observe::observe(world, observer, &mut scratch.shown, is_row);
}
