use super::TokenCount;
use crate::request::{Piece, Role, Str};

/// What a provider adds to text: the framing of messages, and what media cost.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PromptFormat {
    message: u64,
    media: u64,
}

impl PromptFormat {
    /// 4 tokens for each message, and 1 200 for each image, sound or file.
    pub const PLAIN: Self = Self {
        message: 4,
        media: 1_200,
    };

    /// What a piece costs, of texts counted by `count_text`.
    pub fn count(
        &self,
        piece: Piece<'_>,
        mut count_text: impl FnMut(Str<'_>) -> TokenCount,
    ) -> TokenCount {
        if let Piece::Media(_) = piece {
            return TokenCount::tokens(self.media);
        }
        let mut count = TokenCount::ZERO;
        piece.for_each_text(|text| count += count_text(text));
        count
    }

    /// What the framing of a message of this role costs.
    #[must_use]
    pub const fn message(&self, _: Role) -> TokenCount {
        TokenCount::tokens(self.message)
    }

    /// What a request costs beside its messages and so many schemas.
    #[must_use]
    pub const fn request(&self, _: usize) -> TokenCount {
        TokenCount::ZERO
    }
}

impl Default for PromptFormat {
    fn default() -> Self {
        Self::PLAIN
    }
}
