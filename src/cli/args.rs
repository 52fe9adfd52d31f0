//! Arguments.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use super::exit::Exit;

/// Simulates a zone failover step by step and shows whether it saves a fleet or finishes it.
#[derive(Debug, Parser)]
#[command(
    version,
    about,
    after_help = exit_codes(),
    propagate_version = true,
    subcommand_required = true,
    arg_required_else_help = true
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// When to use colour (`NO_COLOR` is obeyed)
    #[arg(long, global = true, value_name = "WHEN", default_value = "auto", display_order = 900)]
    pub color: Colour,
}

fn exit_codes() -> String {
    let lines = Exit::ALL.map(|exit| format!("  {:>3}  {}", exit.code(), exit.sentence()));
    format!(
        "Start here:\n  zonefall init            write a commented topology file\n  \
         zonefall compare zonefall.toml\n\nExit codes:\n{}",
        lines.join("\n")
    )
}

/// A subcommand.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Simulate one policy: a summary, its timeline, charts
    Run(RunArgs),
    /// Simulate every policy of a file on the same random numbers and compare them
    Compare(CompareArgs),
    /// Tell why a run went as it did, and what would have changed it
    Explain(ExplainArgs),
    /// Check topology files: every problem at once, each at its line and column
    Check(CheckArgs),
    /// Write a commented topology file to start from
    Init(InitArgs),
    /// Print the topology as a DOT graph, for `dot -Tsvg`
    Graph(GraphArgs),
    /// Work out what losing zones takes, in headroom and instances, without simulating
    Headroom(HeadroomArgs),
    /// Print a file's alerts as Prometheus rules
    ExportAlerts(ExportAlertsArgs),
}

/// `zonefall run`.
#[derive(Debug, Args)]
pub struct RunArgs {
    /// The policy to run [default: the file's first]
    #[arg(long, value_name = "NAME")]
    pub policy: Option<String>,
    /// What every simulation takes.
    #[command(flatten)]
    pub common: SimulateArgs,
}

/// `zonefall explain`.
#[derive(Debug, Args)]
pub struct ExplainArgs {
    /// The policy to explain [default: the file's first]
    #[arg(long, value_name = "NAME")]
    pub policy: Option<String>,
    /// What every simulation takes.
    #[command(flatten)]
    pub common: SimulateArgs,
}

/// `zonefall compare`.
#[derive(Debug, Args)]
pub struct CompareArgs {
    /// The policies to compare, by name; `*` stands for any text [default: all of the file]
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub policies: Option<Vec<String>>,
    /// Put the file's mitigations on every policy and rank the lot: none and each by itself, or
    /// every choice of them
    #[arg(
        long,
        value_name = "WHICH",
        num_args = 0..=1,
        require_equals = true,
        default_missing_value = "each",
        conflicts_with = "mitigations"
    )]
    pub matrix: Option<Cells>,
    /// What every simulation takes.
    #[command(flatten)]
    pub common: SimulateArgs,
}

/// What every simulation takes.
#[derive(Debug, Args)]
pub struct SimulateArgs {
    /// The topology file
    pub file: PathBuf,
    /// Where to write files [default: `output/NAME/`, for a run `output/NAME/POLICY/`]
    #[arg(long, value_name = "DIR")]
    pub out: Option<PathBuf>,
    /// The seed of every random number, instead of the file's
    #[arg(long, value_name = "N", allow_negative_numbers = true)]
    pub seed: Option<u64>,
    /// How many seeds to run (not supported yet)
    #[arg(long, value_name = "N", hide = true)]
    pub runs: Option<u32>,
    /// How requests are served: as a fluid, one by one, or whichever suits their number
    #[arg(long, value_name = "PLANE")]
    pub plane: Option<Plane>,
    /// Length of a step, instead of the file's, such as 500ms
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub step: Option<Duration>,
    /// Length of the simulated time, instead of the file's, such as 10m
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub duration: Option<Duration>,
    /// Give a setting of the file another value, such as pool.b.instances=30; repeatable
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// Put these mitigations of the file on every policy, all together
    #[arg(long, value_name = "A,B", value_delimiter = ',')]
    pub mitigations: Option<Vec<String>>,
    /// A row of the timeline covers this much time [default: a step, up to 2,000 rows a run]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub sample: Option<Duration>,
    /// Do not draw charts
    #[arg(long)]
    pub no_charts: bool,
    /// What to print: for people, summary.json, comparison.csv, or a Markdown table
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub format: Format,
    /// How many policies are simulated at once [default: one a processor]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = jobs)]
    pub jobs: Option<NonZeroUsize>,
    /// Print no messages but errors
    #[arg(long, short)]
    pub quiet: bool,
    /// Show no progress bar
    #[arg(long)]
    pub no_progress: bool,
}

/// `zonefall check`.
#[derive(Debug, Args)]
pub struct CheckArgs {
    /// The topology files
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Give a setting of each file another value; repeatable
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// Print the files with all defaults written out
    #[arg(long)]
    pub show_resolved: bool,
    /// How to tell of problems: drawn on stderr, or as a JSON array on stdout
    #[arg(long, value_name = "FORMAT", default_value = "human", conflicts_with = "show_resolved")]
    pub format: CheckFormat,
}

