//! The `zonefall` program.

use std::process::ExitCode;

use clap::Parser;
use zonefall::cli::{Cli, Exit, execute};

fn main() -> ExitCode {
    let cli = Cli::parse();
    // A panic is a bug; to the shell it is an internal error like any other.
    std::panic::catch_unwind(|| execute(&cli)).unwrap_or(Exit::Failure).into()
}
