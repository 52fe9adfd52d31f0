//! One integration binary: a module per subject.

mod steady_states;
mod transients;
