//! Every loss of one zone, or of several at a time, worked out without simulating (N−k analysis).

mod groups;
mod losses;
mod pools;
mod rules;
mod steady;

pub use losses::{Contingencies, FullestPool, Loss, Needed, contingencies, loss_of};
pub use pools::PoolNeed;
pub use rules::{Detection, Drained, Ramp, Rules, fewest_zones};
pub use steady::{Instance, Latency};
