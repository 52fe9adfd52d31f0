//! The `zonefall` program.

use std::process::ExitCode;

use clap::Parser;
use zonefall::cli::{Cli, execute};

fn main() -> ExitCode {
    execute(&Cli::parse()).into()
}
