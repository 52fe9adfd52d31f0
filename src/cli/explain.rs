//! `zonefall explain`.

use std::path::Path;
use std::sync::atomic::AtomicBool;

use super::args::{Colour, ExplainArgs, Format, SimulateArgs};
use super::error::CliError;
use super::progress::Progress;
use super::read_file::read_file;
use super::terminal::{self, Stream};
use super::{interrupt, load, mitigations, policies, sample};
use crate::config::{self, Loaded, Matrix, Purpose};
use crate::experiment::explain::{self, Effort, Explanation};
use crate::experiment::{Jobs, Watch};
use crate::metric::simulate;
use crate::policy::Case;
use crate::report::explain::{
    Story, explain_json, explain_markdown, markdown, story, terminal as for_terminal,
};
use crate::report::{Artifact, Invocation, OutputFolder, Run, csv, sha256_hex, summary_json};

/// Simulates one policy and tells why it went as it did.
pub(super) fn explain(args: &ExplainArgs, colour: Colour) -> Result<(), CliError> {
    let common = &args.common;
    check(common)?;
    let say = |text: &str| {
        if !common.quiet {
            terminal::message(text);
        }
    };
    let effort = Effort::FULL;
    let flags = load::flag_sets(common);
    let matrix = match &common.mitigations {
        Some(names) => Matrix::With(mitigations::trimmed(names)),
        None => Matrix::Without,
    };
    let purpose = Purpose { matrix, runs: effort.runs() };
    let mut loaded = load::load_for(&common.file, &common.set, &flags, &purpose, colour)?;
    mitigations::check(&purpose.matrix, &loaded.bundles)?;
    say(&load::draw_warnings(&loaded, &flags, colour));
    say(&load::plane_note(loaded.plane));
    let cases = policies::one(std::mem::take(&mut loaded.cases), args.policy.as_deref())?;
    let Some(case) = cases.first() else {
        return Err(CliError::NothingToRun("nothing to run: the file has no policy".to_owned()));
    };
    let simulation = &case.scenario.simulation;
    let (row_steps, note) = sample::row_steps(common.sample.as_ref(), simulation);
    sample::check_rows(simulation, row_steps, case.scenario.pools.len(), 1)?;
    if let Some(note) = note {
        say(&format!("note: {note}\n"));
    }
    let default = Path::new("output").join(&loaded.name).join(&case.policy.name);
    let folder = common.out.as_ref().unwrap_or(&default);
    let output = OutputFolder::prepare(folder)?;
    let cancel = interrupt::on_interrupt(output.abandon());
    let mut explanation = searched(common, case, row_steps, &effort, cancel)?;
    let sets = load::all_sets(&common.set, &flags);
    keep_what_reproduces(common, case, &sets, &purpose, &mut explanation)?;
    let story = story(&case.scenario, &explanation);
    let files = artifacts(common, &loaded, case, &explanation, &story, row_steps, &sets);
    output.write(&files)?;
    let names: Vec<&str> = files.iter().map(|file| file.file_name.as_str()).collect();
    say(&format!("wrote to {}: {}\n", folder.display(), names.join(", ")));
    match common.format {
        Format::Human => {
            let style = terminal::style(colour, Stream::Stdout);
            terminal::print(&for_terminal(&story, style, terminal::width()))
        }
        Format::Markdown => terminal::print(&markdown(&story)),
        Format::Json | Format::Csv => {
            say(&format!("{}\n", story.verdict));
            let json = files.iter().find(|file| file.file_name == "explain.json");
            json.map_or(Ok(()), |file| terminal::print_bytes(&file.bytes))
        }
    }
}

/// Refuses what a story cannot be told by.
fn check(args: &SimulateArgs) -> Result<(), CliError> {
    if args.runs.is_some() {
        let text = "--runs: explain chooses by itself how many runs its searches take";
        return Err(CliError::Usage(text.to_owned()));
    }
    if args.format == Format::Csv {
        let text = "--format csv: a story is no table\nhelp: its CSV files are written to the \
                    folder; use json or markdown";
        return Err(CliError::Usage(text.to_owned()));
    }
    Ok(())
}

/// Runs and searches, with a progress bar.
fn searched(
    args: &SimulateArgs,
    case: &Case,
    row_steps: u32,
    effort: &Effort,
    cancel: &AtomicBool,
) -> Result<Explanation, CliError> {
    let jobs = args.jobs.map_or(Jobs::Auto, Jobs::AtMost);
    let is_watched = !args.quiet && !args.no_progress && Stream::Stderr.is_terminal();
    let progress = is_watched.then(|| Progress::start(effort.runs() as usize));
    let counter = progress.as_ref().map(Progress::counter);
    let on_done = || {
        if let Some(counter) = &counter {
            // The drawer is gone only once there is nothing left to draw.
            let _ = counter.send(());
        }
    };
    let watch = Watch { on_done: &on_done, cancel };
    let explanation = explain::explain(case, row_steps, effort, jobs, watch);
    drop(counter);
    if let Some(progress) = progress {
        progress.finish();
    }
    explanation.ok_or(CliError::Interrupted)
}

/// Drops `--set` arguments that do not do what was found: what a policy sets stands above them.
fn keep_what_reproduces(
    args: &SimulateArgs,
    case: &Case,
    sets: &[String],
    purpose: &Purpose,
    explanation: &mut Explanation,
) -> Result<(), CliError> {
    let bytes = read_file(&args.file)?;
    let levers = explanation.levers.iter_mut().flat_map(|levers| &mut levers.levers);
    for side in levers.flat_map(|lever| lever.found.sides_mut()) {
        let own = sets.iter().chain(&side.sets).cloned().collect::<Vec<_>>();
        let loaded = config::load_for("again", &bytes, &own, purpose).ok();
        let is_it = |again: &&Case| {
            (&again.policy.name, &again.policy.bundles) == (&case.policy.name, &case.policy.bundles)
        };
        let again = loaded.as_ref().and_then(|loaded| loaded.cases.iter().find(is_it));
        let goodput_ratio = again.map(|again| simulate(again, u32::MAX).summary.goodput_ratio);
        if goodput_ratio != Some(side.goodput_ratio) {
            side.sets.clear();
        }
    }
    Ok(())
}

/// Every file of the invocation: the run's own, then the story.
fn artifacts(
    args: &SimulateArgs,
    loaded: &Loaded,
    case: &Case,
    explanation: &Explanation,
    story: &Story,
    row_steps: u32,
    sets: &[String],
) -> Vec<Artifact> {
    let scenario = &case.scenario;
    let runs = [Run { scenario, result: &explanation.result }];
    let file = args.file.display().to_string();
    let file_sha256 = sha256_hex(&loaded.fingerprint_text);
    let overrides = load::overrides(sets);
    let invocation = Invocation {
        name: &loaded.name,
        file: &file,
        file_sha256: &file_sha256,
        overrides: &overrides,
        row_steps,
    };
    let mut files = vec![
        csv::comparison_csv(&runs),
        csv::timeline_csv(&runs),
        csv::fleet_csv(&runs),
        csv::events_csv(&runs),
    ];
    files.extend(csv::resources_csv(&runs));
    files.extend(csv::phases_csv(&runs));
    files.push(summary_json(&invocation, &runs));
    files.push(explain_markdown(story));
    files.push(explain_json(&invocation, scenario, explanation, story));
    files
}
