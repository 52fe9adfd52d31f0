//! `summary.json`: a whole invocation.

use std::fmt::Write;

use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use sha2::{Digest, Sha256};

use super::alerts::alert;
use super::bottleneck::resource_summaries;
use super::column::{Cell, Rounded};
use super::csv::{ALERT, PhaseEntry, comparison_columns, phase_columns};
use super::{Artifact, Run};

/// Version of the layout of `summary.json`; goes up when a field changes its meaning or is removed.
pub const SUMMARY_SCHEMA_VERSION: u32 = 1;

/// A setting that was given on the command line.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Override {
    /// The dotted path.
    pub path: String,
    /// The value, as it was typed.
    pub value: String,
}

impl Override {
    /// Splits `PATH=VALUE`; without a `=` the value is empty.
    #[must_use]
    pub fn parse(set: &str) -> Self {
        let (path, value) = set.split_once('=').unwrap_or((set, ""));
        Self { path: path.trim().to_owned(), value: value.trim().to_owned() }
    }
}

/// What a summary says about the invocation itself.
#[derive(Debug, Clone, Copy)]
pub struct Invocation<'a> {
    /// The file's `name`.
    pub name: &'a str,
    /// The topology file as it was given.
    pub file: &'a str,
    /// [`sha256_hex`] of the resolved file, tables sorted by name.
    pub file_sha256: &'a str,
    /// Settings given on the command line, in order.
    pub overrides: &'a [Override],
    /// Steps a row of the timeline.
    pub row_steps: u32,
}

#[derive(Serialize)]
struct SummaryFile<'a> {
    tool: &'static str,
    tool_version: &'static str,
    schema_version: u32,
    name: &'a str,
    file: &'a str,
    file_sha256: &'a str,
    seed: u64,
    plane: &'a str,
    step_s: Rounded,
    sample_s: Rounded,
    duration_s: Rounded,
    trigger_s: Cell<'a>,
    overrides: &'a [Override],
    policies: Vec<PolicySummary<'a>>,
}

/// Where a policy's alerts stand.
const ALERTS: &str = "alerts";

struct PolicySummary<'a>(Run<'a>);

/// Every column of `comparison.csv` by name, the alerts with all that is known of each, how often
/// each kind of event was logged, then what there is to say of resources and phases: empty where
/// their files are not written.
impl Serialize for PolicySummary<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let columns = comparison_columns();
        let mut map = serializer.serialize_map(Some(columns.len() + 3))?;
        for column in columns.iter().filter(|column| column.name != ALERTS) {
            map.serialize_entry(column.name, &(column.value)(self.0.result))?;
        }
        map.serialize_entry(ALERTS, &alerts(&self.0))?;
        map.serialize_entry("event_counts", &EventCounts(self.0))?;
        map.serialize_entry("resources", &resources(&self.0))?;
        let phases: Vec<_> = PhaseEntry::all(&self.0).map(PhaseFields).collect();
        map.serialize_entry("phases", &phases)?;
        map.end()
    }
}

#[derive(Serialize)]
struct AlertFields<'a> {
    name: &'a str,
    signal: &'a str,
    severity: &'a str,
    time_s: Rounded,
    pool: Option<&'a str>,
    value: Rounded,
    outage: &'a str,
    lead_s: Cell<'a>,
    false_alarm: bool,
    response: &'a str,
}

/// Times are from the trigger, as all of a summary.
fn alerts<'a>(run: &Run<'a>) -> Vec<AlertFields<'a>> {
    let trigger_s = run.result.trigger_s.unwrap_or(0.0);
    let fields = run.result.alerts.iter().map(|fired| {
        let alert = alert(run, fired);
        AlertFields {
            name: &alert.name,
            signal: alert.signal.word(),
            severity: alert.severity.word(),
            time_s: Rounded(fired.time_s - trigger_s),
            pool: fired.pool.map(|pool| run.pool(pool).name.as_str()),
            value: Rounded(fired.value),
            outage: alert.signal.outage().word(),
            lead_s: fired.lead_s.into(),
            false_alarm: fired.is_false,
            response: &alert.response,
        }
    });
    fields.collect()
}

