//! Named bundles of settings, `[mitigation.*]`, on top of policies.

use std::sync::Arc;

use super::document::{Assignment, Document, Entity, Value};
use super::problems::Problems;
use super::setting::Section;
use super::{fill, overrides, registry};
use crate::diagnostic::Problem;

/// Which bundles policies are run with.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub enum Matrix {
    /// With none.
    #[default]
    Without,
    /// With all of these, which the file has.
    With(Vec<String>),
    /// With none, and with each by itself.
    Each,
    /// With none, and with every choice of them.
    Subsets,
}

/// Bundles that a policy is run with, in the order of the file.
pub(super) type Cell = Vec<Arc<Entity>>;

/// Most bundles of which every choice is tried.
const MOST_FOR_SUBSETS: usize = 12;

/// The cells of a matrix.
pub(super) fn cells(document: &Document, matrix: &Matrix, problems: &mut Problems) -> Vec<Cell> {
    let bundles = document.in_order(Section::Mitigation);
    let chosen = |is_in: &dyn Fn(usize, &Entity) -> bool| -> Cell {
        let in_it = bundles.iter().enumerate().filter(|(index, bundle)| is_in(*index, bundle));
        in_it.map(|(_, bundle)| Arc::clone(bundle)).collect()
    };
    match matrix {
        Matrix::Without => vec![vec![]],
        Matrix::With(names) => vec![chosen(&|_, bundle| names.contains(&bundle.name))],
        Matrix::Each => {
            let each = (0..bundles.len()).map(|only| chosen(&|index, _| index == only));
            std::iter::once(vec![]).chain(each).collect()
        }
        Matrix::Subsets if bundles.len() > MOST_FOR_SUBSETS => {
            let title = format!("{} mitigations have too many combinations", bundles.len());
            let problem = Problem::error("too-many-tables", bundles[MOST_FOR_SUBSETS].at, title);
            problems.push(
                problem.help(format!("keep at most {MOST_FOR_SUBSETS}, or try each by itself")),
            );
            vec![]
        }
        Matrix::Subsets => {
            // By number, then in the order of the file.
            let mut subsets: Vec<u32> = (0..1 << bundles.len()).collect();
            subsets.sort_by_key(|subset| {
                (subset.count_ones(), std::cmp::Reverse(subset.reverse_bits()))
            });
            subsets.iter().map(|subset| chosen(&|index, _| subset >> index & 1 == 1)).collect()
        }
    }
}

/// The settings of a bundle.
pub(super) fn assignments(bundle: &Entity) -> &[Assignment] {
    match bundle.get("set").map(|entry| &entry.value) {
        Some(Value::Assignments(assignments)) => assignments,
        _ => &[],
    }
}

/// A bundle without settings is no mitigation.
pub(super) fn check(document: &Document, problems: &mut Problems) {
    for bundle in document.in_order(Section::Mitigation) {
        let is_invalid = bundle.get("set").is_some_and(|entry| entry.value == Value::Invalid);
        if assignments(bundle).is_empty() && !is_invalid {
            let title = format!("mitigation `{}` sets nothing", bundle.name);
            let at = bundle.get("set").map_or(bundle.at, |entry| entry.key);
            problems.push(
                Problem::error("missing-key", at, title)
                    .help("say what it sets: `set = { \"instance.*.max_wait\" = \"1s\" }`"),
            );
        }
    }
}

/// Of two bundles of a cell that set the same, the later one's value holds: said once.
pub(super) fn check_overlaps(cell: &Cell, problems: &mut Problems) {
    for (index, later) in cell.iter().enumerate() {
        for (one, two) in cell[..index].iter().flat_map(|earlier| {
            let pairs = assignments(earlier).iter().map(move |one| (earlier, one));
            pairs.flat_map(|(earlier, one)| {
                let same = assignments(later).iter().filter(move |two| two.path == one.path);
                same.map(move |two| ((earlier, one), two))
            })
        }) {
            let (earlier, one) = one;
            let title = format!(
                "mitigations `{}` and `{}` both set `{}`: together, the latter's value holds",
                earlier.name, later.name, two.path
            );
            let problem = Problem::warning("mitigations-overlap", two.path_span, title);
            problems.push(problem.secondary(one.path_span, "set here first"));
        }
    }
}

/// Where a policy's or a bundle's settings may be.
const OF_POLICY: [&str; 5] = ["instance", "pool", "client", "source", "autoscaler"];
const OF_BUNDLE: [&str; 7] =
    ["instance", "pool", "client", "source", "autoscaler", "policy", "simulation"];

/// Gives a document the settings of a policy's `set`.
pub(super) fn set_of_policy(document: &mut Document, set: &[Assignment], problems: &mut Problems) {
    apply(document, set, &OF_POLICY, problems, |assignment| {
        Problem::error(
            "not-in-policy",
            assignment.path_span,
            format!("a policy cannot set `{}`", assignment.path),
        )
        .help(
            "a policy sets keys of instances, pools, clients, sources and autoscalers; the rest is \
             the same for all: use `--set`",
        )
    });
}

/// Gives a document the settings of bundles.
pub(super) fn set_of_bundles(document: &mut Document, cell: &Cell, problems: &mut Problems) {
    for bundle in cell {
        apply(document, assignments(bundle), &OF_BUNDLE, problems, |assignment| {
            Problem::error(
                "not-in-mitigation",
                assignment.path_span,
                format!("a mitigation cannot set `{}`", assignment.path),
            )
            .help(
                "it sets keys of instances, pools, clients, sources, autoscalers and policies, \
                 and how many zone losses sizes survive",
            )
        });
    }
}

fn apply(
    document: &mut Document,
    set: &[Assignment],
    settable: &[&str],
    problems: &mut Problems,
    refusal: impl Fn(&Assignment) -> Problem,
) {
    for assignment in set {
        let (first, rest) = assignment.path.split_once('.').unwrap_or((&assignment.path, ""));
        let is_other = registry::root().children.contains_key(first) && !settable.contains(&first);
        // What a policy is, and what a run is, is not a mitigation.
        let is_fixed = first == "simulation" && !rest.starts_with("survive_")
            || first == "policy" && (rest.ends_with(".kind") || rest.ends_with(".set"));
        if is_other || is_fixed || assignment.path.ends_with(".zones") {
            problems.push(refusal(assignment));
        } else {
            overrides::apply(document, assignment, problems);
        }
    }
    let start = document.root.at;
    fill::default_client(document, start);
}
