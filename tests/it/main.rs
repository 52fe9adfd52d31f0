//! One integration binary: a module per subject.

mod cli;
mod config;
mod steady_states;
mod transients;
