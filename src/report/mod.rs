//! Results to bytes.

mod alerts;
mod bottleneck;
pub mod chart;
mod closed_form;
mod column;
pub mod csv;
mod dot;
pub mod explain;
#[cfg(test)]
pub(crate) mod fixture;
mod headroom;
mod json;
mod number;
mod output;
#[cfg(test)]
mod output_tests;
mod phase_table;
mod prometheus;
mod run;
mod table;
#[cfg(test)]
mod tests;
mod verdict;
mod words;

pub use alerts::alert_lines;
pub use bottleneck::bottleneck_lines;
pub use closed_form::closed_form_line;
pub use column::{Cell, Column, Rounded, Unit};
pub use dot::dot;
pub use headroom::{Headroom, headroom_json, headroom_text, headroom_verdict};
pub use json::{Invocation, Override, SUMMARY_SCHEMA_VERSION, sha256_hex, summary_json};
pub use number::NumberBuffer;
pub use output::{Abandon, OutputError, OutputFolder};
pub use phase_table::phase_tables;
pub use prometheus::prometheus_rules;
pub use run::{Run, runs};
pub use table::{TableStyle, comparison_table};
pub use verdict::verdict_line;

/// A file's name and its whole content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// Name within the output folder.
    pub file_name: String,
    /// Content.
    pub bytes: Vec<u8>,
}
