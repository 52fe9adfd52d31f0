//! How many runs the searches take.

/// How many seeds the searches ask.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Effort {
    /// Seeds of the point of no return; at least 1.
    pub return_seeds: u32,
    /// Of those, how many must be saved; from 1 to `return_seeds`.
    pub return_enough: u32,
    /// Seeds of each value of a lever; at least 1.
    pub lever_seeds: u32,
}

impl Effort {
    /// What a person waits for.
    pub const FULL: Self = Self { return_seeds: 15, return_enough: 8, lever_seeds: 10 };

    /// About how many runs all searches take together: every lever and the point of no return, by
    /// bisection.
    #[must_use]
    pub const fn runs(&self) -> u32 {
        const LEVERS: u32 = 5;
        const VALUES_OF_LEVER: u32 = 14;
        const MOMENTS: u32 = 11;
        2 + MOMENTS * self.return_seeds + LEVERS * VALUES_OF_LEVER * self.lever_seeds
    }
}
