//! The same case in both planes: what each says of it over seeds.

use std::path::PathBuf;

use rayon::prelude::*;

use zonefall::config;
use zonefall::engine::Happening;
use zonefall::metric::{Outcome, RunResult, simulate};
use zonefall::model::{Arrivals, Plane, PoolId, Scenario, ServiceDistribution};
use zonefall::policy::Case;

/// A policy of a shipped topology.
pub struct Subject {
    /// The topology's name.
    pub topology: String,
    /// What is run.
    pub case: Case,
}

impl Subject {
    /// The policy's name.
    pub fn policy(&self) -> &str {
        &self.case.policy.name
    }
}

/// Every policy of every shipped topology in which the planes simulate the same thing: Poisson
/// arrivals and exponential service.
pub fn subjects() -> Vec<Subject> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("topologies");
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("topologies").flatten().map(|file| file.path()).collect();
    files.sort();
    let of_file = |path: &PathBuf| {
        let topology = path.file_stem().expect("a name").to_string_lossy().into_owned();
        let bytes = std::fs::read(path).expect("a topology");
        let loaded = match config::load(&topology, &bytes, &[]) {
            Ok(loaded) => loaded,
            Err(rejected) => panic!("{topology}: {:#?}", rejected.problems),
        };
        let cases = loaded.cases.into_iter().filter(|case| is_memoryless(&case.scenario));
        cases.map(|case| Subject { topology: topology.clone(), case }).collect::<Vec<_>>()
    };
    files.iter().flat_map(of_file).collect()
}

fn is_memoryless(scenario: &Scenario) -> bool {
    let poisson = |arrivals: &Arrivals| *arrivals == Arrivals::Poisson;
    let exponential =
        |distribution: &ServiceDistribution| *distribution == ServiceDistribution::Exponential;
    scenario.pools.iter().all(|pool| poisson(&pool.arrivals))
        && scenario.sources.iter().all(|source| poisson(&source.arrivals))
        && scenario.kinds.iter().all(|kind| exponential(&kind.service_distribution))
}

/// What one plane says of a case over seeds.
pub struct Saying {
    /// How many runs had which outcome, the most frequent first.
    pub outcomes: Vec<(Outcome, usize)>,
    /// Goodput of each run, points.
    pub goodputs: Vec<f64>,
    /// By pool: when it was first lost in each run, s from the trigger.
    pub first_lost_s: Vec<Vec<Option<f64>>>,
}

impl Saying {
    /// Of runs with these seeds in a plane.
    pub fn of(case: &Case, plane: Plane, seeds: impl IntoIterator<Item = u64>) -> Self {
        let seeds: Vec<u64> = seeds.into_iter().collect();
        let run = |seed: &u64| {
            let mut case = case.clone();
            case.scenario.simulation.plane = plane;
            case.scenario.simulation.seed = *seed;
            let steps = case.scenario.simulation.steps();
            simulate(&case, steps)
        };
        let results: Vec<RunResult> = seeds.par_iter().map(run).collect();
        let count = |outcome| {
            let same = results.iter().filter(|result| result.summary.outcome == outcome);
            (outcome, same.count())
        };
        let all = [Outcome::FullOutage, Outcome::PartialOutage, Outcome::Degraded, Outcome::Stable];
        let mut outcomes: Vec<(Outcome, usize)> = all.map(count).to_vec();
        outcomes.retain(|(_, count)| *count > 0);
        outcomes.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
        let pools = 0..case.scenario.pools.len();
        let lost = |pool| results.iter().map(|result| first_lost_s(result, pool)).collect();
        Self {
            outcomes,
            goodputs: results.iter().map(|r| 100.0 * r.summary.goodput_ratio).collect(),
            first_lost_s: pools.map(lost).collect(),
        }
    }

