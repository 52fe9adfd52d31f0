//! What control has decided, as the plane needs it.

use super::arrival::Process;
use super::clock::nanos;
use super::desk::Desk;
use super::flow::{CallPlan, Flow};
use super::plain::{Plain, is_plain};
use super::sender::Sender;
use super::station::{Station, UNLIMITED};
use super::work::Moved;
use crate::engine::pace::Places;
use crate::engine::retry::Bucket;
use crate::engine::rng::{Purpose, Stream};
use crate::engine::route::{is_panicking, receives};
use crate::engine::world::World;
use crate::model::{Arrivals, Client, InstanceKind, Origin, OriginKind, Resource, WhenFull};

/// Fills a flow with every origin, pool and instance.
pub fn build(world: &World<'_>, flow: &mut Flow) {
    let scenario = world.scenario;
    for (index, origin) in scenario.origins.iter().enumerate() {
        let client = &world.clients[origin.client.index()];
        let arrivals = match origin.kind {
            OriginKind::Demand => Some(scenario.pools[origin.to.index()].arrivals),
            OriginKind::Source(source) => Some(scenario.sources[source.index()].arrivals),
            OriginKind::Call { .. } => None,
        };
        let gaps = stream_of(world, index, Purpose::Arrival);
        let process = arrivals.map(|kind: Arrivals| Process::new(kind, gaps, &flow.clock));
        flow.senders.push(Sender {
            home: origin.to.0,
            is_call: origin.is_call(),
            process,
            draws: stream_of(world, index, Purpose::Try),
            client: client.clone(),
            starts_at: 0,
            timeout: None,
            has_alarm: false,
            bucket: Bucket::new(client),
            refilled_at: 0,
            first: 0,
            first_rps: 0.0,
            at_once: 0,
            due: Default::default(),
            alarms: Default::default(),
            alarm_at: None,
        });
    }
    for pool in 0..world.pools.len() {
        flow.desks.push(Desk::new(world.settings[pool].balancing));
        flow.distributions.push(world.kind(pool).service_distribution);
        let settings = &scenario.pools[pool];
        let of_pool = |(_, origin): &(usize, &Origin)| match origin.kind {
            OriginKind::Call { from, .. } => from.index() == pool,
            _ => false,
        };
        let origins = scenario.origins.iter().enumerate().filter(of_pool);
        flow.call_plans.push(CallPlan {
            calls: settings.calls.clone(),
            origins: origins.map(|(index, _)| index as u32).collect(),
            mode: settings.call_mode,
        });
    }
    let mut pools = vec![0; world.instances.speed.len()];
    for (pool, state) in world.pools.iter().enumerate() {
        let end = world.pools.get(pool + 1).map_or(pools.len(), |next| next.first);
        pools[state.first..end].fill(pool as u32);
    }
    flow.stations = pools.into_iter().map(Station::new).collect();
    flow.planned.resize_with(flow.stations.len(), Default::default);
    flow.plain = is_plain(scenario).then(|| Plain::new(world.pools.len(), flow.stations.len()));
}

/// The stream of what is drawn for an origin.
fn stream_of(world: &World<'_>, origin: usize, purpose: Purpose) -> Stream {
    let scenario = world.scenario;
    let at = &scenario.origins[origin];
    let seed = scenario.simulation.seed;
    match at.kind {
        OriginKind::Source(source) => {
            let name = format!("source {}", scenario.sources[source.index()].name);
            Stream::new(seed, purpose, &name)
        }
        // What calls draw comes from the requests that make them.
        _ => Stream::new(seed, purpose, &scenario.pools[at.to.index()].name),
    }
}

/// Takes over what the boundary has changed.
pub fn refresh(world: &World<'_>, flow: &mut Flow) {
    for (index, origin) in world.scenario.origins.iter().enumerate() {
        let state = &world.origins[index];
        let sender = &mut flow.senders[index];
        let client = &world.clients[origin.client.index()];
        if sender.client != *client {
            sender.client = client.clone();
        }
        sender.timeout = client.timeout.map(|timeout| nanos(timeout.get()));
        sender.has_alarm = has_alarm(client, sender.is_call);
        if !sender.is_call {
            sender.first_rps = state.first_rps;
        }
        if let Some(process) = &mut sender.process
            && sender.starts_at < flow.end
        {
            process.set_rate(flow.now.max(sender.starts_at), state.first_rps);
        }
    }
    for pool in 0..world.pools.len() {
        refresh_pool(world, flow, pool);
    }
    refresh_stations(world, flow);
}

