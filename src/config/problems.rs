//! The problems found so far, each once.

use std::collections::BTreeSet;

use crate::diagnostic::{Problem, Severity, Span};

/// Problems that are kept: a file with more is junk, and nobody reads on.
const MOST_KEPT: usize = 10_000;
/// Problems after which nothing is suggested any more, so that junk is refused fast.
const MOST_SUGGESTED: usize = 200;
/// Words that are compared for one suggestion.
const MOST_COMPARED: usize = 2_000;
/// Longest word that anything is suggested for, bytes.
const LONGEST_WORD: usize = 64;

/// Collects problems and drops what was said before: a template's value is read for each of its
/// pools, and a file is lowered for each of its policies.
#[derive(Debug, Default)]
pub(super) struct Problems {
    list: Vec<Problem>,
    seen: BTreeSet<(&'static str, Span, String)>,
}

impl Problems {
    pub(super) fn push(&mut self, problem: Problem) {
        if self.list.len() >= MOST_KEPT {
            return;
        }
        let key = (problem.id, problem.primary.span, problem.title.clone());
        if self.seen.insert(key) {
            self.list.push(problem);
        }
    }

    pub(super) fn has_errors(&self) -> bool {
        self.list.iter().any(|problem| problem.severity == Severity::Error)
    }

    /// Where those of a kind are.
    pub(super) fn places_of(&self, id: &str) -> Vec<Span> {
        let of_kind = self.list.iter().filter(|problem| problem.id == id);
        of_kind.map(|problem| problem.primary.span).collect()
    }

    pub(super) fn retain(&mut self, keep: impl Fn(&Problem) -> bool) {
        self.list.retain(keep);
    }

    /// All of them, by place.
    pub(super) fn into_sorted(self) -> Vec<Problem> {
        let mut list = self.list;
        list.sort_by(|a, b| {
            (a.primary.span, a.id, &a.title).cmp(&(b.primary.span, b.id, &b.title))
        });
        list
    }

    /// The word that was probably meant.
    pub(super) fn suggest<'w>(
        &self,
        word: &str,
        candidates: impl IntoIterator<Item = &'w str>,
    ) -> Option<&'w str> {
        if self.list.len() > MOST_SUGGESTED || word.len() > LONGEST_WORD {
            return None;
        }
        let most = (word.chars().count() / 3).max(1);
        candidates
            .into_iter()
            .take(MOST_COMPARED)
            .filter(|candidate| candidate.len().abs_diff(word.len()) <= 2 * most)
            .map(|candidate| (strsim::damerau_levenshtein(word, candidate), candidate))
            // All letters wrong is another word.
            .filter(|(distance, _)| *distance <= most && *distance < word.chars().count())
            .min_by(|(a, one), (b, two)| {
                let alike = |candidate| strsim::jaro_winkler(word, candidate);
                a.cmp(b).then_with(|| alike(two).total_cmp(&alike(one)))
            })
            .map(|(_, candidate)| candidate)
    }
}

/// A problem instead of a value.
pub(super) fn refuse<T>(problem: Problem) -> Result<T, Box<Problem>> {
    Err(Box::new(problem))
}

/// Words as a list for people: `a`, `b`, `c`; at most twelve.
pub(super) fn list<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    const MOST: usize = 12;
    let mut words: Vec<_> = words.into_iter().take(MOST + 1).map(|w| format!("`{w}`")).collect();
    if words.len() > MOST {
        words[MOST] = "…".to_owned();
    }
    words.join(", ")
}

/// Words as a list for people: `a`, `b` or `c`; at most eight.
pub(super) fn or_list<'w>(words: impl IntoIterator<Item = &'w str>) -> String {
    const MOST: usize = 8;
    let mut words: Vec<_> = words.into_iter().take(MOST + 1).map(|w| format!("`{w}`")).collect();
    if words.len() > MOST {
        words.truncate(MOST);
        return format!("{}, …", words.join(", "));
    }
    match words.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} or {last}", rest.join(", ")),
        None => String::new(),
    }
}
