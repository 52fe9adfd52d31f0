//! One integration binary: a module per subject.

mod agreement;
mod alerts;
mod autoscaling;
mod cli;
mod config;
mod explain;
mod facts;
mod fluid;
mod headroom;
mod invariance;
mod random;
mod readme;
mod requests;
mod steady_states;
mod tidy;
mod transients;
