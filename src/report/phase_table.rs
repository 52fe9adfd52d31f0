//! Phases as tables for people: a block a policy.

use super::table::{TableStyle, draw};
use super::{Run, words};
use crate::metric::PhaseRow;
use crate::model::{OriginKind, PoolId, Scenario};

/// Where stdout is no terminal.
const USUAL_WIDTH: usize = 100;
/// Between blocks side by side, at least and at best.
const GAPS: [usize; 2] = [2, 4];

/// The pools that a phase is told by.
#[derive(Debug, Clone, Copy)]
pub(super) struct Watched {
    /// The first pool of the file that users' tries reach.
    pub entry: PoolId,
    /// The first pool of the file whose instances have a resource `cpu`.
    pub cpu: Option<PoolId>,
}

impl Watched {
    /// Those of a scenario; none without phases, or where users reach no pool.
    pub fn of(scenario: &Scenario) -> Option<Self> {
        if scenario.phases.is_empty() {
            return None;
        }
        let is_entry = |pool: &PoolId| {
            let mut to_it = scenario.origins.iter().filter(|origin| origin.to == *pool);
            to_it.any(|origin| !matches!(origin.kind, OriginKind::Call { .. }))
        };
        let has_cpu = |pool: &PoolId| scenario.resource_names(*pool).any(|name| name == "cpu");
        let pools = || scenario.pool_rows.iter().copied();
        Some(Self { entry: pools().find(is_entry)?, cpu: pools().find(has_cpu) })
    }

    /// By phase, in the order of the scenario: the entry's row, and the cpu's.
    pub fn rows<'a>(
        &self,
        phases: &'a [PhaseRow],
    ) -> impl Iterator<Item = (&'a PhaseRow, Option<&'a PhaseRow>)> {
        let (entry, cpu) = (self.entry, self.cpu);
        let of = move |rows: &'a [PhaseRow], pool| rows.iter().find(|row| row.pool == pool);
        phases
            .chunk_by(|a, b| a.phase == b.phase)
            .filter_map(move |rows| Some((of(rows, entry)?, cpu.and_then(|cpu| of(rows, cpu)))))
    }
}

/// A table of the phases under each policy, side by side where `width` has room for them, else one
/// under the other; none for files without phases. Ends with a line break.
#[must_use]
pub fn phase_tables(runs: &[Run<'_>], style: TableStyle, width: Option<usize>) -> Option<String> {
    let first = runs.first()?;
    let watched = Watched::of(first.scenario)?;
    let blocks: Vec<Vec<String>> = runs.iter().map(|run| block(run, &watched, style)).collect();
    let about = about(first.scenario, &watched);
    if style == TableStyle::Markdown {
        let blocks = blocks.iter().map(|block| format!("\n{}\n", block.join("\n")));
        return Some(format!("{about}\n{}", blocks.collect::<String>()));
    }
    let mut text = format!("{about}\n");
    let width = width.unwrap_or(USUAL_WIDTH);
    for row in rows_of_blocks(&blocks, width) {
        text.push('\n');
        text.push_str(&side_by_side(row, width));
    }
    Some(text)
}

fn about(scenario: &Scenario, watched: &Watched) -> String {
    let name = |pool: PoolId| &scenario.pools[pool.index()].name;
    match watched.cpu {
        Some(cpu) if cpu != watched.entry => {
            format!("phases: {}, CPU of {}", name(watched.entry), name(cpu))
        }
        _ => format!("phases: {}", name(watched.entry)),
    }
}

fn block(run: &Run<'_>, watched: &Watched, style: TableStyle) -> Vec<String> {
    let mut headings = vec!["phase", "offered", "peak in\nflight", "replicas", "CPU", "reject"];
    if watched.cpu.is_none() {
        headings.remove(4);
    }
    let percent = |ratio: Option<f64>| ratio.map_or_else(|| "–".to_owned(), words::percent);
    let rows = watched.rows(&run.result.phases).map(|(entry, cpu)| {
        let mut cells = vec![
            run.phase_name(entry.phase).to_owned(),
            words::count(entry.offered_in_flight),
            words::count(entry.in_flight_peak),
            entry.instances.to_string(),
            percent(cpu.and_then(|cpu| cpu.cpu_utilization)),
            percent(entry.rejected_ratio),
        ];
        if watched.cpu.is_none() {
            cells.remove(4);
        }
        cells
    });
    let mut lines = draw(style, &headings, rows.collect(), 1);
    let title = match style {
        TableStyle::Markdown => format!("**{}**\n", run.policy()),
        TableStyle::Plain | TableStyle::Coloured => run.policy().to_owned(),
    };
    lines.insert(0, title);
    lines
}

fn width_of(block: &[String]) -> usize {
    block.iter().map(|line| line.chars().count()).max().unwrap_or(0)
}

/// As many blocks a row as there is room for, at least one.
fn rows_of_blocks(blocks: &[Vec<String>], width: usize) -> Vec<&[Vec<String>]> {
    let mut rows = Vec::new();
    let mut from = 0;
    while from < blocks.len() {
        let mut to = from + 1;
        let mut wide = width_of(&blocks[from]);
        while to < blocks.len() && wide + GAPS[0] + width_of(&blocks[to]) <= width {
            wide += GAPS[0] + width_of(&blocks[to]);
            to += 1;
        }
        rows.push(&blocks[from..to]);
        from = to;
    }
    rows
}

fn side_by_side(blocks: &[Vec<String>], width: usize) -> String {
    let bare: usize = blocks.iter().map(|block| width_of(block)).sum();
    let between = blocks.len().saturating_sub(1).max(1);
    let gap = (width.saturating_sub(bare) / between).clamp(GAPS[0], GAPS[1]);
    let lines = blocks.iter().map(Vec::len).max().unwrap_or(0);
    let mut text = String::new();
    for index in 0..lines {
        let mut line = String::new();
        for block in blocks {
            let cell = block.get(index).map_or("", String::as_str);
            let wide = width_of(block) + gap;
            line.push_str(&format!("{cell:<wide$}"));
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text
}