/// Does the end of a time-out do more than to make an answer late?
fn has_alarm(client: &Client, is_call: bool) -> bool {
    client.timeout.is_some() && (client.cancel || client.retry.is_some() || is_call)
}

fn refresh_pool(world: &World<'_>, flow: &mut Flow, pool: usize) {
    let state = &world.pools[pool];
    let kind = world.kind(pool);
    let panics = is_panicking(world, pool);
    let desk = &mut flow.desks[pool];
    desk.balancing = world.settings[pool].balancing;
    desk.error_share = state.modifiers.error_share;
    desk.redirect_cost = kind.redirect_cost;
    desk.calls = !world.settings[pool].calls.is_empty();
    desk.receivers.clear();
    desk.weights.clear();
    let sent = || state.instances().filter(|&i| receives(world, i, panics));
    desk.receivers.extend(sent().filter(|&i| world.instances.is_up(i)).map(|i| i as u32));
    desk.living = desk.receivers.len();
    desk.receivers.extend(sent().filter(|&i| !world.instances.is_up(i)).map(|i| i as u32));
    if kind.slow_start.get() > 0.0 {
        weigh(world, desk, kind);
    }
}

/// Shares of living instances by their age; the dead have an average share.
fn weigh(world: &World<'_>, desk: &mut Desk, kind: &InstanceKind) {
    let count = desk.receivers.len() as f64;
    let living = desk.receivers[..desk.living].iter();
    let weights: Vec<f64> = living.map(|&i| world.traffic_weight(kind, i as usize)).collect();
    let total: f64 = weights.iter().sum();
    let living_share = desk.living as f64 / count;
    let mut sum = 0.0;
    for place in 0..desk.receivers.len() {
        sum += match weights.get(place) {
            Some(weight) => weight / total * living_share,
            None => 1.0 / count,
        };
        desk.weights.push(sum);
    }
}

fn refresh_stations(world: &World<'_>, flow: &mut Flow) {
    let mut moved = Vec::new();
    for pool in 0..world.pools.len() {
        let shape = Shape::of(world, pool);
        for i in world.pools[pool].instances() {
            let mean = shape.mean_ns(world, pool, i);
            let places = shape.places(mean);
            let station = &mut flow.stations[i];
            station.is_up = world.instances.is_up(i);
            station.servers = places.servers.map_or(UNLIMITED, u64::from);
            station.limit = places.limit.unwrap_or(UNLIMITED);
            station.hard_limit = places.hard_limit.unwrap_or(UNLIMITED);
            station.workers = shape.workers;
            (station.crash_room, station.crash_resource) = shape.crash;
            if station.mean != mean {
                moved.push(Moved { station: i as u32, old: station.mean, new: mean });
                station.mean = mean;
            }
            let has_ready = !station.ready.is_empty();
            if !station.queue.is_empty() {
                flow.fill_servers(i);
            }
            // What is left to do last is done first: those that have a server already.
            if has_ready {
                flow.offer_workers(i);
            }
        }
    }
    if !moved.is_empty() {
        reschedule(flow, &moved);
    }
}

/// Work that is under way goes on at another speed.
fn reschedule(flow: &mut Flow, changes: &[Moved]) {
    let Flow { now, plain, events, tries, .. } = flow;
    if let Some(plain) = plain {
        plain.reschedule(*now, changes);
    } else if !tries.is_empty() {
        events.reschedule(|at, one| {
            let there = tries.get_mut(one)?;
            let moved = Moved::of(changes, there.station)?;
            let (left, at) = moved.go_on(*now, at, there.work_left);
            there.work_left = left;
            Some(at)
        });
    }
}

/// What the instances of a pool have in common.
struct Shape {
    /// Served at a time.
    servers: Option<u32>,
    /// Where only a rate limits them: how many are inside when nothing waits, as
    /// [`World::places`] has it.
    by_rate: Option<u64>,
    /// Most inside, deadlines apart.
    hard_limit: Option<u64>,
    max_wait_s: Option<f64>,
    calls_s: f64,
    service_s: f64,
    /// Servers over the rate that consumed resources allow, s.
    least_s: f64,
    workers: u64,
    crash: (u64, u32),
}

