//! One integration binary: a module per subject.

mod agreement;
mod alerts;
mod autoscaling;
mod cli;
mod config;
mod facts;
mod fluid;
mod invariance;
mod random;
mod readme;
mod requests;
mod steady_states;
mod tidy;
mod transients;
