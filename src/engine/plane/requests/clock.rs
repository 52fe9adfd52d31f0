//! Time in whole nanoseconds, so that instants are equal or not, and never nearly so.

/// Nanoseconds since the start of the warm-up.
pub type Nanos = u64;

/// A time that never comes.
pub const FAR: Nanos = u64::MAX / 4;

const PER_S: f64 = 1e9;

/// Boundaries of steps. The run's time 0 lies `warm_steps` after the plane's own.
#[derive(Debug, Clone, Copy, Default)]
pub struct Clock {
    /// Length of a step, s.
    pub step_s: f64,
    /// Steps before time 0.
    pub warm_steps: u32,
}

impl Clock {
    /// The boundary before which `warm_steps + step` steps have passed.
    #[must_use]
    pub fn boundary(&self, step: i64) -> Nanos {
        let steps = (i64::from(self.warm_steps) + step) as f64;
        (steps * self.step_s * PER_S).round() as Nanos
    }

    /// A time of the run.
    #[must_use]
    pub fn at(&self, time_s: f64) -> Nanos {
        self.boundary(0) + (time_s.max(0.0) * PER_S).round() as Nanos
    }

    /// A moment as time of the run, s; below 0 in the warm-up.
    #[must_use]
    pub fn time_s(&self, at: Nanos) -> f64 {
        (at as f64 - self.boundary(0) as f64) / PER_S
    }
}

/// A duration, s, in nanoseconds.
#[must_use]
pub fn nanos(seconds: f64) -> Nanos {
    (seconds * PER_S).round().clamp(0.0, FAR as f64) as Nanos
}

/// A time that lies so many nanoseconds after another, rounded half up; [`FAR`] where that is too
/// far to tell.
#[must_use]
#[inline]
pub fn later(from: Nanos, wait: f64) -> Nanos {
    if wait < FAR as f64 {
        // What `f64::round` does, in a few instructions.
        let whole = wait as i64;
        let up = i64::from(wait - whole as f64 >= 0.5);
        from + (whole + up) as Nanos
    } else {
        FAR
    }
}

/// Nanoseconds as seconds.
#[must_use]
pub fn seconds(nanos: Nanos) -> f64 {
    nanos as f64 / PER_S
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waits_are_rounded_half_up() {
        let big = 4_503_599_627_370_495.5;
        for wait in [0.0, 0.499_999_999_999_999_94, 0.5, 1.5, 2.5, 1e9 + 0.5, big, 1e18, 4e18] {
            assert_eq!(later(7, wait), 7 + wait.round() as Nanos, "{wait}");
        }
        for wait in [FAR as f64, 1e300, f64::INFINITY, f64::NAN] {
            assert_eq!(later(7, wait), FAR);
        }
    }
}
