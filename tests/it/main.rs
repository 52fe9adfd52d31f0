//! One integration binary: a module per subject.

mod cli;
mod config;
mod facts;
mod readme;
mod steady_states;
mod tidy;
mod transients;
