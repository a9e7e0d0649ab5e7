use std::num::NonZeroU32;

use super::format::sealed;
use super::{Estimator, TokenCount};
use crate::request::{MediaKind, Piece, Role};

/// Counts characters and divides: four to a token, unless told otherwise.
///
/// The default, because it needs nothing and is what most systems do. It is about right for
/// English, and far too low for Chinese, logs or base64: leave a reserve, or take a better
/// estimator. Text of any kind is read at the speed of memory.
///
/// A message costs its characters ⁄ divisor, rounded down once, plus an overhead for its
/// framing (4 tokens unless set), plus a flat cost for each image, sound or file.
///
/// ```
/// use contextfit_core::estimate::{CharEstimator, Estimator};
/// use contextfit_core::request::{Piece, Str};
///
/// let estimator = CharEstimator::default();
/// assert_eq!(estimator.count(Piece::Text(Str::plain("éééé"))).floor(), 1);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CharEstimator {
    chars_per_token: NonZeroU32,
    message_overhead: u64,
    media: u64,
}

impl CharEstimator {
    /// Characters to a token, unless set.
    pub const CHARS_PER_TOKEN: NonZeroU32 = NonZeroU32::new(4).expect("four isn't zero");
    /// Tokens of a message's framing, unless set.
    pub const MESSAGE_OVERHEAD: u64 = 4;
    /// Tokens of an image, a sound or a file, unless set.
    pub const MEDIA: u64 = 1_200;

    /// An estimator with another divisor.
    #[must_use]
    pub const fn new(chars_per_token: NonZeroU32) -> Self {
        Self {
            chars_per_token,
            message_overhead: Self::MESSAGE_OVERHEAD,
            media: Self::MEDIA,
        }
    }

    /// Sets the tokens that each message costs besides its pieces.
    #[must_use]
    pub const fn with_message_overhead(mut self, tokens: u64) -> Self {
        self.message_overhead = tokens;
        self
    }

    /// Sets the tokens that an image, a sound or a file costs, whatever its size.
    #[must_use]
    pub const fn with_media(mut self, tokens: u64) -> Self {
        self.media = tokens;
        self
    }
}

impl Default for CharEstimator {
    fn default() -> Self {
        Self::new(Self::CHARS_PER_TOKEN)
    }
}

impl Estimator for CharEstimator {
    #[inline]
    fn count(&self, piece: Piece<'_>) -> TokenCount {
        if let Piece::Media(media) = piece {
            return match media.kind {
                MediaKind::Sealed => sealed(media.bytes),
                _ => TokenCount::tokens(self.media),
            };
        }
        let mut chars = 0;
        piece.for_each_text(|text| chars += text.char_count() as u64);
        TokenCount::ratio(chars, u64::from(self.chars_per_token.get()))
    }

    fn message_overhead(&self, _: Role) -> TokenCount {
        TokenCount::tokens(self.message_overhead)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::{Media, Str};

    #[test]
    fn counts_characters_not_bytes() {
        let estimator = CharEstimator::default();
        assert_eq!(
            estimator.count(Piece::Text(Str::plain("éééé"))),
            TokenCount::tokens(1)
        );
        assert_eq!(
            estimator.count(Piece::Text(Str::plain(""))),
            TokenCount::ZERO
        );
        assert_eq!(
            estimator.count(Piece::Text(Str::plain("abcdefg"))).floor(),
            1
        );
    }

    #[test]
    fn a_call_costs_its_name_id_and_arguments() {
        let call = Piece::ToolCall {
            id: Str::plain("call"),
            name: Str::plain("read"),
            arguments: Str::plain("{\"path\":\"abc\"}"),
        };
        assert_eq!(
            CharEstimator::default().count(call),
            TokenCount::ratio(22, 4)
        );
    }

    #[test]
    fn media_cost_the_same_whatever_their_label() {
        let label = "x".repeat(100_000);
        let image = Media::new(MediaKind::Image).label(Str::plain(&label));
        assert_eq!(
            CharEstimator::default()
                .with_media(85)
                .count(Piece::Media(image)),
            TokenCount::tokens(85)
        );
    }

    #[test]
    fn the_divisor_is_a_setting() {
        let three = CharEstimator::new(NonZeroU32::MIN.saturating_add(2));
        assert_eq!(
            three.count(Piece::Text(Str::plain("abcdef"))),
            TokenCount::tokens(2)
        );
    }
}
