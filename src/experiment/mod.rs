//! Many runs. The only user of threads.

mod compare;

pub use compare::{Jobs, Watch, compare};
