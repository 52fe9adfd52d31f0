//! The CSV files: a table of columns each.

mod comparison;
mod detail;
mod events;
mod fleet;
mod losses;
mod phases;
mod resources;
mod timeline;
mod writer;

pub use comparison::{ComparisonColumn, comparison_columns, comparison_csv};
pub use detail::Severity;
pub(super) use events::ALERT;
pub use events::{EventColumn, EventRow, event_columns, events_csv};
pub use fleet::{FleetColumn, FleetEntry, fleet_columns, fleet_csv};
pub use losses::{LossColumn, LossEntry, loss_columns, losses_csv};
pub use phases::{PhaseColumn, PhaseEntry, phase_columns, phases_csv};
pub use resources::{ResourceColumn, ResourceEntry, resource_columns, resources_csv};
pub use timeline::{TimelineColumn, TimelineEntry, timeline_columns, timeline_csv};
