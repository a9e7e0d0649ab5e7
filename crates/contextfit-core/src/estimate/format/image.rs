use super::{Bounds, Crops, Patches, Shrink, Tiles};
use crate::estimate::TokenCount;
use crate::request::{Detail, PixelSize};

/// What an image costs, by its size and detail.
///
/// Rules and numbers are those that providers published by November 2026.
///
/// ```
/// use contextfit_core::estimate::ImageTokens;
/// use contextfit_core::request::{Detail, PixelSize};
///
/// let screenshot = Some(PixelSize { width: 1920, height: 1080 });
/// assert_eq!(ImageTokens::GPT_4O.count(screenshot, Detail::Auto).floor(), 1105);
/// assert_eq!(ImageTokens::GPT_4O.count(screenshot, Detail::Low).floor(), 85);
/// assert_eq!(ImageTokens::CLAUDE_4_7.count(screenshot, Detail::Auto).floor(), 2691);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ImageTokens {
    /// The same for any image.
    Flat(u32),
    /// By tiles.
    Tiles(Tiles),
    /// By patches.
    Patches(Patches),
    /// By crops.
    Crops(Crops),
}

/// OpenAI's guide "Images and vision".
impl ImageTokens {
    /// GPT-4o, GPT-4.1, and GPT-4 with vision.
    pub const GPT_4O: Self = tiles(85, 170);
    /// GPT-4o mini. It costs as much as with GPT-4o at a price per token that is far lower, and so
    /// fills much more of the window.
    pub const GPT_4O_MINI: Self = tiles(2_833, 5_667);
    /// GPT-5 and GPT-5.1.
    pub const GPT_5: Self = tiles(70, 140);
    /// o1, o1-pro and o3.
    pub const O3: Self = tiles(75, 150);
    /// GPT-4.1 mini.
    pub const GPT_4_1_MINI: Self = openai(162, [PAGE; 3]);
    /// GPT-4.1 nano. Its bounds are those that the guide had before the model was deprecated.
    pub const GPT_4_1_NANO: Self = openai(246, [SMALL; 3]);
    /// o4-mini. Its bounds are those that the guide had before the model was deprecated.
    pub const O4_MINI: Self = openai(172, [SMALL; 3]);
    /// GPT-5 mini. Its bounds are those that the guide had before the model was deprecated.
    pub const GPT_5_MINI: Self = openai(120, [SMALL; 3]);
    /// GPT-5 nano. Its bounds are those that the guide had before the model was deprecated.
    pub const GPT_5_NANO: Self = openai(150, [SMALL; 3]);
    /// GPT-5.2.
    pub const GPT_5_2: Self = openai(120, [PAGE; 3]);
    /// GPT-5.4, its mini and its nano. [`Detail::Auto`] is counted as original detail, which is
    /// dearer than the high one that these models take it for; low detail is dearer than high.
    pub const GPT_5_4: Self = openai(120, [PAGE, HIGH, ORIGINAL]);
    /// GPT-5.5.
    pub const GPT_5_5: Self = openai(120, [LOW, HIGH, ORIGINAL]);
    /// GPT-5.6. Only its pixels bound an image.
    pub const GPT_5_6: Self = openai(120, [LOW, HIGH, Bounds::NONE]);
}

/// Anthropic's guide "Vision". Detail makes no difference.
impl ImageTokens {
    /// Claude before 4.7: a token for each 28 × 28 pixels, after scaling to at most 1 568 pixels a
    /// side and 1 568 tokens. 1920 × 1080 pixels are 1 560 tokens, and so many as are allowed where the size
    /// isn't known. An older edition of the guide took pixels ⁄ 750 instead, which is between 16 %
    /// less for small images and 5 % more for large ones.
    pub const CLAUDE: Self = claude(1_568, 1_568);
    /// Claude from 4.7 on: the same with at most 2 576 pixels a side and 4 784 tokens.
    pub const CLAUDE_4_7: Self = claude(2_576, 4_784);
}

