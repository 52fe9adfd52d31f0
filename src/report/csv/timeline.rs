//! `timeline.csv`: a row a policy, pool and interval.

use super::writer::CsvFile;
use crate::metric::PoolRow;
use crate::report::column::{Cell, Column, Unit, column};
use crate::report::{Artifact, Run};

/// What a row is made of.
#[derive(Debug, Clone, Copy)]
pub struct TimelineEntry<'a> {
    policy: &'a str,
    zone: &'a str,
    pool: &'a str,
    bottleneck: Option<&'a str>,
    row: &'a PoolRow,
}

/// A column of `timeline.csv`.
pub type TimelineColumn = Column<for<'a> fn(&TimelineEntry<'a>) -> Cell<'a>>;

/// The columns, in order.
#[must_use]
pub const fn timeline_columns() -> &'static [TimelineColumn] {
    COLUMNS
}

const COLUMNS: &[TimelineColumn] = &[
    column("policy", Unit::Word, |e| Cell::Text(e.policy), "The policy's name in the file."),
    column(
        "time_s",
        Unit::Seconds,
        |e| Cell::Number(e.row.time_s),
        "End of the row's interval, simulation time.",
    ),
    column("zone", Unit::Word, |e| Cell::Text(e.zone), "The zone that the pool is in."),
    column("pool", Unit::Word, |e| Cell::Text(e.pool), "The pool."),
    column(
        "offered_rps",
        Unit::Rps,
        |e| Cell::Number(e.row.offered_rps),
        "First tries and retries that arrive for this pool.",
    ),
    column("retry_rps", Unit::Rps, |e| Cell::Number(e.row.retry_rps), "The retries among them."),
    column(
        "redirected_in_rps",
        Unit::Rps,
        |e| Cell::Number(e.row.redirected_in_rps),
        "Tries of other pools that were sent here.",
    ),
    column(
        "redirected_out_rps",
        Unit::Rps,
        |e| Cell::Number(e.row.redirected_out_rps),
        "Tries of this pool that were sent to others.",
    ),
    column(
        "completed_rps",
        Unit::Rps,
        |e| Cell::Number(e.row.completed_rps),
        "Tries answered in time.",
    ),
    column(
        "late_rps",
        Unit::Rps,
        |e| Cell::Number(e.row.late_rps),
        "Tries that left the system after their client had given up.",
    ),
    column(
        "degraded_rps",
        Unit::Rps,
        |e| Cell::Number(e.row.degraded_rps),
        "Tries answered by a fallback.",
    ),
    column(
        "shed_rps",
        Unit::Rps,
        |e| Cell::Number(e.row.shed_rps),
        "Tries refused on purpose before they cost the pool anything.",
    ),
    column(
        "rejected_rps",
        Unit::Rps,
        |e| Cell::Number(e.row.rejected_rps),
        "Tries refused by a full queue or limit, or a deadline they could not meet.",
    ),
    column(
        "lost_rps",
        Unit::Rps,
        |e| Cell::Number(e.row.lost_rps),
        "Tries sent to a dead instance, or inside one when it died, or with nothing in rotation.",
    ),
    column(
        "instances",
        Unit::Count,
        |e| Cell::Count(u64::from(e.row.instances)),
        "Instances whose process is up.",
    ),
    column(
        "instances_in_rotation",
        Unit::Count,
        |e| Cell::Count(u64::from(e.row.instances_in_rotation)),
        "Instances that the load balancer sends traffic to.",
    ),
    column(
        "capacity_rps",
        Unit::Rps,
        |e| Cell::Number(e.row.capacity_rps),
        "Nominal capacity of the instances in rotation: what the load balancer believes.",
    ),
    column(
        "healthy_capacity_rps",
        Unit::Rps,
        |e| Cell::Number(e.row.healthy_capacity_rps),
        "Actual capacity of the instances in rotation and up.",
    ),
    column(
        "utilization",
        Unit::Ratio,
        |e| e.row.utilization.into(),
        "Work routed to the pool ÷ its capacity; empty while nothing is in rotation.",
    ),
    column(
        "bottleneck",
        Unit::Word,
        |e| e.bottleneck.map_or(Cell::Empty, Cell::Text),
        "The pool's most utilized resource; empty where nothing is used.",
    ),
    column("in_flight", Unit::Count, |e| Cell::Number(e.row.in_flight), "Tries in the system."),
    column("queue", Unit::Count, |e| Cell::Number(e.row.queue), "Those of them that wait."),
    column(
        "latency_mean_s",
        Unit::Seconds,
        |e| e.row.latency_mean_s.into(),
        "Mean latency of an answer; empty without answers.",
    ),
    column(
        "latency_p99_s",
        Unit::Seconds,
        |e| e.row.latency_p99_s.into(),
        "99th percentile of the latency of an answer; empty without answers.",
    ),
    column(
        "deferred",
        Unit::Count,
        |e| Cell::Number(e.row.deferred),
        "Tries of this pool that the fallback has yet to answer.",
    ),
    column("state", Unit::Word, |e| Cell::Text(e.row.state.word()), "The pool's state."),
    column(
        "receiving_pool_capacity_utilization",
        Unit::Ratio,
        |e| e.row.receiving_pool_capacity_utilization.into(),
        "Utilization in the steps in which redirected traffic came; empty without any.",
    ),
];

/// Writes `timeline.csv`.
#[must_use]
pub fn timeline_csv(runs: &[Run<'_>]) -> Artifact {
    let rows = runs.iter().map(|run| run.result.timeline.len()).sum();
    let mut file = CsvFile::new(COLUMNS.iter().map(|column| column.name), rows);
    for run in runs {
        let names = run.resource_names();
        for row in &run.result.timeline {
            let pool = run.pool(row.pool);
            let zone = run.zone_name(pool.zone);
            let entry = TimelineEntry {
                policy: run.policy(),
                zone,
                pool: &pool.name,
                bottleneck: row.bottleneck.map(|index| names[row.pool.index()][index as usize]),
                row,
            };
            for column in COLUMNS {
                file.cell((column.value)(&entry));
            }
            file.end_row();
        }
    }
    file.finish("timeline.csv")
}
