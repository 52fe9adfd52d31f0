//! Durations and ratios as they are written.

/// Units of a duration, the longest word first, and their length in nanoseconds.
const UNITS: [(&str, u128); 8] = [
    ("min", 60_000_000_000),
    ("ms", 1_000_000),
    ("us", 1_000),
    ("ns", 1),
    ("s", 1_000_000_000),
    ("m", 60_000_000_000),
    ("h", 3_600_000_000_000),
    ("d", 86_400_000_000_000),
];
/// Digits of a number that are read; more is no duration.
const MOST_DIGITS: usize = 20;

/// Why a text is no duration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum NotADuration {
    /// A number without a unit.
    NoUnit,
    /// Units of the calendar, which have no fixed length.
    Calendar,
    /// Something below zero.
    Negative,
    /// Anything else.
    Other,
}

/// Reads a duration such as `250ms`, `1.5h` or `1m 30s`, in seconds.
pub(super) fn parse_duration_s(text: &str) -> Result<f64, NotADuration> {
    let mut rest = text.trim();
    if rest.starts_with('-') {
        return Err(NotADuration::Negative);
    }
    if rest.is_empty() {
        return Err(NotADuration::Other);
    }
    let mut total_ns = 0_u128;
    while !rest.is_empty() {
        let (number, after) = split_where(rest, |c| c.is_ascii_digit() || c == '.' || c == '_');
        let (unit, after) = split_where(after.trim_start(), char::is_alphabetic);
        if number.is_empty() {
            return Err(NotADuration::Other);
        }
        total_ns = length_ns(number, unit)?
            .and_then(|part_ns| total_ns.checked_add(part_ns))
            .ok_or(NotADuration::Other)?;
        rest = after.trim_start();
    }
    Ok(total_ns as f64 / 1e9)
}

fn split_where(text: &str, belongs: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at(text.find(|c| !belongs(c)).unwrap_or(text.len()))
}

/// `None` when it is no number, or finer than a nanosecond.
fn length_ns(number: &str, unit: &str) -> Result<Option<u128>, NotADuration> {
    let unit_ns = match unit {
        "" => return Err(NotADuration::NoUnit),
        "µs" | "μs" => 1_000,
        _ if is_calendar(unit) => return Err(NotADuration::Calendar),
        _ => {
            let known = UNITS.iter().find(|(word, _)| *word == unit);
            known.ok_or(NotADuration::Other)?.1
        }
    };
    let plain = number.replace('_', "");
    let (whole, fraction) = plain.split_once('.').unwrap_or((&plain, "0"));
    if whole.len().max(fraction.len()) > MOST_DIGITS || whole.is_empty() || fraction.is_empty() {
        return Ok(None);
    }
    let (Ok(whole), Ok(part)) = (whole.parse::<u128>(), fraction.parse::<u128>()) else {
        return Ok(None);
    };
    let scale = 10_u128.pow(u32::try_from(fraction.len()).unwrap_or(0));
    let part_ns = part.checked_mul(unit_ns).filter(|ns| ns % scale == 0).map(|ns| ns / scale);
    Ok(whole.checked_mul(unit_ns).zip(part_ns).and_then(|(a, b)| a.checked_add(b)))
}

fn is_calendar(unit: &str) -> bool {
    ["w", "week", "mo", "month", "y", "yr", "year"]
        .iter()
        .any(|word| unit == *word || unit.strip_suffix('s') == Some(word))
}

/// Writes a duration as one number and the largest unit that keeps it whole, or the least parts.
pub(super) fn format_duration(seconds: f64) -> String {
    let mut rest_ns = (seconds * 1e9).round() as u128;
    if rest_ns == 0 {
        return "0s".to_owned();
    }
    let mut out = String::new();
    for (word, unit_ns) in [
        ("h", 3_600_000_000_000),
        ("m", 60_000_000_000),
        ("s", 1_000_000_000),
        ("ms", 1_000_000),
        ("us", 1_000),
        ("ns", 1),
    ] {
        if rest_ns >= unit_ns {
            out.push_str(&format!("{}{word}", rest_ns / unit_ns));
            rest_ns %= unit_ns;
        }
    }
    out
}

/// Reads `15%` as 0.15; none when it is no percentage.
pub(super) fn parse_percent(text: &str) -> Option<f64> {
    let number = text.trim().strip_suffix('%')?.trim_end().replace('_', "");
    let is_plain = number.chars().all(|c| c.is_ascii_digit() || ".-+".contains(c));
    number.parse::<f64>().ok().filter(|_| is_plain).map(|percent| percent / 100.0)
}

/// Writes a ratio as a percentage where that reads back as the same number, and a large one plain.
pub(super) fn format_ratio(ratio: f64) -> String {
    if ratio > 10.0 {
        return ratio.to_string();
    }
    let percent = format!("{}%", (ratio * 1e14).round() / 1e12);
    if parse_percent(&percent) == Some(ratio) {
        format!("\"{percent}\"")
    } else {
        ratio.to_string()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations() {
        for (text, seconds) in [
            ("250ms", 0.25),
            ("1m30s", 90.0),
            ("1m 30s", 90.0),
            ("2h", 7200.0),
            ("1.5h", 5400.0),
            ("0s", 0.0),
            ("1_000ms", 1.0),
            ("20 s", 20.0),
            ("3min", 180.0),
            ("10µs", 1e-5),
        ] {
            assert_eq!(parse_duration_s(text), Ok(seconds), "{text}");
        }
        for (text, why) in [
            ("12", NotADuration::NoUnit),
            ("1m30", NotADuration::NoUnit),
            ("2 months", NotADuration::Calendar),
            ("1y", NotADuration::Calendar),
            ("-3s", NotADuration::Negative),
            ("", NotADuration::Other),
            ("s", NotADuration::Other),
            ("1.s", NotADuration::Other),
            ("1..2s", NotADuration::Other),
            ("0.1ns", NotADuration::Other),
            ("99999999999999999999999999s", NotADuration::Other),
            ("1 parsec", NotADuration::Other),
        ] {
            assert_eq!(parse_duration_s(text), Err(why), "{text}");
        }
    }

    #[test]
    fn what_is_written_reads_back() {
        for seconds in [0.0, 0.25, 1e-9, 90.0, 3661.001, 0.1, 1.0 / 3.0, 31_535_999.999_999] {
            let text = format_duration(seconds);
            let again = parse_duration_s(&text).unwrap_or(f64::NAN);
            assert!((again - seconds).abs() < 1e-8, "{text}");
            assert_eq!(format_duration(again), text);
        }
        assert_eq!(format_duration(90.0), "1m30s");
        for ratio in [0.15, 0.67, 1.0 / 3.0, 0.07, 1.2345e-5, 0.0, 1.4] {
            let text = format_ratio(ratio);
            let inner = text.trim_matches('"');
            let again = parse_percent(inner).or_else(|| inner.parse().ok());
            assert_eq!(again, Some(ratio), "{text}");
        }
        assert_eq!(format_ratio(0.15), "\"15%\"");
        assert_eq!(format_ratio(0.07), "\"7%\"");
    }
}
