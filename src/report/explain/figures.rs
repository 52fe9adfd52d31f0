//! Numbers in a story.

use serde::Serialize;

use crate::report::column::Rounded;
use crate::report::words;

/// A number of a story.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figure {
    /// What it is: a path, most often of the same file.
    pub name: String,
    /// Its value, with ten digits.
    #[serde(serialize_with = "rounded")]
    pub value: f64,
    /// Its unit.
    pub unit: &'static str,
    /// As it is printed.
    pub text: String,
}

fn rounded<S: serde::Serializer>(value: &f64, serializer: S) -> Result<S::Ok, S::Error> {
    Rounded(*value).serialize(serializer)
}

/// Notes every number that it puts into words.
#[derive(Debug, Default)]
pub(super) struct Figures {
    /// In the order of the text.
    pub noted: Vec<Figure>,
}

impl Figures {
    fn note(&mut self, name: &str, value: f64, unit: &'static str, text: String) -> String {
        self.noted.push(Figure { name: name.to_owned(), value, unit, text: text.clone() });
        text
    }

    /// `79.5 s`: to one decimal, so that it can be found in the files; finer below a tenth.
    pub fn seconds(&mut self, name: &str, value: f64) -> String {
        let text = format!("{} s", decimal(value));
        self.note(name, value, "s", text)
    }

    /// `130.4 %`.
    pub fn percent(&mut self, name: &str, value: f64) -> String {
        self.note(name, value, "ratio", words::percent_to_one_decimal(value))
    }

    /// `167 rps`.
    pub fn rps(&mut self, name: &str, value: f64) -> String {
        self.note(name, value, "rps", words::rps(value))
    }

    /// `12`, `1,380`.
    pub fn count(&mut self, name: &str, value: f64) -> String {
        self.note(name, value, "count", words::count(value))
    }

    /// `1 instance`, `12 instances`.
    pub fn counted(&mut self, name: &str, value: u32, noun: &str) -> String {
        self.note(name, f64::from(value), "count", words::counted(u64::from(value), noun))
    }

    /// `3.9 ×`.
    pub fn times(&mut self, name: &str, value: f64) -> String {
        self.note(name, value, "ratio", words::times(value))
    }

    /// A whole number without thousands apart, such as a seed.
    pub fn number(&mut self, name: &str, value: u64) -> String {
        self.note(name, value as f64, "count", value.to_string())
    }

    /// A figure of a sentence that is put into words elsewhere.
    pub fn said(&mut self, name: &str, value: f64, unit: &'static str, text: &str) {
        self.note(name, value, unit, text.to_owned());
    }
}

/// To one decimal; below a tenth to the first two digits that are not 0.
fn decimal(value: f64) -> String {
    let text = match value.abs() {
        small if small > 0.0 && small < 0.001 => format!("{value:.6}"),
        small if small > 0.0 && small < 0.0995 => format!("{value:.3}"),
        _ => format!("{:.1}", value + 0.0),
    };
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text.is_empty() || text == "-0" { "0".to_owned() } else { text.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::decimal;

    #[test]
    fn seconds_keep_what_tells_them_apart() {
        for (value, text) in [
            (79.5, "79.5"),
            (60.0, "60"),
            (0.0, "0"),
            (100.0, "100"),
            (0.05, "0.05"),
            (0.002, "0.002"),
            (-4.25, "-4.2"),
            (9.96, "10"),
        ] {
            assert_eq!(decimal(value), text);
        }
    }
}
