use std::time::Duration;

use crate::estimate::TokenCount;

/// What a sound costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct AudioTokens {
    /// Tokens of a second of it.
    pub per_second: u32,
    /// Tokens where nobody knows how long it is.
    pub unknown: u32,
}

impl AudioTokens {
    /// The same for any sound.
    #[must_use]
    pub const fn flat(tokens: u32) -> Self {
        Self {
            per_second: 0,
            unknown: tokens,
        }
    }

    /// What a sound of this length costs.
    #[must_use]
    pub fn count(self, duration: Option<Duration>) -> TokenCount {
        match duration {
            Some(duration) if self.per_second > 0 => per_second(self.per_second, duration),
            _ => TokenCount::tokens(self.unknown.into()),
        }
    }
}

/// Tokens of so long a time, started milliseconds counted whole.
pub(super) fn per_second(tokens: u32, duration: Duration) -> TokenCount {
    let millis = duration.as_nanos().div_ceil(1_000_000);
    let millis = u64::try_from(millis).unwrap_or(u64::MAX);
    TokenCount::ratio(millis.saturating_mul(tokens.into()), 1_000)
}
