//! `phases.csv`: a row a policy, phase and pool. Only written for files that have phases.

use super::writer::CsvFile;
use crate::metric::PhaseRow;
use crate::report::column::{Cell, Column, Unit, column};
use crate::report::{Artifact, Run};

/// What a row is made of.
#[derive(Debug, Clone, Copy)]
pub struct PhaseEntry<'a> {
    policy: &'a str,
    phase: &'a str,
    pool: &'a str,
    bottleneck: Option<&'a str>,
    row: &'a PhaseRow,
}

impl<'a> PhaseEntry<'a> {
    /// Every row of a run, in order.
    pub fn all(run: &Run<'a>) -> impl Iterator<Item = Self> {
        let names = run.resource_names();
        let run = *run;
        run.result.phases.iter().map(move |row| Self {
            policy: run.policy(),
            phase: run.phase_name(row.phase),
            pool: &run.pool(row.pool).name,
            bottleneck: row.bottleneck.map(|index| names[row.pool.index()][index as usize]),
            row,
        })
    }
}

/// A column of `phases.csv`.
pub type PhaseColumn = Column<for<'a> fn(&PhaseEntry<'a>) -> Cell<'a>>;

/// The columns, in order; `summary.json` has them too, by name.
#[must_use]
pub const fn phase_columns() -> &'static [PhaseColumn] {
    COLUMNS
}

const COLUMNS: &[PhaseColumn] = &[
    column("policy", Unit::Word, |e| Cell::Text(e.policy), "The policy's name in the file."),
    column("phase", Unit::Word, |e| Cell::Text(e.phase), "The measuring window."),
    column("pool", Unit::Word, |e| Cell::Text(e.pool), "The pool."),
    column(
        "offered_in_flight",
        Unit::Count,
        |e| Cell::Number(e.row.offered_in_flight),
        "Tries a second × unloaded latency: what would be in flight if nothing queued.",
    ),
    column(
        "in_flight_peak",
        Unit::Count,
        |e| Cell::Number(e.row.in_flight_peak),
        "Most tries in the system at any moment of the phase.",
    ),
    column(
        "instances",
        Unit::Count,
        |e| Cell::Count(u64::from(e.row.instances)),
        "Instances whose process was up at the end.",
    ),
    column(
        "cpu_utilization",
        Unit::Ratio,
        |e| e.row.cpu_utilization.into(),
        "Mean utilization of the resource cpu; empty without one.",
    ),
    column(
        "rejected_ratio",
        Unit::Ratio,
        |e| e.row.rejected_ratio.into(),
        "Tries rejected ÷ tries at the pool; empty without tries.",
    ),
    column("offered_rps", Unit::Rps, |e| Cell::Number(e.row.offered_rps), "First tries."),
    column("retry_rps", Unit::Rps, |e| Cell::Number(e.row.retry_rps), "Retries."),
    column(
        "completed_rps",
        Unit::Rps,
        |e| Cell::Number(e.row.completed_rps),
        "Tries answered in time.",
    ),
    column(
        "goodput_ratio",
        Unit::Ratio,
        |e| e.row.goodput_ratio.into(),
        "Completed ÷ first tries; empty without first tries.",
    ),
    column(
        "bottleneck",
        Unit::Word,
        |e| e.bottleneck.map_or(Cell::Empty, Cell::Text),
        "The pool's most utilized resource; empty where nothing was used.",
    ),
    column(
        "bottleneck_utilization",
        Unit::Ratio,
        |e| e.row.bottleneck_utilization.into(),
        "Mean utilization of that resource.",
    ),
];

/// Writes `phases.csv`; none for files without phases.
#[must_use]
pub fn phases_csv(runs: &[Run<'_>]) -> Option<Artifact> {
    let rows: usize = runs.iter().map(|run| run.result.phases.len()).sum();
    if rows == 0 {
        return None;
    }
    let mut file = CsvFile::new(COLUMNS.iter().map(|column| column.name), rows);
    for entry in runs.iter().flat_map(PhaseEntry::all) {
        for column in COLUMNS {
            file.cell((column.value)(&entry));
        }
        file.end_row();
    }
    Some(file.finish("phases.csv"))
}