/// `zonefall init`.
#[derive(Debug, Args)]
pub struct InitArgs {
    /// The file to write
    #[arg(default_value = "zonefall.toml")]
    pub path: PathBuf,
    /// Which example to write
    #[arg(long, value_name = "NAME", default_value = "ten-lines")]
    pub example: String,
    /// List the examples
    #[arg(long)]
    pub list: bool,
    /// Overwrite the file
    #[arg(long)]
    pub force: bool,
}

/// `zonefall graph`.
#[derive(Debug, Args)]
pub struct GraphArgs {
    /// The topology file
    pub file: PathBuf,
    /// Give a setting of the file another value; repeatable
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
}

/// Which choices of mitigations a matrix has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Cells {
    /// None, and each by itself.
    Each,
    /// None, and every choice.
    Subsets,
}

/// `zonefall headroom`.
#[derive(Debug, Args)]
pub struct HeadroomArgs {
    /// The topology file
    pub file: PathBuf,
    /// Work out every loss of so many zones, and of fewer
    #[arg(long, value_name = "K", default_value = "1", allow_negative_numbers = true,
          value_parser = zone_losses)]
    pub losses: usize,
    /// The highest utilization that survivors may be left at, such as 85%
    #[arg(long, value_name = "U", default_value = "100%", allow_negative_numbers = true,
          value_parser = utilization)]
    pub utilization: f64,
    /// Give a setting of the file another value; repeatable
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
    /// What to print: tables for people or in Markdown, everything as JSON, losses as CSV
    #[arg(long, value_name = "FORMAT", default_value = "human")]
    pub format: Format,
    /// Print no messages but errors
    #[arg(long, short)]
    pub quiet: bool,
}

/// `zonefall export-alerts`.
#[derive(Debug, Args)]
pub struct ExportAlertsArgs {
    /// The topology file
    pub file: PathBuf,
    /// Where to write the rules [default: stdout]
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Give a setting of the file another value; repeatable
    #[arg(long, value_name = "PATH=VALUE")]
    pub set: Vec<String>,
}

/// When to use colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Colour {
    /// On a terminal.
    Auto,
    /// Always.
    Always,
    /// Never.
    Never,
}

/// How requests are served.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Plane {
    /// Whichever suits the size.
    Auto,
    /// As a fluid.
    Fluid,
    /// One by one.
    Requests,
}

/// What goes to stdout.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A table and the verdict.
    Human,
    /// Everything, as JSON: of a simulation `summary.json`.
    Json,
    /// A table as CSV: of a simulation `comparison.csv`.
    Csv,
    /// A Markdown table and the verdict.
    Markdown,
}

/// How `check` tells of problems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CheckFormat {
    /// Drawn at their places.
    Human,
    /// A JSON array of all problems of all files.
    Json,
}

/// A duration as it was typed, and what it means.
#[derive(Debug, Clone, PartialEq)]
pub struct Duration {
    /// As it was typed.
    pub text: String,
    /// In seconds; over 0.
    pub seconds: f64,
}

fn duration(text: &str) -> Result<Duration, String> {
    match humantime::parse_duration(text) {
        Ok(duration) if duration.is_zero() => Err("must be over 0".to_owned()),
        Ok(duration) => Ok(Duration { text: text.to_owned(), seconds: duration.as_secs_f64() }),
        Err(_) => Err("not a duration; write it with a unit, such as 500ms or 1m30s".to_owned()),
    }
}

fn zone_losses(text: &str) -> Result<usize, String> {
    let losses = text.parse().ok().filter(|losses| *losses > 0);
    losses.ok_or_else(|| "must be a whole number of at least 1".to_owned())
}

/// `85%` or 0.85, over 0 and at most 1.
fn utilization(text: &str) -> Result<f64, String> {
    let ratio = match text.trim().strip_suffix('%') {
        Some(percent) => percent.trim_end().parse().map(|percent: f64| percent / 100.0),
        None => text.trim().parse(),
    };
    match ratio {
        Ok(ratio) if ratio > 0.0 && ratio <= 1.0 => Ok(ratio),
        Ok(_) => Err("must be over 0 and at most 100%".to_owned()),
        Err(_) => Err("not a ratio; write it as 85% or 0.85".to_owned()),
    }
}

fn jobs(text: &str) -> Result<NonZeroUsize, String> {
    text.parse().map_err(|_| "must be a whole number of at least 1".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn arguments_are_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn utilizations_are_shares_of_what_there_is() {
        assert_eq!(utilization("85%"), Ok(0.85));
        assert_eq!(utilization("1"), Ok(1.0));
        for text in ["", "0", "-5%", "101%", "85", "nan", "inf", "x%"] {
            assert!(utilization(text).is_err(), "{text}");
        }
    }

    #[test]
    fn durations_need_a_unit() {
        assert_eq!(duration("1m30s").map(|d| d.seconds), Ok(90.0));
        for text in ["", "30", "0s", "-1s", "1 parsec"] {
            assert!(duration(text).is_err(), "{text}");
        }
    }
}
