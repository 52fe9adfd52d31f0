//! `zonefall export-alerts`.

use std::path::Path;

use super::args::{Colour, ExportAlertsArgs};
use super::error::CliError;
use super::{load, terminal};
use crate::report::{Artifact, OutputFolder, prometheus_rules};

/// Writes a file's alerts as Prometheus rules. Policies do not change them, so any case will do.
pub(super) fn export_alerts(args: &ExportAlertsArgs, colour: Colour) -> Result<(), CliError> {
    let loaded = load::load(&args.file, &args.set, &[], colour)?;
    let nothing = |why| CliError::NothingToRun(format!("nothing to export: {why}"));
    let case = loaded.cases.first().ok_or_else(|| nothing("the file has no policy"))?;
    if case.scenario.alerts.is_empty() {
        return Err(nothing("the file's alerts are switched off"));
    }
    let rules = prometheus_rules(&case.scenario);
    let Some(path) = &args.out else { return terminal::print(&rules) };
    write(path, rules)?;
    terminal::message(&format!("wrote {}\n", path.display()));
    Ok(())
}

fn write(path: &Path, rules: String) -> Result<(), CliError> {
    let shown = path.display();
    if path.is_dir() {
        return Err(CliError::Usage(format!("{shown} is a folder: give the name of a file")));
    }
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
        return Err(CliError::Usage(format!("{shown} is no name for a file")));
    };
    let folder = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let file = Artifact { file_name: name.to_owned(), bytes: rules.into_bytes() };
    OutputFolder::prepare(folder)?.write(&[file])?;
    Ok(())
}
