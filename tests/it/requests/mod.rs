//! The requests plane: against queueing theory, arithmetic and the published tables.

mod common;
mod events;
mod interval;
mod labs;
mod little;
mod mended;
mod random;
mod run;
mod slots;
mod steady;
mod under_way;