impl Shape {
    fn of(world: &World<'_>, pool: usize) -> Self {
        let kind = world.kind(pool);
        let makes_calls = world.calls_s[pool].is_some();
        let consumed_rps =
            kind.resources.iter().filter_map(Resource::rate_rps).fold(f64::INFINITY, f64::min);
        let service_s = kind.service_time.get();
        let servers = kind.servers(makes_calls);
        let freed = kind.workers.filter(|_| !kind.holds_workers(makes_calls));
        // Who paces the work: workers that calls free; all servers; or, where there is no limit,
        // or calls take most of the time, as many as the consumed rate keeps busy.
        let needed = (service_s * consumed_rps).ceil().max(1.0);
        let (pacers, workers) = match (freed, servers) {
            (Some(freed), _) => (f64::from(freed), u64::from(freed)),
            (None, Some(servers)) if !makes_calls => (f64::from(servers), UNLIMITED),
            _ if consumed_rps.is_finite() => (needed, needed as u64),
            _ => (1.0, UNLIMITED),
        };
        let least_s = if consumed_rps.is_finite() { pacers / consumed_rps } else { 0.0 };
        let crash = kind.resources.iter().zip(0..).filter_map(|(resource, index)| {
            let is_deadly = resource.when_full() == Some(WhenFull::Crash);
            is_deadly.then_some((resource.room()?, index))
        });
        let crash = crash.min().unwrap_or((UNLIMITED, 0));
        let calls_s = world.calls_s[pool].unwrap_or(0.0);
        let rate_rps = kind.consumed_rps(makes_calls);
        let by_rate = (servers.is_none() && rate_rps.is_finite())
            .then(|| ((service_s + calls_s) * rate_rps - 1e-9).ceil().max(1.0) as u64);
        let queue = kind.queue_limit.zip(by_rate).map(|(queue, c)| queue.saturating_add(c));
        Self {
            servers,
            by_rate,
            hard_limit: kind.places(makes_calls).or(queue),
            max_wait_s: kind.max_wait.map(|max_wait| max_wait.get()),
            calls_s,
            service_s,
            least_s,
            workers,
            crash,
        }
    }

    /// How many requests an instance serves and holds at a time, at `mean` ns a piece of work:
    /// those admitted by `max_wait` as [`World::places`] has it.
    fn places(&self, mean: f64) -> Places {
        let Self { servers, hard_limit, .. } = *self;
        let mut places = Places { servers, limit: hard_limit, hard_limit, by_deadline: false };
        // What is served at a time, and how fast: by servers, or by workers at the rate.
        let service_s = mean / 1e9;
        let unlimited = self.workers == UNLIMITED;
        let worked_rps = if unlimited { f64::INFINITY } else { self.workers as f64 / service_s };
        let served = match (servers, self.by_rate) {
            (Some(c), _) => {
                let held_rps = f64::from(c) / (service_s + self.calls_s);
                Some((u64::from(c), held_rps.min(worked_rps)))
            }
            (None, by_rate) => by_rate.map(|c| (c, worked_rps)),
        };
        if let Some((max_wait_s, (c, rps))) = self.max_wait_s.zip(served) {
            places.limit_by_deadline(c, max_wait_s * rps);
        }
        places
    }

    /// Mean time of a piece of work at an instance, ns.
    fn mean_ns(&self, world: &World<'_>, pool: usize, i: usize) -> f64 {
        let speed = world.pools[pool].modifiers.speed
            * world.instances.speed[i]
            * world.warmth(world.kind(pool), i);
        if speed <= 0.0 { f64::INFINITY } else { 1e9 * (self.service_s / speed).max(self.least_s) }
    }
}

/// By pool: has an instance no steady state under the demand at home?
pub fn unsteady_pools(world: &World<'_>) -> Vec<bool> {
    let load_rps = world.scenario.home_load_rps();
    let is_unsteady = |pool: usize| {
        let shape = Shape::of(world, pool);
        let state = &world.pools[pool];
        let each_rps = load_rps[pool] / f64::from(state.out.in_rotation.max(1));
        let calls_s = world.calls_s[pool].unwrap_or(0.0);
        state.instances().any(|i| {
            let places = shape.places(shape.mean_ns(world, pool, i));
            let tries_rps = each_rps + world.probe_rps(pool, i);
            let service_s = shape.mean_ns(world, pool, i) / 1e9;
            let held_s = service_s + calls_s;
            let served = places.servers.is_some_and(|c| tries_rps * held_s >= f64::from(c));
            let worked =
                shape.workers != UNLIMITED && tries_rps * service_s >= shape.workers as f64;
            places.limit.is_none() && (served || worked)
        })
    };
    (0..world.pools.len()).map(is_unsteady).collect()
}
