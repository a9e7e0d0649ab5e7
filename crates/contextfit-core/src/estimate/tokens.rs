use std::fmt;
use std::iter::Sum;
use std::ops::{Add, AddAssign};

/// A number of tokens with a fraction, as a fixed-point number.
///
/// Estimators deal in fractions so that many small pieces don't each lose one to rounding;
/// a message is rounded once, when all of it is counted. All arithmetic saturates.
///
/// ```
/// use contextfit_core::estimate::TokenCount;
///
/// let third = TokenCount::ratio(1, 3);
/// assert_eq!((third + third).floor(), 0);
/// assert_eq!((third + third + third).floor(), 1);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TokenCount(u64);

impl TokenCount {
    /// No token.
    pub const ZERO: Self = Self(0);

    /// Units in a token. Divisible by every number up to 12, so that the usual divisors of a
    /// character count stay exact.
    pub const UNITS: u64 = 27_720;

    /// Whole tokens.
    #[must_use]
    pub const fn tokens(tokens: u64) -> Self {
        Self(tokens.saturating_mul(Self::UNITS))
    }

    /// A number of [`UNITS`](Self::UNITS).
    #[must_use]
    pub const fn units(units: u64) -> Self {
        Self(units)
    }

    /// `numerator ⁄ denominator` tokens, rounded down to a unit. A denominator of 0 counts
    /// as 1.
    #[must_use]
    pub const fn ratio(numerator: u64, denominator: u64) -> Self {
        let denominator = if denominator == 0 { 1 } else { denominator };
        match numerator.checked_mul(Self::UNITS) {
            Some(units) => Self(units / denominator),
            // Too large to multiply first; what the division loses no longer matters.
            None => Self((numerator / denominator).saturating_mul(Self::UNITS)),
        }
    }

    /// Whole tokens, rounded down.
    #[must_use]
    pub const fn floor(self) -> u64 {
        self.0 / Self::UNITS
    }

    /// Whole tokens, rounded up.
    #[must_use]
    pub const fn ceil(self) -> u64 {
        self.0.div_ceil(Self::UNITS)
    }
}

impl TokenCount {
    /// What is left of it without `other`, at least nothing.
    #[must_use]
    pub const fn saturating_sub(self, other: Self) -> Self {
        Self(self.0.saturating_sub(other.0))
    }

    /// `numerator ⁄ denominator` times as many, rounded down to a unit. A denominator of 0 counts
    /// as 1.
    #[must_use]
    pub const fn scaled(self, numerator: u64, denominator: u64) -> Self {
        let denominator = if denominator == 0 { 1 } else { denominator };
        let units = self.0 as u128 * numerator as u128 / denominator as u128;
        Self(if units > u64::MAX as u128 {
            u64::MAX
        } else {
            units as u64
        })
    }
}

/// In decimals, of which two are kept: `1.33`.
impl fmt::Display for TokenCount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (whole, rest) = (self.floor(), self.0 % Self::UNITS);
        match rest * 100 / Self::UNITS {
            0 if rest == 0 => write!(f, "{whole}"),
            hundredths => write!(f, "{whole}.{hundredths:02}"),
        }
    }
}

impl Add for TokenCount {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self(self.0.saturating_add(other.0))
    }
}

impl AddAssign for TokenCount {
    fn add_assign(&mut self, other: Self) {
        *self = *self + other;
    }
}

impl Sum for TokenCount {
    fn sum<I: Iterator<Item = Self>>(counts: I) -> Self {
        counts.fold(Self::ZERO, Add::add)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_once() {
        let quarters: TokenCount = std::iter::repeat_n(TokenCount::ratio(1, 4), 7).sum();
        assert_eq!((quarters.floor(), quarters.ceil()), (1, 2));
        assert_eq!(TokenCount::tokens(3).ceil(), 3);
        assert_eq!(TokenCount::tokens(3).scaled(5, 2).floor(), 7);
    }

    #[test]
    fn a_part_of_a_token_is_shown() {
        let shown = |numerator, denominator| TokenCount::ratio(numerator, denominator).to_string();
        assert_eq!(
            [shown(4, 3), shown(6, 3), shown(1, 1_000), shown(49, 12)],
            ["1.33", "2", "0.00", "4.08"]
        );
    }

    #[test]
    fn saturates() {
        let most = TokenCount::tokens(u64::MAX);
        assert_eq!(most + most, most);
        assert!(TokenCount::ratio(u64::MAX, 4) <= most);
        assert_eq!(TokenCount::ratio(5, 0), TokenCount::tokens(5));
        assert_eq!(most.scaled(3, 2), most);
        assert_eq!(TokenCount::tokens(5).scaled(1, 0), TokenCount::tokens(5));
    }
}
