//! Problems for people, drawn as rustc draws them.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{
    Annotation, AnnotationKind, Element, Group, Level, Origin, Padding, Renderer, Snippet,
    normalize_untrusted_str,
};

use super::problem::{Label, Patch, Problem, Severity};
use super::sources::{Source, Sources};

/// Problems that are drawn; the rest are counted.
const MOST_DRAWN: usize = 50;
/// Longest stretch of a line that is drawn, bytes.
const MOST_OF_A_LINE: usize = 240;
/// Bytes before a mark that are kept of a longer line.
const BEFORE_MARK: usize = 60;
/// Lines between the first and the last mark of one excerpt.
const MOST_LINES: usize = 40;
/// Longest message that is drawn, characters.
const MOST_OF_A_MESSAGE: usize = 400;

/// With escape codes or without.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// Text only.
    Plain,
    /// Colours for a terminal.
    Colour,
}

/// Draws problems in their order, each at its place, with a newline at the end; at most 50 of them,
/// and then says how many more there are.
#[must_use]
pub fn render(problems: &[Problem], sources: &Sources, style: Style) -> String {
    let renderer = match style {
        Style::Plain => Renderer::plain(),
        Style::Colour => Renderer::styled(),
    };
    let renderer = renderer.decor_style(DecorStyle::Ascii);
    let mut out = String::new();
    for problem in problems.iter().take(MOST_DRAWN) {
        out.push_str(&renderer.render(&report(problem, sources)));
        out.push_str("\n\n");
    }
    if problems.len() > MOST_DRAWN {
        out.push_str(&format!("… and {} more\n", problems.len() - MOST_DRAWN));
    } else {
        out.pop();
    }
    out
}

fn report<'a>(problem: &'a Problem, sources: &'a Sources) -> Vec<Group<'a>> {
    let level = match problem.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let title = level.primary_title(clip_message(&problem.title)).id(problem.id);
    let mut group = Group::with_title(title);
    let source = sources.get(problem.primary.span.source);
    if source.text().is_empty() {
        group = group.element(Origin::path(source.name()));
    } else {
        group = group.elements(excerpts(problem, sources));
    }
    // The last way out stands over the text as it would be mended.
    let mended = problem
        .patch
        .as_ref()
        .zip(problem.help.split_last())
        .and_then(|(patch, (last, notes))| Some((patch_group(patch, last, sources)?, notes)));
    let (mended, notes) = match mended {
        Some((group, notes)) => (Some(group), notes),
        None => (None, problem.help.as_slice()),
    };
    if !notes.is_empty() {
        group = group.element(Padding);
    }
    for note in notes {
        group = group.element(Level::HELP.message(normalize_untrusted_str(&clip_message(note))));
    }
    std::iter::once(group).chain(mended).collect()
}

/// The marked lines: in one excerpt when they are near each other, else one for each.
fn excerpts<'a>(problem: &'a Problem, sources: &'a Sources) -> Vec<Element<'a>> {
    let labels: Vec<_> = std::iter::once(&problem.primary).chain(&problem.secondary).collect();
    if let Some(snippet) = near(&labels, sources) {
        return vec![Element::from(snippet)];
    }
    let elements = labels.iter().enumerate().flat_map(|(index, label)| {
        let source = sources.get(label.span.source);
        let line = line_of(label, source);
        let clip = clip_line(source, line, label.span.start);
        let snippet = Snippet::source(clip.text.clone()).line_start(line + 1);
        let kind = kind(index);
        if clip.is_whole {
            let snippet = snippet.path(source.name()).annotation(mark(kind, label, &clip));
            return vec![Element::from(snippet)];
        }
        // The column within a part of a line would be wrong: it is said apart.
        let at = sources.location(label.span);
        let origin = Origin::path(source.name()).line(at.line).char_column(at.column);
        vec![Element::from(origin), Element::from(snippet.annotation(mark(kind, label, &clip)))]
    });
    elements.collect()
}

