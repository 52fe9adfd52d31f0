//! Scenarios of a few pools, by hand.

use zonefall::engine::{self, LogEntry, Observer, RequestBook};
use zonefall::engine::{PoolStep, ResourceStep, Snapshot};
use zonefall::model::{
    Action, Arrivals, Backoff, Balancing, Call, CallMode, Client, ClientId, Event, HealthCheck,
    InstanceKind, Jitter, KindId, OnUnhealthy, Plane, Pool, PoolFailover, PoolId, ProbeKind,
    Resource, ResourceUse, Retry, Scenario, ServiceDistribution, ServiceId, Simulation,
    TopologyGraph, WhenFull, Zone, ZoneId, origins,
};
use zonefall::units::{Ratio, Rps, Seconds};

use zonefall::policy::Case;

use crate::random::fleet::policy;
use crate::random::sketch::{ratio, seconds};

/// Everything of a run but its policy, which is `none`.
#[derive(Debug, Clone)]
pub struct Plan {
    pub step_s: f64,
    pub duration_s: f64,
    pub seed: u64,
    pub kinds: Vec<InstanceKind>,
    pub clients: Vec<Client>,
    pub pools: Vec<Pool>,
    pub events: Vec<Event>,
}

/// A kind of so many workers; shallow probes every 5 s.
pub fn kind(workers: Option<u32>, service_s: f64) -> InstanceKind {
    InstanceKind {
        name: "kind".to_owned(),
        workers,
        service_time: seconds(service_s),
        service_distribution: ServiceDistribution::Exponential,
        resources: Vec::new(),
        workers_held_during_calls: false,
        queue_limit: None,
        speed_spread: ratio(0.0),
        startup_time: Seconds::ZERO,
        restart_time: seconds(30.0),
        max_wait: None,
        warm_up: Seconds::ZERO,
        slow_start: Seconds::ZERO,
        redirect_cost: 1.0,
        health_check: HealthCheck {
            kind: ProbeKind::Shallow,
            interval: seconds(5.0),
            timeout: seconds(1.0),
            unhealthy_threshold: 2,
            healthy_threshold: 2,
            on_unhealthy: OnUnhealthy::Eject,
            phase: None,
            max_out_of_rotation: Ratio::ONE,
        },
    }
}

/// So much held by each request in flight.
pub fn held(name: &str, limit: f64, base: f64, when_full: WhenFull) -> Resource {
    let usage = ResourceUse::Held { held: 1.0, base, when_full };
    Resource { name: name.to_owned(), limit, usage }
}

/// So much used up by each request.
pub fn consumed(name: &str, limit: f64, per_request: f64) -> Resource {
    Resource { name: name.to_owned(), limit, usage: ResourceUse::Consumed { per_request } }
}

/// A client that tries again at once.
pub fn client(timeout_s: Option<f64>, attempts: u32) -> Client {
    Client {
        name: "client".to_owned(),
        timeout: timeout_s.map(seconds),
        cancel: false,
        retry: (attempts > 1).then_some(Retry {
            max_attempts: attempts,
            backoff: Backoff::None,
            jitter: Jitter::None,
            budget: None,
            on_shed: true,
        }),
    }
}

/// A pool of `instances` of a kind.
pub fn pool(kind: usize, instances: u32, demand_rps: f64, calls: &[(usize, f64, usize)]) -> Pool {
    Pool {
        name: String::new(),
        zone: ZoneId(0),
        kind: KindId::from_index(kind),
        service: ServiceId(0),
        client: ClientId(0),
        instances,
        has_demand: demand_rps > 0.0,
        demand: Rps::new(demand_rps).expect("a rate"),
        arrivals: Arrivals::Poisson,
        calls: calls
            .iter()
            .map(|&(to, per_request, client)| Call {
                to: PoolId::from_index(to),
                per_request,
                client: ClientId::from_index(client),
            })
            .collect(),
        call_mode: CallMode::Sequence,
        autoscaler: None,
        failover_threshold: ratio(0.5),
        panic_threshold: ratio(0.0),
        balancing: Balancing::Random,
    }
}

/// An event from `at_s` until `until_s`.
pub fn event(at_s: f64, until_s: Option<f64>, action: Action) -> Event {
    Event {
        name: format!("event at {at_s}"),
        at: seconds(at_s),
        over: Seconds::ZERO,
        until: until_s.map(seconds),
        cause: None,
        action,
    }
}

impl Plan {
    pub fn new(step_s: f64, duration_s: f64) -> Self {
        Self {
            step_s,
            duration_s,
            seed: 1,
            kinds: Vec::new(),
            clients: Vec::new(),
            pools: Vec::new(),
            events: Vec::new(),
        }
    }

