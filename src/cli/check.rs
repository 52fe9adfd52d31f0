//! `zonefall check`.

use std::path::Path;

use super::args::{CheckArgs, CheckFormat, Colour};
use super::error::CliError;
use super::exit::Exit;
use super::read_file::read_file;
use super::{load, terminal};
use crate::config::{self, Loaded};
use crate::diagnostic::render_json;

/// Checks every file, whatever becomes of those before it.
pub(super) fn check(args: &CheckArgs, colour: Colour) -> Result<(), CliError> {
    if args.format == CheckFormat::Json {
        return check_as_json(args);
    }
    let mut failures = Vec::new();
    for file in &args.files {
        match load::load(file, &args.set, &[], colour) {
            Ok(loaded) => tell(args, file, &loaded, colour)?,
            Err(error) => failures.push(error),
        }
    }
    // The worst comes last: what the system refused weighs more than a mistake in a file.
    failures.sort_by_key(|error| error.exit() == Exit::Failure);
    let Some(last) = failures.pop() else { return Ok(()) };
    for error in failures {
        match error {
            CliError::Rejected(drawn) => terminal::message(&format!("{drawn}\n")),
            error => terminal::message(&format!("error: {error}\n")),
        }
    }
    Err(last)
}

fn tell(args: &CheckArgs, file: &Path, loaded: &Loaded, colour: Colour) -> Result<(), CliError> {
    terminal::message(&load::draw_warnings(loaded, &[], colour));
    if args.show_resolved {
        let heading = match args.files.as_slice() {
            [_] => String::new(),
            _ => format!("# {}\n", file.display()),
        };
        return terminal::print(&(heading + &loaded.resolved));
    }
    let counts = match loaded.cases.first() {
        None => String::new(),
        Some(case) => {
            let scenario = &case.scenario;
            let counts = [
                (scenario.zones.len(), "zone", "zones"),
                (scenario.pools.len(), "pool", "pools"),
                (scenario.events.len(), "event", "events"),
                (loaded.cases.len(), "policy", "policies"),
            ];
            let words = counts.map(|(count, one, many)| {
                format!("{count} {}", if count == 1 { one } else { many })
            });
            format!(", {}", words.join(", "))
        }
    };
    let warnings = match loaded.warnings.len() {
        0 => String::new(),
        1 => ", 1 warning".to_owned(),
        count => format!(", {count} warnings"),
    };
    terminal::print(&format!("{}: ok{counts}{warnings}\n", file.display()))
}

/// One array for all files; a file that cannot be read at all is an error as ever.
fn check_as_json(args: &CheckArgs) -> Result<(), CliError> {
    let mut problems = Vec::new();
    let mut verdict = Ok(());
    for file in &args.files {
        let bytes = read_file(file)?;
        let name = file.display().to_string();
        let found = match config::load(&name, &bytes, &args.set) {
            Ok(loaded) => render_json(&loaded.warnings, &loaded.sources),
            Err(rejected) => {
                verdict = Err(CliError::Rejected(String::new()));
                render_json(&rejected.problems, &rejected.sources)
            }
        };
        if let serde_json::Value::Array(found) = found {
            problems.extend(found);
        }
    }
    let text = serde_json::to_string_pretty(&problems)
        .map_err(|error| CliError::Io(format!("cannot write JSON: {error}")))?;
    terminal::print(&(text + "\n"))?;
    verdict
}
