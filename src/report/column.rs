//! Columns of the output files. Each file has one table of them, which the writers, the JSON and
//! the docs all walk.

use super::number::NumberBuffer;
use serde::{Serialize, Serializer};

/// What a column holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// A name or a word.
    Word,
    /// Seconds.
    Seconds,
    /// Requests a second.
    Rps,
    /// A share or a multiple; 1 is the whole.
    Ratio,
    /// How many; may be a fraction where it is an expectation.
    Count,
    /// `true` or `false`.
    Truth,
}

impl Unit {
    /// The word in the docs.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Word => "word",
            Self::Seconds => "s",
            Self::Rps => "requests/s",
            Self::Ratio => "ratio",
            Self::Count => "count",
            Self::Truth => "true or false",
        }
    }
}

/// One value.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Cell<'a> {
    /// Does not apply.
    Empty,
    /// A name or a word.
    Text(&'a str),
    /// A measured value.
    Number(f64),
    /// A whole number.
    Count(u64),
    /// Yes or no.
    Truth(bool),
}

impl Cell<'_> {
    /// The bytes in a CSV file, before quoting.
    pub fn write<'b>(&'b self, buffer: &'b mut NumberBuffer) -> &'b [u8] {
        match *self {
            Self::Empty => &[],
            Self::Text(text) => text.as_bytes(),
            Self::Number(value) => buffer.number(value),
            Self::Count(count) => buffer.integer(count),
            Self::Truth(true) => b"true",
            Self::Truth(false) => b"false",
        }
    }
}

impl From<Option<f64>> for Cell<'_> {
    fn from(value: Option<f64>) -> Self {
        value.map_or(Self::Empty, Self::Number)
    }
}

impl From<Option<bool>> for Cell<'_> {
    fn from(value: Option<bool>) -> Self {
        value.map_or(Self::Empty, Self::Truth)
    }
}

/// In JSON a number has the digits it has in CSV, and what does not apply is `null`.
impl Serialize for Cell<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match *self {
            Self::Empty => serializer.serialize_none(),
            Self::Text(text) => serializer.serialize_str(text),
            Self::Number(value) => Rounded(value).serialize(serializer),
            Self::Count(count) => serializer.serialize_u64(count),
            Self::Truth(truth) => serializer.serialize_bool(truth),
        }
    }
}

/// A number that serializes with ten significant digits.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Rounded(pub f64);

impl Serialize for Rounded {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut buffer = NumberBuffer::new();
        let text = buffer.number(self.0);
        let whole = self.0.abs() < 1e15 && self.0.trunc() == self.0;
        match std::str::from_utf8(text).ok().and_then(|text| text.parse::<f64>().ok()) {
            Some(value) if whole => serializer.serialize_i64(value as i64),
            Some(value) => serializer.serialize_f64(value),
            None => serializer.serialize_none(),
        }
    }
}

/// One column; `Value` is how its cell is got from what a row is made of.
#[derive(Debug, Clone, Copy)]
pub struct Column<Value> {
    /// The name in the header: the unit comes last in it.
    pub name: &'static str,
    /// What it holds.
    pub unit: Unit,
    /// One sentence for the docs.
    pub sentence: &'static str,
    /// The cell.
    pub value: Value,
}

/// Makes a column; keeps the tables at one column a line or two.
pub(super) const fn column<Value>(
    name: &'static str,
    unit: Unit,
    value: Value,
    sentence: &'static str,
) -> Column<Value> {
    Column { name, unit, sentence, value }
}
