use std::time::Duration;

use super::audio::per_second;
use crate::estimate::TokenCount;

/// What a file costs: a document by its pages, a video by its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileTokens {
    /// Tokens of a page.
    pub per_page: u32,
    /// Tokens of a second, where it is a video.
    pub per_second: u32,
    /// Tokens where nobody knows how much of it there is.
    pub unknown: u32,
}

impl FileTokens {
    /// The same for any file.
    #[must_use]
    pub const fn flat(tokens: u32) -> Self {
        Self {
            per_page: 0,
            per_second: 0,
            unknown: tokens,
        }
    }

    /// What a file of so many pages costs, or a video of this length.
    #[must_use]
    pub fn count(self, pages: Option<u32>, duration: Option<Duration>) -> TokenCount {
        match (pages, duration) {
            (Some(pages), _) if self.per_page > 0 => {
                TokenCount::tokens(u64::from(pages) * u64::from(self.per_page))
            }
            (_, Some(duration)) if self.per_second > 0 => per_second(self.per_second, duration),
            _ => TokenCount::tokens(self.unknown.into()),
        }
    }
}
