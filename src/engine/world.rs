//! All simulated state.

use crate::model::{
    Action, Autoscaler, Client, InstanceKind, Pool, PoolId, ProbeKind, Resource, Scenario, Source,
    WhenFull, unloaded_calls_s,
};
use crate::policy::{self, Mitigations, Plan};
use crate::units::Seconds;

use super::autoscale::PoolScaler;
use super::books::FluidBooks;
use super::events::EventState;
use super::instances::{Instances, Kept, NEVER, Process, flag};
use super::log::{Happening, LogEntry, ProbeFailure};
use super::origins::{OriginState, UsersTries};
use super::plane::fluid::{Fallback, Lanes};
use super::plane::requests::Requests;
use super::rng::{Purpose, Stream};
use super::snapshot::{PoolStep, ResourceStep};
use super::tables::Tables;

/// What events make of a pool at the moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Modifiers {
    /// Multiple of the instances' speed.
    pub speed: f64,
    /// The same without what slows them down: what full knowledge could count on.
    pub speed_up: f64,
    /// Share of tries that fail at once.
    pub error_share: f64,
    /// Share of the demand that is to be moved away.
    pub drain_share: f64,
}

impl Modifiers {
    /// Nothing out of the ordinary.
    pub const NONE: Self = Self { speed: 1.0, speed_up: 1.0, error_share: 0.0, drain_share: 0.0 };
}

/// Everything that a pool's instances serve under, but their own state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Conditions {
    /// Tries a second.
    pub incoming_rps: f64,
    /// Those of them that were redirected.
    pub redirected_rps: f64,
    /// Tries weighted by their client's number: another sum means another mix.
    pub client_sum: f64,
    /// Instances that are sent traffic.
    pub receivers: u32,
    /// Instances whose process is up.
    pub up: u32,
    /// Completions a second of one busy worker of speed 1. (What else there is to their pace
    /// changes only with settings, or where pools call and are never calm.)
    pub even_rate: f64,
    /// Share of tries that fail at once.
    pub error_share: f64,
}

/// A pool's state.
#[derive(Debug)]
pub struct PoolState {
    /// Its first instance.
    pub first: usize,
    /// Instances launched so far; they come first in its range.
    pub launched: usize,
    /// Instances that there are places for.
    pub room: usize,
    /// Instances starting.
    pub starting: u32,
    /// Instances that were launched and are no longer wanted.
    pub dismissed: u32,
    /// Of those, up: they finish what they have.
    pub finishing: u32,
    /// What events make of it.
    pub modifiers: Modifiers,
    /// Its demand when it last reported, rps.
    pub reported_demand_rps: f64,
    /// Its mean queue wait when it last reported, s; 0 where no policy asks.
    pub reported_wait_s: f64,
    /// First tries and retries that are due, a second, this step.
    pub demand_rps: f64,
    /// Own tries routed home this step, rps.
    pub kept_rps: f64,
    /// Others' tries routed here this step, rps.
    pub redirected_rps: f64,
    /// Share of the tries in system that were redirected.
    pub redirected_share: f64,
    /// What is routed here this step by whose clients send it, rps; empty where all have the same.
    pub incoming_by_client: Vec<f64>,
    /// Shares of the tries in system by whose clients sent them; empty where all have the same.
    pub inside_by_client: Vec<f64>,
    /// Did traffic of it go elsewhere in the last step?
    pub redirects: bool,
    /// Was traffic of it shed in the last step?
    pub sheds: bool,
    /// Do capacities have to be added up again?
    pub is_stale: bool,
    /// What its instances last served under, if that left them as they were.
    pub calm: Option<Conditions>,
    /// The step under way, and levels.
    pub out: PoolStep,
    /// The time that a request here spends in calls now, s; 0 where it makes none.
    pub calls_s: f64,
    /// The share of requests here that a call fails for good.
    pub call_failure: f64,
    /// Streams of its probes and their phases.
    pub probe_stream: Stream,
    /// Phases of its probes.
    pub phase_stream: Stream,
    /// Luck of those that may crash.
    pub crash_stream: Stream,
}

