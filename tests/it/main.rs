//! One integration binary: a module per subject.

mod cli;
mod steady_states;
mod transients;
