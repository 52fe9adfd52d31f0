//! The comparison as a table for people.

use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table, presets};

use super::verdict::is_unjudged;
use super::words;
use crate::metric::{Outcome, RunResult};

/// How a table looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TableStyle {
    /// For a terminal without colour.
    Plain,
    /// For a terminal, the outcome in colour.
    Coloured,
    /// A Markdown table.
    Markdown,
}

type Value = fn(&RunResult) -> String;

/// What goes when a terminal is too narrow for all columns, by index; files have them all.
const LEAST_MISSED: [usize; 4] = [LEAST_HEALTHY, FURTHER_LOST, SHED, RECOVERED];
const SHED: usize = 3;
const LEAST_HEALTHY: usize = 5;
const FURTHER_LOST: usize = 6;
const RECOVERED: usize = 8;

/// Headings and their values; the first two are words, the rest figures.
const COLUMNS: &[(&str, Value)] = &[
    ("policy", |r| r.policy.clone()),
    ("outcome", outcome_words),
    ("goodput", |r| percent(r.summary.goodput_ratio)),
    ("shed", |r| percent(r.summary.shed_ratio)),
    ("late,\nrejected\nor lost", |r| {
        let summary = &r.summary;
        percent(summary.late_ratio + summary.rejected_ratio + summary.lost_ratio)
    }),
    ("least\nhealthy\ncapacity", |r| percent(r.summary.min_healthy_capacity_ratio)),
    ("further\npools\nlost", |r| r.summary.cascade_propagation_count.to_string()),
    ("no pool\nhealthy\nafter", |r| time(r.summary.time_to_full_outage_s)),
    ("recovered\nafter", |r| match r.summary.recovered {
        Some(true) => time(r.summary.time_to_recover_s),
        Some(false) => "never".to_owned(),
        None => "–".to_owned(),
    }),
];

/// To one decimal; like the verdict, it never rounds up to more than nearly all.
fn percent(ratio: f64) -> String {
    let percent = 100.0 * ratio;
    if percent > 99.0 && percent < 100.0 {
        return format!("{:.1} %", (10.0 * percent).floor() / 10.0);
    }
    format!("{percent:.1} %")
}

fn outcome_words(result: &RunResult) -> String {
    let word = result.summary.outcome.word().replace('_', " ");
    if is_unjudged(result) { format!("{word} so far") } else { word }
}

fn time(seconds: Option<f64>) -> String {
    match seconds {
        Some(seconds) if seconds < 0.0 => "before".to_owned(),
        Some(seconds) => words::short_duration(seconds),
        None => "–".to_owned(),
    }
}

/// The comparison, a line a policy; at most 100 columns wide for names of up to 17 letters. Where
/// `width` allows fewer, columns are left out, and a line says which. Ends with a line break.
#[must_use]
pub fn comparison_table(results: &[RunResult], style: TableStyle, width: Option<usize>) -> String {
    let mut shown: Vec<usize> = (0..COLUMNS.len()).collect();
    let mut left_out = Vec::new();
    let mut lines = table_lines(results, style, &shown);
    if let Some(width) = width {
        let is_empty = |column: &usize| results.iter().all(|r| (COLUMNS[*column].1)(r) == "–");
        let empty = [RECOVERED].into_iter().filter(is_empty);
        let mut candidates = empty.chain(LEAST_MISSED);
        while lines.iter().any(|line| line.chars().count() > width) {
            let Some(column) = candidates.next() else { break };
            if shown.contains(&column) {
                shown.retain(|kept| *kept != column);
                left_out.push(COLUMNS[column].0.replace('\n', " "));
                lines = table_lines(results, style, &shown);
            }
        }
    }
    if style == TableStyle::Coloured {
        let header_lines = lines.len() - results.len();
        for (line, result) in lines[header_lines..].iter_mut().zip(results) {
            colour_outcome(line, result);
        }
    }
    if !left_out.is_empty() {
        lines.push(format!("(too narrow for: {})", left_out.join(", ")));
    }
    lines.join("\n") + "\n"
}

fn table_lines(results: &[RunResult], style: TableStyle, shown: &[usize]) -> Vec<String> {
    let columns = || shown.iter().map(|column| &COLUMNS[*column]);
    let headings: Vec<&str> = columns().map(|(name, _)| *name).collect();
    let row = |result| columns().map(|(_, value)| value(result)).collect();
    draw(style, &headings, results.iter().map(row).collect(), 2)
}

/// Lines of a table whose first columns are so many of words, the rest figures.
pub(super) fn draw(
    style: TableStyle,
    headings: &[&str],
    rows: Vec<Vec<String>>,
    words: usize,
) -> Vec<String> {
    let mut table = Table::new();
    table.load_style(match style {
        TableStyle::Markdown => presets::ASCII_MARKDOWN,
        TableStyle::Plain | TableStyle::Coloured => {
            presets::NOTHING.header_separator(LineStyle::none().fill('─').junction('─'))
        }
    });
    table.set_content_arrangement(ContentArrangement::Disabled);
    table.set_header(headings.iter().map(|text| match style {
        TableStyle::Markdown => text.replace('\n', " "),
        TableStyle::Plain | TableStyle::Coloured => (*text).to_owned(),
    }));
    for row in rows {
        table.add_row(row);
    }
    for (index, column) in table.column_iter_mut().enumerate() {
        if style != TableStyle::Markdown {
            column.set_padding((0, 1));
        }
        if index >= words {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table.lines().map(|line| line.trim_end().to_owned()).collect()
}

/// Only figures follow the outcome, so its last occurrence in the line is the cell.
fn colour_outcome(line: &mut String, result: &RunResult) {
    let word = outcome_words(result);
    if let Some(at) = line.rfind(&word) {
        let code = match result.summary.outcome {
            Outcome::Stable if is_unjudged(result) => "33",
            Outcome::FullOutage => "1;31",
            Outcome::PartialOutage => "31",
            Outcome::Degraded => "33",
            Outcome::Stable => "32",
        };
        line.replace_range(at..at + word.len(), &format!("\x1b[{code}m{word}\x1b[0m"));
    }
}
