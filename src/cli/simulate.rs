//! `zonefall run` and `zonefall compare`: the same work on one policy or on all.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;

use super::args::{Cells, Colour, CompareArgs, Format, RunArgs, SimulateArgs};
use super::error::CliError;
use super::load::{self, FlagSet};
use super::progress::Progress;
use super::terminal::{self, Stream};
use super::{interrupt, mitigations, policies, sample};
use crate::config::{Loaded, Matrix, Purpose};
use crate::diagnostic::Style;
use crate::experiment::{self, Jobs, Watch};
use crate::metric::RunResult;
use crate::policy::Case;
use crate::report::chart::{ChartContext, compare_charts, run_charts};
use crate::report::{
    Artifact, Invocation, OutputFolder, Run, TableStyle, alert_lines, bottleneck_lines,
    closed_form_line, comparison_table, csv, phase_tables, runs, sha256_hex, summary_json,
    verdict_line,
};

/// Simulates one policy.
pub(super) fn run(args: &RunArgs, colour: Colour) -> Result<(), CliError> {
    let (mut loaded, flags) = load_for(&args.common, None, colour)?;
    let cases = policies::one(std::mem::take(&mut loaded.cases), args.policy.as_deref())?;
    let folder = Path::new("output").join(&loaded.name);
    let folder = cases.first().map(|case| folder.join(&case.policy.name)).unwrap_or(folder);
    let kind = Kind::Run;
    simulate(&Job { kind, args: &args.common, colour, loaded: &loaded, flags, cases, folder })
}

/// Simulates every policy and compares them.
pub(super) fn compare(args: &CompareArgs, colour: Colour) -> Result<(), CliError> {
    let (mut loaded, flags) = load_for(&args.common, args.matrix, colour)?;
    let cases = policies::those(std::mem::take(&mut loaded.cases), args.policies.as_deref())?;
    let folder = Path::new("output").join(&loaded.name);
    let kind = Kind::Compare;
    simulate(&Job { kind, args: &args.common, colour, loaded: &loaded, flags, cases, folder })
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Run,
    Compare,
}

struct Job<'a> {
    kind: Kind,
    args: &'a SimulateArgs,
    colour: Colour,
    loaded: &'a Loaded,
    flags: Vec<FlagSet>,
    cases: Vec<Case>,
    /// Where files go unless `--out` says.
    folder: PathBuf,
}

impl Job<'_> {
    fn say(&self, text: &str) {
        if !self.args.quiet {
            terminal::message(text);
        }
    }
}

fn load_for(
    args: &SimulateArgs,
    cells: Option<Cells>,
    colour: Colour,
) -> Result<(Loaded, Vec<FlagSet>), CliError> {
    if args.runs.is_some() {
        return Err(CliError::Usage("--runs: not supported yet".to_owned()));
    }
    let flags = load::flag_sets(args);
    let matrix = match (cells, &args.mitigations) {
        (Some(Cells::Each), _) => Matrix::Each,
        (Some(Cells::Subsets), _) => Matrix::Subsets,
        (None, Some(names)) => Matrix::With(mitigations::trimmed(names)),
        (None, None) => Matrix::Without,
    };
    let purpose = Purpose { matrix, runs: 1 };
    let loaded = load::load_for(&args.file, &args.set, &flags, &purpose, colour)?;
    mitigations::check(&purpose.matrix, &loaded.bundles)?;
    if !args.quiet {
        terminal::message(&load::draw_warnings(&loaded, &flags, colour));
        terminal::message(&load::plane_note(loaded.plane));
    }
    Ok((loaded, flags))
}

fn simulate(job: &Job<'_>) -> Result<(), CliError> {
    let Some(first) = job.cases.first() else {
        return Err(CliError::NothingToRun("nothing to run: the file has no policy".to_owned()));
    };
    let simulation = &first.scenario.simulation;
    let (row_steps, note) = sample::row_steps(job.args.sample.as_ref(), simulation);
    let pools = first.scenario.pools.len();
    sample::check_rows(simulation, row_steps, pools, job.cases.len())?;
    if let Some(note) = note {
        job.say(&format!("note: {note}\n"));
    }
    let folder = job.args.out.as_ref().unwrap_or(&job.folder);
    let output = OutputFolder::prepare(folder)?;
    let cancel = interrupt::on_interrupt(output.abandon());
    let results = results(job, row_steps, cancel)?;
    let runs = runs(&job.cases, &results);
    let artifacts = artifacts(job, &runs, &results, row_steps)?;
    output.write(&artifacts)?;
    let names: Vec<&str> = artifacts.iter().map(|file| file.file_name.as_str()).collect();
    job.say(&format!("wrote to {}: {}\n", folder.display(), names.join(", ")));
    tell(job, &runs, &results, &artifacts)
}