impl PoolState {
    /// Its instances launched so far.
    #[must_use]
    pub const fn instances(&self) -> std::ops::Range<usize> {
        self.first..self.first + self.launched
    }

    /// Instances that it has, up or not.
    #[must_use]
    pub const fn there(&self) -> u32 {
        self.launched as u32 - self.dismissed
    }

    /// Share in rotation.
    #[must_use]
    pub fn share_in_rotation(&self) -> f64 {
        f64::from(self.out.in_rotation) / f64::from(self.out.expected.max(1))
    }
}

/// The running world.
#[derive(Debug)]
pub struct World<'a> {
    /// What it was made from.
    pub scenario: &'a Scenario,
    /// Instance kinds as `set` events leave them.
    pub kinds: Vec<InstanceKind>,
    /// Pools' settings as `set` events leave them.
    pub settings: Vec<Pool>,
    /// Clients as `set` events leave them.
    pub clients: Vec<Client>,
    /// Sources as `set` events leave them.
    pub sources: Vec<Source>,
    /// Autoscalers as `set` events leave them.
    pub autoscalers: Vec<Autoscaler>,
    /// The time that a request at each pool spends in calls when nothing queues, s.
    pub calls_s: Vec<Option<f64>>,
    /// Each scaled pool's autoscaler.
    pub scalers: Vec<PoolScaler>,
    /// Where tries come from, by id.
    pub origins: Vec<OriginState>,
    /// Steps done.
    pub step: u32,
    /// Length of a step, s.
    pub step_s: f64,
    /// Instances.
    pub instances: Instances,
    /// Pools by id.
    pub pools: Vec<PoolState>,
    /// Tables of stationary values.
    pub tables: Tables,
    /// How far each event is.
    pub events: Vec<EventState>,
    /// What the policy decided.
    pub plan: Plan,
    /// Does the policy ask how long queues wait?
    pub watches_waits: bool,
    /// What answers users' tries that are refused.
    pub fallback_spec: Option<policy::Fallback>,
    /// The same under way, in the fluid plane.
    pub fallback: Option<Fallback>,
    /// What happened since observers were last told.
    pub log: Vec<LogEntry>,
    /// Probes that failed since observers were last told; none where nobody asks.
    pub probe_failures: Option<Vec<ProbeFailure>>,
    /// What is used of every resource of every pool.
    pub resources: Vec<ResourceStep>,
    /// Where each pool's resources begin; one more than there are pools.
    pub resource_starts: Vec<u32>,
    /// Users' tries of the step under way.
    pub users_tries: UsersTries,
    /// Users' requests.
    pub books: FluidBooks,
    /// Every request, in the plane that knows them.
    pub requests: Option<Box<Requests>>,
    /// Who waits for what, in the fluid plane; none where nobody retries, cancels or calls.
    pub lanes: Option<Lanes>,
}

impl<'a> World<'a> {
    /// The world at time 0, before anything is in it.
    #[must_use]
    pub fn new(scenario: &'a Scenario, mitigations: &Mitigations) -> Self {
        let mut world = Self {
            scenario,
            kinds: scenario.kinds.clone(),
            settings: scenario.pools.clone(),
            clients: scenario.clients.clone(),
            sources: scenario.sources.clone(),
            autoscalers: scenario.autoscalers.clone(),
            calls_s: unloaded_calls_s(&scenario.kinds, &scenario.pools, &scenario.call_order),
            scalers: PoolScaler::all(scenario),
            origins: OriginState::all(scenario),
            step: 0,
            step_s: scenario.simulation.step.get(),
            instances: Instances { kept: kept(scenario), ..Instances::default() },
            pools: Vec::with_capacity(scenario.pools.len()),
            tables: Tables::default(),
            events: scenario.events.iter().map(|_| EventState::default()).collect(),
            plan: Plan::default(),
            watches_waits: mitigations.watches_waits(),
            fallback_spec: mitigations.fallback(),
            fallback: None,
            log: Vec::new(),
            probe_failures: None,
            resources: Vec::new(),
            resource_starts: vec![0],
            users_tries: UsersTries::default(),
            books: FluidBooks::default(),
            requests: None,
            lanes: Lanes::of(scenario),
        };
        for pool in 0..scenario.pools.len() {
            let count = scenario.resource_names(PoolId::from_index(pool)).count();
            let end = world.resources.len() + count;
            world.resources.resize(end, ResourceStep::default());
            world.resource_starts.push(end as u32);
        }
        let most = most_instances(scenario);
        world.instances.reserve(most.iter().sum());
        for (index, most) in most.into_iter().enumerate() {
            world.add_pool(index, most);
        }
        world
    }

