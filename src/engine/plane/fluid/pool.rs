//! A pool's traffic over its instances.

use crate::model::Balancing;

use super::crash::crash;
use super::fallback::fall_back;
use super::instance::{self, ArrivalProcess, Totals};
use super::lanes::PoolFlow;
use super::settle::settle;
use super::usage;
use crate::engine::route::{is_panicking, receives};
use crate::engine::snapshot::Latency;
use crate::engine::world::{Conditions, PoolState, World};

/// Serves one step at every pool.
pub fn serve(world: &mut World<'_>, is_row: bool, shares: &mut Vec<f64>) {
    fall_back(world);
    for pool in 0..world.pools.len() {
        serve_pool(world, pool, is_row, shares);
    }
    settle(world);
    crash(world);
}

/// Serves one step at one pool.
pub fn serve_pool(world: &mut World<'_>, pool: usize, is_row: bool, shares: &mut Vec<f64>) {
    let panics = is_panicking(world, pool);
    let state = &world.pools[pool];
    let conditions = Conditions {
        incoming_rps: state.kept_rps + state.redirected_rps,
        redirected_rps: state.redirected_rps,
        client_sum: weighted_sum(&state.incoming_by_client),
        receivers: if panics { state.there() } else { state.out.in_rotation },
        up: state.out.up,
        even_rate: world.even_rate(pool),
        error_share: state.modifiers.error_share,
    };
    // A row also shows the latency, which only rows work out.
    let is_shown = !is_row || state.out.latency.is_some();
    if state.calm == Some(conditions) && is_shown {
        // Nothing has changed and nothing moves: this step is the last one again.
        let out = &mut world.pools[pool].out;
        let incoming = conditions.incoming_rps * world.step_s;
        out.completed = incoming - out.rejected - out.served_late - out.served_lost;
        out.late += out.served_late;
        out.lost += out.served_lost;
        return;
    }
    spread(world, pool, panics, conditions.receivers, shares);
    let (totals, is_still) = serve_instances(world, pool, &conditions, is_row, shares);
    let keeps_still =
        world.kind(pool).warm_up.get() == 0.0 && world.kind(pool).slow_start.get() == 0.0;
    let step_s = world.step_s;
    let state = &mut world.pools[pool];
    // What drains of a queue that nothing enters is still in motion, however little it is.
    let repeats = conditions.incoming_rps * step_s >= totals.rejected + totals.late + totals.lost;
    let is_settled = mix(state, &totals);
    let is_calm = is_still && is_settled && keeps_still && repeats;
    // Whose the tries are may change while their number does not.
    state.calm = (is_calm && world.lanes.is_none()).then_some(conditions);
    let out = &mut state.out;
    out.in_flight_mean = 0.5 * (out.in_flight + totals.in_flight);
    out.in_flight_peak = out.in_flight.max(totals.in_flight);
    out.completed = totals.completed;
    out.late += totals.late;
    out.served_late = totals.late;
    out.rejected = totals.rejected;
    out.lost += totals.lost;
    out.served_lost = totals.lost;
    out.in_flight = totals.in_flight;
    out.queue = totals.queue;
    out.latency = totals.latency().map(Latency::Modelled);
    usage::note(world, pool, &totals.usage);
    if let Some(lanes) = &mut world.lanes {
        let incoming = conditions.incoming_rps * step_s;
        let Totals { rejected, lost, leaving, .. } = totals;
        lanes.flows[pool] = PoolFlow { incoming, rejected, lost, leaving };
    }
}

/// Serves at every instance of a pool; also tells whether all are in a steady state.
fn serve_instances(
    world: &mut World<'_>,
    pool: usize,
    conditions: &Conditions,
    is_row: bool,
    shares: &[f64],
) -> (Totals, bool) {
    let step_s = world.step_s;
    let mut totals = Totals::default();
    if conditions.receivers == 0 {
        totals.lost += conditions.incoming_rps * step_s;
    }
    let arrivals = arrival_process(world.settings[pool].balancing, conditions.receivers);
    let context = instance::Context::new(world, pool, world.pace(pool), arrivals, is_row);
    let mut is_still = true;
    for (place, i) in world.pools[pool].instances().enumerate() {
        let offered_rps = conditions.incoming_rps * shares[place];
        if !world.instances.is_up(i) {
            totals.lost += offered_rps * step_s;
            continue;
        }
        totals.lost += offered_rps * conditions.error_share * step_s;
        let tries_rps = offered_rps * (1.0 - conditions.error_share);
        is_still &= instance::serve(world, &context, i, tries_rps, &mut totals);
    }
    (totals, is_still)
}

fn weighted_sum(rps_by_number: &[f64]) -> f64 {
    rps_by_number.iter().zip(1_u32..).map(|(rps, number)| rps * f64::from(number)).sum()
}

