//! The requests plane: every request, one by one, in exact order (MODEL §4.2).
//!
//! Between two boundaries nothing changes but by what requests do: instances' speeds, rotation and
//! routing are those of the boundary. Within a step everything happens in the order of its time, to
//! the nanosecond; [`event`] tells the order within an instant.

mod admission;
mod arrival;
mod books;
mod call;
mod choose;
mod client;
mod clock;
mod coming;
mod death;
mod desk;
mod event;
mod fallback;
mod flow;
mod plain;
mod probes;
mod refresh;
mod sender;
mod service;
mod station;
mod step;
mod tries;
mod usage;
mod work;

pub use step::{Requests, close, serve, start};
