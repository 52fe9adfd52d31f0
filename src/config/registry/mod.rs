//! Every setting there is. The file, `--set`, a policy's and an event's `set` all go through it.

mod alert;
mod autoscaler;
mod client;
mod instance;
mod mitigation;
mod plan;
mod pool;
mod run;
mod tree;

use super::setting::{Kind, Range};

pub use plan::{EVENT_COMMON, EVENT_KINDS, EventKind};
pub use tree::{Node, root, settings};

/// Most instances of a pool, and in an event.
pub(super) const MOST_INSTANCES: u64 = 1_000_000;
/// A year, s.
const YEAR_S: f64 = 31_536_000.0;
/// A time that may be 0.
const TIME: Kind = Kind::Duration(Range::from(0.0, YEAR_S));
/// A time that has a length.
const LENGTH: Kind = Kind::Duration(Range::over(0.0, YEAR_S));
