//! How callers behave.

use crate::units::{Ratio, Rps, Seconds};

/// How callers behave.
#[derive(Debug, Clone, PartialEq)]
pub struct Client {
    /// Its name in the file.
    pub name: String,
    /// After this an answer is late; without one every answer is in time.
    pub timeout: Option<Seconds>,
    /// Does giving up free the server?
    pub cancel: bool,
    /// How failed tries are tried again; never without one.
    pub retry: Option<Retry>,
}

/// Most tries of a request that a client may make.
pub const MOST_ATTEMPTS: u32 = 64;

/// How failed tries are tried again (MODEL §6).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Retry {
    /// Tries in all, the first included; from 1 to [`MOST_ATTEMPTS`].
    pub max_attempts: u32,
    /// How long to wait before the next try.
    pub backoff: Backoff,
    /// Is the wait drawn evenly between 0 and its full length?
    pub jitter: Jitter,
    /// How many retries there may be; any number without one.
    pub budget: Option<Budget>,
    /// Are tries that were shed tried again?
    pub on_shed: bool,
}

/// How long to wait after a failure.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Backoff {
    /// Not at all.
    None,
    /// Always as long.
    Fixed {
        /// How long.
        base: Seconds,
    },
    /// Twice as long each time.
    Exponential {
        /// Before the first retry.
        base: Seconds,
        /// Never longer than this, if given.
        most: Option<Seconds>,
    },
}

impl Backoff {
    /// The full length of the wait before retry number `retry`, from 1, s.
    #[must_use]
    pub fn before_retry_s(self, retry: u32) -> f64 {
        match self {
            Self::None => 0.0,
            Self::Fixed { base } => base.get(),
            Self::Exponential { base, most } => {
                let doubled = libm::ldexp(base.get(), retry.saturating_sub(1).min(1_000) as i32);
                doubled.min(most.unwrap_or(Seconds::MOST).get())
            }
        }
    }
}

/// Whether waits are spread out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Jitter {
    /// Every wait has its full length.
    None,
    /// Uniform between 0 and the full length.
    Full,
}

/// What limits retries. Each origin of tries has a bucket of its own; a retry takes one token when
/// it is decided on.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Budget {
    /// Each first try deposits this share of a token; the bucket starts empty and holds at most one
    /// second of deposits.
    Ratio(Ratio),
    /// Tokens come at a rate of their own; the bucket starts full.
    Bucket {
        /// Tokens a second.
        rate: Rps,
        /// Most tokens that it holds; at least 1.
        size: f64,
    },
}