fn near<'a>(labels: &[&'a Label], sources: &'a Sources) -> Option<Snippet<'a, Annotation<'a>>> {
    let id = labels.first()?.span.source;
    let source = sources.get(id);
    let lines = labels.iter().map(|label| line_of(label, source));
    let (first, last) = (lines.clone().min()?, lines.max()?);
    let (start, end) = (source.line_range(first).start, source.line_range(last).end);
    let is_one = labels.iter().all(|label| label.span.source == id);
    let mut between = (first..=last).map(|line| source.line_range(line));
    if !is_one || last - first > MOST_LINES || between.any(|line| line.len() > MOST_OF_A_LINE) {
        return None;
    }
    let text = source.text()[start..end].to_owned();
    let clip = Clip { text, start, end, prefix: 0, is_whole: true };
    let marks = labels.iter().enumerate().map(|(index, label)| {
        let end = source.line_range(line_of(label, source)).end;
        let mut own = label.span;
        own.end = own.end.min(end);
        let text = (!label.text.is_empty()).then(|| clip_message(&label.text));
        kind(index).span(clip.range(own.start, own.end)).label(text)
    });
    let marks: Vec<_> = marks.collect();
    let snippet = Snippet::source(clip.text).path(source.name()).line_start(first + 1);
    Some(snippet.annotations(marks))
}

fn line_of(label: &Label, source: &Source) -> usize {
    source.line_at(source.floor(label.span.start))
}

const fn kind(index: usize) -> AnnotationKind {
    if index == 0 { AnnotationKind::Primary } else { AnnotationKind::Context }
}

fn mark<'a>(kind: AnnotationKind, label: &'a Label, clip: &Clip) -> Annotation<'a> {
    let span = clip.range(label.span.start, label.span.end);
    let text = (!label.text.is_empty()).then(|| clip_message(&label.text));
    kind.span(span).label(text)
}

fn patch_group<'a>(patch: &'a Patch, help: &'a str, sources: &'a Sources) -> Option<Group<'a>> {
    let source = sources.get(patch.span.source);
    let line = source.line_at(source.floor(patch.span.start));
    let clip = clip_line(source, line, patch.span.start);
    if !clip.is_whole || patch.span.end > source.line_range(line).end {
        return None;
    }
    let range = clip.range(patch.span.start, patch.span.end);
    let snippet = Snippet::source(clip.text)
        .line_start(line + 1)
        .patch(annotate_snippets::Patch::new(range, patch.replacement.as_str()));
    let title = Level::HELP.secondary_title(normalize_untrusted_str(&clip_message(help)));
    Some(Group::with_title(title).element(snippet))
}

/// A line, or what is near the mark of a very long one.
struct Clip {
    text: String,
    /// Where the kept bytes begin in the source.
    start: usize,
    /// One past the last kept byte.
    end: usize,
    /// Bytes put before the kept ones.
    prefix: usize,
    is_whole: bool,
}

impl Clip {
    fn range(&self, start: usize, end: usize) -> std::ops::Range<usize> {
        let inside = |at: usize| at.clamp(self.start, self.end) - self.start + self.prefix;
        let start = self.text.floor_char_boundary(inside(start));
        start..self.text.floor_char_boundary(inside(end)).max(start)
    }
}

fn clip_line(source: &Source, line: usize, mark: usize) -> Clip {
    let range = source.line_range(line);
    if range.len() <= MOST_OF_A_LINE {
        let text = source.text()[range.clone()].to_owned();
        return Clip { text, start: range.start, end: range.end, prefix: 0, is_whole: true };
    }
    let start = source.floor(mark.saturating_sub(BEFORE_MARK).clamp(range.start, range.end));
    let end = source.floor((start + MOST_OF_A_LINE).min(range.end));
    let before = if start > range.start { "…" } else { "" };
    let after = if end < range.end { "…" } else { "" };
    let text = format!("{before}{}{after}", &source.text()[start..end]);
    Clip { text, start, end, prefix: before.len(), is_whole: false }
}

fn clip_message(text: &str) -> String {
    match text.char_indices().nth(MOST_OF_A_MESSAGE) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
