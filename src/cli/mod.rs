//! The command line: arguments, exit codes, one file a subcommand.

mod args;
mod check;
mod command;
mod error;
mod examples;
mod exit;
mod explain;
mod export_alerts;
mod graph;
mod headroom;
mod init;
mod interrupt;
mod load;
mod mitigations;
mod policies;
mod progress;
mod read_file;
mod sample;
mod simulate;
mod terminal;

pub use args::Cli;
pub use command::execute;
pub use examples::{EXAMPLES, Example};
pub use exit::Exit;
