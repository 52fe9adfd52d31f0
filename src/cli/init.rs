//! `zonefall init`.

use std::path::Path;

use super::args::InitArgs;
use super::error::CliError;
use super::examples::{EXAMPLES, Example};
use super::terminal;
use crate::report::{Artifact, OutputFolder};

/// How alike a name must be to be suggested, 0 to 1.
const ALIKE: f64 = 0.75;

/// Writes an example, or lists them.
pub(super) fn init(args: &InitArgs) -> Result<(), CliError> {
    if args.list {
        return terminal::print(&list());
    }
    let example = find(&args.example)?;
    let path = &args.path;
    let shown = path.display();
    if path.is_dir() {
        return Err(CliError::Usage(format!("{shown} is a folder: give the name of a file")));
    }
    if path.exists() && !args.force {
        return Err(CliError::Usage(format!(
            "{shown} exists\nhelp: give another name, or overwrite it with --force"
        )));
    }
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
        return Err(CliError::Usage(format!("{shown} is no name for a file")));
    };
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let file = Artifact { file_name: name.to_owned(), bytes: example.text.as_bytes().to_vec() };
    OutputFolder::prepare(folder)?.write(&[file])?;
    terminal::message(&format!("wrote {shown}; next: zonefall compare {shown}\n"));
    Ok(())
}

fn list() -> String {
    let width = EXAMPLES.iter().map(|example| example.name.len()).max().unwrap_or(0);
    EXAMPLES.iter().map(|e| format!("{:width$}  {}\n", e.name, e.title())).collect()
}

fn find(name: &str) -> Result<&'static Example, CliError> {
    if let Some(example) = EXAMPLES.iter().find(|example| example.name == name) {
        return Ok(example);
    }
    let likeness = |example: &&Example| strsim::jaro_winkler(name, example.name);
    let nearest = EXAMPLES.iter().max_by(|a, b| likeness(a).total_cmp(&likeness(b)));
    let help = match nearest.filter(|example| likeness(example) >= ALIKE) {
        Some(example) => format!("did you mean `{}`?", example.name),
        None => "`zonefall init --list` names them".to_owned(),
    };
    Err(CliError::Usage(format!("unknown example `{name}`\nhelp: {help}")))
}
