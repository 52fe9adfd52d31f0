//! The requests plane serves plain scenarios by a short cut: no result may show it.

use std::cell::Cell;

use proptest::prelude::*;
use proptest::test_runner::TestCaseError;

use zonefall::engine::{self, LogEntry, Observer, Snapshot};
use zonefall::model::{
    Arrivals, Backoff, Client, InstanceSetting, Jitter, Plane, Resource, ResourceUse, Retry,
    ServiceDistribution, WhenFull,
};
use zonefall::policy::Case;

use super::sketch::{ActionSketch, Sketch, seconds};
use super::strategy::any_sketch;
use super::trial::holds_for;

/// Everything that an observer is told, as text: every bit of every number.
#[derive(Default)]
struct Tale {
    marks_s: Vec<f64>,
    lines: Vec<String>,
}

impl Observer for Tale {
    fn marks_s(&self) -> Vec<f64> {
        self.marks_s.clone()
    }

    fn start(&mut self, snapshot: &Snapshot<'_>) {
        self.lines.push(format!("{snapshot:?}"));
    }

    fn happened(&mut self, entry: &LogEntry) {
        self.lines.push(format!("{entry:?}"));
    }

    fn step(&mut self, snapshot: &Snapshot<'_>) {
        self.lines.push(format!("{snapshot:?}"));
    }
}

fn tale(case: &Case) -> Vec<String> {
    let length_s = case.scenario.simulation.duration.get();
    let mut tale = Tale { marks_s: vec![0.4 * length_s, 0.0, 0.1 * length_s], lines: vec![] };
    engine::run(case, 7, &mut tale);
    tale.lines
}

/// A client whom nobody has: it makes the plane expect retries.
fn idle_client() -> Client {
    let backoff = Backoff::None;
    let retry =
        Retry { max_attempts: 2, backoff, jitter: Jitter::None, on_shed: true, budget: None };
    Client { name: "idle".to_owned(), timeout: None, cancel: false, retry: Some(retry) }
}

/// What a sketch leaves out: how requests come and how long they take, and what kills instances.
fn dressed(sketch: &Sketch, dress: u64) -> Case {
    let mut case = sketch.fleet().case();
    let scenario = &mut case.scenario;
    scenario.simulation.plane = Plane::Requests;
    let pick = |place: usize, of: u64| (dress >> (3 * place % 60)) % of;
    for (index, pool) in scenario.pools.iter_mut().enumerate() {
        pool.arrivals = match pick(index, 6) {
            0 => Arrivals::Uniform,
            1 => Arrivals::BatchEvery(seconds(1.5 * sketch.step_s)),
            2 => Arrivals::BatchOf(3),
            _ => Arrivals::Poisson,
        };
    }
    for (index, kind) in scenario.kinds.iter_mut().enumerate() {
        kind.service_distribution = match pick(index, 4) {
            0 => ServiceDistribution::Deterministic,
            1 => ServiceDistribution::Lognormal { cv: 1.5 },
            _ => ServiceDistribution::Exponential,
        };
        let when_full = match pick(index + 1, 8) {
            0 | 1 => WhenFull::Crash,
            2 => WhenFull::Reject,
            3 => WhenFull::Queue,
            4 => {
                let usage = ResourceUse::Consumed { per_request: 0.1 };
                kind.resources = vec![Resource { name: "cpu".to_owned(), limit: 4.0, usage }];
                continue;
            }
            _ => continue,
        };
        let usage = ResourceUse::Held { held: 0.5, base: 1.0, when_full };
        let limit = 1.0 + 0.75 * f64::from(kind.workers.unwrap_or(1));
        kind.resources = vec![Resource { name: "memory".to_owned(), limit, usage }];
    }
    case
}

/// Small and slow enough for many cases.
fn small(mut sketch: Sketch) -> Sketch {
    const LEAST_S: f64 = 0.05;
    sketch.steps = sketch.steps.min(80);
    sketch.zones.truncate(4);
    for pool in sketch.zones.iter_mut().flatten() {
        pool.instances = pool.instances.min(4);
    }
    for kind in &mut sketch.kinds {
        kind.workers = kind.workers.map(|workers| workers.min(5));
        kind.service_time = seconds(kind.service_time.get().max(LEAST_S));
    }
    for event in &mut sketch.events {
        if let ActionSketch::SetInstance(_, InstanceSetting::ServiceTime, value) = &mut event.action
        {
            *value = value.map(|value| value.max(LEAST_S));
        }
    }
    sketch
}

#[test]
fn the_short_cut_of_the_requests_plane_changes_nothing() {
    let crashes = Cell::new(0);
    holds_for(100, 11, (any_sketch(), any::<u64>()), |(sketch, dress)| {
        let case = dressed(&small(sketch), dress);
        let short = tale(&case);
        let mut general = case;
        general.scenario.clients.push(idle_client());
        let long = tale(&general);
        crashes.set(crashes.get() + long.iter().filter(|l| l.contains("InstanceCrashed")).count());
        for (short, long) in short.iter().zip(&long) {
            if short != long {
                return Err(TestCaseError::fail(format!("{short}\n\nbut\n\n{long}")));
            }
        }
        prop_assert_eq!(short.len(), long.len());
        Ok(())
    });
    assert!(crashes.get() > 10, "crashes are among what is compared");
}
