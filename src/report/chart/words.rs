//! Numbers and times as people write them.

/// A space that no line breaks at.
const NBSP: char = '\u{a0}';

/// A number with at most `digits` decimals, thousands set off by commas and a real minus sign.
pub fn number(value: f64, digits: usize) -> String {
    let plain = format!("{:.digits$}", value.abs());
    let (whole, decimals) = plain.split_once('.').unwrap_or((&plain, ""));
    let mut text = String::new();
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    let decimals = decimals.trim_end_matches('0');
    if !decimals.is_empty() {
        text = format!("{text}.{decimals}");
    }
    if value < 0.0 && text != "0" { format!("−{text}") } else { text }
}

/// A rate of requests: "320 rps", "1.25 million rps".
pub fn rate(rps: f64) -> String {
    let magnitude = Magnitude::of(if rps >= 1e6 { rps } else { 0.0 });
    let value = rps / magnitude.divisor;
    let digits = if value >= 100.0 { 0 } else { 3 - number(value, 0).len().min(2) };
    let unit = if magnitude.word.is_empty() { "" } else { magnitude.word };
    let space = if unit.is_empty() { "" } else { " " };
    format!("{}{NBSP}{unit}{space}rps", number(value, digits))
}

/// A share: "70 %"; one decimal where rounding would claim all or nothing.
pub fn percent(ratio: f64) -> String {
    let value = ratio * 100.0;
    let near_an_end = value > 0.0 && value < 1.0 || value > 99.0 && value < 100.0;
    let text = match near_an_end {
        true if value > 99.0 => number((value * 10.0).floor() / 10.0, 1),
        true if value < 0.1 => format!("<{NBSP}0.1"),
        true => number(value, 1),
        false => number(value, 0),
    };
    format!("{text}{NBSP}%")
}

/// A utilization: "87 %", from ten times on "16 × capacity".
pub fn load(ratio: f64) -> String {
    if ratio < 9.995 {
        percent(ratio)
    } else {
        format!("{}{NBSP}×{NBSP}capacity", number(ratio, 0))
    }
}

/// A length of time: "4.5 s", "45 s", "2 min 45 s", "1 h 5 min", "2 d 3 h".
pub fn duration(seconds: f64) -> String {
    let sign = if seconds < 0.0 { "−" } else { "" };
    let seconds = seconds.abs();
    let tenths = 10.0 * seconds;
    if seconds < 0.995 && (tenths - tenths.round()).abs() > 1e-6 {
        return format!("{sign}{}{NBSP}ms", number(1000.0 * seconds, 1));
    }
    if seconds < 9.95 {
        return format!("{sign}{}{NBSP}s", number(seconds, 1));
    }
    let whole = if seconds < 3600.0 { seconds.round() } else { (seconds / 60.0).round() * 60.0 };
    let units = [("d", 86_400.0), ("h", 3600.0), ("min", 60.0), ("s", 1.0)];
    let mut left = whole;
    let mut parts = Vec::new();
    for (unit, length_s) in units {
        let count = (left / length_s).floor();
        left -= count * length_s;
        if count > 0.0 {
            parts.push(format!("{count}{NBSP}{unit}"));
        }
    }
    parts.truncate(2);
    format!("{sign}{}", parts.join(&NBSP.to_string()))
}

/// How large numbers of an axis are cut down.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Magnitude {
    /// What values are divided by.
    pub divisor: f64,
    /// Its word, empty for 1.
    pub word: &'static str,
}

impl Magnitude {
    /// That of an axis up to `most`.
    pub fn of(most: f64) -> Self {
        let (divisor, word) = match most {
            m if m >= 1e12 => (1e12, "trillion"),
            m if m >= 1e9 => (1e9, "billion"),
            m if m >= 1e6 => (1e6, "million"),
            m if m >= 1e5 => (1e3, "thousand"),
            _ => (1.0, ""),
        };
        Self { divisor, word }
    }
}

/// "a", "a and b", "a, b and c", "a, b and 7 more".
pub fn list(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [only] => only.clone(),
        [first, second] => format!("{first} and {second}"),
        [first, second, third] => format!("{first}, {second} and {third}"),
        [first, second, rest @ ..] => format!("{first}, {second} and {} more", rest.len()),
    }
}

/// A file or zone name as the subject of a sentence: "zone a", but "zone-3" as it is.
pub fn zone(name: &str) -> String {
    if name.to_lowercase().starts_with("zone") { name.to_owned() } else { format!("zone {name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_well() {
        let said = |s: f64| duration(s).replace(NBSP, " ");
        assert_eq!(said(165.0), "2 min 45 s");
        assert_eq!(said(45.2), "45 s");
        assert_eq!(said(4.5), "4.5 s");
        assert_eq!(said(0.5), "0.5 s");
        assert_eq!(said(0.05), "50 ms");
        assert_eq!(said(0.25), "250 ms");
        assert_eq!(said(9.96), "10 s");
        assert_eq!(said(59.7), "1 min");
        assert_eq!(said(3600.0), "1 h");
        assert_eq!(said(3929.0), "1 h 5 min");
        assert_eq!(said(3599.8), "1 h");
        assert_eq!(said(0.0), "0 s");
        assert_eq!(said(-30.0), "−30 s");
        assert_eq!(said(190_800.0), "2 d 5 h");
    }

    #[test]
    fn numbers_and_shares_read_well() {
        let said = |ratio: f64| percent(ratio).replace(NBSP, " ");
        assert_eq!(number(1_234_567.0, 0), "1,234,567");
        assert_eq!(number(-0.25, 2), "−0.25");
        assert_eq!(number(-0.001, 1), "0");
        assert_eq!(number(2.50, 2), "2.5");
        assert_eq!(said(0.7), "70 %");
        assert_eq!(said(0.9999), "99.9 %");
        assert_eq!(said(1.0), "100 %");
        assert_eq!(said(0.0), "0 %");
        assert_eq!(said(0.0001), "< 0.1 %");
        assert_eq!(
            (load(1.304), load(16.05)),
            ("130\u{a0}%".into(), "16\u{a0}×\u{a0}capacity".into())
        );
        assert_eq!(rate(166.96).replace(NBSP, " "), "167 rps");
        assert_eq!(rate(1.25e9).replace(NBSP, " "), "1.25 billion rps");
    }

    #[test]
    fn names_are_listed_shortly() {
        let names: Vec<String> = ["a", "b", "c", "d"].map(String::from).into();
        assert_eq!(list(&names[..2]), "a and b");
        assert_eq!(list(&names), "a, b and 2 more");
        assert_eq!((zone("a"), zone("zone-3")), ("zone a".into(), "zone-3".into()));
    }
}
