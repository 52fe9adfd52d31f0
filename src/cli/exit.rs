//! Exit codes.

/// How the program ended, for the shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Exit {
    /// Done.
    Done,
    /// An internal or I/O error.
    Failure,
    /// Wrong usage, or an invalid file; the message says where and how to mend it.
    Usage,
    /// Nothing to run: a filter matched none.
    NothingToRun,
    /// Interrupted; what is on disk is whole.
    Interrupted,
}

impl Exit {
    /// Every way to end, in the order of the codes.
    pub const ALL: [Self; 5] =
        [Self::Done, Self::Failure, Self::Usage, Self::NothingToRun, Self::Interrupted];

    /// The number that the shell sees.
    #[must_use]
    pub const fn code(self) -> u8 {
        match self {
            Self::Done => 0,
            Self::Failure => 1,
            Self::Usage => 2,
            Self::NothingToRun => 4,
            Self::Interrupted => 130,
        }
    }

    /// One sentence for help and docs.
    #[must_use]
    pub const fn sentence(self) -> &'static str {
        match self {
            Self::Done => "done",
            Self::Failure => "internal or I/O error",
            Self::Usage => "wrong usage or an invalid file; the message says how to mend it",
            Self::NothingToRun => "nothing to run: a filter matched none",
            Self::Interrupted => "interrupted; what is on disk is whole",
        }
    }
}

impl From<Exit> for std::process::ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit.code())
    }
}
