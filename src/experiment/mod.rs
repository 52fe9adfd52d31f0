//! Many runs, and many losses without a run. The only user of threads.

mod compare;
pub mod contingency;
pub mod explain;
mod rank;

pub use compare::{Jobs, Watch, compare};