    fn add_pool(&mut self, index: usize, most: usize) {
        let scenario = self.scenario;
        let pool = &scenario.pools[index];
        let seed = scenario.simulation.seed;
        let first = self.instances.mean.len();
        let launched = pool.instances as usize;
        let kind = &scenario.kinds[pool.kind.index()];
        let order = Stream::new(seed, Purpose::Speed, &pool.name).shuffled(pool.instances);
        let last = f64::from(pool.instances.max(2) - 1);
        for place in order {
            let even = if pool.instances == 1 { 0.0 } else { 2.0 * f64::from(place) / last - 1.0 };
            self.instances.push_absent(1.0 + kind.speed_spread.get() * even);
        }
        for _ in launched..most {
            self.instances.push_absent(1.0);
        }
        let clients = if has_many_clients(scenario) { scenario.clients.len() } else { 0 };
        let own = |is_own: bool| f64::from(u8::from(is_own));
        self.pools.push(PoolState {
            first,
            launched,
            room: most,
            starting: 0,
            dismissed: 0,
            finishing: 0,
            modifiers: Modifiers::NONE,
            reported_demand_rps: pool.demand.get(),
            reported_wait_s: 0.0,
            demand_rps: pool.demand.get(),
            kept_rps: 0.0,
            redirected_rps: 0.0,
            redirected_share: 0.0,
            incoming_by_client: vec![0.0; clients],
            inside_by_client: (0..clients).map(|c| own(c == pool.client.index())).collect(),
            redirects: false,
            sheds: false,
            is_stale: true,
            calm: None,
            out: PoolStep { is_healthy: true, ..PoolStep::default() },
            calls_s: self.calls_s[index].unwrap_or(0.0),
            call_failure: 0.0,
            probe_stream: Stream::new(seed, Purpose::Probe, &pool.name),
            phase_stream: Stream::new(seed, Purpose::Phase, &pool.name),
            crash_stream: Stream::new(seed, Purpose::Crash, &pool.name),
        });
        for i in self.pools[index].instances() {
            self.instances.process[i] = Process::Up;
            self.instances.flags[i] = flag::IN_ROTATION | flag::EXPECTED;
            self.instances.luck[i] = self.member_stream(index, i).normal(0) as f32;
            self.schedule_probe(index, i, 0.0);
            self.choose_table(index, i);
        }
        let out = &mut self.pools[index].out;
        (out.up, out.in_rotation, out.expected) = (pool.instances, pool.instances, pool.instances);
    }

    /// Whose requests are inside a pool: the share of each client, and when it gives up, s.
    #[must_use]
    pub fn patience(&self, pool: usize) -> Vec<(f64, Option<f64>)> {
        let timeout_s = |client: usize| self.clients[client].timeout.map(Seconds::get);
        let inside = &self.pools[pool].inside_by_client;
        if inside.is_empty() {
            let only = self.scenario.origins.first().map(|origin| origin.client.index());
            return vec![(1.0, only.and_then(timeout_s))];
        }
        let present = inside.iter().enumerate().filter(|(_, share)| **share > 0.0);
        present.map(|(client, &share)| (share, timeout_s(client))).collect()
    }

    /// The kind of a pool's instances.
    #[must_use]
    pub fn kind(&self, pool: usize) -> &InstanceKind {
        &self.kinds[self.scenario.pools[pool].kind.index()]
    }

    /// Time at the start of the step under way, s.
    #[must_use]
    pub fn time_s(&self) -> f64 {
        self.boundary_s(self.step)
    }

    /// Time of a boundary between steps, s.
    #[must_use]
    pub fn boundary_s(&self, step: u32) -> f64 {
        f64::from(step) * self.step_s
    }

