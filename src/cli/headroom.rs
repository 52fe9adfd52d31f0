//! `zonefall headroom`.

use super::args::{Colour, Format, HeadroomArgs};
use super::error::CliError;
use super::{load, terminal};
use crate::experiment::contingency::contingencies;
use crate::model::Scenario;
use crate::model::contingency::{are_too_many, losses};
use crate::report::{
    Headroom, Invocation, TableStyle, csv, headroom_json, headroom_text, headroom_verdict,
    sha256_hex,
};

/// Works out every loss of up to so many zones, without simulating anything.
pub(super) fn headroom(args: &HeadroomArgs, colour: Colour) -> Result<(), CliError> {
    let loaded = load::load(&args.file, &args.set, &[], colour)?;
    if !args.quiet {
        terminal::message(&load::draw_warnings(&loaded, &[], colour));
    }
    let scenario = &loaded.scenario;
    check_losses(scenario, args.losses)?;
    let found = contingencies(scenario, args.losses, args.utilization);
    let headroom = Headroom { scenario, found: &found };
    let bytes = match args.format {
        Format::Human => headroom_text(&headroom, TableStyle::Plain).into_bytes(),
        Format::Markdown => headroom_text(&headroom, TableStyle::Markdown).into_bytes(),
        Format::Csv => csv::losses_csv(scenario, &found.losses).bytes,
        Format::Json => {
            let invocation = Invocation {
                name: &loaded.name,
                file: &loaded.file_name,
                file_sha256: &sha256_hex(&loaded.fingerprint_text),
                overrides: &load::overrides(&args.set),
                row_steps: 1,
            };
            headroom_json(&invocation, &headroom).bytes
        }
    };
    // Where the verdict is in no program's way.
    if matches!(args.format, Format::Csv | Format::Json) && !args.quiet {
        terminal::message(&(headroom_verdict(&headroom) + "\n"));
    }
    terminal::print_bytes(&bytes)
}

fn check_losses(scenario: &Scenario, most: usize) -> Result<(), CliError> {
    let zones = scenario.zones.len();
    if most > zones {
        let are = if zones == 1 { "is" } else { "are" };
        return Err(CliError::Usage(format!(
            "--losses {most}: there {are} {zones} to lose\nhelp: write --losses {zones} or less"
        )));
    }
    if are_too_many(scenario, most) {
        let sets = losses(zones, most);
        return Err(CliError::Usage(format!(
            "--losses {most}: {zones} zones can be lost in {sets:.0} ways, too many for {} pools\n\
             help: write a smaller number",
            scenario.pools.len()
        )));
    }
    Ok(())
}
