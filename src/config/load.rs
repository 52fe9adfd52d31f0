//! A file and overrides to cases that can be run.

use std::sync::Arc;

use super::bundles::{self, Cell, Matrix};
use super::document::{Document, Entity};
use super::lower::{self, NamedPolicy};
use super::overrides;
use super::plane::{self, PlaneChoice};
use super::print::{Order, print};
use super::problems::Problems;
use super::setting::Section;
use super::{alerts, expand, fill, lint, raw, read};
use crate::diagnostic::{Problem, SourceId, Sources, Span};
use crate::model::Scenario;
use crate::policy::Case;

/// Largest file, bytes.
const LARGEST_FILE: usize = 16 * 1024 * 1024;
/// With more syntax errors than this, what could be read of the rest is not worth a word.
const MOST_SYNTAX_ERRORS: usize = 20;

/// A file that can be run.
#[derive(Debug, Clone)]
pub struct Loaded {
    /// The scenario's name: the file's `name`, else the file's own.
    pub name: String,
    /// The file's name, as given.
    pub file_name: String,
    /// The file's world, without what policies set.
    pub scenario: Scenario,
    /// A case for each policy and cell of the matrix, policies first in the order of the file.
    pub cases: Vec<Case>,
    /// The names of its bundles, `[mitigation.*]`, in its order.
    pub bundles: Vec<String>,
    /// How instances serve in all of them, and why.
    pub plane: PlaneChoice,
    /// What is odd about it, by place.
    pub warnings: Vec<Problem>,
    /// The texts that warnings point into.
    pub sources: Sources,
    /// The file with every default and with the overrides: a file that loads to the same.
    pub resolved: String,
    /// The same with tables by name: its SHA-256 identifies what is simulated.
    pub fingerprint_text: String,
}

/// A file that cannot be run.
#[derive(Debug, Clone, thiserror::Error)]
#[error("the topology file cannot be run")]
pub struct Rejected {
    /// Every problem, warnings too, by place.
    pub problems: Vec<Problem>,
    /// The texts that they point into.
    pub sources: Sources,
}

/// Reads a topology file and applies overrides, each `PATH=VALUE` in TOML; a value that is no TOML
/// is text, so durations and words need no quotes.
///
/// # Errors
/// With every problem of the file and the overrides at once.
pub fn load(file_name: &str, text: &[u8], sets: &[String]) -> Result<Loaded, Rejected> {
    load_for(file_name, text, sets, &Purpose::default())
}

/// What a file is loaded for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Purpose {
    /// Which bundles its policies are run with.
    pub matrix: Matrix,
    /// Runs of each case: `auto` chooses the plane by all of them.
    pub runs: u32,
}

impl Default for Purpose {
    fn default() -> Self {
        Self { matrix: Matrix::Without, runs: 1 }
    }
}

/// The same for more than one run of each policy.
///
/// # Errors
/// As [`load`].
pub fn load_for(
    file_name: &str,
    text: &[u8],
    sets: &[String],
    purpose: &Purpose,
) -> Result<Loaded, Rejected> {
    let mut sources = Sources::default();
    let mut problems = Problems::default();
    let file = sources.add(file_name, String::from_utf8_lossy(text));
    let sets: Vec<SourceId> = sets.iter().map(|set| sources.add("--set", set.as_str())).collect();
    match prepare(text, file, &sets, &sources, &mut problems) {
        Some(documents) => finish(file_name, &documents, purpose, sources, problems),
        None => Err(Rejected { problems: problems.into_sorted(), sources }),
    }
}

/// A file with its overrides, and as it stands.
struct Documents {
    with_sets: Document,
    /// None without overrides: it is the same.
    own: Option<Document>,
}