/// The mix of own and redirected tries inside follows what comes in as what is inside leaves; tells
/// whether it has settled.
fn mix(state: &mut PoolState, totals: &Totals) -> bool {
    let incoming_rps = state.kept_rps + state.redirected_rps;
    let new_share = if incoming_rps > 0.0 { state.redirected_rps / incoming_rps } else { 0.0 };
    let in_system = totals.in_flight + totals.completed + totals.late;
    let fresh = if in_system > 0.0 { (totals.admitted / in_system).min(1.0) } else { 1.0 };
    let mut largest_move = fresh * (new_share - state.redirected_share);
    state.redirected_share += largest_move;
    largest_move = largest_move.abs();
    if incoming_rps > 0.0 {
        for (inside, client_rps) in state.inside_by_client.iter_mut().zip(&state.incoming_by_client)
        {
            let moved = fresh * (client_rps / incoming_rps - *inside);
            *inside += moved;
            largest_move = largest_move.max(moved.abs());
        }
    }
    largest_move < 1e-12
}

/// Each instance's share of the pool's traffic. A dead one that is still sent traffic gets an
/// average share, whatever the balancing; the others share the rest by weight.
fn spread(world: &World<'_>, pool: usize, panics: bool, receivers: u32, shares: &mut Vec<f64>) {
    shares.clear();
    let kind = world.kind(pool);
    let even = 1.0 / f64::from(receivers.max(1));
    let is_even = kind.slow_start.get() == 0.0;
    let range = world.pools[pool].instances();
    shares.extend(range.clone().map(|i| if receives(world, i, panics) { even } else { 0.0 }));
    if !is_even {
        let weight = |i: usize| world.traffic_weight(kind, i);
        scale_living(world, pool, shares, |i, share| share * weight(i));
    }
    if let Balancing::LeastRequest { choices } = world.settings[pool].balancing {
        prefer_idle(world, pool, choices, shares);
    }
}

/// Gives the living instances that have a share another one, and scales these so that together they
/// have what they had.
fn scale_living(
    world: &World<'_>,
    pool: usize,
    shares: &mut [f64],
    other: impl Fn(usize, f64) -> f64,
) {
    let range = world.pools[pool].instances();
    let living: Vec<(usize, usize)> = range
        .enumerate()
        .filter(|&(place, i)| shares[place] > 0.0 && world.instances.is_up(i))
        .collect();
    let had: f64 = living.iter().map(|&(place, _)| shares[place]).sum();
    let mut total = 0.0;
    for &(place, i) in &living {
        shares[place] = other(i, shares[place]);
        total += shares[place];
    }
    if total > 0.0 {
        for (place, _) in living {
            shares[place] *= had / total;
        }
    }
}

/// Comparing queues levels them: an instance is given what it completes, and so much more as brings
/// it to the pool's mean within a step or a service time, but at most `choices` times its share.
fn prefer_idle(world: &World<'_>, pool: usize, choices: Option<u32>, shares: &mut [f64]) {
    let state = &world.pools[pool];
    let incoming_rps = state.kept_rps + state.redirected_rps;
    if incoming_rps <= 0.0 {
        return;
    }
    let (mut inside, mut count) = (0.0, 0.0);
    for (place, i) in state.instances().enumerate() {
        if shares[place] > 0.0 && world.instances.is_up(i) {
            inside += world.instances.mean[i];
            count += 1.0;
        }
    }
    let mean = inside / f64::max(count, 1.0);
    let level_s = world.step_s.max(world.kind(pool).service_time.get());
    let most = choices.map_or(count, f64::from);
    scale_living(world, pool, shares, |i, share| {
        let gap_rps = (mean - world.instances.mean[i]) / level_s;
        (share + gap_rps / incoming_rps).clamp(0.0, most * share)
    });
}

/// What the balancing makes of the arrivals at one instance.
fn arrival_process(balancing: Balancing, receivers: u32) -> ArrivalProcess {
    let n = f64::from(receivers.max(1));
    match balancing {
        Balancing::Random => ArrivalProcess::POISSON,
        Balancing::RoundRobin => ArrivalProcess { dispersion: 1.0 / n, ..ArrivalProcess::POISSON },
        Balancing::LeastRequest { choices } => {
            let compared = choices.map_or(n, |choices| f64::from(choices).min(n));
            let choice = mean_of_largest(compared);
            ArrivalProcess { choice, in_common: 1.0 / n, ..ArrivalProcess::POISSON }
        }
    }
}

/// Mean of the largest of `n` standard normals (Blom 1958: Φ⁻¹((n − 3/8) ÷ (n + 1/4)); within 2 %).
fn mean_of_largest(n: f64) -> f64 {
    if n <= 1.0 { 0.0 } else { crate::queueing::normal_quantile((n - 0.375) / (n + 0.25)) }
}
