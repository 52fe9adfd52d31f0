//! All simulated state.

use std::collections::BTreeMap;

use crate::model::{Client, InstanceKind, OnUnhealthy, Pool, PoolId, ProbeKind, Scenario};
use crate::policy::Plan;
use crate::queueing::Table;

use super::events::EventState;
use super::instances::{Instances, LONG_AGO, NEVER, Process, flag};
use super::log::{Happening, LogEntry};
use super::rng::{Purpose, Stream};
use super::snapshot::PoolStep;

/// What events make of a pool at the moment.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Modifiers {
    /// Multiple of the instances' speed.
    pub speed: f64,
    /// Share of tries that fail at once.
    pub error_share: f64,
    /// Share of the demand that is to be moved away.
    pub drain_share: f64,
    /// Multiple of the first tries.
    pub surge: f64,
}

impl Modifiers {
    /// Nothing out of the ordinary.
    pub const NONE: Self = Self { speed: 1.0, error_share: 0.0, drain_share: 0.0, surge: 1.0 };
}

/// Everything that a pool's instances serve under, but their own state.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Conditions {
    /// Tries a second.
    pub incoming_rps: f64,
    /// Instances that are sent traffic.
    pub receivers: u32,
    /// Instances whose process is up.
    pub up: u32,
    /// Completions a second of one busy worker of speed 1.
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
    /// First tries a second this step.
    pub demand_rps: f64,
    /// Own tries routed home this step, rps.
    pub kept_rps: f64,
    /// Others' tries routed here this step, rps.
    pub redirected_rps: f64,
    /// Share of the tries in system that were redirected.
    pub redirected_share: f64,
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
    /// Streams of its probes and their phases.
    pub probe_stream: Stream,
    /// Phases of its probes.
    pub phase_stream: Stream,
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

/// Tables of stationary values, one for each distinct (c, K).
#[derive(Debug, Default)]
pub struct Tables {
    list: Vec<Table>,
    index: BTreeMap<(u32, Option<u64>), u32>,
}

impl Tables {
    /// The number of the table for `servers` and at most `limit` in the system.
    pub fn find(&mut self, servers: u32, limit: Option<u64>) -> u32 {
        *self.index.entry((servers, limit)).or_insert_with(|| {
            self.list.push(Table::new(servers, limit));
            (self.list.len() - 1) as u32
        })
    }

    /// A table by number.
    #[must_use]
    pub fn get(&self, number: u32) -> &Table {
        &self.list[number as usize]
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
    /// What happened since observers were last told.
    pub log: Vec<LogEntry>,
}

impl<'a> World<'a> {
    /// The world at time 0, before anything is in it.
    #[must_use]
    pub fn new(scenario: &'a Scenario) -> Self {
        let mut world = Self {
            scenario,
            kinds: scenario.kinds.clone(),
            settings: scenario.pools.clone(),
            clients: scenario.clients.clone(),
            step: 0,
            step_s: scenario.simulation.step.get(),
            instances: Instances::default(),
            pools: Vec::with_capacity(scenario.pools.len()),
            tables: Tables::default(),
            events: scenario.events.iter().map(|_| EventState::default()).collect(),
            plan: Plan::default(),
            log: Vec::new(),
        };
        let all: usize = (0..scenario.pools.len()).map(|p| world.most_instances(p)).sum();
        world.instances.reserve(all);
        for index in 0..scenario.pools.len() {
            world.add_pool(index);
        }
        world
    }

    /// Instances that a pool may ever have: those at the start and those events add.
    fn most_instances(&self, pool: usize) -> usize {
        let added: u32 = self
            .scenario
            .events
            .iter()
            .filter_map(|event| match event.action {
                crate::model::Action::AddInstances { pool: to, count } if to.index() == pool => {
                    Some(count)
                }
                _ => None,
            })
            .sum();
        self.scenario.pools[pool].instances as usize + added as usize
    }

