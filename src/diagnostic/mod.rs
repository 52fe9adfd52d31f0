//! A problem in a topology file as a value, and the ways to show it.

mod json;
mod problem;
mod render;
mod sources;

pub use json::render_json;
pub use problem::{Label, Patch, Problem, Severity};
pub use render::{Style, render};
pub use sources::{Location, Source, SourceId, Sources, Span};
