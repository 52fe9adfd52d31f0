//! One integration binary: a module per subject.

mod cli;
mod config;
mod facts;
mod steady_states;
mod transients;
