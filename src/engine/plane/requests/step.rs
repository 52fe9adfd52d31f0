//! One step of the requests plane: what control has decided goes in, counts come out.

use super::books::ExactBooks;
use super::clock::{Clock, Nanos, nanos};
use super::desk::{Counts, Way};
use super::fallback::Fallback;
use super::flow::{Answer, Flow};
use super::plain::Plain;
use super::probes::Planned;
use super::refresh;
use super::station::UNLIMITED;
use super::usage;
use crate::engine::origins::UsersTries;
use crate::engine::rng::Draws;
use crate::engine::world::World;
use crate::model::ProbeKind;

/// The plane's state between steps.
#[derive(Debug)]
pub struct Requests {
    pub(super) flow: Flow,
}

/// Service times before time 0.
const WARM_SERVICES: f64 = 10.0;
/// Probe intervals before time 0.
const WARM_PROBES: f64 = 2.0;

/// Lets requests come and go for a while before time 0, which nobody records (MODEL §4.3, *Start*).
/// Pools without a steady state begin empty.
pub fn start(world: &mut World<'_>) {
    let pools = 0..world.pools.len();
    let warm_s = pools.map(|pool| warm_up_s(world, pool)).fold(0.0, f64::max);
    let warm_steps = (warm_s / world.step_s).ceil() as u32;
    let clock = Clock { step_s: world.step_s, warm_steps };
    let mut flow = Flow::new(clock);
    refresh::build(world, &mut flow);
    for pool in &mut world.pools {
        pool.kept_rps = pool.demand_rps;
    }
    // Each begins as long before time 0 as it needs: nobody's draws depend on who else is there.
    let unsteady = refresh::unsteady_pools(world);
    let starts_at = |pool: usize| {
        let warm_s = if unsteady[pool] { 0.0 } else { warm_up_s(world, pool) };
        clock.boundary(0).saturating_sub(nanos(warm_s))
    };
    let starts: Vec<Nanos> = (0..world.pools.len()).map(starts_at).collect();
    for sender in &mut flow.senders {
        sender.starts_at = starts[sender.home as usize];
    }
    for step in 0..warm_steps {
        begin_step(world, &mut flow, i64::from(step) - i64::from(warm_steps));
        warm_probes(world, &mut flow, &starts);
        run(&mut flow);
        flow.answers.clear();
        flow.crashes.clear();
        end_step(world, &mut flow);
    }
    let marks = world.books.shown.iter().map(|book| (book.from_s, clock.at(book.from_s)));
    flow.books = ExactBooks::after(&mut flow.books, marks.collect());
    for desk in &mut flow.desks {
        let _ = desk.take_latency();
    }
    flow.fallback = world.fallback_spec.as_ref().map(Fallback::new);
    show_levels(world, &flow);
    world.requests = Some(Box::new(Requests { flow }));
}

fn warm_up_s(world: &World<'_>, pool: usize) -> f64 {
    let kind = world.kind(pool);
    let service_s = kind.service_time.get() + world.calls_s[pool].unwrap_or(0.0);
    let probes_s = WARM_PROBES * kind.health_check.interval.get();
    (WARM_SERVICES * service_s).max(probes_s)
}

/// Deep probes are load before time 0, too; nobody hears the answers.
fn warm_probes(world: &World<'_>, flow: &mut Flow, starts: &[Nanos]) {
    for (pool, starts_at) in starts.iter().enumerate() {
        let check = &world.kind(pool).health_check;
        if check.kind != ProbeKind::Deep {
            continue;
        }
        let interval = nanos(check.interval.get()).max(1);
        for i in world.pools[pool].instances() {
            let first = flow.clock.at(world.probe_time_s(pool, i, 0));
            // The number of the first probe at or after now, counted back from the first of the
            // run.
            let back = first.saturating_sub(flow.now) / interval;
            for back in (1..=back).rev() {
                let at = first - back * interval;
                if at < flow.now || at >= flow.end {
                    break;
                }
                if at < *starts_at {
                    continue;
                }
                let draws = Draws::of(world.member_stream(pool, i), u64::MAX - back);
                flow.plan_probe(i as u32, Planned { at, timeout: interval, draws });
            }
        }
    }
}

/// Serves one step at every pool.
pub fn serve(world: &mut World<'_>, is_row: bool) {
    let Some(mut requests) = world.requests.take() else { return };
    let flow = &mut requests.flow;
    begin_step(world, flow, i64::from(world.step));
    plan_probes(world, flow);
    run(flow);
    let end = flow.end;
    for station in 0..flow.stations.len() {
        flow.expire_probe(station, end);
    }
    // What was there during the step, whoever crashed in it.
    usage::show(world, flow);
    for crash in std::mem::take(&mut flow.crashes) {
        let pool = flow.stations[crash.station as usize].pool as usize;
        let at_s = flow.clock.time_s(crash.at);
        world.crashed(pool, crash.station as usize, crash.resource, at_s);
    }
    show(world, flow, is_row);
    end_step(world, flow);
    world.requests = Some(requests);
}

