use std::time::Duration;

use super::audio::of_time;
use crate::estimate::TokenCount;

/// What a file costs: a document by its pages, a video by its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileTokens {
    /// Tokens of a page; 0 if their number makes no difference.
    pub per_page: u32,
    /// Tokens of a second, where the file is a video; 0 if its length makes no difference.
    pub per_second: u32,
    /// Bytes of a page, to guess the pages of a file of which only the bytes are known; 0 if they
    /// aren't to be guessed.
    pub bytes_per_page: u32,
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
            bytes_per_page: 0,
            unknown: tokens,
        }
    }

    /// What a file costs that has so many pages, lasts so long, or has so many bytes.
    #[must_use]
    pub fn count(
        self,
        pages: Option<u32>,
        duration: Option<Duration>,
        bytes: Option<u64>,
    ) -> TokenCount {
        if let (Some(duration), 1..) = (duration, self.per_second) {
            return of_time(self.per_second, duration);
        }
        let guessed = || match (bytes, self.bytes_per_page) {
            (Some(bytes), 1..) => Some(bytes.div_ceil(self.bytes_per_page.into()).max(1)),
            _ => None,
        };
        match (pages.map(u64::from).or_else(guessed), self.per_page) {
            (Some(pages), 1..) => TokenCount::tokens(pages.saturating_mul(self.per_page.into())),
            _ => TokenCount::tokens(self.unknown.into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: FileTokens = FileTokens {
        per_page: 258,
        per_second: 263,
        bytes_per_page: 100_000,
        unknown: 1_200,
    };

    #[test]
    fn pages_count_before_bytes_and_bytes_before_nothing() {
        let tokens = |pages, bytes| FILE.count(pages, None, bytes).floor();
        assert_eq!(tokens(Some(10), Some(1)), 2_580);
        assert_eq!(tokens(None, Some(1_000_000)), 2_580);
        assert_eq!(tokens(None, Some(0)), 258);
        assert_eq!(tokens(None, None), 1_200);
        assert!(tokens(Some(u32::MAX), None) > tokens(Some(10), None));
        assert!(tokens(None, Some(u64::MAX)) > tokens(Some(10), None));
    }

    #[test]
    fn what_lasts_is_a_video() {
        let minute = Some(Duration::from_secs(60));
        assert_eq!(FILE.count(None, minute, Some(1)).floor(), 60 * 263);
    }

    #[test]
    fn a_flat_cost_knows_no_size() {
        let minute = Some(Duration::from_secs(60));
        assert_eq!(
            FileTokens::flat(7).count(Some(10), minute, Some(1)).floor(),
            7
        );
    }
}
