//! Many runs. The only user of threads.

mod compare;
mod rank;

pub use compare::{Jobs, Watch, compare};
