//! What a target watches, step by step, and what that asks for.

use crate::engine::world::World;
use crate::model::{PoolId, ScaleMetric, ScaleTarget, Scenario, WORKERS};

use super::members::Members;
use super::recommend::{Goal, Pods, by_ratio, by_total, by_usage};

/// One target of one pool's autoscaler, since the last decision.
#[derive(Debug, Clone)]
pub struct Watch {
    /// The pool that is sized.
    sized: usize,
    /// The pool that is watched.
    watched: usize,
    metric: Metric,
    sum: f64,
    steps: u32,
}

/// The metric, with a resource's place among those of its pool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Metric {
    Resource(usize),
    Rps,
    InFlight,
}

impl Watch {
    /// Nothing seen yet. None of a resource that the watched pool's instances do not have.
    #[must_use]
    pub fn new(scenario: &Scenario, sized: usize, target: &ScaleTarget) -> Option<Self> {
        let watched = target.signal.pool.map_or(sized, PoolId::index);
        let metric = match &target.signal.metric {
            ScaleMetric::Resource(name) => {
                let mut names = scenario.resource_names(PoolId::from_index(watched));
                Metric::Resource(names.position(|one| one == name)?)
            }
            ScaleMetric::Rps => Metric::Rps,
            ScaleMetric::InFlight => Metric::InFlight,
        };
        Some(Self { sized, watched, metric, sum: 0.0, steps: 0 })
    }

    /// Notes the step under way. Of the pool itself, an instance's mean: those starting count, and
    /// have no use. Of another pool, its utilization or its total.
    pub fn note(&mut self, world: &World<'_>, members: &Members) {
        let state = &world.pools[self.watched];
        let total = match self.metric {
            Metric::Resource(place) => {
                let at = world.resource_starts[self.watched] as usize + place;
                let of_all = world.resources[at];
                if self.is_of_another() { of_all.utilization() } else { self.instances_used(world) }
            }
            Metric::Rps => Some(state.kept_rps + state.redirected_rps),
            Metric::InFlight => Some(state.out.in_flight_mean),
        };
        let all = if self.is_of_another() { 1 } else { members.all() };
        if let Some(total) = total
            && all > 0
        {
            self.sum += total / f64::from(all);
            self.steps += 1;
        }
    }

    /// What is used of the pool's own resource, in what one instance has of it.
    fn instances_used(&self, world: &World<'_>) -> Option<f64> {
        let Metric::Resource(place) = self.metric else { return None };
        let used = world.resources[world.resource_starts[self.watched] as usize + place].used;
        let name = world.scenario.resource_names(PoolId::from_index(self.watched)).nth(place)?;
        let kind = world.kind(self.watched);
        let limit = if name == WORKERS {
            f64::from(kind.workers?)
        } else {
            kind.resources.iter().find(|resource| resource.name == name)?.limit
        };
        (limit > 0.0).then(|| used / limit)
    }

    const fn is_of_another(&self) -> bool {
        self.sized != self.watched
    }

    /// How many instances the mean since the last decision asks for; forgets it. None where nothing
    /// could be seen.
    pub fn recommend(&mut self, members: &Members, target: f64, tolerance: f64) -> Option<u32> {
        let seen = (self.steps > 0).then(|| self.sum / f64::from(self.steps));
        (self.sum, self.steps) = (0.0, 0);
        let (mean, current) = (seen?, members.all());
        let pods = Pods {
            current,
            ready: members.ready,
            usage: mean * f64::from(current),
            not_ready: members.not_ready,
            missing: members.missing,
        };
        match (self.is_of_another(), self.metric) {
            (true, Metric::Resource(_)) => by_ratio(&pods, mean / target, tolerance),
            // An instance of the sized pool is to have so much, as with HPA's external metrics.
            (true, Metric::Rps | Metric::InFlight) => by_total(&pods, mean, target, tolerance),
            (false, metric) => {
                let is_resource = matches!(metric, Metric::Resource(_));
                let missing_usage = if is_resource { target.max(1.0) } else { target };
                by_usage(&pods, &Goal { target, missing_usage, tolerance })
            }
        }
    }
}
