//! After every pool has served: whose tries left and failed, what is tried again, what is called.

use crate::engine::origins::client_of;
use crate::engine::world::World;
use crate::model::{CallMode, OriginKind};
use crate::queueing::Response;

use super::lanes::Lanes;
use super::sender::Tried;

/// Follows the step's flows lane by lane. Does nothing where there are no lanes.
pub fn settle(world: &mut World<'_>) {
    let Some(mut lanes) = world.lanes.take() else { return };
    send(world, &mut lanes);
    for pool in 0..world.pools.len() {
        leave(world, &mut lanes, pool);
    }
    decide(world, &mut lanes);
    call(world, &mut lanes);
    world.lanes = Some(lanes);
}

/// Every origin's tries go where the policy sends its home's demand.
fn send(world: &World<'_>, lanes: &mut Lanes) {
    let scenario = world.scenario;
    for (o, origin) in scenario.origins.iter().enumerate() {
        let home = origin.to.index();
        let state = &world.origins[o];
        let first = state.first_rps * world.step_s;
        let sender = &mut lanes.senders[o];
        sender.tried = Tried::default();
        sender.is_call = origin.is_call();
        sender.mix.resize(sender.mix.len().max(1), 0.0);
        sender.mix[0] = first;
        if !sender.is_call {
            lanes.requests.arrived += first;
        }
        let demand_rps = world.pools[home].demand_rps;
        let share_of = |rps: f64| if demand_rps > 0.0 { rps / demand_rps } else { 0.0 };
        let refused = share_of(world.plan.shed_rps.get(home).copied().unwrap_or(0.0));
        let taken = world.fallback.as_ref().map_or(0.0, |fallback| fallback.taken_share);
        let shed = if origin.is_call() { refused } else { refused * (1.0 - taken) };
        if shed > 0.0 {
            let sender = &mut lanes.senders[o];
            super::sender::add(&mut sender.failed.shed, &sender.mix, shed);
            let tries: f64 = sender.mix.iter().sum();
            sender.tried.add_shed(tries * shed);
        }
        for redirect in world.plan.redirects.iter().filter(|r| r.from == origin.to) {
            lanes.lane(o, origin.client.index(), redirect.to.index());
        }
        let destinations: Vec<usize> = lanes.senders[o].lanes.iter().map(|lane| lane.to).collect();
        for to in destinations {
            let redirects = world.plan.redirects.iter();
            let here = redirects.filter(|r| r.from == origin.to && r.to.index() == to);
            let sent_rps: f64 = here.map(|redirect| redirect.rps).sum();
            let kept_rps = if to == home { world.pools[home].kept_rps } else { 0.0 };
            lanes.send(world, o, to, share_of(sent_rps + kept_rps));
        }
    }
}

fn leave(world: &mut World<'_>, lanes: &mut Lanes, pool: usize) {
    let left = lanes.leave(world, pool);
    let out = &mut world.pools[pool].out;
    out.completed = (out.completed - left.late - left.failed).max(0.0);
    out.late += left.late;
    out.lost += left.failed;
    if left.cancelled > 0.0 {
        let taken = withdraw(world, lanes, pool, left.cancelled);
        let out = &mut world.pools[pool].out;
        out.late += taken;
        out.in_flight -= taken;
        out.queue = out.queue.min(out.in_flight);
        out.in_flight_mean -= 0.5 * taken;
    }
}

/// Takes tries out of a pool's instances, whose clients have given up and cancel: first of all
/// those that wait. Returns how many there were to take.
fn withdraw(world: &mut World<'_>, lanes: &mut Lanes, pool: usize, tries: f64) -> f64 {
    let instances = world.pools[pool].instances();
    let waiting = |world: &World<'_>, i: usize| {
        let servers = world.tables.get(world.instances.table[i]).servers();
        (world.instances.tries[i] - servers).max(0.0)
    };
    let in_queue: f64 = instances.clone().map(|i| waiting(world, i)).sum();
    let inside: f64 = instances.clone().map(|i| world.instances.tries[i]).sum();
    let from_queue = tries.min(in_queue);
    let of_queue = if in_queue > 0.0 { from_queue / in_queue } else { 0.0 };
    let rest = inside - from_queue;
    let of_rest = if rest > 0.0 { ((tries - from_queue) / rest).min(1.0) } else { 0.0 };
    let mut taken = 0.0;
    for i in instances {
        let had = world.instances.tries[i];
        lanes.ages_at(i).drop_oldest(of_queue * waiting(world, i));
        let kept = had - of_queue * waiting(world, i);
        let kept = kept - of_rest * kept;
        let mean = (world.instances.mean[i] - (had - kept)).max(kept);
        if world.instances.mean[i] > 0.0 {
            world.instances.variance[i] *= mean / world.instances.mean[i];
        }
        world.instances.mean[i] = mean;
        world.instances.tries[i] = kept;
        taken += had - kept;
    }
    taken
}

