//! What `headroom` prints as CSV: a row a loss of zones.

use super::writer::CsvFile;
use crate::experiment::contingency::{FullestPool, Latency, Loss};
use crate::model::Scenario;
use crate::report::Artifact;
use crate::report::column::{Cell, Column, Unit, column};

/// What a row is made of.
#[derive(Debug, Clone)]
pub struct LossEntry<'a> {
    scenario: &'a Scenario,
    loss: &'a Loss,
    zones: String,
}

impl<'a> LossEntry<'a> {
    /// Of one loss.
    #[must_use]
    pub fn new(scenario: &'a Scenario, loss: &'a Loss) -> Self {
        let names = loss.zones.iter().map(|zone| scenario.zones[zone.index()].name.as_str());
        Self { scenario, loss, zones: names.collect::<Vec<_>>().join(";") }
    }

    fn fullest(&self, value: impl Fn(&FullestPool) -> f64) -> Cell<'static> {
        self.loss.fullest.as_ref().map(value).into()
    }

    fn latency(
        &self,
        of: impl Fn(&FullestPool) -> Option<Latency>,
        value: impl Fn(Latency) -> f64,
    ) -> Cell<'static> {
        self.loss.fullest.as_ref().and_then(of).map(value).into()
    }
}

/// A column of the losses.
pub type LossColumn = Column<for<'a> fn(&'a LossEntry<'a>) -> Cell<'a>>;

/// The columns, in order; the JSON has them too, by name.
#[must_use]
pub const fn loss_columns() -> &'static [LossColumn] {
    COLUMNS
}

const COLUMNS: &[LossColumn] = &[
    column("zones", Unit::Word, |e| Cell::Text(&e.zones), "What is lost, joined by semicolons."),
    column(
        "survivor_utilization",
        Unit::Ratio,
        |e| e.loss.survivor_utilization().into(),
        "All demand ÷ all surviving capacity of the service worst off; empty with none left.",
    ),
    column(
        "worst_service",
        Unit::Word,
        |e| {
            let service = e.loss.worst_service();
            service.map_or(Cell::Empty, |s| Cell::Text(&e.scenario.services[s.service.index()]))
        },
        "That service.",
    ),
    column(
        "worst_pool",
        Unit::Word,
        |e| {
            let pool = e.loss.fullest.map(|fullest| fullest.pool.index());
            pool.map_or(Cell::Empty, |pool| Cell::Text(&e.scenario.pools[pool].name))
        },
        "The fullest survivor as unconditional splits the traffic.",
    ),
    column(
        "worst_pool_utilization",
        Unit::Ratio,
        |e| e.fullest(|pool| pool.utilization),
        "Its work ÷ its capacity.",
    ),
    column(
        "worst_pool_slowest_utilization",
        Unit::Ratio,
        |e| e.fullest(|pool| pool.slowest_utilization),
        "The same of its slowest instance, probes included.",
    ),
    column(
        "unplaced_ratio",
        Unit::Ratio,
        |e| Cell::Number(e.loss.unplaced_ratio),
        "Share of tries, calls included, that have nowhere to fail over to.",
    ),
    column(
        "shed_ratio",
        Unit::Ratio,
        |e| Cell::Number(e.loss.shed_ratio),
        "Share of first tries that a perfect router has to refuse at the ceiling.",
    ),
    column(
        "headroom_needed_of_load",
        Unit::Ratio,
        |e| e.loss.headroom_needed.into(),
        "Headroom of load, the same of all, at which a perfect router fits everything in.",
    ),
    column(
        "headroom_needed_of_load_slowest",
        Unit::Ratio,
        |e| e.loss.headroom_needed_slowest.into(),
        "The same so that the slowest instance fits too.",
    ),
    column(
        "headroom_needed_of_load_unconditional",
        Unit::Ratio,
        |e| e.loss.headroom_needed_as_split.into(),
        "Headroom of load, the same of all, at which everything fits as unconditional splits it.",
    ),
    column(
        "headroom_needed_of_load_unconditional_slowest",
        Unit::Ratio,
        |e| e.loss.headroom_needed_as_split_slowest.into(),
        "The same so that the slowest instance fits too.",
    ),
    column(
        "spare_of_capacity_needed",
        Unit::Ratio,
        |e| e.loss.spare_of_capacity_needed().into(),
        "headroom_needed_of_load as a share of capacity.",
    ),
    column(
        "highest_home_utilization",
        Unit::Ratio,
        |e| e.loss.highest_home_utilization().into(),
        "The utilization before the loss at which a perfect router just fits everything in.",
    ),
    column(
        "worst_pool_mean_s",
        Unit::Seconds,
        |e| e.latency(|pool| pool.latency, |latency| latency.mean_s),
        "Mean latency at the worst pool's mean instance in its steady state; empty without one.",
    ),
    column(
        "worst_pool_p99_s",
        Unit::Seconds,
        |e| e.latency(|pool| pool.latency, |latency| latency.p99_s),
        "99th percentile of the same.",
    ),
    column(
        "worst_pool_slowest_mean_s",
        Unit::Seconds,
        |e| e.latency(|pool| pool.slowest_latency, |latency| latency.mean_s),
        "Mean latency at the worst pool's slowest instance in its steady state; empty without one.",
    ),
    column(
        "worst_pool_slowest_p99_s",
        Unit::Seconds,
        |e| e.latency(|pool| pool.slowest_latency, |latency| latency.p99_s),
        "99th percentile of the same.",
    ),
    column("fits", Unit::Truth, |e| Cell::Truth(e.loss.fits), "Can a perfect router fit it in?"),
    column(
        "fits_unconditional",
        Unit::Truth,
        |e| Cell::Truth(e.loss.fits_as_split),
        "Does it fit as unconditional splits it?",
    ),
];

/// Writes every loss as a row.
#[must_use]
pub fn losses_csv(scenario: &Scenario, losses: &[Loss]) -> Artifact {
    let mut file = CsvFile::new(COLUMNS.iter().map(|column| column.name), losses.len());
    for loss in losses {
        let entry = LossEntry::new(scenario, loss);
        for column in COLUMNS {
            file.cell((column.value)(&entry));
        }
        file.end_row();
    }
    file.finish("losses.csv")
}
