//! `explain.json`: everything that the story was told from.

use serde::Serialize;
use serde_json::{Number, Value};

use super::figures::Figure;
use super::story::Story;
use crate::experiment::explain::Explanation;
use crate::model::Scenario;
use crate::report::column::Rounded;
use crate::report::{Artifact, Invocation, Override};

/// Version of the layout of `explain.json`; goes up when a field changes its meaning or is removed.
pub const EXPLAIN_SCHEMA_VERSION: u32 = 1;

#[derive(Serialize)]
struct ExplainFile<'a> {
    tool: &'static str,
    tool_version: &'static str,
    schema_version: u32,
    name: &'a str,
    file: &'a str,
    file_sha256: &'a str,
    policy: &'a str,
    kind: &'a str,
    seed: u64,
    plane: &'a str,
    step_s: Rounded,
    duration_s: Rounded,
    overrides: &'a [Override],
    facts: Value,
    return_point: Value,
    levers: Value,
    figures: &'a [Figure],
    verdict: &'a str,
}

/// Writes `explain.json`.
#[must_use]
pub fn explain_json(
    invocation: &Invocation<'_>,
    scenario: &Scenario,
    explanation: &Explanation,
    story: &Story,
) -> Artifact {
    let simulation = scenario.simulation;
    let file = ExplainFile {
        tool: env!("CARGO_PKG_NAME"),
        tool_version: env!("CARGO_PKG_VERSION"),
        schema_version: EXPLAIN_SCHEMA_VERSION,
        name: invocation.name,
        file: invocation.file,
        file_sha256: invocation.file_sha256,
        policy: &explanation.result.policy,
        kind: explanation.result.policy_kind,
        seed: simulation.seed,
        plane: explanation.result.plane.word(),
        step_s: Rounded(simulation.step.get()),
        duration_s: Rounded(simulation.duration.get()),
        overrides: invocation.overrides,
        facts: value(&explanation.facts),
        return_point: value(&explanation.return_point),
        levers: value(&explanation.levers),
        figures: &story.figures,
        verdict: &story.verdict,
    };
    let mut bytes = Vec::new();
    let written = serde_json::to_writer_pretty(&mut bytes, &file);
    debug_assert!(written.is_ok(), "memory takes every value");
    bytes.push(b'\n');
    Artifact { file_name: "explain.json".to_owned(), bytes }
}

/// A record with the digits that numbers have in CSV: ten.
fn value<T: Serialize>(record: &T) -> Value {
    let mut value = serde_json::to_value(record).unwrap_or(Value::Null);
    round(&mut value);
    value
}

fn round(value: &mut Value) {
    match value {
        Value::Number(number) => *number = rounded(number),
        Value::Array(values) => values.iter_mut().for_each(round),
        Value::Object(fields) => fields.values_mut().for_each(round),
        Value::Null | Value::Bool(_) | Value::String(_) => {}
    }
}

fn rounded(number: &Number) -> Number {
    let of = number.as_f64().filter(|_| number.is_f64());
    let text = of.and_then(|of| serde_json::to_value(Rounded(of)).ok());
    match text {
        Some(Value::Number(rounded)) => rounded,
        _ => number.clone(),
    }
}
