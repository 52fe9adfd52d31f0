//! From a subcommand to its code, and from its end to an exit code.

use super::args::{Cli, Command};
use super::error::CliError;
use super::exit::Exit;
use super::{check, explain, export_alerts, graph, headroom, init, simulate, terminal};

/// Carries out a command line; says on stderr what went wrong.
#[must_use]
pub fn execute(cli: &Cli) -> Exit {
    let done = match &cli.command {
        Command::Run(args) => simulate::run(args, cli.color),
        Command::Compare(args) => simulate::compare(args, cli.color),
        Command::Explain(args) => explain::explain(args, cli.color),
        Command::Check(args) => check::check(args, cli.color),
        Command::Init(args) => init::init(args),
        Command::Graph(args) => graph::graph(args, cli.color),
        Command::Headroom(args) => headroom::headroom(args, cli.color),
        Command::ExportAlerts(args) => export_alerts::export_alerts(args, cli.color),
    };
    let Err(error) = done else { return Exit::Done };
    match &error {
        CliError::StdoutClosed => {}
        // Drawn problems begin with "error" themselves.
        CliError::Rejected(drawn) => terminal::message(drawn),
        _ => terminal::message(&format!("error: {error}\n")),
    }
    error.exit()
}
