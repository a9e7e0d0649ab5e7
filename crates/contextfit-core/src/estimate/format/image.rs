use crate::estimate::TokenCount;
use crate::request::{Detail, PixelSize};

/// What an image costs, by its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ImageTokens {
    /// The same for any image.
    Flat(u32),
}

impl ImageTokens {
    /// What an image of this size costs.
    #[must_use]
    pub fn count(self, size: Option<PixelSize>, detail: Detail) -> TokenCount {
        let _ = (size, detail);
        match self {
            Self::Flat(tokens) => TokenCount::tokens(tokens.into()),
        }
    }
}
