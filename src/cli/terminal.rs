//! Stdout for data, stderr for messages; neither may panic when its reader has gone.

use std::io::{self, IsTerminal, Write};

use super::args::Colour;
use super::error::CliError;
use crate::diagnostic::Style;

/// Which of the two streams.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Stream {
    Stdout,
    Stderr,
}

impl Stream {
    pub(super) fn is_terminal(self) -> bool {
        match self {
            Self::Stdout => io::stdout().is_terminal(),
            Self::Stderr => io::stderr().is_terminal(),
        }
    }
}

/// Writes data to stdout.
pub(super) fn print(text: &str) -> Result<(), CliError> {
    print_bytes(text.as_bytes())
}

/// Writes data to stdout.
pub(super) fn print_bytes(bytes: &[u8]) -> Result<(), CliError> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes).and_then(|()| stdout.flush()).map_err(|error| match error.kind() {
        io::ErrorKind::BrokenPipe => CliError::StdoutClosed,
        _ => CliError::Io(format!("cannot write to stdout: {error}")),
    })
}

/// Writes a message to stderr. That nobody listens is no reason to fail.
pub(super) fn message(text: &str) {
    let mut stderr = io::stderr().lock();
    drop(stderr.write_all(text.as_bytes()));
}

/// Columns of the terminal that stdout is, if it is one.
pub(super) fn width() -> Option<usize> {
    let (width, _) = terminal_size::terminal_size_of(io::stdout())?;
    Some(usize::from(width.0)).filter(|width| *width > 0)
}

/// Whether a stream is written in colour.
pub(super) fn style(colour: Colour, stream: Stream) -> Style {
    let is_wanted = match colour {
        Colour::Always => true,
        Colour::Never => false,
        Colour::Auto => {
            let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
            let is_dumb = std::env::var_os("TERM").is_some_and(|term| term == "dumb");
            stream.is_terminal() && !is_set("NO_COLOR") && !is_dumb
        }
    };
    if is_wanted { Style::Colour } else { Style::Plain }
}
