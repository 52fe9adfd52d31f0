//! What a chart has to know besides the results, and how drawing can fail.

use thiserror::Error;

use crate::model::Scenario;

/// Where the results come from.
#[derive(Debug, Clone, Copy)]
pub struct ChartContext<'a> {
    /// The scenario that was run.
    pub scenario: &'a Scenario,
    /// The seed that was used.
    pub seed: u64,
    /// SHA-256 of the resolved file, 64 hexadecimal digits.
    pub file_hash: &'a str,
    /// The file's name, as people know it.
    pub file_name: &'a str,
}

/// Why a chart could not be made.
#[derive(Debug, Error)]
pub enum ChartError {
    /// A drawing backend refused a shape.
    #[error("could not draw the chart: {0}")]
    Draw(String),
    /// The picture could not be packed.
    #[error("could not encode the chart as PNG: {0}")]
    Encode(#[from] png::EncodingError),
}
