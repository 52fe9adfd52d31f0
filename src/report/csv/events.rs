//! `events.csv`: a row a thing that happened.

use super::detail::{Severity, detail};
use super::writer::CsvFile;
use crate::engine::{Happening, LogEntry};
use crate::model::{PoolId, ZoneId};
use crate::policy::Trip;
use crate::report::column::{Cell, Column, Unit, column};
use crate::report::{Artifact, Run};

/// What a row is made of.
#[derive(Debug, Clone)]
pub struct EventRow<'a> {
    policy: &'a str,
    entry: &'a LogEntry,
    zone: Option<&'a str>,
    pool: Option<&'a str>,
    instance: Option<u32>,
    severity: Severity,
    detail: String,
}

/// A column of `events.csv`.
pub type EventColumn = Column<for<'a> fn(&'a EventRow<'a>) -> Cell<'a>>;

/// The columns, in order.
#[must_use]
pub const fn event_columns() -> &'static [EventColumn] {
    COLUMNS
}

const COLUMNS: &[EventColumn] = &[
    column("policy", Unit::Word, |e| Cell::Text(e.policy), "The policy's name in the file."),
    column(
        "time_s",
        Unit::Seconds,
        |e| Cell::Number(e.entry.time_s),
        "When it took effect, simulation time.",
    ),
    column("kind", Unit::Word, |e| Cell::Text(e.entry.what.kind()), "What happened, one word."),
    column(
        "zone",
        Unit::Word,
        |e| e.zone.map_or(Cell::Empty, Cell::Text),
        "Where; empty when it is about more than one.",
    ),
    column(
        "pool",
        Unit::Word,
        |e| e.pool.map_or(Cell::Empty, Cell::Text),
        "Which pool; empty when it is about more than one.",
    ),
    column(
        "instance",
        Unit::Count,
        |e| e.instance.map_or(Cell::Empty, |instance| Cell::Count(u64::from(instance))),
        "Which instance of the pool, counted from 0.",
    ),
    column(
        "severity",
        Unit::Word,
        |e| Cell::Text(e.severity.word()),
        "How much it matters: info, warning or critical.",
    ),
    column("detail", Unit::Word, |e| Cell::Text(&e.detail), "What happened, in words."),
];

/// Writes `events.csv`.
#[must_use]
pub fn events_csv(runs: &[Run<'_>]) -> Artifact {
    let rows = runs.iter().map(|run| run.result.log.len()).sum();
    let mut file = CsvFile::new(COLUMNS.iter().map(|column| column.name), rows);
    for run in runs {
        for entry in &run.result.log {
            let row = event_row(run, entry);
            for column in COLUMNS {
                file.cell((column.value)(&row));
            }
            file.end_row();
        }
    }
    file.finish("events.csv")
}

fn event_row<'a>(run: &Run<'a>, entry: &'a LogEntry) -> EventRow<'a> {
    let (zone, pool, instance) = place(&entry.what);
    let pool = pool.map(|pool| run.pool(pool));
    let zone = zone.or(pool.map(|pool| pool.zone)).map(|zone| run.zone_name(zone));
    EventRow {
        policy: run.policy(),
        entry,
        zone,
        pool: pool.map(|pool| pool.name.as_str()),
        instance,
        severity: Severity::of(&entry.what, run),
        detail: detail(&entry.what, run),
    }
}

fn place(what: &Happening) -> (Option<ZoneId>, Option<PoolId>, Option<u32>) {
    match *what {
        Happening::EventBegan { zone, pool, .. } | Happening::EventEnded { zone, pool, .. } => {
            (zone, pool, None)
        }
        Happening::InstanceDied { pool, instance }
        | Happening::InstanceRestarted { pool, instance }
        | Happening::InstanceStarted { pool, instance }
        | Happening::InstanceUnhealthy { pool, instance }
        | Happening::InstanceHealthy { pool, instance }
        | Happening::InstanceCrashed { pool, instance, .. } => (None, Some(pool), Some(instance)),
        Happening::BreakerOpen { trip, .. } => match trip {
            Trip::InstancesOut { pool, .. } | Trip::Wait { pool, .. } => (None, Some(pool), None),
            Trip::Pools { .. } | Trip::ByHand => (None, None, None),
        },
        Happening::BreakerHalfOpen | Happening::BreakerClosed => (None, None, None),
        Happening::PoolUnhealthy { pool, .. }
        | Happening::PoolHealthy { pool, .. }
        | Happening::RedirectStart { pool, .. }
        | Happening::RedirectEnd { pool }
        | Happening::ShedStart { pool, .. }
        | Happening::ShedEnd { pool }
        | Happening::ScaleUp { pool, .. }
        | Happening::ScaleDown { pool, .. }
        | Happening::LaunchRefused { pool, .. } => (None, Some(pool), None),
    }
}