/// Everything up to a document that is complete; none when its syntax is broken.
fn prepare(
    text: &[u8],
    file: SourceId,
    sets: &[SourceId],
    sources: &Sources,
    problems: &mut Problems,
) -> Option<Documents> {
    let start = Span::new(file, 0..0);
    if let Some(problem) = unreadable(text, file) {
        problems.push(problem);
        return None;
    }
    let items = raw::read_document(sources.get(file).text(), file, problems);
    let broken = problems.places_of("syntax");
    if broken.len() > MOST_SYNTAX_ERRORS {
        return None;
    }
    if items.is_empty() && !problems.has_errors() {
        let problem = Problem::error("empty-file", start, "the file says nothing");
        problems.push(problem.help("begin with `zonefall init`"));
        return None;
    }
    let mut document = read::read(&items, start, problems);
    let broken_lines: Vec<_> = broken.iter().map(|span| sources.location(*span).line).collect();
    if !broken.is_empty() {
        // A value that could not be read would be blamed once more for what it is not.
        problems.retain(|problem| {
            problem.id == "syntax"
                || !broken_lines.contains(&sources.location(problem.primary.span).line)
        });
        return None;
    }
    fill::fill(&mut document, start);
    fill::default_client(&mut document, start);
    alerts::fill(&mut document, sets, sources, start, problems);
    // Only `auto` asks what the file says by itself.
    let text_of = |set: &SourceId| sources.get(*set).text();
    let names_plane = |set: &SourceId| {
        let set = text_of(set).trim();
        set.starts_with("simulation.plane=") && !set.ends_with("auto")
    };
    let own = (!sets.is_empty() && !sets.iter().any(names_plane)).then(|| {
        let mut own = document.clone();
        expand::expand(&mut own, &mut Problems::default());
        own
    });
    apply_sets(&mut document, sets, sources, problems);
    fill::default_client(&mut document, start);
    Some(Documents { with_sets: document, own })
}

fn apply_sets(
    document: &mut Document,
    sets: &[SourceId],
    sources: &Sources,
    problems: &mut Problems,
) {
    let parse = |set: &SourceId| overrides::parse_argument(sources.get(*set).text(), *set);
    let mut later = vec![];
    for set in sets {
        match parse(set) {
            Ok(set) if overrides::decides_pools(&set) && names_unexpanded(document, &set.path) => {
                overrides::apply(document, &set, problems);
            }
            Ok(set) => later.push(set),
            Err(problem) => problems.push(*problem),
        }
    }
    expand::expand(document, problems);
    for set in &later {
        if overrides::decides_pools(set) && set.path.ends_with(".zones") {
            let title = format!("`{}` is settled: the pool is one of several", set.path);
            let problem = Problem::error("settled-zones", set.path_span, title);
            problems.push(problem.help("set `zones` of the pool as the file names it"));
        } else {
            overrides::apply(document, set, problems);
        }
    }
}

fn unreadable(text: &[u8], file: SourceId) -> Option<Problem> {
    if text.len() > LARGEST_FILE {
        let title = format!("the file is larger than {} MiB", LARGEST_FILE / 1024 / 1024);
        return Some(Problem::error("file-too-large", Span::new(file, 0..0), title));
    }
    let error = std::str::from_utf8(text).err()?;
    let at = error.valid_up_to();
    let span = Span::new(file, at..at + '\u{fffd}'.len_utf8());
    let problem = Problem::error("invalid-utf8", span, "the file is not valid UTF-8");
    Some(problem.label("here").help("save it as UTF-8"))
}

fn names_unexpanded(document: &Document, path: &str) -> bool {
    let name = path.split('.').nth(1).unwrap_or_default();
    name == "*" || document.table(Section::Pool).contains_key(name)
}

fn finish(
    file_name: &str,
    documents: &Documents,
    purpose: &Purpose,
    sources: Sources,
    mut problems: Problems,
) -> Result<Loaded, Rejected> {
    let document = &documents.with_sets;
    let fallback = name_from_file(file_name);
    let base = lower::scenario(document, &fallback, &mut problems);
    if let Some(base) = &base {
        lint::lint(document, base, &mut problems);
    }
    bundles::check(document, &mut problems);
    let cells = bundles::cells(document, &purpose.matrix, &mut problems);
    let mut cases = cases(document, base.as_ref(), &fallback, &cells, &mut problems);
    cells.iter().for_each(|cell| bundles::check_overlaps(cell, &mut problems));
    // What nobody asked for is checked all the same.
    for cell in bundles::cells(document, &Matrix::Each, &mut problems) {
        if !cells.contains(&cell) {
            cases_of_cell(document, base.as_ref(), &fallback, &cell, &mut problems);
        }
    }
    let is_short = cases.len() < cells.len() * document.table(Section::Policy).len();
    if (is_short || base.is_none()) && !problems.has_errors() {
        let title = "the file cannot be lowered, and nothing says why: please report it";
        problems.push(Problem::error("internal", document.root.at, title));
    }
    if problems.has_errors() {
        return Err(Rejected { problems: problems.into_sorted(), sources });
    }
    let Some(base) = base else { return Err(Rejected { problems: vec![], sources }) };
    let runs = purpose.runs.saturating_mul(cells.len() as u32);
    let plane = plane(documents, &base, &fallback, runs);
    for case in &mut cases {
        case.scenario.simulation.plane = plane.plane;
    }
    let name = base.name.clone();
    let mut scenario = base;
    scenario.simulation.plane = plane.plane;
    Ok(Loaded {
        plane,
        scenario,
        bundles: document.in_order(Section::Mitigation).iter().map(|b| b.name.clone()).collect(),
        resolved: print(document, &name, Order::File),
        fingerprint_text: print(document, &name, Order::Name),
        name,
        file_name: file_name.to_owned(),
        cases,
        warnings: problems.into_sorted(),
        sources,
    })
}

