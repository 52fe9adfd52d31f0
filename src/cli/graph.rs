//! `zonefall graph`.

use super::args::{Colour, GraphArgs};
use super::error::CliError;
use super::{load, terminal};
use crate::report::dot;

/// Prints the topology as DOT. Policies do not change it, so any case will do.
pub(super) fn graph(args: &GraphArgs, colour: Colour) -> Result<(), CliError> {
    let loaded = load::load(&args.file, &args.set, &[], colour)?;
    match loaded.cases.first() {
        Some(case) => terminal::print(&dot(&case.scenario)),
        None => Err(CliError::NothingToRun("nothing to draw: the file has no policy".to_owned())),
    }
}
