//! What a subcommand can fail with.

use thiserror::Error;

use super::exit::Exit;
use crate::report::OutputError;

/// Why a subcommand ended early. The text reads well after `error:`.
#[derive(Debug, Error)]
pub(super) enum CliError {
    /// Arguments that do not fit the file or each other.
    #[error("{0}")]
    Usage(String),
    /// Problems of a topology file, already drawn.
    #[error("{0}")]
    Rejected(String),
    /// A filter that matched none.
    #[error("{0}")]
    NothingToRun(String),
    /// The operating system refused.
    #[error("{0}")]
    Io(String),
    /// Files could not be written.
    #[error(transparent)]
    Output(#[from] OutputError),
    /// Whoever read stdout has gone, as `head` does: not an error of ours.
    #[error("stdout is closed")]
    StdoutClosed,
    /// Ctrl-C.
    #[error("interrupted; no file was changed")]
    Interrupted,
}

impl CliError {
    pub(super) const fn exit(&self) -> Exit {
        match self {
            Self::Usage(_) | Self::Rejected(_) => Exit::Usage,
            Self::NothingToRun(_) => Exit::NothingToRun,
            Self::Io(_) => Exit::Failure,
            Self::Output(OutputError::Abandoned) | Self::Interrupted => Exit::Interrupted,
            Self::Output(_) => Exit::Failure,
            Self::StdoutClosed => Exit::Done,
        }
    }
}