/// A case for each policy and cell, in the order of the file; fewer when something is wrong.
fn cases(
    document: &Document,
    base: Option<&Scenario>,
    fallback: &str,
    cells: &[Cell],
    problems: &mut Problems,
) -> Vec<Case> {
    let mut by_cell: Vec<_> = cells
        .iter()
        .map(|cell| cases_of_cell(document, base, fallback, cell, problems).into_iter())
        .collect();
    let policies = document.table(Section::Policy).len();
    let in_order = (0..policies).flat_map(|_| {
        let next: Vec<_> = by_cell.iter_mut().filter_map(Iterator::next).collect();
        next
    });
    in_order.flatten().collect()
}

/// A case for each policy with a cell's bundles; none where something is wrong.
fn cases_of_cell(
    document: &Document,
    base: Option<&Scenario>,
    fallback: &str,
    cell: &Cell,
    problems: &mut Problems,
) -> Vec<Option<Case>> {
    let mut with_cell = document.clone();
    bundles::set_of_bundles(&mut with_cell, cell, problems);
    let own;
    let base = match cell.is_empty() {
        true => base,
        false => {
            own = lower::scenario(&with_cell, fallback, problems);
            own.as_ref()
        }
    };
    let policies = lower::policies(&with_cell, problems);
    let entities = with_cell.in_order(Section::Policy);
    let case = |(policy, entity): (NamedPolicy, &Arc<Entity>)| {
        let NamedPolicy { spec, set } = policy;
        let scenario = match set.is_empty() {
            true => base.cloned(),
            false => {
                let mut document = document.clone();
                bundles::set_of_policy(&mut document, &set, problems);
                bundles::set_of_bundles(&mut document, cell, problems);
                let case = lower::scenario(&document, fallback, problems);
                if let (Some(base), Some(case), true) = (base, &case, cell.is_empty()) {
                    let at = entity.get("set").map_or(entity.at, |entry| entry.key);
                    lint::lint_case(&document, base, &entity.name, case, at, problems);
                    if !set.iter().any(|set| fixes_demand(&set.path)) {
                        lint::demand_moves(base, &entity.name, case, at, problems);
                    }
                }
                case
            }
        };
        let (mut policy, scenario) = (spec?, scenario?);
        lower::check_fallback(entity, &policy, &scenario, problems);
        if cell.is_empty() {
            lower::check_idle(entity, &policy, problems);
        }
        policy.bundles = cell.iter().map(|bundle| bundle.name.clone()).collect();
        for bundle in &policy.bundles {
            policy.name.push('+');
            policy.name.push_str(bundle);
        }
        Some(Case { policy, scenario })
    };
    policies.into_iter().zip(entities).map(case).collect()
}

/// The plane that the whole invocation runs on.
fn plane(documents: &Documents, base: &Scenario, fallback: &str, runs: u32) -> PlaneChoice {
    let document = &documents.with_sets;
    let own = documents.own.as_ref().filter(|_| !plane::is_named(document)).and_then(|own| {
        // A file that only its overrides make whole is taken with them.
        Some((own, lower::scenario(own, fallback, &mut Problems::default())?))
    });
    match &own {
        Some((own, scenario)) => plane::choose(document, own, scenario, runs),
        None => plane::choose(document, document, base, runs),
    }
}

fn fixes_demand(path: &str) -> bool {
    let key = path.rsplit('.').next().unwrap_or_default();
    ["headroom", "headroom_of", "demand_rps"].contains(&key)
}

/// A name out of a path: its last part without the ending, in the letters that names have.
fn name_from_file(file_name: &str) -> String {
    let stem = std::path::Path::new(file_name).file_stem().unwrap_or_default();
    let name = read::mended_name(&stem.to_string_lossy());
    if name.is_empty() { "scenario".to_owned() } else { name }
}
