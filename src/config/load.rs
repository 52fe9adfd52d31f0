//! A file and overrides to cases that can be run.

use super::document::{Assignment, Document};
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
    /// A case for each policy, in the order of the file.
    pub cases: Vec<Case>,
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
    let mut sources = Sources::default();
    let mut problems = Problems::default();
    let file = sources.add(file_name, String::from_utf8_lossy(text));
    let sets: Vec<SourceId> = sets.iter().map(|set| sources.add("--set", set.as_str())).collect();
    match prepare(text, file, &sets, &sources, &mut problems) {
        Some(documents) => finish(file_name, &documents, sources, problems),
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
    sources: Sources,
    mut problems: Problems,
) -> Result<Loaded, Rejected> {
    let document = &documents.with_sets;
    let fallback = name_from_file(file_name);
    let base = lower::scenario(document, &fallback, &mut problems);
    if let Some(base) = &base {
        lint::lint(document, base, &mut problems);
    }
    let mut cases = cases(document, base.as_ref(), &fallback, &mut problems);
    let is_short = cases.len() < document.table(Section::Policy).len();
    if (is_short || base.is_none()) && !problems.has_errors() {
        let title = "the file cannot be lowered, and nothing says why: please report it";
        problems.push(Problem::error("internal", document.root.at, title));
    }
    if problems.has_errors() {
        return Err(Rejected { problems: problems.into_sorted(), sources });
    }
    let Some(base) = base else { return Err(Rejected { problems: vec![], sources }) };
    let plane = plane(documents, &base, &fallback);
    for case in &mut cases {
        case.scenario.simulation.plane = plane.plane;
    }
    let name = base.name;
    Ok(Loaded {
        plane,
        resolved: print(document, &name, Order::File),
        fingerprint_text: print(document, &name, Order::Name),
        name,
        file_name: file_name.to_owned(),
        cases,
        warnings: problems.into_sorted(),
        sources,
    })
}

/// A case for each policy, in the order of the file; fewer when something is wrong.
fn cases(
    document: &Document,
    base: Option<&Scenario>,
    fallback: &str,
    problems: &mut Problems,
) -> Vec<Case> {
    let policies = lower::policies(document, problems);
    let mut cases = vec![];
    for (policy, entity) in policies.into_iter().zip(document.in_order(Section::Policy)) {
        let NamedPolicy { spec, set } = policy;
        let scenario = match set.is_empty() {
            true => base.cloned(),
            false => {
                let case = with_set(document, &set, fallback, problems);
                let at = entity.get("set").map_or(entity.at, |entry| entry.key);
                if let (Some(base), Some(case)) = (base, &case) {
                    lint::lint_case(document, base, &entity.name, case, at, problems);
                }
                let says_demand = set.iter().any(|set| fixes_demand(&set.path));
                if let (Some(base), Some(case), false) = (base, &case, says_demand) {
                    lint::demand_moves(base, &entity.name, case, at, problems);
                }
                case
            }
        };
        cases.extend(spec.zip(scenario).map(|(policy, scenario)| Case { policy, scenario }));
    }
    cases
}

/// The plane that the whole invocation runs on.
fn plane(documents: &Documents, base: &Scenario, fallback: &str) -> PlaneChoice {
    let document = &documents.with_sets;
    let own = documents.own.as_ref().filter(|_| !plane::is_named(document)).and_then(|own| {
        // A file that only its overrides make whole is taken with them.
        Some((own, lower::scenario(own, fallback, &mut Problems::default())?))
    });
    match &own {
        Some((own, scenario)) => plane::choose(document, own, scenario),
        None => plane::choose(document, document, base),
    }
}

fn fixes_demand(path: &str) -> bool {
    let key = path.rsplit('.').next().unwrap_or_default();
    ["headroom", "headroom_of", "demand_rps"].contains(&key)
}

/// The scenario with what a policy sets.
fn with_set(
    document: &Document,
    set: &[Assignment],
    fallback: &str,
    problems: &mut Problems,
) -> Option<Scenario> {
    let mut document = document.clone();
    let settable = ["instance", "pool", "client", "source", "autoscaler"];
    for assignment in set {
        let first = assignment.path.split('.').next().unwrap_or_default();
        let is_other = super::registry::root().children.contains_key(first);
        if is_other && !settable.contains(&first) || assignment.path.ends_with(".zones") {
            let title = format!("a policy cannot set `{}`", assignment.path);
            let at = assignment.path_span;
            problems.push(Problem::error("not-in-policy", at, title).help(
                "a policy sets keys of instances, pools, clients, sources and autoscalers; the \
                 rest is the same for all: use `--set`",
            ));
            continue;
        }
        overrides::apply(&mut document, assignment, problems);
    }
    let start = document.root.at;
    fill::default_client(&mut document, start);
    lower::scenario(&document, fallback, problems)
}

/// A name out of a path: its last part without the ending, in the letters that names have.
fn name_from_file(file_name: &str) -> String {
    let stem = std::path::Path::new(file_name).file_stem().unwrap_or_default();
    let name = read::mended_name(&stem.to_string_lossy());
    if name.is_empty() { "scenario".to_owned() } else { name }
}