/// Google's guides "Image understanding" and "Media resolution".
impl ImageTokens {
    /// Gemini 2.0 and 2.5, by the first of the guides. By the second it is about 2 048 at most,
    /// so that this is too much for images above that. One of unknown size counts as 1 548: six
    /// crops, as most that aren't square have.
    pub const GEMINI_2: Self = Self::Crops(Crops {
        crop: 258,
        unknown: 1_548,
    });
    /// Gemini 3, at its default resolution.
    pub const GEMINI_3: Self = Self::Flat(1_120);
}

/// The cards of open models.
impl ImageTokens {
    /// Qwen 2-VL and 2.5-VL: a token for each 28 pixels square, and at most 16 384. Sides are
    /// rounded to the nearest patch there and up here, so that this is too much by a row. One of
    /// unknown size counts as 2 691 tokens: 1920 × 1080 pixels.
    pub const QWEN: Self = Self::Patches(Patches {
        unknown: 2_691,
        ..by_area(Bounds {
            longer: u32::MAX,
            patches: 16_384,
        })
    });
}

impl ImageTokens {
    /// What an image of this size costs. One of no pixels has no known size.
    #[must_use]
    pub fn count(self, size: Option<PixelSize>, detail: Detail) -> TokenCount {
        let size = size.filter(|size| size.width > 0 && size.height > 0);
        match self {
            Self::Flat(tokens) => TokenCount::tokens(tokens.into()),
            Self::Tiles(tiles) => tiles.count(size, detail),
            Self::Patches(patches) => patches.count(size, detail),
            Self::Crops(crops) => crops.count(size),
        }
    }
}

const LOW: Bounds = Bounds {
    longer: 512,
    patches: u32::MAX,
};
const HIGH: Bounds = Bounds {
    longer: 2_048,
    patches: 2_500,
};
const ORIGINAL: Bounds = Bounds {
    longer: 6_000,
    patches: 10_000,
};
const PAGE: Bounds = Bounds {
    longer: 2_048,
    patches: 6_144,
};
const SMALL: Bounds = Bounds {
    longer: u32::MAX,
    patches: 1_536,
};

const fn tiles(base: u32, tile: u32) -> ImageTokens {
    ImageTokens::Tiles(Tiles { base, tile })
}

/// An image of unknown size counts as one with as many patches as high detail allows.
const fn openai(percent: u32, [low, high, full]: [Bounds; 3]) -> ImageTokens {
    let most = if high.patches < 2_500 {
        high.patches
    } else {
        2_500
    };
    ImageTokens::Patches(Patches {
        side: 32,
        percent,
        low,
        high,
        full,
        shrink: Shrink::ToWholePatches,
        unknown: most * percent / 100,
    })
}

/// An image of unknown size counts as the largest.
const fn claude(longer: u32, patches: u32) -> ImageTokens {
    ImageTokens::Patches(by_area(Bounds { longer, patches }))
}

/// A token for each 28 pixels square, whatever the detail.
const fn by_area(bounds: Bounds) -> Patches {
    Patches {
        side: 28,
        percent: 100,
        low: bounds,
        high: bounds,
        full: bounds,
        shrink: Shrink::AsLittleAsNeeded,
        unknown: bounds.patches,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_image_without_pixels_has_no_known_size() {
        for image in [
            ImageTokens::GPT_4O,
            ImageTokens::CLAUDE,
            ImageTokens::GEMINI_2,
        ] {
            let unknown = image.count(None, Detail::Auto);
            for (width, height) in [(0, 7), (7, 0), (0, 0)] {
                let size = PixelSize { width, height };
                assert_eq!(image.count(Some(size), Detail::Auto), unknown);
            }
        }
    }

    #[test]
    fn models_with_their_own_tokens_differ_by_them_alone() {
        let size = Some(PixelSize {
            width: 1_024,
            height: 1_024,
        });
        let tokens = |image: ImageTokens| image.count(size, Detail::High).floor();
        assert_eq!(tokens(ImageTokens::GPT_4O_MINI), 2_833 + 4 * 5_667);
        assert_eq!(tokens(ImageTokens::GPT_5), 70 + 4 * 140);
        assert_eq!(tokens(ImageTokens::GPT_4_1_MINI), 1_659);
        assert_eq!(tokens(ImageTokens::GEMINI_3), 1_120);
    }
}
