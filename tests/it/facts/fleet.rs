//! Runs of topology files over seeds, and what can be read out of them.

use rayon::prelude::*;

use zonefall::config;
use zonefall::engine::Happening;
use zonefall::metric::{Outcome, PhaseRow, PoolRow, RunResult, simulate};
use zonefall::model::PoolId;
use zonefall::policy::Case;

/// The override that runs a file in the fluid plane.
pub const FLUID: &str = "simulation.plane=fluid";
/// The override that runs a file request by request.
pub const REQUESTS: &str = "simulation.plane=requests";

/// One run and the case that it ran.
pub struct Run {
    pub case: Case,
    pub result: RunResult,
}

/// The text of a file in `topologies/`.
pub fn shipped(name: &str) -> String {
    let path = format!("{}/topologies/{name}.toml", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Every policy of a file, under overrides; in the fluid plane unless they say otherwise.
pub fn cases(text: &str, sets: &[&str]) -> Vec<Case> {
    let sets: Vec<String> = [FLUID].iter().chain(sets).map(|set| (*set).to_owned()).collect();
    match config::load("test.toml", text.as_bytes(), &sets) {
        Ok(loaded) => loaded.cases,
        Err(rejected) => panic!("{sets:?}: {:#?}", rejected.problems),
    }
}

/// One policy of a file, under overrides.
pub fn case(text: &str, policy: &str, sets: &[&str]) -> Case {
    let found = cases(text, sets).into_iter().find(|case| case.policy.name == policy);
    found.unwrap_or_else(|| panic!("no policy {policy}"))
}

/// One run with the file's seed; a row of the series ends every `row_steps` steps.
pub fn run(text: &str, policy: &str, sets: &[&str], row_steps: u32) -> Run {
    let case = case(text, policy, sets);
    let result = simulate(&case, row_steps);
    Run { case, result }
}

/// A run for each of the seeds 1 to `seeds`, in that order.
pub fn over_seeds(text: &str, policy: &str, sets: &[&str], seeds: u64, row_steps: u32) -> Vec<Run> {
    let run_seed = |seed: u64| {
        let seed = format!("simulation.seed={seed}");
        let sets: Vec<&str> = sets.iter().copied().chain([seed.as_str()]).collect();
        run(text, policy, &sets, row_steps)
    };
    (1..=seeds).into_par_iter().map(run_seed).collect()
}

impl Run {
    /// A pool by name.
    pub fn pool(&self, name: &str) -> PoolId {
        let position = self.case.scenario.pools.iter().position(|pool| pool.name == name);
        PoolId::from_index(position.unwrap_or_else(|| panic!("no pool {name}")))
    }

    /// When what happened passes a filter, s from the trigger.
    pub fn times(&self, is: impl Fn(&Happening) -> bool) -> Vec<f64> {
        let trigger_s = self.result.trigger_s.unwrap_or(0.0);
        let chosen = self.result.log.iter().filter(|entry| is(&entry.what));
        chosen.map(|entry| entry.time_s - trigger_s).collect()
    }

    /// Every time that a pool was lost, s from the trigger.
    pub fn lost_at(&self, name: &str) -> Vec<f64> {
        let id = self.pool(name);
        self.times(|what| matches!(what, Happening::PoolUnhealthy { pool, .. } if *pool == id))
    }

    /// Every time that an instance of a pool was taken out of rotation, s from the trigger.
    pub fn out_at(&self, name: &str) -> Vec<f64> {
        let id = self.pool(name);
        self.times(|what| matches!(what, Happening::InstanceUnhealthy { pool, .. } if *pool == id))
    }

    /// When a pool was first lost, s from the trigger; never without.
    pub fn first_lost(&self, name: &str) -> Option<f64> {
        self.lost_at(name).first().copied()
    }

    /// How often any pool was lost.
    pub fn losses(&self) -> usize {
        self.times(|what| matches!(what, Happening::PoolUnhealthy { .. })).len()
    }

    /// How many instances were ever taken out of rotation.
    pub fn ejections(&self) -> usize {
        self.times(|what| matches!(what, Happening::InstanceUnhealthy { .. })).len()
    }

    /// A pool's row of a phase.
    pub fn phase(&self, phase: &str, pool: &str) -> &PhaseRow {
        let id = self.pool(pool);
        let is_it = |row: &&PhaseRow| {
            row.pool == id && self.case.scenario.phases[row.phase as usize].name == phase
        };
        let found = self.result.phases.iter().find(is_it);
        found.unwrap_or_else(|| panic!("no phase {phase} of {pool}"))
    }

    /// Every time that an instance ran out of a resource and died, s of simulation time.
    pub fn crashes_s(&self) -> Vec<f64> {
        let is_crash = |what: &Happening| matches!(what, Happening::InstanceCrashed { .. });
        let crashes = self.result.log.iter().filter(|entry| is_crash(&entry.what));
        crashes.map(|entry| entry.time_s).collect()
    }

    /// How often an autoscaler changed a pool's size.
    pub fn scalings(&self) -> usize {
        let is_change = |what: &Happening| {
            matches!(what, Happening::ScaleUp { .. } | Happening::ScaleDown { .. })
        };
        self.times(is_change).len()
    }

    /// A pool's rows.
    pub fn rows(&self, name: &str) -> Vec<&PoolRow> {
        let id = self.pool(name);
        self.result.timeline.iter().filter(|row| row.pool == id).collect()
    }

    /// A pool's last row.
    pub fn last_row(&self, name: &str) -> &PoolRow {
        self.rows(name).last().expect("a row")
    }
}

/// The mean.
pub fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

/// The standard deviation of a sample.
pub fn deviation(values: &[f64]) -> f64 {
    let center = mean(values);
    let squares: f64 = values.iter().map(|value| (value - center).powi(2)).sum();
    (squares / (values.len() as f64 - 1.0).max(1.0)).sqrt()
}

/// The value in the middle; what never came counts as later than everything.
pub fn median(values: impl IntoIterator<Item = Option<f64>>) -> f64 {
    let mut sorted: Vec<f64> =
        values.into_iter().map(|value| value.unwrap_or(f64::INFINITY)).collect();
    sorted.sort_by(f64::total_cmp);
    sorted[sorted.len() / 2]
}

/// The most frequent outcome and in how many runs it was.
pub fn usual_outcome(runs: &[Run]) -> (Outcome, usize) {
    let count = |outcome| runs.iter().filter(|run| run.result.summary.outcome == outcome).count();
    let all = [Outcome::FullOutage, Outcome::PartialOutage, Outcome::Degraded, Outcome::Stable];
    let counted = all.map(|outcome| (outcome, count(outcome)));
    counted.into_iter().max_by_key(|(_, count)| *count).expect("four outcomes")
}

/// Goodput of every run, in points.
pub fn goodputs(runs: &[Run]) -> Vec<f64> {
    runs.iter().map(|run| 100.0 * run.result.summary.goodput_ratio).collect()
}
