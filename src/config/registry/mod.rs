//! Every setting there is. The file, `--set`, a policy's and an event's `set` all go through it.

mod fleet;
mod plan;
mod tree;

pub use plan::{EVENT_COMMON, EVENT_KINDS, EventKind};
pub use tree::{Node, root, settings};
