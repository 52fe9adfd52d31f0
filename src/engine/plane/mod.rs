//! The ways to serve.

pub mod fluid;
