//! Checked newtypes for the quantities that a user can give.
//!
//! A value of one of these types is finite and within its range, so the code behind them never has
//! to ask again.

use thiserror::Error;

/// Why a number is not a value of a unit.
#[derive(Debug, Clone, Copy, PartialEq, Error)]
pub enum UnitError {
    /// The number is NaN or infinite.
    #[error("must be a finite number")]
    NotFinite,
    /// The number is below zero.
    #[error("must not be negative")]
    Negative,
    /// The number is over the largest value that makes sense.
    #[error("must be at most {0}")]
    TooLarge(f64),
}

fn checked(value: f64, most: f64) -> Result<f64, UnitError> {
    if !value.is_finite() {
        Err(UnitError::NotFinite)
    } else if value < 0.0 {
        Err(UnitError::Negative)
    } else if value > most {
        Err(UnitError::TooLarge(most))
    } else {
        Ok(value + 0.0) // turns -0.0 into 0.0
    }
}

macro_rules! unit {
    ($(#[$doc:meta])* $name:ident, $most:expr) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, PartialOrd, Default)]
        pub struct $name(f64);

        impl $name {
            /// Zero.
            pub const ZERO: Self = Self(0.0);
            /// The largest value that is accepted.
            pub const MOST: Self = Self($most);

            /// Checks and wraps a plain number.
            ///
            /// # Errors
            /// When it is not finite, negative, or over [`Self::MOST`].
            pub fn new(value: f64) -> Result<Self, UnitError> {
                checked(value, $most).map(Self)
            }

            /// The plain number.
            #[must_use]
            pub const fn get(self) -> f64 {
                self.0
            }
        }
    };
}

unit!(
    /// A duration or a point in simulated time, in seconds; at most a year.
    Seconds,
    31_536_000.0
);
unit!(
    /// A rate in requests a second; at most 10¹².
    Rps,
    1e12
);
unit!(
    /// A share or a multiple, 0 or more: 0.15 is 15 %; at most 10⁶.
    Ratio,
    1e6
);

impl Ratio {
    /// All of something.
    pub const ONE: Self = Self(1.0);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_what_is_not_a_quantity() {
        assert_eq!(Seconds::new(f64::NAN), Err(UnitError::NotFinite));
        assert_eq!(Rps::new(f64::INFINITY), Err(UnitError::NotFinite));
        assert_eq!(Ratio::new(-0.1), Err(UnitError::Negative));
        assert!(matches!(Seconds::new(1e9), Err(UnitError::TooLarge(_))));
        assert_eq!(Seconds::new(-0.0).map(Seconds::get).map(f64::to_bits), Ok(0));
    }
}
