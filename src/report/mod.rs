//! Results to bytes.

pub mod chart;

/// A file's name and its whole content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Artifact {
    /// Name within the output folder.
    pub file_name: String,
    /// Content.
    pub bytes: Vec<u8>,
}
