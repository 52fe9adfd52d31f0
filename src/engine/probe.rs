//! Phase 6: health checks move instances in and out of rotation (MODEL §5).

use crate::model::ProbeKind;
use crate::queueing::{Load, Normal, Response, response, response_of_bypassing};

use super::instances::{NEVER, Process, flag};
use super::log::ProbeFailure;
use super::world::World;
use crate::model::PoolId;

/// Sends the probes that fall into this step and applies the answers that are due at its end. A
/// probe is judged by the state at the end of the step in which it is sent.
pub fn probe(world: &mut World<'_>) {
    take_measured(world);
    for pool in 0..world.pools.len() {
        for i in world.pools[pool].instances() {
            let boundary = world.step + 1;
            if world.instances.answer_step[i] <= boundary {
                take_answer(world, pool, i);
            }
            while world.instances.probe_step[i] <= world.step {
                if world.instances.answer_step[i] != NEVER {
                    // The time-out is as long as the interval: it ends before the next is sent.
                    take_answer(world, pool, i);
                    if world.instances.probe_step[i] == NEVER {
                        break;
                    }
                }
                send(world, pool, i);
                if world.instances.answer_step[i] <= boundary {
                    take_answer(world, pool, i);
                }
            }
        }
    }
}

/// Applies the answers of probes that were requests in a queue.
fn take_measured(world: &mut World<'_>) {
    let Some(requests) = &mut world.requests else { return };
    let answers = requests.take_answers();
    for answer in answers {
        let i = answer.station as usize;
        let pool = world.pools.partition_point(|pool| pool.first <= i) - 1;
        if world.instances.has(i, flag::REMOVED) {
            continue;
        }
        world.instances.mark(i, flag::PASSED, answer.passed);
        if !answer.passed && world.probe_failures.is_some() && world.instances.is_up(i) {
            let sent = world.requests.as_ref().map(|requests| requests.sent(&answer));
            let (sent_s, wait_s) = sent.unwrap_or_default();
            note_failure(world, pool, i, world.step + 1, sent_s, wait_s);
        }
        take_answer(world, pool, i);
    }
}

fn send(world: &mut World<'_>, pool: usize, i: usize) {
    let number = world.instances.probes[i];
    let sent_s = world.probe_time_s(pool, i, number);
    let timeout_s = world.kind(pool).health_check.timeout.get();
    let answer = match world.instances.process[i] {
        Process::Up => answer(world, pool, i, number, timeout_s),
        Process::Starting | Process::Dead => Err(None),
        Process::Absent => return,
    };
    world.instances.mark(i, flag::PASSED, answer.is_ok());
    world.instances.answer_step[i] = world.boundary_at(sent_s + answer.unwrap_or(timeout_s));
    if let (Err(wait_s), true) = (answer, world.probe_failures.is_some())
        && world.instances.is_up(i)
    {
        let boundary = world.instances.answer_step[i];
        note_failure(world, pool, i, boundary, sent_s, wait_s);
    }
    world.schedule_next_probe(pool, i);
}

/// Keeps a failed probe for the observer.
fn note_failure(
    world: &mut World<'_>,
    pool: usize,
    i: usize,
    boundary: u32,
    sent_s: f64,
    wait_s: Option<f64>,
) {
    let failure = ProbeFailure {
        sent_s,
        time_s: world.boundary_s(boundary),
        pool: PoolId::from_index(pool),
        instance: (i - world.pools[pool].first) as u32,
        wait_s,
        timeout_s: world.kind(pool).health_check.timeout.get(),
    };
    world.probe_failures.get_or_insert_default().push(failure);
}

/// How long a living instance takes to answer a probe, s; else how long its queue would have it
/// wait, if somebody asks for that: none where it is refused.
fn answer(
    world: &mut World<'_>,
    pool: usize,
    i: usize,
    number: u32,
    timeout_s: f64,
) -> Result<f64, Option<f64>> {
    let check = &world.kind(pool).health_check;
    if check.kind == ProbeKind::Shallow {
        return Ok(0.0);
    }
    let interval_s = check.interval.get();
    let ignores_limit = world.instances.has(i, flag::BY_DEADLINE);
    let rate = world.rate(pool, i);
    let table = world.tables.get(world.instances.table[i]);
    let load = Load { mean: world.instances.mean[i], variance: world.instances.variance[i] };
    let closure = table.closure(load.mean, load.variance);
    let latency = if ignores_limit {
        response_of_bypassing(table, &load, rate)
    } else {
        response(table, &load, rate)
    };
    let stream = world.member_stream(pool, i);
    // Luck persists for as long as the station remembers its state.
    let memory_s = 2.0 * load.variance / (rate * closure.busy).max(1e-300);
    let kept = libm::exp(-interval_s / memory_s.max(1e-9));
    let fresh = stream.normal(2 * u64::from(number) + 1);
    let luck = kept * f64::from(world.instances.luck[i]) + (1.0 - kept * kept).sqrt() * fresh;
    world.instances.luck[i] = luck as f32;
    let service = stream.uniform(2 * u64::from(number) + 2);
    let mut above = Normal::at(-luck).below;
    if !ignores_limit {
        if above < closure.block {
            return Err(None);
        }
        above = (above - closure.block) / (1.0 - closure.block);
    }
    let above = above.max(1e-12);
    let asks = world.probe_failures.is_some();
    wait_and_service_s(&latency, above, service, timeout_s)
        .ok_or_else(|| asks.then(|| latency.wait_quantile_s(above)))
}

/// Wait plus service, where a share `above` of waits is longer and `service` of services.
fn wait_and_service_s(latency: &Response, above: f64, service: f64, timeout_s: f64) -> Option<f64> {
    let service_s = -libm::log(service) * latency.service_s;
    let left_s = timeout_s - service_s;
    // Written so that a stalled station, whose latencies are infinite, fails.
    let passes = left_s > 0.0 && latency.wait_tail(left_s) <= above;
    passes.then(|| (service_s + latency.wait_quantile_s(above)).min(timeout_s))
}

/// A probe's answer, or its time-out, takes effect.
fn take_answer(world: &mut World<'_>, pool: usize, i: usize) {
    world.instances.answer_step[i] = NEVER;
    let check = &world.kind(pool).health_check;
    let (to_fail, to_pass) = (check.unhealthy_threshold, check.healthy_threshold);
    let in_rotation = world.instances.has(i, flag::IN_ROTATION);
    if world.instances.has(i, flag::PASSED) && world.instances.is_up(i) {
        let passed = world.instances.streak[i].max(0).saturating_add(1);
        world.instances.streak[i] = passed;
        if !in_rotation && u32::from(passed.unsigned_abs()) >= to_pass {
            world.pass_health_check(pool, i);
        }
    } else {
        let failed = world.instances.streak[i].min(0).saturating_sub(1);
        world.instances.streak[i] = failed;
        if u32::from(failed.unsigned_abs()) >= to_fail && (in_rotation || world.instances.is_up(i))
            // One that had to stay tries again at its next failed probe.
            && world.fail_health_check(pool, i)
        {
            world.instances.streak[i] = 0;
        }
    }
}
