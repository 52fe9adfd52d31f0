//! The values of a lever that are tried: round numbers from the file's own to the end of a range.

/// Values by place: 0 is the file's own.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Grid {
    /// The file's own.
    pub from: f64,
    /// The end of the range.
    pub until: f64,
    /// Values are multiples of this: 1 ÷ a whole number, or a whole number.
    pub resolution: f64,
}

impl Grid {
    /// The last place; 0 where the range is shorter than the resolution.
    pub fn last(&self) -> u32 {
        let (first, last) = self.ends();
        // A range of a million values takes twenty more halvings: enough for any lever.
        u32::try_from((last - first).unsigned_abs()).unwrap_or(u32::MAX).min(1_000_000)
    }

    /// The value of a place.
    pub fn value(&self, place: u32) -> f64 {
        if place == 0 {
            return self.from;
        }
        let (first, last) = self.ends();
        let up = if last >= first { 1 } else { -1 };
        let multiple = (first + up * i64::from(place)) as f64;
        // 57 ÷ 100 is the nearest to 0.57, 57 × 0.01 is not.
        let value = match self.resolution < 1.0 {
            true => multiple / (1.0 / self.resolution).round(),
            false => multiple * self.resolution,
        };
        let (least, most) = (self.from.min(self.until), self.from.max(self.until));
        value.clamp(least, most)
    }

    /// In multiples of the resolution: the last one before the first value, and the last value.
    fn ends(&self) -> (i64, i64) {
        let multiples = |value: f64| value / self.resolution;
        if self.until >= self.from {
            let first = (multiples(self.from) + 1e-9).floor();
            (first as i64, (multiples(self.until) - 1e-9).ceil() as i64)
        } else {
            let first = (multiples(self.from) - 1e-9).ceil();
            (first as i64, (multiples(self.until) + 1e-9).floor() as i64)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_round_and_within_the_range() {
        let up = Grid { from: 0.123, until: 0.155, resolution: 0.01 };
        let values: Vec<f64> = (0..=up.last()).map(|place| up.value(place)).collect();
        assert_eq!(values, [0.123, 0.13, 0.14, 0.15, 0.155]);
        let down = Grid { from: 12.0, until: 9.5, resolution: 1.0 };
        let values: Vec<f64> = (0..=down.last()).map(|place| down.value(place)).collect();
        assert_eq!(values, [12.0, 11.0, 10.0, 9.5]);
        assert_eq!(Grid { from: 3.0, until: 3.0, resolution: 1.0 }.last(), 0);
    }
}
