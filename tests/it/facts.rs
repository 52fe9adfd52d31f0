//! What the simulator has to reproduce: published numbers, closed forms, and the shipped files.

mod autoscaled;
mod clients;
mod closed_forms;
mod collapse;
mod ejection_limit;
mod events;
pub mod fleet;
pub mod guarded;
mod lose_one_of_three;
mod metrics;
pub mod mitigations;
mod outcomes;
pub mod pair;
mod patterns;
mod planner_agent;
mod published;
mod ramp_rule;
mod requests;
mod retries;
mod rows;
mod step_halving;
mod topologies;
