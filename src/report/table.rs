//! The comparison as a table for people.

use comfy_table::{CellAlignment, ContentArrangement, LineStyle, Table, presets};

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

/// Headings and their values; the first two are words, the rest figures.
const COLUMNS: &[(&str, Value)] = &[
    ("policy", |r| r.policy.clone()),
    ("outcome", |r| outcome_words(r.summary.outcome)),
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

fn outcome_words(outcome: Outcome) -> String {
    outcome.word().replace('_', " ")
}

fn time(seconds: Option<f64>) -> String {
    seconds.map_or_else(|| "–".to_owned(), words::short_duration)
}

/// The comparison, a line a policy; at most 100 columns wide for names of up to 17 letters. Ends
/// with a line break.
#[must_use]
pub fn comparison_table(results: &[RunResult], style: TableStyle) -> String {
    let mut table = Table::new();
    table.load_style(match style {
        TableStyle::Markdown => presets::ASCII_MARKDOWN,
        TableStyle::Plain | TableStyle::Coloured => {
            presets::NOTHING.header_separator(LineStyle::none().fill('─').junction('─'))
        }
    });
    table.set_content_arrangement(ContentArrangement::Disabled);
    let heading = |text: &str| match style {
        TableStyle::Markdown => text.replace('\n', " "),
        TableStyle::Plain | TableStyle::Coloured => text.to_owned(),
    };
    table.set_header(COLUMNS.iter().map(|(name, _)| heading(name)));
    for result in results {
        table.add_row(COLUMNS.iter().map(|(_, value)| value(result)));
    }
    for (index, column) in table.column_iter_mut().enumerate() {
        if style != TableStyle::Markdown {
            column.set_padding((0, 1));
        }
        if index > 1 {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    let mut lines: Vec<String> = table.lines().map(|line| line.trim_end().to_owned()).collect();
    if style == TableStyle::Coloured {
        let header_lines = lines.len() - results.len();
        for (line, result) in lines[header_lines..].iter_mut().zip(results) {
            colour_outcome(line, result.summary.outcome);
        }
    }
    lines.join("\n") + "\n"
}

/// Only figures follow the outcome, so its last occurrence in the line is the cell.
fn colour_outcome(line: &mut String, outcome: Outcome) {
    let word = outcome_words(outcome);
    if let Some(at) = line.rfind(&word) {
        let code = match outcome {
            Outcome::FullOutage => "1;31",
            Outcome::PartialOutage => "31",
            Outcome::Degraded => "33",
            Outcome::Stable => "32",
        };
        line.replace_range(at..at + word.len(), &format!("\x1b[{code}m{word}\x1b[0m"));
    }
}
