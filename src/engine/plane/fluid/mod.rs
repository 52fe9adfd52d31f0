//! The fluid plane: each instance is one M/M/c/K station with mean and variance (MODEL §4.1).

mod ages;
mod crash;
mod fallback;
mod instance;
mod lanes;
mod leaving;
mod pool;
mod requests;
mod sender;
mod settle;
mod start;
mod usage;

pub use fallback::Fallback;
pub use instance::{given_up_share, share_older};
pub use lanes::Lanes;
pub use pool::serve;
pub use requests::RequestFlows;
pub use start::start;
