//! A document and the positions that its names will have.

use crate::config::document::Document;
use crate::config::setting::Section;

/// A document to lower.
pub(super) struct Context<'a> {
    pub(super) document: &'a Document,
    /// Names by section, sorted: their positions are the ids.
    names: [Vec<String>; Section::ALL.len()],
}

impl<'a> Context<'a> {
    pub(super) fn new(document: &'a Document) -> Self {
        let of = |section| document.table(section).keys().cloned().collect::<Vec<_>>();
        Self { document, names: Section::ALL.map(of) }
    }

    pub(super) fn names(&self, section: Section) -> &[String] {
        &self.names[section as usize]
    }

    /// The position of a name among the sorted names of its section.
    pub(super) fn position(&self, section: Section, name: &str) -> Option<usize> {
        self.names(section).binary_search_by(|known| known.as_str().cmp(name)).ok()
    }
}