/// Brings users' books up to date at the end of a step, when nothing more can die in it.
pub fn close(world: &mut World<'_>) {
    let Some(mut requests) = world.requests.take() else { return };
    if world.step + 1 == world.scenario.simulation.steps() {
        count_given_up(world, &mut requests.flow);
    }
    requests.flow.books.show();
    world.books.shown.clone_from(&requests.flow.books.shown);
    world.requests = Some(requests);
}

fn begin_step(world: &World<'_>, flow: &mut Flow, step: i64) {
    flow.now = flow.clock.boundary(step);
    flow.end = flow.clock.boundary(step + 1);
    flow.step = (step + i64::from(flow.clock.warm_steps)) as u64;
    let length = flow.end - flow.now;
    flow.users_tries = UsersTries::default();
    for desk in &mut flow.desks {
        desk.begin(length);
    }
    refresh::refresh(world, flow);
    for index in 0..flow.desks.len() {
        flow.desks[index].ways.clear();
    }
    route(world, flow);
}

/// The policy's plan as shares of each home's tries.
fn route(world: &World<'_>, flow: &mut Flow) {
    for redirect in &world.plan.redirects {
        let ways = &mut flow.desks[redirect.from.index()].ways;
        ways.push((redirect.rps, Way::To(redirect.to.0)));
    }
    for (pool, desk) in flow.desks.iter_mut().enumerate() {
        let shed_rps = world.plan.shed_rps.get(pool).copied().unwrap_or(0.0);
        if desk.ways.is_empty() && shed_rps <= 0.0 {
            continue;
        }
        desk.ways.insert(0, (world.plan.kept_rps[pool], Way::To(pool as u32)));
        desk.ways.push((shed_rps, Way::Shed));
        let total: f64 = desk.ways.iter().map(|(rps, _)| rps).sum();
        desk.ways.retain(|(rps, _)| *rps > 0.0);
        let mut sum = 0.0;
        for (share, _) in &mut desk.ways {
            sum += *share / total;
            *share = sum;
        }
    }
}

fn plan_probes(world: &mut World<'_>, flow: &mut Flow) {
    for pool in 0..world.pools.len() {
        let check = &world.kind(pool).health_check;
        if check.kind != ProbeKind::Deep {
            continue;
        }
        let timeout = nanos(check.timeout.get());
        for i in world.pools[pool].instances() {
            // What is not up answers nobody: the health check sees to that.
            while world.instances.is_up(i) && world.instances.probe_step[i] <= world.step {
                let number = world.instances.probes[i];
                let at = flow.clock.at(world.probe_time_s(pool, i, number));
                let at = at.clamp(flow.now, flow.end - 1);
                let draws = Draws::of(world.member_stream(pool, i), u64::from(number));
                flow.plan_probe(i as u32, Planned { at, timeout, draws });
                world.schedule_next_probe(pool, i);
            }
        }
    }
}

fn run(flow: &mut Flow) {
    let end = flow.end;
    if flow.plain.is_some() {
        flow.run_plainly(end);
    } else {
        flow.run_until(end);
    }
    flow.answer_deferred();
}

/// Closes the step's books of origins.
fn end_step(world: &mut World<'_>, flow: &mut Flow) {
    let step_s = world.step_s;
    for (sender, origin) in flow.senders.iter_mut().zip(&mut world.origins) {
        origin.retry_rps = sender.end_step() as f64 / step_s;
        let first = std::mem::take(&mut sender.first);
        if sender.is_call {
            origin.first_rps = first as f64 / step_s;
            // A budget holds a second's deposits, not what the last, short step happened to bring.
            sender.first_rps += (origin.first_rps - sender.first_rps) * step_s.min(1.0);
        }
    }
}

/// Shows what happened in the step.
fn show(world: &mut World<'_>, flow: &mut Flow, is_row: bool) {
    for (index, desk) in flow.desks.iter_mut().enumerate() {
        let now = desk.now;
        let redirect_cost = desk.redirect_cost;
        let out = &mut world.pools[index].out;
        out.first_tries = now.first as f64;
        out.retries = now.retries as f64;
        out.redirected_in = now.redirected_in as f64;
        out.redirected_out = now.redirected_out as f64;
        out.completed = now.completed as f64;
        out.late += now.late as f64;
        out.degraded = now.degraded as f64;
        out.deferred = desk.deferred as f64;
        out.shed = now.shed as f64;
        out.rejected = now.rejected as f64;
        out.lost += now.lost as f64;
        out.died_inside += now.died_inside as f64;
        let refused = now.shed + now.deferred;
        let here = now.first + now.retries - now.redirected_out - refused;
        out.work = here as f64 + now.redirected_in as f64 * redirect_cost;
        out.in_flight_peak = now.peak as f64;
        if is_row {
            out.latency = desk.take_latency();
        }
    }
    world.users_tries = flow.users_tries;
    let length_s = world.step_s;
    for (desk, pool) in flow.desks.iter().zip(&mut world.pools) {
        pool.out.in_flight_mean = desk.now.inside_time as f64 / 1e9 / length_s;
    }
    show_levels(world, flow);
}

