//! What an instance has a limited amount of, beside workers (MODEL §4.3).

/// A resource of an instance.
#[derive(Debug, Clone, PartialEq)]
pub struct Resource {
    /// Its name in the file: `cpu`, `memory`, `slots`, or any other.
    pub name: String,
    /// What one instance has of it; over 0.
    pub limit: f64,
    /// How requests use it.
    pub usage: ResourceUse,
}

/// How requests use a resource.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ResourceUse {
    /// Used up: so much a request, against `limit` a second (core-seconds against cores).
    Consumed {
        /// Units a request; over 0.
        per_request: f64,
    },
    /// Held while a request is in flight, calls included.
    Held {
        /// Units a request; over 0.
        held: f64,
        /// Units that are always taken.
        base: f64,
        /// What happens when there is not enough left.
        when_full: WhenFull,
    },
}

/// What happens to a request that finds no room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WhenFull {
    /// It is rejected.
    Reject,
    /// It waits, and holds nothing until there is room.
    Queue,
    /// It kills the instance: it and all inside are lost, and the process restarts.
    Crash,
}

impl Resource {
    /// Requests that there is room for at a time; none for what is consumed.
    #[must_use]
    pub fn room(&self) -> Option<u64> {
        match self.usage {
            ResourceUse::Consumed { .. } => None,
            // 0.1 × 10 is 1, however it is rounded.
            ResourceUse::Held { held, base, .. } => {
                Some(((self.limit - base) / held + 1e-9).floor().max(0.0) as u64)
            }
        }
    }

    /// Requests a second that there is enough for; none for what is held.
    #[must_use]
    pub fn rate_rps(&self) -> Option<f64> {
        match self.usage {
            ResourceUse::Consumed { per_request } => Some(self.limit / per_request),
            ResourceUse::Held { .. } => None,
        }
    }

    /// What happens when it is full; none for what is consumed.
    #[must_use]
    pub const fn when_full(&self) -> Option<WhenFull> {
        match self.usage {
            ResourceUse::Consumed { .. } => None,
            ResourceUse::Held { when_full, .. } => Some(when_full),
        }
    }
}