    fn add_pool(&mut self, index: usize) {
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
        for _ in launched..self.most_instances(index) {
            self.instances.push_absent(1.0);
        }
        self.pools.push(PoolState {
            first,
            launched,
            starting: 0,
            dismissed: 0,
            finishing: 0,
            modifiers: Modifiers::NONE,
            reported_demand_rps: pool.demand.get(),
            demand_rps: pool.demand.get(),
            kept_rps: 0.0,
            redirected_rps: 0.0,
            redirected_share: 0.0,
            redirects: false,
            sheds: false,
            is_stale: true,
            calm: None,
            out: PoolStep { is_healthy: true, ..PoolStep::default() },
            probe_stream: Stream::new(seed, Purpose::Probe, &pool.name),
            phase_stream: Stream::new(seed, Purpose::Phase, &pool.name),
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
        // A time that is a whole number of steps but for rounding is that boundary.
        (time_s / self.step_s - 1e-9).ceil().clamp(0.0, f64::from(NEVER - 1)) as u32
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

    /// Completions a second of one busy worker of an instance.
    #[must_use]
    pub fn rate(&self, pool: usize, i: usize) -> f64 {
        self.even_rate(pool) * self.instances.speed[i] * self.warmth(self.kind(pool), i)
    }

    /// Completions a second of one busy worker of a warm instance of speed 1.
    #[must_use]
    pub fn even_rate(&self, pool: usize) -> f64 {
        let kind = self.kind(pool);
        let state = &self.pools[pool];
        let cost = 1.0 + state.redirected_share * (kind.redirect_cost - 1.0);
        state.modifiers.speed / (kind.service_time.get() * cost)
    }

    /// How much of its speed a new instance has reached: from a tenth to all over `warm_up`.
    #[must_use]
    pub fn warmth(&self, kind: &InstanceKind, i: usize) -> f64 {
        ramp(self.instances.up_at[i], self.step, kind.warm_up.get(), self.step_s)
    }

    /// Its share of traffic relative to an old instance: from a tenth to all over `slow_start`.
    #[must_use]
    pub fn traffic_weight(&self, kind: &InstanceKind, i: usize) -> f64 {
        ramp(self.instances.rotation_since[i], self.step, kind.slow_start.get(), self.step_s)
    }

    /// Picks the table of an instance's workers and places. `max_wait` limits the queue to
    /// ⌊max_wait · c · r⌋ + 1 places.
    pub fn choose_table(&mut self, pool: usize, i: usize) {
        let kind = self.kind(pool);
        let workers = kind.workers;
        let mut places = kind.queue_limit;
        if let Some(max_wait) = kind.max_wait {
            let admitted = max_wait.get() * f64::from(workers) * self.rate(pool, i);
            let admitted = (admitted + 1e-9).floor() as u64 + 1;
            places = Some(places.map_or(admitted, |places| places.min(admitted)));
        }
        let limit = places.map(|places| u64::from(workers) + places);
        self.instances.table[i] = self.tables.find(workers, limit);
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

    /// Takes an instance out of rotation, and does what its kind's `on_unhealthy` says.
    pub fn fail_health_check(&mut self, pool: usize, i: usize) {
        let id = PoolId::from_index(pool);
        let boundary = self.step + 1;
        let instance = (i - self.pools[pool].first) as u32;
        if self.instances.has(i, flag::IN_ROTATION) {
            self.instances.mark(i, flag::IN_ROTATION, false);
            self.pools[pool].out.in_rotation -= 1;
            self.pools[pool].is_stale = true;
            self.pools[pool].calm = None;
            self.note(boundary, Happening::InstanceUnhealthy { pool: id, instance });
        }
        match self.kind(pool).health_check.on_unhealthy {
            OnUnhealthy::Eject => {}
            OnUnhealthy::Remove => {
                self.instances.mark(i, flag::REMOVED, true);
                self.pools[pool].calm = None;
                self.instances.probe_step[i] = NEVER;
            }
            OnUnhealthy::Restart if self.instances.is_up(i) => {
                self.stop(pool, i);
                let restart_s = self.kind(pool).restart_time.get();
                let up_s = self.boundary_s(boundary) + restart_s;
                self.start_later(pool, i, up_s);
                self.note(boundary, Happening::InstanceRestarted { pool: id, instance });
            }
            OnUnhealthy::Restart => {}
        }
    }

    /// Puts an instance into rotation.
    pub fn pass_health_check(&mut self, pool: usize, i: usize) {
        let id = PoolId::from_index(pool);
        let boundary = self.step + 1;
        let instance = (i - self.pools[pool].first) as u32;
        self.instances.mark(i, flag::IN_ROTATION, true);
        self.instances.rotation_since[i] = boundary as i32;
        let out = &mut self.pools[pool].out;
        out.in_rotation += 1;
        if !self.instances.has(i, flag::EXPECTED) {
            self.instances.mark(i, flag::EXPECTED, true);
            out.expected += 1;
        }
        self.pools[pool].is_stale = true;
        self.pools[pool].calm = None;
        self.note(boundary, Happening::InstanceHealthy { pool: id, instance });
    }

    /// Launches an instance, or starts a stopped one again: it comes up at a time.
    pub fn start_later(&mut self, pool: usize, i: usize, up_s: f64) {
        if self.instances.process[i] != Process::Starting {
            self.pools[pool].starting += 1;
        }
        self.instances.process[i] = Process::Starting;
        self.instances.up_at[i] = i32::try_from(self.boundary_at(up_s)).unwrap_or(i32::MAX);
    }

    /// Ends an instance's process: what is inside is lost, or late where the client has given up.
    pub fn stop(&mut self, pool: usize, i: usize) {
        if self.instances.is_up(i) {
            let tries = self.instances.tries[i];
            let late = tries * super::plane::fluid::given_up_share(self, pool, i);
            let state = &mut self.pools[pool];
            state.out.up -= 1;
            state.is_stale = true;
            state.calm = None;
            state.out.late += late;
            state.out.lost += tries - late;
            state.out.died_inside += tries - late;
            state.out.in_flight = (state.out.in_flight - tries).max(0.0);
            self.instances.clear_load(i);
        }
    }

    /// Adds up what a pool's instances can do, where something has changed.
    pub fn add_up_capacities(&mut self) {
        for pool in 0..self.pools.len() {
            let kind = self.kind(pool);
            if !self.pools[pool].is_stale && kind.warm_up.get() == 0.0 {
                continue;
            }
            let nominal_rps = kind.capacity_rps();
            let workers = f64::from(kind.workers);
            let speed_up = self.pools[pool].modifiers.speed.max(1.0);
            let (mut healthy_rps, mut up_rps, mut in_flight) = (0.0, 0.0, 0.0);
            for i in self.pools[pool].instances() {
                if self.instances.is_up(i) {
                    in_flight += self.instances.tries[i];
                    up_rps += self.instances.speed[i] * speed_up * nominal_rps;
                    if self.instances.has(i, flag::IN_ROTATION) {
                        healthy_rps += workers * self.rate(pool, i);
                    }
                }
            }
            let state = &mut self.pools[pool];
            state.is_stale = false;
            state.out.capacity_rps = f64::from(state.out.in_rotation) * nominal_rps;
            state.out.healthy_capacity_rps = healthy_rps;
            state.out.up_capacity_rps = up_rps;
            // Not what was there less what died: that would leave rounding behind.
            state.out.in_flight = in_flight;
        }
    }
}

/// Where new instances' ramps of speed and share begin.
const RAMP_START: f64 = 0.1;

/// A linear ramp from a tenth to 1 over `length_s` since a boundary.
fn ramp(since: i32, step: u32, length_s: f64, step_s: f64) -> f64 {
    if length_s <= 0.0 || since == LONG_AGO {
        return 1.0;
    }
    let age_s = (f64::from(step) - f64::from(since)).max(0.0) * step_s;
    (RAMP_START + (1.0 - RAMP_START) * age_s / length_s).min(1.0)
}