fn results(job: &Job<'_>, row_steps: u32, cancel: &AtomicBool) -> Result<Vec<RunResult>, CliError> {
    let jobs = job.args.jobs.map_or(Jobs::Auto, Jobs::AtMost);
    let is_watched = !job.args.quiet && !job.args.no_progress && Stream::Stderr.is_terminal();
    let progress = is_watched.then(|| Progress::start(job.cases.len()));
    let counter = progress.as_ref().map(Progress::counter);
    let on_done = || {
        if let Some(counter) = &counter {
            // The drawer is gone only once there is nothing left to draw.
            let _ = counter.send(());
        }
    };
    let watch = Watch { on_done: &on_done, cancel };
    let results = experiment::compare(&job.cases, row_steps, jobs, watch);
    drop(counter);
    if let Some(progress) = progress {
        progress.finish();
    }
    results.ok_or(CliError::Interrupted)
}

/// Every file of the invocation: the comparison first, the summary last.
fn artifacts(
    job: &Job<'_>,
    runs: &[Run<'_>],
    results: &[RunResult],
    row_steps: u32,
) -> Result<Vec<Artifact>, CliError> {
    let overrides = load::overrides(&load::all_sets(&job.args.set, &job.flags));
    let file = job.args.file.display().to_string();
    let file_sha256 = sha256_hex(&job.loaded.fingerprint_text);
    let invocation = Invocation {
        name: &job.loaded.name,
        file: &file,
        file_sha256: &file_sha256,
        overrides: &overrides,
        row_steps,
    };
    let mut files = vec![
        csv::comparison_csv(runs),
        csv::timeline_csv(runs),
        csv::fleet_csv(runs),
        csv::events_csv(runs),
    ];
    files.extend(csv::resources_csv(runs));
    files.extend(csv::phases_csv(runs));
    if let (false, [first, ..]) = (job.args.no_charts, runs) {
        let scenario = first.scenario;
        let seed = scenario.simulation.seed;
        let context = ChartContext { scenario, seed, file_hash: &file_sha256, file_name: &file };
        let charts = match job.kind {
            Kind::Run => run_charts(&context, first.result),
            Kind::Compare => compare_charts(&context, results),
        };
        files.extend(charts.map_err(|error| CliError::Io(error.to_string()))?);
    }
    files.push(summary_json(&invocation, runs));
    Ok(files)
}

/// Prints what was asked for. The verdict comes last: on stdout for people, else on stderr, where
/// it is in no program's way.
fn tell(
    job: &Job<'_>,
    runs: &[Run<'_>],
    results: &[RunResult],
    artifacts: &[Artifact],
) -> Result<(), CliError> {
    let closed_form = runs.first().and_then(|run| closed_form_line(run.scenario));
    let closed_form = closed_form.map(|line| line + "\n").unwrap_or_default();
    let bottlenecks = bottleneck_lines(runs);
    let alerts = alert_lines(runs);
    let verdict = verdict_line(runs);
    let file = |name| artifacts.iter().find(|file| file.file_name == name);
    let style = match (job.args.format, terminal::style(job.colour, Stream::Stdout)) {
        (Format::Markdown, _) => TableStyle::Markdown,
        (_, Style::Plain) => TableStyle::Plain,
        (_, Style::Colour) => TableStyle::Coloured,
    };
    let data = match job.args.format {
        Format::Json => file("summary.json"),
        Format::Csv => file("comparison.csv"),
        Format::Human | Format::Markdown => {
            let width = if style == TableStyle::Markdown { None } else { terminal::width() };
            let mut text = comparison_table(results, style, width);
            if let Some(phases) = phase_tables(runs, style, width) {
                text += &format!("\n{phases}");
            }
            let lines = format!("{closed_form}{bottlenecks}{alerts}{verdict}\n");
            // Markdown would join the lines into one paragraph.
            let gap = if style == TableStyle::Markdown { "\n\n" } else { "\n" };
            text += &format!("\n{}\n", lines.trim_end().replace('\n', gap));
            return terminal::print(&text);
        }
    };
    job.say(&format!("{closed_form}{bottlenecks}{alerts}{verdict}\n"));
    data.map_or(Ok(()), |file| terminal::print_bytes(&file.bytes))
}
