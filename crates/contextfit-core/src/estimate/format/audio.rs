use std::time::Duration;

use crate::estimate::TokenCount;

/// What a sound costs, by its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AudioTokens {
    /// Tokens of a second; 0 if length makes no difference.
    pub per_second: u32,
    /// Bytes that last a second, to guess the length of a sound of which only the bytes are
    /// known; 0 if it isn't to be guessed.
    pub bytes_per_second: u32,
    /// Tokens where nobody knows how long it is.
    pub unknown: u32,
}

impl AudioTokens {
    /// The same for any sound.
    #[must_use]
    pub const fn flat(tokens: u32) -> Self {
        Self {
            per_second: 0,
            bytes_per_second: 0,
            unknown: tokens,
        }
    }

    /// What a sound costs that lasts so long, or has so many bytes.
    #[must_use]
    pub fn count(self, duration: Option<Duration>, bytes: Option<u64>) -> TokenCount {
        if self.per_second > 0 {
            if let Some(duration) = duration {
                return of_time(self.per_second, duration);
            }
            if let (Some(bytes), 1..) = (bytes, self.bytes_per_second) {
                let tokens = bytes.saturating_mul(self.per_second.into());
                return TokenCount::ratio(tokens, self.bytes_per_second.into());
            }
        }
        TokenCount::tokens(self.unknown.into())
    }
}

/// Tokens of so long a time. A millisecond that has begun counts.
pub(super) fn of_time(per_second: u32, duration: Duration) -> TokenCount {
    let millis = duration.as_nanos().div_ceil(1_000_000);
    let millis = u64::try_from(millis).unwrap_or(u64::MAX);
    TokenCount::ratio(millis.saturating_mul(per_second.into()), 1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    const AUDIO: AudioTokens = AudioTokens {
        per_second: 32,
        bytes_per_second: 16_000,
        unknown: 1_200,
    };

    fn tokens(audio: AudioTokens, millis: Option<u64>, bytes: Option<u64>) -> u64 {
        audio
            .count(millis.map(Duration::from_millis), bytes)
            .floor()
    }

    #[test]
    fn length_counts_before_bytes_and_bytes_before_nothing() {
        assert_eq!(tokens(AUDIO, Some(60_000), Some(1)), 1_920);
        assert_eq!(tokens(AUDIO, None, Some(160_000)), 320);
        assert_eq!(tokens(AUDIO, None, None), 1_200);
        let by_length = AudioTokens {
            bytes_per_second: 0,
            ..AUDIO
        };
        assert_eq!(tokens(by_length, None, Some(160_000)), 1_200);
    }

    #[test]
    fn a_flat_cost_knows_no_length() {
        let flat = AudioTokens::flat(7);
        assert_eq!(tokens(flat, Some(60_000), Some(160_000)), 7);
    }

    #[test]
    fn no_length_is_too_long() {
        assert!(AUDIO.count(Some(Duration::MAX), None) > TokenCount::tokens(1 << 40));
        assert!(AUDIO.count(None, Some(u64::MAX)) > TokenCount::tokens(1 << 40));
    }
}
