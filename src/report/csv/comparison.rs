//! `comparison.csv`: a row a policy.

use super::writer::CsvFile;
use crate::metric::RunResult;
use crate::report::column::{Cell, Column, Unit, column};
use crate::report::{Artifact, Run};

/// A column of `comparison.csv`.
pub type ComparisonColumn = Column<for<'a> fn(&'a RunResult) -> Cell<'a>>;

/// The columns, in order; `summary.json` has them too, by name.
#[must_use]
pub const fn comparison_columns() -> &'static [ComparisonColumn] {
    COLUMNS
}

const COLUMNS: &[ComparisonColumn] = &[
    column("policy", Unit::Word, |r| Cell::Text(&r.policy), "The policy's name in the file."),
    column("kind", Unit::Word, |r| Cell::Text(r.policy_kind), "The policy's kind."),
    column("plane", Unit::Word, |r| Cell::Text(r.plane.word()), "How requests were served."),
    column(
        "outcome",
        Unit::Word,
        |r| Cell::Text(r.summary.outcome.word()),
        "How the run went: full_outage, partial_outage, degraded or stable.",
    ),
    column(
        "recovered",
        Unit::Truth,
        |r| r.summary.recovered.into(),
        "Did the last minute serve as well as before the trigger? Empty when it never ends.",
    ),
    column(
        "goodput_ratio",
        Unit::Ratio,
        |r| Cell::Number(r.summary.goodput_ratio),
        "Share of the window's requests that were completed in time.",
    ),
    column(
        "degraded_ratio",
        Unit::Ratio,
        |r| Cell::Number(r.summary.degraded_ratio),
        "Share answered by a fallback.",
    ),
    column(
        "late_ratio",
        Unit::Ratio,
        |r| Cell::Number(r.summary.late_ratio),
        "Share whose client had given up.",
    ),
    column(
        "shed_ratio",
        Unit::Ratio,
        |r| Cell::Number(r.summary.shed_ratio),
        "Share refused on purpose.",
    ),
    column(
        "rejected_ratio",
        Unit::Ratio,
        |r| Cell::Number(r.summary.rejected_ratio),
        "Share refused by a full queue or limit, or a deadline.",
    ),
    column(
        "lost_ratio",
        Unit::Ratio,
        |r| Cell::Number(r.summary.lost_ratio),
        "Share lost with an instance, or with nothing in rotation.",
    ),
    column(
        "unfinished_ratio",
        Unit::Ratio,
        |r| Cell::Number(r.summary.unfinished_ratio),
        "Share still in the system at the end.",
    ),
    column(
        "goodput_of_bound",
        Unit::Ratio,
        |r| r.summary.goodput_of_bound.into(),
        "Goodput ÷ the most that full knowledge could serve.",
    ),
    column(
        "min_healthy_capacity_ratio",
        Unit::Ratio,
        |r| Cell::Number(r.summary.min_healthy_capacity_ratio),
        "Least healthy capacity of the fleet ÷ time 0.",
    ),
    column(
        "final_healthy_capacity_ratio",
        Unit::Ratio,
        |r| Cell::Number(r.summary.final_healthy_capacity_ratio),
        "Healthy capacity of the fleet at the end ÷ time 0.",
    ),
    column(
        "peak_receiver_utilization",
        Unit::Ratio,
        |r| r.summary.peak_receiver_utilization.into(),
        "Highest utilization of a pool that received redirected traffic.",
    ),
    column(
        "cascade_propagation_count",
        Unit::Count,
        |r| Cell::Count(u64::from(r.summary.cascade_propagation_count)),
        "Distinct pools, hit by no event, that were lost after the first redirect.",
    ),
    column(
        "time_to_first_redirect_s",
        Unit::Seconds,
        |r| r.summary.time_to_first_redirect_s.into(),
        "From the trigger to the first redirect.",
    ),
    column(
        "time_to_first_propagation_s",
        Unit::Seconds,
        |r| r.summary.time_to_first_propagation_s.into(),
        "From the trigger to the first loss of a pool that no event hit.",
    ),
    column(
        "time_to_full_outage_s",
        Unit::Seconds,
        |r| r.summary.time_to_full_outage_s.into(),
        "From the trigger until no pool was healthy.",
    ),
    column(
        "time_to_nothing_in_rotation_s",
        Unit::Seconds,
        |r| r.summary.time_to_nothing_in_rotation_s.into(),
        "From the trigger until nothing was in rotation anywhere.",
    ),
    column(
        "time_to_recover_s",
        Unit::Seconds,
        |r| r.summary.time_to_recover_s.into(),
        "From the trigger to the start of the lasting recovery.",
    ),
    column(
        "peak_amplification",
        Unit::Ratio,
        |r| r.summary.peak_amplification.into(),
        "Largest tries ÷ first tries over ten seconds.",
    ),
    column(
        "alerts",
        Unit::Word,
        |r| if r.alerts.is_empty() { Cell::Empty } else { Cell::Text(&r.alert_names) },
        "Names of the alerts that fired, in order, joined by semicolons.",
    ),
    column(
        "mitigations",
        Unit::Word,
        |r| if r.mitigations.is_empty() { Cell::Empty } else { Cell::Text(&r.mitigations) },
        "Names of the file's mitigations that it was run with, joined by semicolons.",
    ),
    column(
        "rank",
        Unit::Count,
        |r| r.rank.map_or(Cell::Empty, |rank| Cell::Count(u64::from(rank))),
        "Its place among the runs that are compared, by goodput, from 1; empty of a run alone.",
    ),
];

/// Writes `comparison.csv`.
#[must_use]
pub fn comparison_csv(runs: &[Run<'_>]) -> Artifact {
    let mut file = CsvFile::new(COLUMNS.iter().map(|column| column.name), runs.len());
    for run in runs {
        for column in COLUMNS {
            file.cell((column.value)(run.result));
        }
        file.end_row();
    }
    file.finish("comparison.csv")
}
