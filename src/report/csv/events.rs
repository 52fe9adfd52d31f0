//! `events.csv`: a row a thing that happened.

use super::detail::{Severity, detail};
use super::writer::CsvFile;
use crate::engine::{Happening, LogEntry};
use crate::metric::FiredAlert;
use crate::model::{PoolId, ZoneId};
use crate::policy::Trip;
use crate::report::alerts::{alert, alert_detail};
use crate::report::column::{Cell, Column, Unit, column};
use crate::report::{Artifact, Run};

/// What a row is made of.
#[derive(Debug, Clone)]
pub struct EventRow<'a> {
    policy: &'a str,
    time_s: f64,
    kind: &'static str,
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
        |e| Cell::Number(e.time_s),
        "When it took effect, simulation time.",
    ),
    column("kind", Unit::Word, |e| Cell::Text(e.kind), "What happened, one word."),
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
    let rows = runs.iter().map(|run| run.result.log.len() + run.result.alerts.len()).sum();
    let mut file = CsvFile::new(COLUMNS.iter().map(|column| column.name), rows);
    for run in runs {
        for row in event_rows(run) {
            for column in COLUMNS {
                file.cell((column.value)(&row));
            }
            file.end_row();
        }
    }
    file.finish("events.csv")
}

/// The kind of an alert's row.
pub(in crate::report) const ALERT: &str = "alert";

/// What happened and the alerts of it, in order; of one moment the alerts come last.
fn event_rows<'a>(run: &Run<'a>) -> impl Iterator<Item = EventRow<'a>> {
    let run = *run;
    let mut log = run.result.log.iter().peekable();
    let mut alerts = run.result.alerts.iter().peekable();
    std::iter::from_fn(move || {
        let alert_s = alerts.peek().map_or(f64::INFINITY, |alert| alert.time_s);
        match log.next_if(|entry| entry.time_s <= alert_s) {
            Some(entry) => Some(event_row(&run, entry)),
            None => Some(alert_row(&run, alerts.next()?)),
        }
    })
}

fn alert_row<'a>(run: &Run<'a>, fired: &FiredAlert) -> EventRow<'a> {
    let pool = fired.pool.map(|pool| run.pool(pool));
    EventRow {
        policy: run.policy(),
        time_s: fired.time_s,
        kind: ALERT,
        zone: pool.map(|pool| run.zone_name(pool.zone)),
        pool: pool.map(|pool| pool.name.as_str()),
        instance: None,
        severity: Severity::of_alert(alert(run, fired).severity),
        detail: alert_detail(run, fired),
    }
}

fn event_row<'a>(run: &Run<'a>, entry: &'a LogEntry) -> EventRow<'a> {
    let (zone, pool, instance) = place(&entry.what);
    let pool = pool.map(|pool| run.pool(pool));
    let zone = zone.or(pool.map(|pool| pool.zone)).map(|zone| run.zone_name(zone));
    EventRow {
        policy: run.policy(),
        time_s: entry.time_s,
        kind: entry.what.kind(),
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
