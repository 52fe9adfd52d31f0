//! Many cases from one seed, and runs of which every step is kept.

use std::fmt::Debug;

use proptest::strategy::Strategy;
use proptest::test_runner::{Config, RngAlgorithm, TestCaseError, TestRng, TestRunner};

use zonefall::engine::{self, LogEntry, Observer, PoolStep, Snapshot};
use zonefall::policy::Case;

/// Checks a claim on so many draws; the same draws every time. A failure is shrunk and shown.
pub fn holds_for<Value: Debug>(
    cases: u32,
    seed: u8,
    strategy: impl Strategy<Value = Value>,
    claim: impl Fn(Value) -> Result<(), TestCaseError>,
) {
    let config =
        Config { cases, failure_persistence: None, max_shrink_iters: 400, ..Config::default() };
    let rng = TestRng::from_seed(RngAlgorithm::ChaCha, &[seed; 32]);
    let mut runner = TestRunner::new_with_rng(config, rng);
    if let Err(failure) = runner.run(&strategy, claim) {
        panic!("{failure}");
    }
}

/// A run's every step.
#[derive(Debug, Default)]
pub struct Record {
    /// Length of a step, s.
    pub step_s: f64,
    /// The fleet before the first step.
    pub start: Vec<PoolStep>,
    /// The fleet at the end of every step.
    pub steps: Vec<Vec<PoolStep>>,
    /// What happened.
    pub log: Vec<LogEntry>,
}

impl Observer for Record {
    fn start(&mut self, snapshot: &Snapshot<'_>) {
        self.start = snapshot.pools.to_vec();
    }

    fn happened(&mut self, entry: &LogEntry) {
        self.log.push(*entry);
    }

    fn step(&mut self, snapshot: &Snapshot<'_>) {
        self.steps.push(snapshot.pools.to_vec());
    }
}

impl Record {
    /// Runs a case with a row every `row_steps` steps.
    pub fn of(case: &Case, row_steps: u32) -> Self {
        let mut record = Self { step_s: case.scenario.simulation.step.get(), ..Self::default() };
        engine::run(case, row_steps, &mut record);
        record
    }

    /// Each step with the fleet at its beginning and at its end.
    pub fn pairs(&self) -> impl Iterator<Item = (&[PoolStep], &[PoolStep])> {
        let before = std::iter::once(&self.start).chain(&self.steps);
        before.zip(&self.steps).map(|(before, after)| (before.as_slice(), after.as_slice()))
    }
}
