//! The texts that problems point into: the file and each override.

use std::ops::Range;

/// Which text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SourceId(pub u32);

/// A stretch of a text, in bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// Which text.
    pub source: SourceId,
    /// First byte.
    pub start: usize,
    /// One past the last byte.
    pub end: usize,
}

impl Span {
    /// A stretch of a text.
    #[must_use]
    pub const fn new(source: SourceId, range: Range<usize>) -> Self {
        Self { source, start: range.start, end: range.end }
    }
}

/// A place as people count: both from 1, columns in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Location {
    /// Line.
    pub line: usize,
    /// Column in characters.
    pub column: usize,
}

/// One text.
#[derive(Debug, Clone)]
pub struct Source {
    name: String,
    text: String,
    line_starts: Vec<usize>,
}

impl Source {
    fn new(name: &str, text: String) -> Self {
        let after_newline = text.match_indices('\n').map(|(at, _)| at + 1);
        let line_starts = std::iter::once(0).chain(after_newline).collect();
        Self { name: name.to_owned(), text, line_starts }
    }

    /// What it is called: a file's name or a flag.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The largest place at or before `at` that is not inside a character.
    pub(super) fn floor(&self, at: usize) -> usize {
        self.text.floor_char_boundary(at)
    }

    /// Index of the line that holds a byte.
    pub(super) fn line_at(&self, at: usize) -> usize {
        self.line_starts.partition_point(|start| *start <= at).saturating_sub(1)
    }

    /// The bytes of a line, without its end.
    pub(super) fn line_range(&self, line: usize) -> Range<usize> {
        let start = self.line_starts[line];
        let end = self.line_starts.get(line + 1).map_or(self.text.len(), |next| next - 1);
        let end = if self.text[start..end].ends_with('\r') { end - 1 } else { end };
        start..end
    }
}

/// All texts of one load.
#[derive(Debug, Clone, Default)]
pub struct Sources(Vec<Source>);

impl Sources {
    /// Adds a text.
    pub fn add(&mut self, name: &str, text: impl Into<String>) -> SourceId {
        let id = u32::try_from(self.0.len()).unwrap_or(u32::MAX);
        self.0.push(Source::new(name, text.into()));
        SourceId(id)
    }

    /// The text of that id.
    ///
    /// # Panics
    /// When the id is of other sources.
    #[must_use]
    pub fn get(&self, id: SourceId) -> &Source {
        &self.0[id.0 as usize]
    }

    /// The text under a span.
    #[must_use]
    pub fn slice(&self, span: Span) -> &str {
        let source = self.get(span.source);
        let start = source.floor(span.start);
        &source.text[start..source.floor(span.end).max(start)]
    }

    /// Where a span begins, as people count.
    #[must_use]
    pub fn location(&self, span: Span) -> Location {
        let source = self.get(span.source);
        let at = source.floor(span.start);
        let line = source.line_at(at);
        let column = source.text[source.line_starts[line]..at].chars().count() + 1;
        Location { line: line + 1, column }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters() {
        let mut sources = Sources::default();
        let id = sources.add("x.toml", "a = 1\r\nü = \"日本\" # z\n");
        let at = |start| {
            let place = sources.location(Span::new(id, start..start + 1));
            (place.line, place.column)
        };
        assert_eq!(at(0), (1, 1));
        assert_eq!(at(7), (2, 1));
        assert_eq!(at(9), (2, 2));
        assert_eq!(at(22), (2, 11));
        assert_eq!(at(1000), (3, 1));
        assert_eq!(sources.get(id).line_range(0), 0..5);
    }
}
