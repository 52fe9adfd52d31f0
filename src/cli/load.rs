//! A topology file and the flags that override it, to cases.

use std::path::Path;

use super::args::{Colour, Plane, SimulateArgs};
use super::error::CliError;
use super::read_file::read_file;
use super::terminal::{self, Stream};
use crate::config::{self, Loaded, PlaneChoice, Purpose};
use crate::diagnostic::{Problem, Sources, render};
use crate::report::Override;

/// A flag that stands for a setting: what was typed, and the `PATH=VALUE` that it means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FlagSet {
    typed: String,
    set: String,
}

/// What `--seed`, `--plane`, `--step` and `--duration` set.
pub(super) fn flag_sets(args: &SimulateArgs) -> Vec<FlagSet> {
    let plane = args.plane.map(|plane| match plane {
        Plane::Auto => "auto",
        Plane::Fluid => "fluid",
        Plane::Requests => "requests",
    });
    let values = [
        ("seed", args.seed.map(|seed| seed.to_string())),
        ("plane", plane.map(str::to_owned)),
        ("step", args.step.as_ref().map(|step| step.text.clone())),
        ("duration", args.duration.as_ref().map(|duration| duration.text.clone())),
    ];
    let flag_set = |(flag, value): (&str, Option<String>)| {
        value.map(|value| FlagSet {
            typed: format!("--{flag} {value}"),
            set: format!("simulation.{flag}={value}"),
        })
    };
    values.into_iter().filter_map(flag_set).collect()
}

/// The overrides of a command line, in order: `--set` first, so that a flag of its own wins.
pub(super) fn all_sets(sets: &[String], flags: &[FlagSet]) -> Vec<String> {
    sets.iter().chain(flags.iter().map(|flag| &flag.set)).cloned().collect()
}

/// The same as a summary lists them.
pub(super) fn overrides(sets: &[String]) -> Vec<Override> {
    sets.iter().map(|set| Override::parse(set)).collect()
}

/// Reads, validates and lowers a topology file. Problems are drawn into the error.
pub(super) fn load(
    path: &Path,
    sets: &[String],
    flags: &[FlagSet],
    colour: Colour,
) -> Result<Loaded, CliError> {
    load_for(path, sets, flags, &Purpose::default(), colour)
}

/// The same for more than one run of each policy.
pub(super) fn load_for(
    path: &Path,
    sets: &[String],
    flags: &[FlagSet],
    purpose: &Purpose,
    colour: Colour,
) -> Result<Loaded, CliError> {
    let bytes = read_file(path)?;
    let name = path.display().to_string();
    config::load_for(&name, &bytes, &all_sets(sets, flags), purpose).map_err(|rejected| {
        CliError::Rejected(draw_all(&rejected.problems, &rejected.sources, flags, colour))
    })
}

/// Draws a file's warnings; empty without any.
pub(super) fn draw_warnings(loaded: &Loaded, flags: &[FlagSet], colour: Colour) -> String {
    draw_all(&loaded.warnings, &loaded.sources, flags, colour)
}

/// What to say of the plane where nobody named it; else empty.
pub(super) fn plane_note(choice: PlaneChoice) -> String {
    let Some(tries) = choice.auto_for else { return String::new() };
    let count = match tries.round() {
        millions if millions >= 1e6 => format!("{} million", (millions / 1e5).round() / 10.0),
        few => format!("{few}"),
    };
    format!("note: plane {}, chosen for {count} first tries (auto)\n", choice.plane.word())
}

fn draw_all(problems: &[Problem], sources: &Sources, flags: &[FlagSet], colour: Colour) -> String {
    let flag_of = |problem: &Problem| {
        let text = sources.get(problem.primary.span.source).text();
        flags.iter().find(|flag| flag.set == text)
    };
    let mut drawn = String::new();
    let mut others = Vec::new();
    for problem in problems {
        match flag_of(problem) {
            // Who typed a flag should not have to know the path behind it.
            Some(flag) => {
                let severity = problem.severity.word();
                drawn.push_str(&format!("{severity}: {}: {}\n", flag.typed, problem.title));
                for help in &problem.help {
                    drawn.push_str(&format!("help: {help}\n"));
                }
            }
            None => others.push(problem.clone()),
        }
    }
    drawn + &draw(&others, sources, colour)
}

fn draw(problems: &[Problem], sources: &Sources, colour: Colour) -> String {
    if problems.is_empty() {
        return String::new();
    }
    render(problems, sources, terminal::style(colour, Stream::Stderr))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plane_is_noted_only_when_nobody_named_it() {
        let note =
            |auto_for| plane_note(PlaneChoice { plane: crate::model::Plane::Requests, auto_for });
        assert_eq!(note(None), "");
        let of = |count| format!("note: plane requests, chosen for {count} first tries (auto)\n");
        assert_eq!(note(Some(1_312_000.0)), of("1.3 million"));
        assert_eq!(note(Some(20e6)), of("20 million"));
        assert_eq!(note(Some(999_999.4)), of("999999"));
    }
}
