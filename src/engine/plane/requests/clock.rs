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

/// Nanoseconds as seconds.
#[must_use]
pub fn seconds(nanos: Nanos) -> f64 {
    nanos as f64 / PER_S
}
