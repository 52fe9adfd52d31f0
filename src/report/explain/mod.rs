//! A run's causal story in words: Markdown, for a terminal, and as JSON.
//!
//! Words are put together from an [`Explanation`](crate::experiment::explain::Explanation) only.
//! Every number in them is noted as a figure, with its value and as it is printed: `explain.json`
//! holds them all, so that whatever the text says can be looked up.

mod alerts;
mod fared;
mod figures;
mod happened;
mod json;
mod levers;
mod markdown;
mod return_point;
mod spread;
mod story;
mod terminal;

pub use figures::Figure;
pub use json::{EXPLAIN_SCHEMA_VERSION, explain_json};
pub use markdown::{explain_markdown, markdown};
pub use story::{Item, Section, Story, story};
pub use terminal::terminal;
