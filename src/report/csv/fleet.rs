//! `fleet.csv`: a row a policy and interval.

use super::writer::CsvFile;
use crate::metric::FleetRow;
use crate::report::column::{Cell, Column, Unit, column};
use crate::report::{Artifact, Run};

/// What a row is made of.
#[derive(Debug, Clone, Copy)]
pub struct FleetEntry<'a> {
    policy: &'a str,
    row: &'a FleetRow,
}

/// A column of `fleet.csv`.
pub type FleetColumn = Column<for<'a> fn(&FleetEntry<'a>) -> Cell<'a>>;

/// The columns, in order.
#[must_use]
pub const fn fleet_columns() -> &'static [FleetColumn] {
    COLUMNS
}

const COLUMNS: &[FleetColumn] = &[
    column("policy", Unit::Word, |e| Cell::Text(e.policy), "The policy's name in the file."),
    column(
        "time_s",
        Unit::Seconds,
        |e| Cell::Number(e.row.time_s),
        "End of the row's interval, simulation time.",
    ),
    column(
        "offered_rps",
        Unit::Rps,
        |e| Cell::Number(e.row.offered_rps),
        "First tries and retries of users; calls between pools are not counted.",
    ),
    column(
        "completed_rps",
        Unit::Rps,
        |e| Cell::Number(e.row.completed_rps),
        "Users' requests answered in time.",
    ),
    column(
        "healthy_capacity_rps",
        Unit::Rps,
        |e| Cell::Number(e.row.healthy_capacity_rps),
        "Actual capacity of the instances in rotation and up.",
    ),
    column(
        "healthy_capacity_ratio",
        Unit::Ratio,
        |e| Cell::Number(e.row.healthy_capacity_ratio),
        "The same as a share of time 0.",
    ),
    column(
        "bound_rps",
        Unit::Rps,
        |e| Cell::Number(e.row.bound_rps),
        "The most that full knowledge could serve: a max flow through the failover edges.",
    ),
    column(
        "receiving_pool_capacity_utilization",
        Unit::Ratio,
        |e| e.row.receiving_pool_capacity_utilization.into(),
        "The highest of the pools' in `timeline.csv`; empty while none receives.",
    ),
    column(
        "cascade_propagation_count",
        Unit::Count,
        |e| Cell::Count(u64::from(e.row.cascade_propagation_count)),
        "Distinct pools, hit by no event, lost after the first redirect, so far.",
    ),
    column(
        "fleet_wide_capacity_trend",
        Unit::Ratio,
        |e| Cell::Number(e.row.fleet_wide_capacity_trend),
        "Change of healthy capacity within the alert's window, as a share of time 0.",
    ),
];

/// Writes `fleet.csv`.
#[must_use]
pub fn fleet_csv(runs: &[Run<'_>]) -> Artifact {
    let rows = runs.iter().map(|run| run.result.fleet.len()).sum();
    let mut file = CsvFile::new(COLUMNS.iter().map(|column| column.name), rows);
    for run in runs {
        for row in &run.result.fleet {
            let entry = FleetEntry { policy: run.policy(), row };
            for column in COLUMNS {
                file.cell((column.value)(&entry));
            }
            file.end_row();
        }
    }
    file.finish("fleet.csv")
}
