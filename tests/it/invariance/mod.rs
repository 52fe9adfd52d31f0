//! What must not matter does not: order, names, size, threads, the length of the step.

mod balancing;
mod determinism;
mod fast_service;
mod names;
mod shipped;
mod size;
mod table_order;
