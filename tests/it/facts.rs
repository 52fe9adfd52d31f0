//! What the simulator has to reproduce: published numbers, closed forms, and the shipped files.

mod autoscaled;
mod clients;
mod closed_forms;
mod events;
mod fleet;
mod lose_one_of_three;
mod metrics;
mod mitigations;
mod outcomes;
mod pair;
mod planner_agent;
mod published;
mod ramp_rule;
mod requests;
mod retries;
mod rows;
mod step_halving;
mod topologies;
