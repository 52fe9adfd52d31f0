//! Numbers of a story, looked up where they come from.

use serde_json::Value;
use zonefall::experiment::explain::Explanation;
use zonefall::model::Scenario;
use zonefall::report::Invocation;
use zonefall::report::explain::{Figure, Story, explain_json};

/// Figures that no field holds by itself: counts of what is left out, and differences.
const DERIVED: [&str; 11] = [
    "facts.events",
    "facts.shift.homes.redirected_rps",
    "more",
    "untold",
    "time_to_end_s",
    "own_service_s",
    "tries_each",
    "before_return_point_s",
    "lag_s",
    "after_ejection_s",
    "pushed_by",
];

/// `explain.json` as a reader gets it.
pub fn json(scenario: &Scenario, explanation: &Explanation, story: &Story) -> Value {
    let invocation = Invocation {
        name: &scenario.name,
        file: "file.toml",
        file_sha256: "",
        overrides: &[],
        row_steps: 1,
    };
    let file = explain_json(&invocation, scenario, explanation, story);
    serde_json::from_slice(&file.bytes).expect("JSON")
}

/// The numbers of a text, names of the file and what stands in its words left out.
pub fn numbers(markdown: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut number = String::new();
    let mut quote = None;
    for c in markdown.chars().chain(['\n']) {
        match quote {
            Some(end) => {
                if c == end {
                    quote = None;
                }
                continue;
            }
            None if c == '`' => quote = Some('`'),
            None if c == '“' => quote = Some('”'),
            None => {}
        }
        if c.is_ascii_digit() || (!number.is_empty() && (c == '.' || c == ',')) {
            number.push(c);
        } else if !number.is_empty() {
            found.push(number.trim_end_matches(['.', ',']).to_owned());
            number.clear();
        }
    }
    found
}

/// A figure's printed number in its unit, and half of its last digit; none where it is in words.
fn printed(figure: &Figure) -> Option<(f64, f64)> {
    let text = figure.text.replace(',', "");
    if text.contains("min") || text.contains('h') || text.contains('<') {
        return None;
    }
    let number = text.split(' ').next()?;
    let decimals = number.split_once('.').map_or(0, |(_, decimals)| decimals.len());
    // Percentages near all are rounded down.
    let unit = 10_f64.powi(-(decimals as i32));
    let scale = if text.ends_with('%') { 0.01 } else { 1.0 };
    Some((number.parse::<f64>().ok()? * scale, unit * scale))
}

/// The number that a path leads to: entries of lists go by their place or by `pool` or `name`.
fn at(value: &Value, path: &str) -> Option<f64> {
    let mut value = value;
    for part in path.split('.') {
        let is_it = |entry: &&Value| ["pool", "name", "kind"].iter().any(|key| entry[key] == part);
        value = match value {
            Value::Array(entries) => match part.parse::<usize>() {
                Ok(place) => entries.get(place)?,
                Err(_) => entries.iter().find(is_it)?,
            },
            Value::Object(fields) => fields.get(part)?,
            _ => return None,
        };
    }
    value.as_f64()
}

/// The verdict, in which names stand as they are.
fn without_names(scenario: &Scenario, explanation: &Explanation, verdict: &str) -> String {
    let events = scenario.events.iter().map(|event| event.name.as_str());
    let pools = scenario.pools.iter().map(|pool| pool.name.as_str());
    let sources = scenario.sources.iter().map(|source| source.name.as_str());
    let zones = scenario.zones.iter().map(|zone| zone.name.as_str());
    let mut names: Vec<&str> = events.chain(pools).chain(sources).chain(zones).collect();
    names.push(&explanation.result.policy);
    names.retain(|name| name.contains(|c: char| c.is_ascii_digit()));
    names.sort_by_key(|name| std::cmp::Reverse(name.len()));
    names.iter().fold(verdict.to_owned(), |words, name| words.replace(name, ""))
}

/// Every number of the text is a figure, every figure says its value, and is where its name says.
pub fn check(scenario: &Scenario, explanation: &Explanation, story: &Story, markdown: &str) {
    let whole = json(scenario, explanation, story);
    let figures = whole["figures"].as_array().expect("figures");
    assert_eq!(figures.len(), story.figures.len());
    let mut known: Vec<String> = Vec::new();
    for figure in figures {
        known.extend(numbers(figure["text"].as_str().expect("a text")));
    }
    let (told, verdict) = markdown.rsplit_once("**If ").unwrap_or((markdown, ""));
    let words = without_names(scenario, explanation, verdict);
    for number in numbers(told).into_iter().chain(numbers(&words)) {
        assert!(known.contains(&number), "{number} is no figure:\n{markdown}");
    }
    for figure in &story.figures {
        assert!(figure.value.is_finite(), "{figure:?}");
        if let Some((said, unit)) = printed(figure) {
            assert!((said - figure.value).abs() <= unit * 1.001, "{figure:?}");
        }
        let name = figure.name.as_str();
        let is_derived = DERIVED.iter().any(|end| name.ends_with(end))
            || name.starts_with("facts.events.")
            || !name.starts_with("facts.");
        match at(&whole, name) {
            Some(value) => {
                let near = 1e-8 * value.abs().max(1e-9);
                let is_capped = name.ends_with("answered_ratio") && figure.value == 1.0;
                assert!((value - figure.value).abs() <= near || is_capped, "{figure:?}: {value}");
            }
            None => assert!(is_derived, "{figure:?} is nowhere"),
        }
    }
}
