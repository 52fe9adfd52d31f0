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

/// A column of the table.
struct Column {
    heading: &'static str,
    value: fn(&RunResult) -> String,
    /// When a terminal is too narrow it goes in this order; those at 0 stay. Files have them all.
    missed: u8,
    /// Is there anything to show in it?
    applies: fn(&[RunResult]) -> bool,
}

const fn column(heading: &'static str, missed: u8, value: fn(&RunResult) -> String) -> Column {
    Column { heading, value, missed, applies: |_| true }
}

/// The first columns are words, the rest figures.
const WORDS: usize = 2;

const COLUMNS: &[Column] = &[
    column("policy", 0, |r| r.policy.clone()),
    column("outcome", 0, outcome_words),
    Column {
        applies: is_ranked,
        ..column("rank", 0, |r| r.rank.map(|rank| rank.to_string()).unwrap_or_default())
    },
    column("goodput", 0, |r| percent(r.summary.goodput_ratio)),
    column("of the\nbound", 1, |r| r.summary.goodput_of_bound.map_or("–".to_owned(), percent)),
    Column {
        applies: |results| results.iter().any(|r| r.summary.degraded_ratio > 0.0),
        ..column("degraded", 0, |r| percent(r.summary.degraded_ratio))
    },
    column("shed", 4, |r| percent(r.summary.shed_ratio)),
    column("late,\nrejected\nor lost", 0, |r| {
        let summary = &r.summary;
        percent(summary.late_ratio + summary.rejected_ratio + summary.lost_ratio)
    }),
    column("least\nhealthy\ncapacity", 2, |r| percent(r.summary.min_healthy_capacity_ratio)),
    column("further\npools\nlost", 3, |r| r.summary.cascade_propagation_count.to_string()),
    column("no pool\nhealthy\nafter", 0, |r| time(r.summary.time_to_full_outage_s)),
    Column {
        applies: |results| results.iter().any(|r| r.summary.recovered.is_some()),
        ..column("recovered\nafter", 5, |r| match r.summary.recovered {
            Some(true) => time(r.summary.time_to_recover_s),
            Some(false) => "never".to_owned(),
            None => "–".to_owned(),
        })
    },
];

/// A matrix is shown by rank.
fn is_ranked(results: &[RunResult]) -> bool {
    results.len() > 1 && results.iter().any(|result| !result.mitigations.is_empty())
}

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

/// The comparison, a line a policy, or, where mitigations are compared, a line a combination, the
/// best first. At most 105 columns wide for names of up to 17 letters. Where `width` allows fewer,
/// columns are left out, and a line says which. Ends with a line break.
#[must_use]
pub fn comparison_table(results: &[RunResult], style: TableStyle, width: Option<usize>) -> String {
    let mut rows: Vec<&RunResult> = results.iter().collect();
    if is_ranked(results) {
        rows.sort_by_key(|result| result.rank);
    }
    let mut shown: Vec<&Column> = COLUMNS.iter().filter(|c| (c.applies)(results)).collect();
    let mut left_out = Vec::new();
    let mut lines = table_lines(&rows, style, &shown);
    if let Some(width) = width {
        let is_wide = |line: &String| line.chars().count() > width;
        while lines.iter().any(is_wide) {
            let dispensable = shown.iter().enumerate().filter(|(_, column)| column.missed > 0);
            let Some((index, _)) = dispensable.min_by_key(|(_, column)| column.missed) else {
                break;
            };
            left_out.push(shown.remove(index).heading.replace('\n', " "));
            lines = table_lines(&rows, style, &shown);
        }
    }
    if style == TableStyle::Coloured {
        let header_lines = lines.len() - rows.len();
        for (line, result) in lines[header_lines..].iter_mut().zip(&rows) {
            colour_outcome(line, result);
        }
    }
    if !left_out.is_empty() {
        lines.push(format!("(too narrow for: {})", left_out.join(", ")));
    }
    lines.join("\n") + "\n"
}

fn table_lines(results: &[&RunResult], style: TableStyle, shown: &[&Column]) -> Vec<String> {
    let headings: Vec<&str> = shown.iter().map(|column| column.heading).collect();
    let row = |result: &&RunResult| shown.iter().map(|column| (column.value)(result)).collect();
    draw(style, &headings, results.iter().map(row).collect(), WORDS)
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
