//! Round numbers for axes.

/// Ticks from 0 to the first round number at or over `most`, in about `count` round steps.
pub fn nice_ticks(most: f64, count: u32) -> Vec<f64> {
    let most = if most > 0.0 { most } else { 1.0 };
    let rough = most / f64::from(count.max(1));
    let power = libm::pow(10.0, libm::floor(libm::log10(rough)));
    let step = [1.0, 2.0, 2.5, 5.0, 10.0]
        .into_iter()
        .map(|factor| factor * power)
        .find(|step| *step >= rough * (1.0 - 1e-9))
        .unwrap_or(10.0 * power);
    let steps = (most / step - 1e-9).ceil().max(1.0) as u32;
    (0..=steps).map(|index| f64::from(index) * step).collect()
}

/// Decimals that tell ticks of this step apart.
pub fn decimals(step: f64) -> usize {
    (0..9).find(|digits| is_whole(step * libm::pow(10.0, *digits as f64))).unwrap_or(9)
}

fn is_whole(value: f64) -> bool {
    (value - value.round()).abs() < 1e-6 * value.abs().max(1e-3)
}

/// Ticks of a time axis.
#[derive(Debug, Clone, PartialEq)]
pub struct TimeTicks {
    /// Where they are, in seconds.
    pub at_s: Vec<f64>,
    /// The unit of their numbers, in seconds.
    pub unit_s: f64,
    /// The unit's word, many.
    pub unit: &'static str,
    /// Decimals of their numbers.
    pub digits: usize,
}

/// Round times within `from_s..=to_s`, 0 among them if it is there, at most `most` of them.
pub fn time_ticks(from_s: f64, to_s: f64, most: u32) -> TimeTicks {
    const STEPS_S: [f64; 24] = [
        1.0,
        2.0,
        5.0,
        10.0,
        15.0,
        30.0,
        60.0,
        120.0,
        300.0,
        600.0,
        900.0,
        1800.0,
        3600.0,
        7200.0,
        14_400.0,
        21_600.0,
        43_200.0,
        86_400.0,
        172_800.0,
        432_000.0,
        864_000.0,
        1_728_000.0,
        4_320_000.0,
        8_640_000.0,
    ];
    let span_s = (to_s - from_s).max(1e-9);
    let (unit_s, unit) = match span_s {
        s if s < 180.0 => (1.0, "seconds"),
        s if s < 3.0 * 3600.0 => (60.0, "minutes"),
        s if s < 3.0 * 86_400.0 => (3600.0, "hours"),
        _ => (86_400.0, "days"),
    };
    let rough_s = span_s / f64::from(most.max(1));
    let fine_s = || nice_ticks(span_s, most).get(1).copied().unwrap_or(span_s);
    let step_s = match rough_s {
        rough_s if rough_s < 1.0 => fine_s(),
        rough_s => STEPS_S.into_iter().find(|step_s| *step_s >= rough_s).unwrap_or_else(fine_s),
    };
    let first = (from_s / step_s - 1e-9).ceil() as i64;
    let last = (to_s / step_s + 1e-9).floor() as i64;
    let at_s = (first..=last).map(|index| index as f64 * step_s).collect();
    TimeTicks { at_s, unit_s, unit, digits: decimals(step_s / unit_s) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ticks_are_round_and_reach_the_top() {
        assert_eq!(nice_ticks(576.0, 5), [0.0, 200.0, 400.0, 600.0]);
        assert_eq!(nice_ticks(1.0, 4), [0.0, 0.25, 0.5, 0.75, 1.0]);
        assert_eq!(nice_ticks(0.0, 5).last(), Some(&1.0));
        for most in [1e-9, 0.3, 7.0, 99.9, 1e9, 3.3e12] {
            let ticks = nice_ticks(most, 6);
            assert!(ticks.len() >= 3 && ticks.len() <= 8, "{most}: {ticks:?}");
            assert!(*ticks.last().unwrap() >= most * (1.0 - 1e-8), "{most}");
        }
    }

    #[test]
    fn decimals_show_the_step() {
        assert_eq!([1.0, 0.25, 0.5, 20.0].map(decimals), [0, 2, 1, 0]);
    }

    #[test]
    fn times_are_in_the_unit_that_fits() {
        let minutes = time_ticks(-60.0, 600.0, 12);
        assert_eq!((minutes.unit, minutes.at_s[1]), ("minutes", 0.0));
        assert_eq!(minutes.at_s.len(), 12);
        assert_eq!(time_ticks(0.0, 90.0, 12).unit, "seconds");
        assert_eq!(time_ticks(0.0, 86_400.0, 12).unit, "hours");
        assert_eq!(time_ticks(0.0, 3.1e7, 12).unit, "days");
        assert!(time_ticks(0.0, 0.5, 12).at_s.len() <= 13);
        assert!(time_ticks(5.0, 5.0, 12).at_s.len() <= 13);
    }
}
