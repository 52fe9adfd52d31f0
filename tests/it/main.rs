//! One integration binary: a module per subject.

mod cli;
mod config;
mod invariance;
mod random;
mod steady_states;
mod transients;