    pub fn scenario(&self) -> Scenario {
        let mut pools = self.pools.clone();
        for (index, pool) in pools.iter_mut().enumerate() {
            pool.name = format!("p{index}");
        }
        let failover = vec![PoolFailover::Explicit(Vec::new()); pools.len()];
        let graph = TopologyGraph::new(1, 1, &pools, &failover);
        Scenario {
            name: "by hand".to_owned(),
            simulation: Simulation {
                duration: seconds(self.duration_s),
                step: seconds(self.step_s),
                seed: self.seed,
                plane: Plane::Fluid,
            },
            zones: vec![Zone { name: "z".to_owned() }],
            kinds: self.kinds.clone(),
            clients: self.clients.clone(),
            services: vec!["s".to_owned()],
            origins: origins(&pools, &[]),
            sources: Vec::new(),
            autoscalers: Vec::new(),
            phases: Vec::new(),
            alerts: vec![],
            call_order: graph.call_order().expect("no cycle"),
            graph,
            events: self.events.clone(),
            pool_rows: (0..pools.len()).map(PoolId::from_index).collect(),
            zone_rows: vec![ZoneId(0)],
            pools,
        }
    }

    /// Runs it under `none`.
    pub fn run(&self) -> Run {
        Run::of(&Case { scenario: self.scenario(), policy: policy("none", &[]) })
    }
}

/// Every step of a run.
#[derive(Debug, Default)]
pub struct Run {
    pub start: Vec<PoolStep>,
    pub steps: Vec<Vec<PoolStep>>,
    pub resources: Vec<Vec<ResourceStep>>,
    pub books: Vec<RequestBook>,
    pub log: Vec<LogEntry>,
}

impl Observer for Run {
    fn marks_s(&self) -> Vec<f64> {
        vec![0.0]
    }

    fn start(&mut self, snapshot: &Snapshot<'_>) {
        self.start = snapshot.pools.to_vec();
    }

    fn happened(&mut self, entry: &LogEntry) {
        self.log.push(*entry);
    }

    fn step(&mut self, snapshot: &Snapshot<'_>) {
        self.steps.push(snapshot.pools.to_vec());
        self.resources.push(snapshot.resources.to_vec());
        self.books.push(snapshot.books[0]);
    }
}

impl Run {
    /// Runs a case.
    pub fn of(case: &Case) -> Self {
        let mut run = Self::default();
        engine::run(case, 1, &mut run);
        run
    }

    /// A sum over the steps from one to another.
    pub fn sum(&self, pool: usize, steps: std::ops::Range<usize>, of: fn(&PoolStep) -> f64) -> f64 {
        self.steps[steps].iter().map(|pools| of(&pools[pool])).sum()
    }

    /// The last step of a pool.
    pub fn last(&self, pool: usize) -> &PoolStep {
        &self.steps[self.steps.len() - 1][pool]
    }

    /// Every pool's and the requests' books balance at every step, and nothing is no number.
    pub fn balances(&self) {
        if let Err(what) = self.check() {
            panic!("{what}");
        }
    }

    /// The same; says what does not hold.
    pub fn check(&self) -> Result<(), String> {
        let before = std::iter::once(&self.start).chain(&self.steps);
        for (step, (before, after)) in before.zip(&self.steps).enumerate() {
            for (pool, (before, after)) in before.iter().zip(after).enumerate() {
                check_pool(before, after).map_err(|what| format!("{step}, pool {pool}: {what}"))?;
            }
        }
        for (step, book) in self.books.iter().enumerate() {
            check_book(book).map_err(|what| format!("step {step}: {what}"))?;
        }
        Ok(())
    }
}

fn check_pool(before: &PoolStep, after: &PoolStep) -> Result<(), String> {
    let came = after.first_tries + after.retries + after.redirected_in;
    let refused = after.degraded + after.shed + after.rejected;
    let ended = after.completed + after.late + refused + after.lost;
    let inside = |pool: &PoolStep| pool.in_flight + pool.deferred;
    let went = after.redirected_out + ended + inside(after) - inside(before);
    // Below a thousandth of a try all is rounding.
    let scale = came.max(inside(before)).max(ended).max(1e-3);
    let parts = [
        after.completed,
        after.late,
        after.degraded,
        after.deferred,
        after.shed,
        after.rejected,
        after.lost,
        after.in_flight,
        after.queue,
        after.given_up,
        after.in_flight_mean,
        after.in_flight_peak - after.in_flight,
        after.in_flight - after.given_up,
    ];
    let is_part = |part: &f64| part.is_finite() && *part >= -1e-9 * scale;
    if let Some(place) = parts.iter().position(|part| !is_part(part)) {
        return Err(format!("part {place} is {}: {after:?}", parts[place]));
    }
    let balances = (came - went).abs() <= 1e-9 * scale;
    if balances { Ok(()) } else { Err(format!("{came} came, {went} went: {after:?}")) }
}

fn check_book(book: &RequestBook) -> Result<(), String> {
    let ended = book.completed + book.late + book.shed + book.rejected + book.lost;
    let known = ended + book.degraded + book.unfinished;
    let scale = book.arrived.max(1.0);
    let balances = (book.arrived - known).abs() <= 1e-9 * scale;
    let is_sane =
        book.unfinished >= -1e-9 * scale && book.given_up <= book.unfinished + 1e-6 * scale;
    if balances && is_sane { Ok(()) } else { Err(format!("{known} are accounted for: {book:?}")) }
}

/// Fails unless two numbers are as near as `tolerance`, relative to the second.
pub fn near(got: f64, wanted: f64, tolerance: f64, what: &str) {
    assert!(
        (got - wanted).abs() <= tolerance * wanted.abs().max(1e-12),
        "{what} is {got}, not {wanted}"
    );
}
