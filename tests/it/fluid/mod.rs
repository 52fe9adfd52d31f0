//! Resources, calls, retries and crashes in the fluid plane.

pub mod build;
mod calls;
mod crash;
mod metastable;
mod random;
mod resources;
mod retries;
