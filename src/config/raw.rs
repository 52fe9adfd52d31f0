//! TOML text to values with places, before anything is known about their meaning.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::problems::Problems;
use crate::diagnostic::{Problem, SourceId, Span};

/// In a larger text only the first syntax error is reported: junk can hold one a byte.
const MOST_RECOVERED: usize = 1_000_000;
/// With more errors than this, none is explained further.
const MOST_EXPLAINED: usize = 20;

/// A TOML value.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Raw {
    Text(String),
    /// A whole number; none when it is too large to hold.
    Integer(Option<i128>),
    Float(f64),
    Switch(bool),
    /// A date or a time, which no setting is.
    Moment,
    List(Vec<(Self, Span)>),
    Table(Vec<Item>),
}

/// A key of a table and its value.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Item {
    pub(super) key: String,
    pub(super) key_span: Span,
    pub(super) raw: Raw,
    pub(super) at: Span,
}

impl Raw {
    /// What it is, for messages.
    pub(super) const fn what(&self) -> &'static str {
        match self {
            Self::Text(_) => "text",
            Self::Integer(_) => "a whole number",
            Self::Float(_) => "a number",
            Self::Switch(_) => "true or false",
            Self::Moment => "a date or time",
            Self::List(_) => "a list",
            Self::Table(_) => "a table",
        }
    }
}

/// Where a text stands in its source.
#[derive(Debug, Clone, Copy)]
struct Place {
    source: SourceId,
    offset: usize,
}

impl Place {
    fn span<T>(self, spanned: &Spanned<T>) -> Span {
        let range = spanned.span();
        Span::new(self.source, range.start + self.offset..range.end + self.offset)
    }
}

/// Reads a whole document, in the order of the text; what is wrong with the syntax is reported, and
/// the rest read.
pub(super) fn read_document(text: &str, source: SourceId, problems: &mut Problems) -> Vec<Item> {
    let (table, errors) = if text.len() <= MOST_RECOVERED {
        DeTable::parse_recoverable(text)
    } else {
        match DeTable::parse(text) {
            Ok(table) => (table, vec![]),
            Err(error) => (Spanned::new(0..0, DeTable::new()), vec![error]),
        }
    };
    let items = items(table.get_ref(), Place { source, offset: 0 });
    let is_crowded = errors.len() > MOST_EXPLAINED;
    for error in errors {
        let range = error.span().unwrap_or(0..0);
        let span = Span::new(source, range.clone());
        let key = text.get(range).unwrap_or_default();
        let problem = syntax_problem(error.message(), key, span);
        let first = if is_crowded { None } else { given_before(&items, key, span) };
        problems.push(match first.filter(|_| problem.id == "duplicate-key") {
            Some(first) => problem.secondary(first, "first here"),
            None => problem,
        });
    }
    items
}

/// The last place before `at` where a key of that name is given.
fn given_before(items: &[Item], key: &str, at: Span) -> Option<Span> {
    let own = items.iter().filter(|item| item.key == key && item.key_span < at);
    let below = items.iter().filter_map(|item| match &item.raw {
        Raw::Table(items) => given_before(items, key, at),
        _ => None,
    });
    own.map(|item| item.key_span).chain(below).max()
}

/// Reads one value that stands at `offset` in its source; none when it is not TOML.
pub(super) fn read_value(text: &str, source: SourceId, offset: usize) -> Option<(Raw, Span)> {
    let value = DeValue::parse(text).ok()?;
    let place = Place { source, offset };
    Some((raw(value.get_ref(), place), place.span(&value)))
}

fn syntax_problem(message: &str, text: &str, span: Span) -> Problem {
    if message.starts_with("duplicate key") {
        return Problem::error("duplicate-key", span, format!("`{text}` is given twice"))
            .label("again here")
            .help("keep one of them");
    }
    if message.starts_with("string values must be quoted") && text.trim().is_empty() {
        let problem = Problem::error("syntax", span, "not valid TOML: a value is missing");
        return problem.help("write `key = value`, or leave the key out");
    }
    Problem::error("syntax", span, format!("not valid TOML: {message}"))
}

fn items(table: &DeTable<'_>, place: Place) -> Vec<Item> {
    let mut items: Vec<_> = table
        .iter()
        .map(|(key, value)| Item {
            key: key.get_ref().to_string(),
            key_span: place.span(key),
            raw: raw(value.get_ref(), place),
            at: place.span(value),
        })
        .collect();
    // A table keeps its keys by name.
    items.sort_by_key(|item| item.key_span);
    items
}

fn raw(value: &DeValue<'_>, place: Place) -> Raw {
    match value {
        DeValue::String(text) => Raw::Text(text.to_string()),
        DeValue::Integer(number) => {
            Raw::Integer(i128::from_str_radix(number.as_str(), number.radix()).ok())
        }
        DeValue::Float(number) => Raw::Float(number.as_str().parse().unwrap_or(f64::NAN)),
        DeValue::Boolean(switch) => Raw::Switch(*switch),
        DeValue::Datetime(_) => Raw::Moment,
        DeValue::Array(list) => Raw::List(
            list.iter().map(|item| (raw(item.get_ref(), place), place.span(item))).collect(),
        ),
        DeValue::Table(table) => Raw::Table(items(table, place)),
    }
}
