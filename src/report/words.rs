//! Quantities as a person says them.

/// A stable fleet that kept less than this share of requests held in the end, but not all along.
pub(super) const HELD: f64 = 0.95;

/// `2 min 45 s`, `7.5 s`, `1 h 2 min`; seconds to one decimal below ten.
#[must_use]
pub(super) fn duration(seconds: f64) -> String {
    if seconds < 9.95 {
        return format!("{} s", one_decimal(seconds));
    }
    let whole = seconds.round() as u64;
    let (hours, minutes, rest) = (whole / 3600, whole / 60 % 60, whole % 60);
    match (hours, minutes, rest) {
        (0, 0, rest) => format!("{rest} s"),
        (0, minutes, 0) => format!("{minutes} min"),
        (0, minutes, rest) => format!("{minutes} min {rest} s"),
        (hours, 0, _) => format!("{hours} h"),
        (hours, minutes, _) => format!("{hours} h {minutes} min"),
    }
}

/// `2m 45s`, for a table.
#[must_use]
pub(super) fn short_duration(seconds: f64) -> String {
    duration(seconds).replace(" min", "m").replace(" s", "s").replace(" h", "h")
}

/// `68 %`; near all or nothing with a decimal, and never rounded to all or to nothing.
#[must_use]
pub(super) fn percent(ratio: f64) -> String {
    let percent = 100.0 * ratio;
    if ratio >= 1.0 || ratio <= 0.0 {
        format!("{} %", one_decimal(percent))
    } else if percent > 99.0 {
        format!("{} %", one_decimal((10.0 * percent).floor() / 10.0))
    } else if percent < 0.1 {
        "< 0.1 %".to_owned()
    } else if percent < 1.0 {
        format!("{} %", one_decimal(percent))
    } else {
        format!("{percent:.0} %")
    }
}

/// `130.4 %`: to one decimal.
#[must_use]
pub(super) fn percent_to_one_decimal(ratio: f64) -> String {
    format!("{} %", one_decimal(100.0 * ratio))
}

/// `501 rps`; to one decimal below 100, thousands apart.
#[must_use]
pub(super) fn rps(rps: f64) -> String {
    if rps < 99.95 { format!("{} rps", one_decimal(rps)) } else { format!("{} rps", grouped(rps)) }
}

/// `410`, `1,380`, `7.5`: to one decimal below ten.
#[must_use]
pub(super) fn count(count: f64) -> String {
    if count < 9.95 { one_decimal(count) } else { grouped(count) }
}

/// `3.9 ×`, `16 ×`: how many times as much; to one decimal below ten.
#[must_use]
pub(super) fn times(factor: f64) -> String {
    format!("{} ×", count(factor))
}

/// `1 pool`, `3 pools`.
#[must_use]
pub(super) fn counted(count: u64, noun: &str) -> String {
    let plural = if count == 1 { "" } else { "s" };
    format!("{count} {noun}{plural}")
}

/// `a`, `a and b`, `a, b and c`.
#[must_use]
pub(super) fn listed(names: &[&str]) -> String {
    match names {
        [] => String::new(),
        [only] => (*only).to_owned(),
        [first @ .., last] => format!("{} and {last}", first.join(", ")),
    }
}

fn one_decimal(value: f64) -> String {
    let text = format!("{:.1}", value + 0.0);
    text.strip_suffix(".0").unwrap_or(&text).to_owned()
}

fn grouped(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_like_speech() {
        let words = [0.0, 0.5, 9.94, 9.96, 59.6, 60.0, 165.2, 3600.0, 3720.0].map(duration);
        let expected =
            ["0 s", "0.5 s", "9.9 s", "10 s", "1 min", "1 min", "2 min 45 s", "1 h", "1 h 2 min"];
        assert_eq!(words, expected);
    }

    #[test]
    fn percentages_never_overstate() {
        let words = [0.0, 0.0001, 0.237, 0.6803, 0.9996, 1.0, 1.304].map(percent);
        assert_eq!(words, ["0 %", "< 0.1 %", "24 %", "68 %", "99.9 %", "100 %", "130.4 %"]);
    }

    #[test]
    fn rates_have_their_thousands_apart() {
        assert_eq!(
            [62.72, 501.1, 1380.0, 1_234_567.0].map(rps),
            ["62.7 rps", "501 rps", "1,380 rps", "1,234,567 rps"]
        );
    }
}
