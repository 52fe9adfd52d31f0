//! `resources.csv`: a row a policy, pool, resource and interval. Only written where an instance
//! kind declares a resource beside workers, or a pool calls another: elsewhere workers are all
//! there is to run out of, and the timeline tells.

use super::writer::CsvFile;
use crate::metric::ResourceRow;
use crate::report::column::{Cell, Column, Unit, column};
use crate::report::{Artifact, Run};

/// What a row is made of.
#[derive(Debug, Clone, Copy)]
pub struct ResourceEntry<'a> {
    policy: &'a str,
    pool: &'a str,
    resource: &'a str,
    row: &'a ResourceRow,
}

/// A column of `resources.csv`.
pub type ResourceColumn = Column<for<'a> fn(&ResourceEntry<'a>) -> Cell<'a>>;

/// The columns, in order.
#[must_use]
pub const fn resource_columns() -> &'static [ResourceColumn] {
    COLUMNS
}

const COLUMNS: &[ResourceColumn] = &[
    column("policy", Unit::Word, |e| Cell::Text(e.policy), "The policy's name in the file."),
    column(
        "time_s",
        Unit::Seconds,
        |e| Cell::Number(e.row.time_s),
        "End of the row's interval, simulation time.",
    ),
    column("pool", Unit::Word, |e| Cell::Text(e.pool), "The pool."),
    column("resource", Unit::Word, |e| Cell::Text(e.resource), "What its instances have of."),
    column(
        "used",
        Unit::Count,
        |e| Cell::Number(e.row.used),
        "Units used, on average over the interval, at all its instances that were up.",
    ),
    column(
        "limit",
        Unit::Count,
        |e| Cell::Number(e.row.limit),
        "Units that these instances had, on average over the interval.",
    ),
    column(
        "utilization",
        Unit::Ratio,
        |e| e.row.utilization.into(),
        "Used ÷ limit; empty while there was nothing to use.",
    ),
    column(
        "binding",
        Unit::Truth,
        |e| Cell::Truth(e.row.binding),
        "Is it the pool's most utilized resource? Of equals the first.",
    ),
];

/// Writes `resources.csv`; none without rows.
#[must_use]
pub fn resources_csv(runs: &[Run<'_>]) -> Option<Artifact> {
    let rows: usize = runs.iter().map(|run| run.result.resources.len()).sum();
    if rows == 0 {
        return None;
    }
    let mut file = CsvFile::new(COLUMNS.iter().map(|column| column.name), rows);
    for run in runs {
        let names = run.resource_names();
        for row in &run.result.resources {
            let entry = ResourceEntry {
                policy: run.policy(),
                pool: &run.pool(row.pool).name,
                resource: names[row.pool.index()][row.resource as usize],
                row,
            };
            for column in COLUMNS {
                file.cell((column.value)(&entry));
            }
            file.end_row();
        }
    }
    Some(file.finish("resources.csv"))
}