fn decide(world: &mut World<'_>, lanes: &mut Lanes) {
    let left = world.scenario.simulation.steps().saturating_sub(world.step) as usize;
    for o in 0..world.origins.len() {
        let client = &world.clients[world.scenario.origins[o].client.index()];
        let state = &mut world.origins[o];
        lanes.senders[o].decide(client, state, world.step_s, left, &mut lanes.requests);
    }
}

/// What a request's calls come to so far.
#[derive(Clone, Copy)]
struct Calls {
    answered: f64,
    time_s: f64,
}

/// Those who entered service call: first tries of the next step. What calls take, and how many
/// fail, is what tries met in this one.
pub fn call(world: &mut World<'_>, lanes: &mut Lanes) {
    let scenario = world.scenario;
    let mut calls = vec![Calls { answered: 1.0, time_s: 0.0 }; world.pools.len()];
    for (o, origin) in scenario.origins.iter().enumerate() {
        let OriginKind::Call { from, call } = origin.kind else { continue };
        let pool = &scenario.pools[from.index()];
        let count = pool.calls[call as usize].per_request;
        let (fails, one_s) = one_call(world, lanes, o);
        let so_far = &mut calls[from.index()];
        // Of a fraction, so many requests make one more.
        let (whole, more) = (count.floor(), count.fract());
        let all_whole = libm::pow(1.0 - fails, whole);
        let answered = all_whole * (1.0 - more * fails);
        // In sequence the first call that fails is the last.
        let made = match pool.call_mode {
            CallMode::Sequence if fails > 1e-12 => {
                so_far.answered * ((1.0 - all_whole) / fails + all_whole * more)
            }
            CallMode::Sequence => so_far.answered * count,
            CallMode::Parallel => count,
        };
        if made > 0.0 {
            so_far.time_s = match pool.call_mode {
                CallMode::Sequence => so_far.time_s + made * one_s,
                CallMode::Parallel => so_far.time_s.max(count.min(1.0) * one_s),
            };
        }
        so_far.answered *= answered;
        let entered = lanes.flows[from.index()].leaving.entered;
        world.origins[o].first_rps = entered * made / world.step_s;
    }
    for (state, calls) in world.pools.iter_mut().zip(&calls) {
        state.calls_s = calls.time_s;
        state.call_failure = 1.0 - calls.answered;
    }
}

/// The chance that a call fails for good, and how long it takes, s.
fn one_call(world: &World<'_>, lanes: &Lanes, origin: usize) -> (f64, f64) {
    let sender = &lanes.senders[origin];
    let client = client_of(world, origin);
    if !sender.tried.is_empty() {
        return sender.tried.call(client, sender.granted);
    }
    let to = world.scenario.origins[origin].to.index();
    let [admitted, ..] = lanes.flows[to].shares(world.pools[to].out.in_rotation > 0);
    let number = world.scenario.origins[origin].client.index();
    let (beyond, until_s) = lanes.beyond(world, to, number);
    let mut tried = Tried::default();
    tried.add(1.0, admitted, beyond, until_s, world.pools[to].call_failure);
    tried.call(client, 1.0)
}

impl World<'_> {
    /// How long a request is held when it does not wait, s: at least its nominal service.
    #[must_use]
    pub fn held_s(&self, pool: usize) -> f64 {
        let held_s = self.kind(pool).service_time.get() + self.pools[pool].calls_s;
        if held_s.is_finite() { held_s } else { self.kind(pool).service_time.get() }
    }

    /// The latency of a request that meets an empty instance of a pool.
    #[must_use]
    pub fn idle_response(&self, pool: usize) -> Response {
        let table = self.tables.get(self.instances.table[self.pools[pool].first]);
        let rate = self.pace(pool).rate(1.0, 1.0, table.servers());
        let service_s = if rate > 0.0 { 1.0 / rate } else { f64::INFINITY };
        Response { wait_chance: 0.0, wait_mean_s: 0.0, wait_variance_s2: 0.0, service_s }
    }
}
