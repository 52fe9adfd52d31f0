//! A topology file to a valid scenario: one registry of settings, and every problem at once.
//!
//! TOML text becomes values with places, each is checked against [the registry](settings()) into a
//! document, overrides replace entries of it, and the document is lowered to model values once for
//! each policy.

mod alerts;
mod bundles;
mod document;
mod expand;
mod fill;
mod lint;
mod lint_time;
mod lint_unread;
mod load;
mod lower;
mod overrides;
mod plane;
mod print;
mod problems;
mod quantity;
mod raw;
mod read;
mod registry;
mod setting;
mod value;

pub use bundles::Matrix;
pub use load::{Loaded, Purpose, Rejected, load, load_for};
pub use plane::PlaneChoice;
pub use registry::{EVENT_KINDS, EventKind, settings};
pub use setting::{Default, InRun, Kind, Least, Range, Section, Setting};