/// Shows how much is where.
fn show_levels(world: &mut World<'_>, flow: &Flow) {
    for (index, desk) in flow.desks.iter().enumerate() {
        let mut waiting = 0;
        for i in world.pools[index].instances() {
            let station = &flow.stations[i];
            world.instances.tries[i] = station.tries as f64;
            world.instances.mean[i] = station.inside as f64;
            let ready = if station.workers == UNLIMITED { 0 } else { station.ready.len() as u64 };
            waiting += (station.inside - station.busy + ready).min(station.tries);
        }
        let out = &mut world.pools[index].out;
        out.in_flight = desk.inside as f64;
        out.queue = waiting as f64;
    }
}

/// Counts the requests left whose client has given up, or, where clients never do, that have been
/// there for over ten mean service times.
fn count_given_up(world: &mut World<'_>, flow: &mut Flow) {
    let mut given_up = Vec::new();
    for (_, one) in flow.tries.inside() {
        if one.origin == super::tries::PROBE {
            continue;
        }
        let sender = &flow.senders[one.origin as usize];
        let pool = one.pool as usize;
        let patience = sender.timeout.unwrap_or_else(|| patience(world, pool));
        let is_last = one.is_last || !one.timed_out;
        let has_given_up = one.timed_out || !sender.has_alarm && flow.now - one.sent > patience;
        if has_given_up {
            world.pools[pool].out.given_up += 1.0;
            if is_last && !sender.is_call {
                given_up.push(one.born);
            }
        }
    }
    for (origin, sent, station) in flow.plain.iter().flat_map(Plain::tries) {
        let pool = flow.stations[station as usize].pool as usize;
        let timeout = flow.senders[origin as usize].timeout;
        if flow.now - sent > timeout.unwrap_or_else(|| patience(world, pool)) {
            world.pools[pool].out.given_up += 1.0;
            given_up.push(sent);
        }
    }
    // A deferred reply can no longer be an answer in time.
    let deferred = flow.fallback.iter().flat_map(|fallback| &fallback.pending);
    given_up.extend(deferred.map(|pending| pending.born));
    for born in given_up {
        flow.books.give_up(born);
    }
}

/// How long a client that never gives up may wait before that counts as given up.
fn patience(world: &World<'_>, pool: usize) -> Nanos {
    let service_s = world.kind(pool).service_time.get() + world.calls_s[pool].unwrap_or(0.0);
    nanos(10.0 * service_s)
}

/// What the death of an instance has ended at a pool.
#[derive(Debug, Clone, Copy)]
pub struct Killed {
    pub pool: usize,
    pub late: u64,
    pub lost: u64,
}

impl Requests {
    /// Kills an instance between two steps; returns how many tries were late, and lost, by pool:
    /// those inside, and those at callers that have waited for them.
    pub fn kill(&mut self, i: usize) -> Vec<Killed> {
        let flow = &mut self.flow;
        flow.end = flow.now;
        let before: Vec<Counts> = flow.desks.iter().map(|desk| desk.now).collect();
        flow.kill(i);
        let desks = flow.desks.iter_mut().zip(before).enumerate();
        let killed = desks.map(|(pool, (desk, before))| {
            let after = std::mem::replace(&mut desk.now, before);
            Killed { pool, late: after.late - before.late, lost: after.lost - before.lost }
        });
        killed.filter(|killed| killed.late + killed.lost > 0).collect()
    }

    /// Tries inside an instance.
    #[must_use]
    pub fn tries_at(&self, i: usize) -> f64 {
        self.flow.stations[i].tries as f64
    }

    /// When a probe was sent, time of the run, s, and how long the queue had it wait then, s; none
    /// where it was refused.
    #[must_use]
    pub fn sent(&self, answer: &Answer) -> (f64, Option<f64>) {
        (self.flow.clock.time_s(answer.probe.sent), answer.probe.wait.map(|wait| wait / 1e9))
    }

    /// Outcomes of probes since last asked, in the order of their time.
    pub fn take_answers(&mut self) -> Vec<Answer> {
        let mut answers = std::mem::take(&mut self.flow.answers);
        answers.sort_by_key(|answer| (answer.at, answer.station));
        answers
    }
}