    /// The first boundary at or after a time.
    #[must_use]
    pub fn boundary_at(&self, time_s: f64) -> u32 {
        self.scenario.simulation.boundary_at(time_s).min(NEVER - 1)
    }

    /// The step in which a time lies.
    fn step_of(&self, time_s: f64) -> u32 {
        (time_s / self.step_s + 1e-9).floor().clamp(0.0, f64::from(NEVER - 1)) as u32
    }

    /// Notes that something happened at a boundary.
    pub fn note(&mut self, boundary: u32, what: Happening) {
        self.log.push(LogEntry { time_s: self.boundary_s(boundary), what });
    }

    /// The stream of an instance's probes.
    #[must_use]
    pub fn member_stream(&self, pool: usize, i: usize) -> Stream {
        let state = &self.pools[pool];
        state.probe_stream.member((i - state.first) as u32)
    }

    /// The stream of the luck of an instance that may crash.
    #[must_use]
    pub fn crash_stream(&self, pool: usize, i: usize) -> Stream {
        let state = &self.pools[pool];
        state.crash_stream.member((i - state.first) as u32)
    }

    /// When the probe of that number is sent, s.
    #[must_use]
    pub fn probe_time_s(&self, pool: usize, i: usize, number: u32) -> f64 {
        let check = &self.kind(pool).health_check;
        let interval_s = check.interval.get();
        let phase_s = match check.phase {
            Some(phase) => phase.get(),
            None => {
                let state = &self.pools[pool];
                state.phase_stream.uniform((i - state.first) as u64) * interval_s
            }
        };
        phase_s + f64::from(number) * interval_s
    }

    /// Schedules the first probe of an instance at or after a time.
    pub fn schedule_probe(&mut self, pool: usize, i: usize, from_s: f64) {
        let interval_s = self.kind(pool).health_check.interval.get();
        let phase_s = self.probe_time_s(pool, i, 0);
        let number = ((from_s - phase_s) / interval_s - 1e-9).ceil().max(0.0) as u32;
        self.instances.probes[i] = number;
        self.instances.probe_step[i] = self.step_of(self.probe_time_s(pool, i, number));
        self.instances.answer_step[i] = NEVER;
    }

    /// Schedules the probe after the last one sent.
    pub fn schedule_next_probe(&mut self, pool: usize, i: usize) {
        let number = self.instances.probes[i] + 1;
        self.instances.probes[i] = number;
        self.instances.probe_step[i] = self.step_of(self.probe_time_s(pool, i, number));
    }

    /// Work a second that its deep probes are to an instance.
    #[must_use]
    pub fn probe_rps(&self, pool: usize, i: usize) -> f64 {
        let check = &self.kind(pool).health_check;
        match check.kind {
            ProbeKind::Deep if !self.instances.has(i, flag::REMOVED) => 1.0 / check.interval.get(),
            _ => 0.0,
        }
    }
}

/// What of instances has to be kept beside.
fn kept(scenario: &Scenario) -> Kept {
    let is_deadly = |resource: &Resource| resource.when_full() == Some(WhenFull::Crash);
    Kept {
        serving: scenario.has_calls(),
        crashes: scenario.kinds.iter().any(|kind| kind.resources.iter().any(is_deadly)),
    }
}

/// Do tries have different clients?
fn has_many_clients(scenario: &Scenario) -> bool {
    scenario.origins.windows(2).any(|pair| pair[0].client != pair[1].client)
}

/// Places for the instances of each pool: those at the start, those that events add, and twice an
/// autoscaler's `max`: as many again may still finish what they have, or be dead, while others
/// serve.
fn most_instances(scenario: &Scenario) -> Vec<usize> {
    let mut most: Vec<usize> = scenario.pools.iter().map(|pool| pool.instances as usize).collect();
    for event in &scenario.events {
        if let Action::AddInstances { pool, count } = event.action {
            most[pool.index()] += count as usize;
        }
    }
    for (pool, most) in scenario.pools.iter().zip(&mut most) {
        if let Some(rule) = pool.autoscaler {
            *most += 2 * scenario.autoscalers[rule.index()].max as usize;
        }
    }
    most
}
