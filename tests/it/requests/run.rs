//! Runs in the requests plane, and whole numbers out of them.

use zonefall::engine::{PoolStep, RequestBook};
use zonefall::model::{Plane, Source, origins};
use zonefall::policy::Case;

use crate::fluid::build::{Plan, Run};
use crate::random::fleet::policy;

/// Runs a plan under `none`, request by request.
pub fn run(plan: &Plan) -> Run {
    run_with_sources(plan, Vec::new())
}

/// The same with sources.
pub fn run_with_sources(plan: &Plan, sources: Vec<Source>) -> Run {
    let mut scenario = plan.scenario();
    scenario.simulation.plane = Plane::Requests;
    scenario.origins = origins(&scenario.pools, &sources);
    scenario.sources = sources;
    Run::of(&Case { scenario, policy: policy("none", &[]) })
}

/// Every count is whole, and every pool's and the users' books add up exactly, at every step.
pub fn add_up(run: &Run) -> Result<(), String> {
    let before = std::iter::once(&run.start).chain(&run.steps);
    for (step, (before, after)) in before.zip(&run.steps).enumerate() {
        let (mut gone, mut come) = (0, 0);
        for (pool, (before, after)) in before.iter().zip(after).enumerate() {
            pool_adds_up(before, after)
                .map_err(|what| format!("step {step}, pool {pool}: {what}: {after:?}"))?;
            gone += after.redirected_out as i64;
            come += after.redirected_in as i64;
        }
        if gone != come {
            return Err(format!("step {step}: {gone} were redirected, {come} arrived"));
        }
    }
    for (step, book) in run.books.iter().enumerate() {
        book_adds_up(book).map_err(|what| format!("step {step}: {what}: {book:?}"))?;
    }
    Ok(())
}

fn whole<const N: usize>(parts: [f64; N]) -> Result<[i64; N], String> {
    let is_count = |part: &f64| *part >= 0.0 && part.fract() == 0.0;
    match parts.iter().position(|part| !is_count(part)) {
        Some(place) => Err(format!("count {place} is {}", parts[place])),
        None => Ok(parts.map(|part| part as i64)),
    }
}

fn pool_adds_up(before: &PoolStep, after: &PoolStep) -> Result<(), String> {
    let came = whole([after.first_tries, after.retries, after.redirected_in])?;
    let ended = whole([
        after.redirected_out,
        after.completed,
        after.late,
        after.degraded,
        after.shed,
        after.rejected,
        after.lost,
    ])?;
    let [there, here, peak, queue, given_up, died, put_off, deferred] = whole([
        before.in_flight,
        after.in_flight,
        after.in_flight_peak,
        after.queue,
        after.given_up,
        after.died_inside,
        before.deferred,
        after.deferred,
    ])?;
    let (came, went) = (came.iter().sum::<i64>(), ended.iter().sum::<i64>());
    let went = went + here - there + deferred - put_off;
    if came != went {
        return Err(format!("{came} came, {went} are accounted for"));
    }
    if here > peak || queue > here || given_up > here || died > ended[6] {
        return Err("a part is more than the whole".to_owned());
    }
    let mean = after.in_flight_mean;
    // A step is rounded to whole nanoseconds.
    let most = peak as f64 * (1.0 + 1e-6);
    if (0.0..=most).contains(&mean) { Ok(()) } else { Err(format!("{mean} inside on average")) }
}

fn book_adds_up(book: &RequestBook) -> Result<(), String> {
    let ended = whole([
        book.completed,
        book.late,
        book.degraded,
        book.shed,
        book.rejected,
        book.lost,
        book.unfinished,
    ])?;
    let [arrived, given_up] = whole([book.arrived, book.given_up])?;
    let known: i64 = ended.iter().sum();
    if arrived == known && given_up <= ended[6] {
        Ok(())
    } else {
        Err(format!("{arrived} arrived, {known} are accounted for"))
    }
}
