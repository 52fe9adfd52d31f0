//! The ways to serve.

pub mod fluid;
pub mod requests;