    /// The outcome of at least 95 % of the runs, if there is one.
    pub fn sure_outcome(&self) -> Option<Outcome> {
        let (outcome, count) = *self.outcomes.first()?;
        (count * 20 >= self.goodputs.len() * 19).then_some(outcome)
    }

    /// Mean goodput, points.
    pub fn goodput(&self) -> f64 {
        self.goodputs.iter().sum::<f64>() / self.goodputs.len() as f64
    }

    /// Standard error of the mean goodput, points.
    pub fn standard_error(&self) -> f64 {
        let (mean, count) = (self.goodput(), self.goodputs.len() as f64);
        let squares: f64 = self.goodputs.iter().map(|one| (one - mean).powi(2)).sum();
        (squares / (count - 1.0).max(1.0) / count).sqrt()
    }

    /// Standard error of the mean time of a pool's first loss, s.
    fn lost_error_s(&self, pool: usize) -> f64 {
        let times: Vec<f64> = self.first_lost_s[pool].iter().flatten().copied().collect();
        let count = times.len() as f64;
        let mean = times.iter().sum::<f64>() / count.max(1.0);
        let squares: f64 = times.iter().map(|one| (one - mean).powi(2)).sum();
        (squares / (count - 1.0).max(1.0) / count.max(1.0)).sqrt()
    }

    /// Mean time of a pool's first loss, if it is lost in at least 95 % of the runs.
    pub fn lost_s(&self, pool: usize) -> Option<f64> {
        let times: Vec<f64> = self.first_lost_s[pool].iter().flatten().copied().collect();
        let is_sure = !times.is_empty() && times.len() * 20 >= self.first_lost_s[pool].len() * 19;
        is_sure.then(|| times.iter().sum::<f64>() / times.len() as f64)
    }
}

fn first_lost_s(result: &RunResult, pool: usize) -> Option<f64> {
    let pool = PoolId::from_index(pool);
    let is_it =
        |what: &Happening| matches!(what, Happening::PoolUnhealthy { pool: p, .. } if *p == pool);
    let first = result.log.iter().find(|entry| is_it(&entry.what))?;
    Some(first.time_s - result.trigger_s.unwrap_or(0.0))
}

/// Points of goodput by which the planes may differ.
pub const GOODPUT: f64 = 4.0;
/// Share by which times may differ.
pub const TIME: f64 = 0.10;

/// Where the planes disagree, in words; empty where they agree. `slack` standard errors of both
/// means are added to what goodput and times may differ by.
pub fn disagreements(
    subject: &Subject,
    fluid: &Saying,
    requests: &Saying,
    slack: f64,
) -> Vec<String> {
    let scenario = &subject.case.scenario;
    let mut found = Vec::new();
    let Some(sure) = requests.sure_outcome() else { return found };
    if fluid.sure_outcome() != Some(sure) {
        found.push(format!("outcome {:?} against {:?}", fluid.outcomes, requests.outcomes));
    }
    let errors = (fluid.standard_error().powi(2) + requests.standard_error().powi(2)).sqrt();
    if (fluid.goodput() - requests.goodput()).abs() > GOODPUT + slack * errors {
        found.push(format!("goodput {:.1} against {:.1}", fluid.goodput(), requests.goodput()));
    }
    for (pool, settings) in scenario.pools.iter().enumerate() {
        let Some(truth_s) = requests.lost_s(pool) else { continue };
        let check = &scenario.kinds[settings.kind.index()].health_check;
        let errors_s = fluid.lost_error_s(pool).hypot(requests.lost_error_s(pool));
        let allowed_s = (TIME * truth_s).max(check.interval.get()) + slack * errors_s;
        match fluid.lost_s(pool) {
            Some(lost_s) if (lost_s - truth_s).abs() <= allowed_s => {}
            lost_s => found.push(format!("{} lost {lost_s:?} against {truth_s:.1}", settings.name)),
        }
    }
    found
}

/// Cases whose outcome is luck: the table shows them.
pub const EDGE: &[(&str, &str)] = &[];
