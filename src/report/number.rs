//! Numbers as text: the shortest decimal of a value rounded to ten significant digits.
//!
//! Written by hand because a timeline holds tens of thousands of numbers and `format!` would take
//! longer than the simulation. Only IEEE multiplication, division and comparison are used, so the
//! bytes are the same on every platform.

/// Powers of ten that a double holds exactly.
const POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16,
    1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
];
const TEN_DIGITS: f64 = 1e10;
const NINE_ZEROS: u64 = 1_000_000_000;

/// Room for any number.
#[derive(Debug, Clone, Copy)]
pub struct NumberBuffer {
    bytes: [u8; 40],
    length: usize,
}

impl NumberBuffer {
    /// An empty buffer.
    #[must_use]
    pub const fn new() -> Self {
        Self { bytes: [0; 40], length: 0 }
    }

    /// The text of a number: plain from a millionth to 10¹⁶, else with an exponent; never `-0`.
    /// Empty for what is not finite.
    pub fn number(&mut self, value: f64) -> &[u8] {
        self.length = 0;
        let magnitude = value.abs();
        if !magnitude.is_finite() {
            return &[];
        }
        if value < 0.0 {
            self.push(b'-');
        }
        let whole = magnitude as u64;
        if magnitude < TEN_DIGITS && whole as f64 == magnitude {
            self.push_integer(whole);
        } else {
            let (digits, exponent) = ten_digits(magnitude);
            self.push_decimal(digits, exponent);
        }
        &self.bytes[..self.length]
    }

    /// The text of a whole number.
    pub fn integer(&mut self, value: u64) -> &[u8] {
        self.length = 0;
        self.push_integer(value);
        &self.bytes[..self.length]
    }

    fn push(&mut self, byte: u8) {
        self.bytes[self.length] = byte;
        self.length += 1;
    }

    fn push_zeros(&mut self, count: usize) {
        for _ in 0..count {
            self.push(b'0');
        }
    }

    fn push_integer(&mut self, value: u64) {
        let mut buffer = itoa::Buffer::new();
        let text = buffer.format(value).as_bytes();
        let end = self.length + text.len();
        self.bytes[self.length..end].copy_from_slice(text);
        self.length = end;
    }

    /// `digits` is ten digits without a leading zero; the first stands for 10^`exponent`.
    fn push_decimal(&mut self, digits: u64, exponent: i32) {
        let (digits, count) = without_trailing_zeros(digits);
        let start = self.length;
        if (-6..0).contains(&exponent) {
            self.push(b'0');
            self.push(b'.');
            self.push_zeros((-exponent - 1) as usize);
            self.push_integer(digits);
        } else if (0..16).contains(&exponent) {
            self.push_integer(digits);
            let before_point = exponent as usize + 1;
            if before_point < count {
                self.insert_point(start + before_point);
            } else {
                self.push_zeros(before_point - count);
            }
        } else {
            self.push_integer(digits);
            if count > 1 {
                self.insert_point(start + 1);
            }
            self.push(b'e');
            if exponent < 0 {
                self.push(b'-');
            }
            self.push_integer(u64::from(exponent.unsigned_abs()));
        }
    }

    fn insert_point(&mut self, at: usize) {
        self.bytes.copy_within(at..self.length, at + 1);
        self.bytes[at] = b'.';
        self.length += 1;
    }
}

impl Default for NumberBuffer {
    fn default() -> Self {
        Self::new()
    }
}

fn without_trailing_zeros(mut digits: u64) -> (u64, usize) {
    let mut count = 10;
    if digits.is_multiple_of(100_000) {
        digits /= 100_000;
        count -= 5;
    }
    while digits.is_multiple_of(10) {
        digits /= 10;
        count -= 1;
    }
    (digits, count)
}

/// The first ten digits of a positive number, rounded, and the exponent of the first.
fn ten_digits(magnitude: f64) -> (u64, i32) {
    let binary_exponent = ((magnitude.to_bits() >> 52) as i32) - 1023;
    // log10(2) is close to 1233 ÷ 4096; off by one at most, mended below.
    let mut exponent = (binary_exponent * 1233) >> 12;
    if !(-12..=30).contains(&exponent) {
        return ten_digits_of_extreme(magnitude);
    }
    let mut scaled = scale(magnitude, 9 - exponent);
    if scaled >= TEN_DIGITS {
        exponent += 1;
        scaled = scale(magnitude, 9 - exponent);
    } else if scaled < 1e9 {
        exponent -= 1;
        scaled = scale(magnitude, 9 - exponent);
    }
    carry((scaled + 0.5) as u64, exponent)
}

fn scale(magnitude: f64, power: i32) -> f64 {
    let factor = POWERS[power.unsigned_abs() as usize];
    if power < 0 { magnitude / factor } else { magnitude * factor }
}

fn carry(digits: u64, exponent: i32) -> (u64, i32) {
    if digits >= 10 * NINE_ZEROS { (NINE_ZEROS, exponent + 1) } else { (digits, exponent) }
}

/// Slow and right for any positive number: those whose power of ten a double does not hold.
fn ten_digits_of_extreme(magnitude: f64) -> (u64, i32) {
    let text = format!("{magnitude:.9e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let digits = mantissa.bytes().filter(u8::is_ascii_digit);
    let digits = digits.fold(0, |sum, digit| sum * 10 + u64::from(digit - b'0'));
    carry(digits, exponent.parse().unwrap_or(0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn text(value: f64) -> String {
        String::from_utf8_lossy(NumberBuffer::new().number(value)).into_owned()
    }

    #[test]
    fn numbers_are_short_and_plain() {
        for (value, expected) in [
            (0.0, "0"),
            (-0.0, "0"),
            (1.0, "1"),
            (280.0, "280"),
            (0.5, "0.5"),
            (0.1 + 0.2, "0.3"),
            (2.0 / 3.0, "0.6666666667"),
            (1000.0 / 3.0, "333.3333333"),
            (-1.25, "-1.25"),
            (9.999_999_999_99, "10"),
            (99_999.999_999_9, "100000"),
            (0.000_123_4, "0.0001234"),
            (0.000_001, "0.000001"),
            (1.5e-9, "1.5e-9"),
            (1e-300, "1e-300"),
            (12_345_678_901.234, "12345678900"),
            (1e12, "1000000000000"),
            (1.5e20, "1.5e20"),
            (f64::MAX, "1.797693135e308"),
            (5e-324, "4.940656458e-324"),
            (f64::NAN, ""),
            (f64::INFINITY, ""),
        ] {
            assert_eq!(text(value), expected, "{value:e}");
        }
        assert_eq!(NumberBuffer::new().integer(u64::MAX), b"18446744073709551615");
    }

    proptest! {
        #[test]
        fn numbers_read_back_to_ten_digits(value in prop_oneof![
            any::<f64>().prop_filter("finite", |v| v.is_finite()),
            -1e6..1e6f64,
            0.0..1.0f64,
            (0u32..10_000_000, 0i32..8).prop_map(|(m, k)| f64::from(m) / 10f64.powi(k)),
        ]) {
            let shown = text(value);
            prop_assert!(shown.len() <= 24 && shown != "-0");
            let read: f64 = shown.parse().expect("a number");
            let expected: f64 = format!("{value:.9e}").parse().expect("a number");
            // A tie within the last bit may fall either way.
            prop_assert!((read - expected).abs() <= 1.001e-9 * expected.abs());
            prop_assert!((read - value).abs() <= 0.500_001e-8 * value.abs() / 1.0);
        }
    }
}
