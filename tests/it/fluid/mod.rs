//! Resources, calls, retries and crashes in the fluid plane.

pub mod build;
mod calls;
mod crash;
mod metastable;
pub mod random;
mod resources;
mod retries;