#[derive(Serialize)]
struct ResourceFields<'a> {
    pool: &'a str,
    resource: &'a str,
    mean_utilization: Cell<'a>,
    peak_utilization: Cell<'a>,
    peak_time_s: Cell<'a>,
    binding_ratio: Rounded,
}

fn resources<'a>(run: &Run<'a>) -> Vec<ResourceFields<'a>> {
    let names = run.resource_names();
    let fields = resource_summaries(run.result).into_iter().map(|summary| ResourceFields {
        pool: &run.pool(summary.pool).name,
        resource: names[summary.pool.index()][summary.resource as usize],
        mean_utilization: summary.mean_utilization.into(),
        peak_utilization: summary.peak_utilization.into(),
        peak_time_s: summary.peak_time_s.into(),
        binding_ratio: Rounded(summary.binding_ratio),
    });
    fields.collect()
}

/// Every column of `phases.csv` by name, but the policy's.
struct PhaseFields<'a>(PhaseEntry<'a>);

impl Serialize for PhaseFields<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let columns = || phase_columns().iter().filter(|column| column.name != "policy");
        let mut map = serializer.serialize_map(Some(columns().count()))?;
        for column in columns() {
            map.serialize_entry(column.name, &(column.value)(&self.0))?;
        }
        map.end()
    }
}

struct EventCounts<'a>(Run<'a>);

impl Serialize for EventCounts<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut counts: Vec<(&'static str, u64)> = Vec::new();
        let log = self.0.result.log.iter().map(|entry| entry.what.kind());
        let alerts = self.0.result.alerts.iter().map(|_| ALERT);
        for kind in log.chain(alerts) {
            match counts.iter_mut().find(|(known, _)| *known == kind) {
                Some((_, count)) => *count += 1,
                None => counts.push((kind, 1)),
            }
        }
        counts.sort_unstable();
        serializer.collect_map(counts)
    }
}

/// Writes `summary.json`. `runs` is not empty.
#[must_use]
pub fn summary_json(invocation: &Invocation<'_>, runs: &[Run<'_>]) -> Artifact {
    let mut bytes = Vec::new();
    if let Some(first) = runs.first() {
        let simulation = first.scenario.simulation;
        let step_s = simulation.step.get();
        let file = SummaryFile {
            tool: env!("CARGO_PKG_NAME"),
            tool_version: env!("CARGO_PKG_VERSION"),
            schema_version: SUMMARY_SCHEMA_VERSION,
            name: invocation.name,
            file: invocation.file,
            file_sha256: invocation.file_sha256,
            seed: simulation.seed,
            plane: first.result.plane.word(),
            step_s: Rounded(step_s),
            sample_s: Rounded(step_s * f64::from(invocation.row_steps)),
            duration_s: Rounded(simulation.duration.get()),
            trigger_s: first.result.trigger_s.into(),
            overrides: invocation.overrides,
            policies: runs.iter().map(|run| PolicySummary(*run)).collect(),
        };
        let written = serde_json::to_writer_pretty(&mut bytes, &file);
        debug_assert!(written.is_ok(), "memory takes every value");
        bytes.push(b'\n');
    }
    Artifact { file_name: "summary.json".to_owned(), bytes }
}

/// SHA-256 of a text, 64 hexadecimal digits.
#[must_use]
pub fn sha256_hex(text: &str) -> String {
    let digest = Sha256::digest(text.as_bytes());
    let mut hex = String::with_capacity(64);
    for byte in digest {
        let written = write!(hex, "{byte:02x}");
        debug_assert!(written.is_ok(), "a string takes every write");
    }
    hex
}
