//! Many runs. The only user of threads.

mod compare;
pub mod explain;
mod rank;

pub use compare::{Jobs, Watch, compare};
