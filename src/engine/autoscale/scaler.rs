//! One pool's autoscaler: it watches every step and decides every `sync_period`.

use crate::engine::events::is_dark;
use crate::engine::log::Happening;
use crate::engine::scale::{dismiss, launch_some, launches_are_refused, newest_first};
use crate::engine::world::World;
use crate::model::{Autoscaler, PoolId, ScaleRules, ScaleSelect, Scenario};

use super::limits::{Change, limited, longest_period_s};
use super::members::Members;
use super::signal::Watch;
use super::stabilize::{Recommendation, stabilized};

/// The autoscaler of one pool.
#[derive(Debug)]
pub struct PoolScaler {
    pool: usize,
    /// Its place among the scenario's autoscalers.
    rule: usize,
    watches: Vec<Option<Watch>>,
    /// Sync periods that are over.
    periods: u32,
    /// Unstabilized recommendations of the windows' time; the first is the size at the start.
    recommendations: Vec<Recommendation>,
    /// Changes of the policies' time.
    changes: Vec<Change>,
    /// Launches that were refused when it last tried.
    refused: u32,
}

impl PoolScaler {
    /// One for each pool that names an autoscaler.
    #[must_use]
    pub fn all(scenario: &Scenario) -> Vec<Self> {
        let new = |(pool, of): (usize, &crate::model::Pool)| {
            let rule = of.autoscaler?.index();
            let targets = &scenario.autoscalers[rule].targets;
            Some(Self {
                pool,
                rule,
                watches: targets.iter().map(|t| Watch::new(scenario, pool, t)).collect(),
                periods: 0,
                recommendations: vec![Recommendation { at_s: 0.0, desired: of.instances }],
                changes: Vec::new(),
                refused: 0,
            })
        };
        scenario.pools.iter().enumerate().filter_map(new).collect()
    }

    fn watch(&mut self, world: &World<'_>) {
        let members = Members::of(world, self.pool);
        for watch in self.watches.iter_mut().flatten() {
            watch.note(world, &members);
        }
    }

    /// Is a sync period over at the end of the step? The decision falls on the first boundary at or
    /// after its end; of several that end at one boundary, the last decides.
    fn is_due(&mut self, world: &World<'_>) -> bool {
        let sync_s = world.autoscalers[self.rule].sync_period.get();
        let ends = |periods: u32| world.boundary_at(f64::from(periods) * sync_s);
        let had = self.periods;
        let over = (world.boundary_s(world.step + 1) / sync_s + 1e-9).floor() as u32;
        self.periods = over.max(had);
        if ends(self.periods + 1) <= world.step + 1 {
            self.periods += 1;
        }
        self.periods > had
    }

    fn decide(&mut self, world: &mut World<'_>) {
        let members = Members::of(world, self.pool);
        let rule = &world.autoscalers[self.rule];
        let current = members.all();
        // Periods and windows count from when a decision is meant, not from the boundary that it
        // falls on: else a sync period that is no multiple of the step would be blocked every
        // other time by a limit of the same period.
        let now_s = f64::from(self.periods) * rule.sync_period.get();
        let (max, min) = (rule.max, rule.min.min(rule.max));
        let recommended = self.recommended(rule, &members);
        let desired = if current > max {
            max
        } else if current < min {
            min
        } else if rule.ideal {
            as_far_as_enabled(rule, current, recommended).clamp(min, max)
        } else {
            self.held_back(rule, current, recommended, now_s).clamp(min, max)
        };
        let is_ideal = rule.ideal;
        self.forget(world, now_s);
        let changed_to = self.resize(world, current, desired, is_ideal);
        if changed_to != current {
            let by = i64::from(changed_to) - i64::from(current);
            self.changes.push(Change { at_s: now_s, by });
        }
    }

    /// The largest of what the targets ask for. Where one of them sees nothing, the others may not
    /// shrink the pool (`computeReplicasForMetrics`).
    fn recommended(&mut self, rule: &Autoscaler, members: &Members) -> u32 {
        let current = members.all();
        let tolerance = if rule.ideal { 0.0 } else { rule.tolerance };
        let mut largest: Option<u32> = None;
        let mut is_blind = false;
        for (watch, target) in self.watches.iter_mut().zip(&rule.targets) {
            let asked = watch.as_mut().and_then(|w| w.recommend(members, target.value, tolerance));
            is_blind |= asked.is_none();
            largest = largest.max(asked);
        }
        let largest = largest.unwrap_or(current);
        if is_blind { largest.max(current) } else { largest }
    }

    /// A recommendation after stabilization and limits of speed.
    fn held_back(&mut self, rule: &Autoscaler, current: u32, desired: u32, now_s: f64) -> u32 {
        let (up, down) = (&rule.scale_up, &rule.scale_down);
        let (up_s, down_s) = (up.stabilization.get(), down.stabilization.get());
        let steady = stabilized(current, desired, &self.recommendations, now_s, up_s, down_s);
        self.recommendations.push(Recommendation { at_s: now_s, desired });
        limited(current, steady, up, down, &self.changes, now_s)
    }

    /// Forgets what no window and no period looks back to.
    fn forget(&mut self, world: &World<'_>, now_s: f64) {
        let rule = &world.autoscalers[self.rule];
        let (up, down) = (&rule.scale_up, &rule.scale_down);
        let window_s = up.stabilization.get().max(down.stabilization.get());
        self.recommendations.retain(|one| now_s - one.at_s <= window_s);
        let period_s = longest_period_s(up, down);
        self.changes.retain(|one| now_s - one.at_s <= period_s);
    }

    /// Launches or dismisses; returns how many there are then.
    fn resize(&mut self, world: &mut World<'_>, from: u32, to: u32, is_ideal: bool) -> u32 {
        let boundary = world.step + 1;
        let pool = PoolId::from_index(self.pool);
        let had_refused = std::mem::take(&mut self.refused);
        if to > from {
            let is_refused = launches_are_refused(world.scenario, self.pool, boundary)
                || is_dark(world, self.pool);
            let wanted = if is_refused { 0 } else { to - from };
            let launched = launch_some(world, self.pool, wanted, is_ideal);
            if launched > 0 {
                world.note(boundary, Happening::ScaleUp { pool, from, to: from + launched });
            }
            // Refused, or without a place. It is tried again at every sync, and told when it is
            // news.
            self.refused = to - from - launched;
            if self.refused > 0 && self.refused != had_refused {
                world.note(boundary, Happening::LaunchRefused { pool, wanted: self.refused });
            }
            return from + launched;
        }
        if to < from {
            let mut leaving = newest_first(world, self.pool);
            leaving.truncate((from - to) as usize);
            dismiss(world, self.pool, &leaving);
            world.note(boundary, Happening::ScaleDown { pool, from, to });
        }
        to
    }
}

/// Lets every autoscaler see the step under way, and decide if it is time to.
pub fn scale_pools(world: &mut World<'_>) {
    let mut scalers = std::mem::take(&mut world.scalers);
    for scaler in &mut scalers {
        scaler.watch(world);
        if scaler.is_due(world) {
            scaler.decide(world);
        }
    }
    world.scalers = scalers;
}

/// Growing or shrinking may be switched off altogether, whatever else is ideal.
fn as_far_as_enabled(rule: &Autoscaler, current: u32, recommended: u32) -> u32 {
    let is_off = |rules: &ScaleRules| rules.select == ScaleSelect::Disabled;
    let least = if is_off(&rule.scale_down) { current } else { 0 };
    let most = if is_off(&rule.scale_up) { current } else { u32::MAX };
    recommended.clamp(least, most)
}
