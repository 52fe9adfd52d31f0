//! Phase 5: which failed tries are tried again, and when (MODEL §6). Both planes decide by this.

use crate::model::{Budget, Client, Jitter, Retry};

/// Tokens that retries take; one bucket an origin.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Bucket {
    tokens: f64,
}

/// Rounding of many deposits.
const NEARLY: f64 = 1e-9;

impl Bucket {
    /// As a client's budget begins: a ratio's bucket empty, a bucket of its own rate full.
    #[must_use]
    pub fn new(client: &Client) -> Self {
        match client.retry.and_then(|retry| retry.budget) {
            Some(Budget::Bucket { size, .. }) => Self { tokens: size },
            _ => Self::default(),
        }
    }

    /// Books so many first tries, which come at `first_rps`.
    pub fn deposit(&mut self, client: &Client, first_tries: f64, first_rps: f64) {
        if let Some(Budget::Ratio(share)) = client.retry.and_then(|retry| retry.budget) {
            let most = Self::most(share.get(), first_rps);
            self.tokens = (self.tokens + share.get() * first_tries).min(most);
        }
    }

    /// What a ratio's bucket holds: a second's worth, but never so little that it cannot hold one
    /// retry.
    fn most(share: f64, first_rps: f64) -> f64 {
        (share * first_rps).max(1.0)
    }

    /// Lets time pass.
    pub fn refill(&mut self, client: &Client, passed_s: f64) {
        if let Some(Budget::Bucket { rate, size }) = client.retry.and_then(|retry| retry.budget) {
            self.tokens = (self.tokens + rate.get() * passed_s).min(size);
        }
    }

    /// Takes tokens for up to `wanted` retries that are decided evenly over `passed_s`, while first
    /// tries come at `first_rps`; returns how many it grants. What comes in meanwhile may be taken
    /// as it comes: only what is left at the end has to fit the bucket.
    pub fn take(&mut self, client: &Client, wanted: f64, first_rps: f64, passed_s: f64) -> f64 {
        let (income, most) = match client.retry.and_then(|retry| retry.budget) {
            None => return wanted,
            Some(Budget::Ratio(share)) => {
                (share.get() * first_rps * passed_s, Self::most(share.get(), first_rps))
            }
            Some(Budget::Bucket { rate, size }) => (rate.get() * passed_s, size),
        };
        let granted = wanted.min(self.tokens + income);
        self.tokens = (self.tokens + income - granted).min(most);
        granted
    }

    /// Takes the token of one retry, if there is one.
    pub fn take_one(&mut self, client: &Client) -> bool {
        if client.retry.is_none_or(|retry| retry.budget.is_none()) {
            return true;
        }
        let has_one = self.tokens >= 1.0 - NEARLY;
        if has_one {
            self.tokens = (self.tokens - 1.0).max(0.0);
        }
        has_one
    }
}

/// How a try ended that its client may try again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// Refused on purpose.
    Shed,
    /// Refused by a full queue or limit, or a deadline.
    Rejected,
    /// Sent to or inside a dead instance, or failed by an event or a callee.
    Lost,
    /// Its client gave up.
    TimedOut,
}

/// May a try that ended so be followed by another? `attempt` counts tries from 1.
#[must_use]
pub fn may_retry(client: &Client, failure: Failure, attempt: u32) -> bool {
    client.retry.is_some_and(|retry| {
        attempt < retry.max_attempts && (failure != Failure::Shed || retry.on_shed)
    })
}

/// The wait before the try after number `attempt`, s: `draw` in (0, 1) is the luck of the jitter.
#[must_use]
pub fn backoff_s(retry: &Retry, attempt: u32, draw: f64) -> f64 {
    let full_s = retry.backoff.before_retry_s(attempt);
    match retry.jitter {
        Jitter::None => full_s,
        Jitter::Full => full_s * draw,
    }
}
