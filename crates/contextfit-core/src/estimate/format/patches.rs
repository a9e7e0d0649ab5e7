use crate::estimate::TokenCount;
use crate::request::{Detail, PixelSize};

/// Images in patches, as OpenAI's models from GPT-5.2 on, Claude, Qwen and Mistral see them: each
/// square that is needed to cover an image is a token or so. One that is too large is scaled down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Patches {
    /// Pixels of a patch's side.
    pub side: u32,
    /// Tokens of a hundred patches. The tokens of an image are rounded up.
    pub percent: u32,
    /// How large an image of low detail may be.
    pub low: Bounds,
    /// How large one of high detail may be.
    pub high: Bounds,
    /// How large any other may be.
    pub full: Bounds,
    /// How one that is too large is made smaller.
    pub shrink: Shrink,
    /// Tokens of an image of unknown size.
    pub unknown: u32,
}

/// How large an image may be, without being scaled down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bounds {
    /// Pixels of its longer side.
    pub longer: u32,
    /// Patches.
    pub patches: u32,
}

/// How an image with too many patches is made smaller. Both keep its proportions, but for less than
/// a pixel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Shrink {
    /// Until one of its sides is so many whole patches, as OpenAI does.
    ToWholePatches,
    /// No more than needed, as Anthropic does.
    AsLittleAsNeeded,
}

impl Patches {
    /// What an image of this size costs.
    #[must_use]
    pub fn count(self, size: Option<PixelSize>, detail: Detail) -> TokenCount {
        let bounds = match detail {
            Detail::Low => self.low,
            Detail::High => self.high,
            Detail::Original | Detail::Auto => self.full,
        };
        match size {
            Some(size) => self.tokens(self.patches(size, bounds)),
            // Nothing is dearer than what its bounds allow.
            None => TokenCount::tokens(self.unknown.into())
                .min(self.tokens(bounds.patches(self.side.max(1).into()))),
        }
    }

    fn tokens(self, patches: u64) -> TokenCount {
        TokenCount::tokens(patches.saturating_mul(self.percent.into()).div_ceil(100))
    }

    fn patches(self, size: PixelSize, bounds: Bounds) -> u64 {
        let image = Image {
            size: size.sides(),
            side: self.side.max(1).into(),
        };
        let longest = image.size.1.min(bounds.longer.max(1).into());
        let most = bounds.patches.max(1).into();
        let patches = image.patches_of(longest);
        if patches <= most {
            return patches;
        }
        match self.shrink {
            Shrink::ToWholePatches => image.to_whole_patches(longest, most),
            Shrink::AsLittleAsNeeded => image.as_little_as_needed(longest, most),
        }
    }
}

impl Bounds {
    /// As large as it is.
    pub const NONE: Self = Self {
        longer: u32::MAX,
        patches: u32::MAX,
    };

    /// The most patches within them.
    fn patches(self, side: u64) -> u64 {
        let along = u64::from(self.longer).div_ceil(side);
        along.saturating_mul(along).min(self.patches.into())
    }
}

/// An image that is covered with patches.
#[derive(Clone, Copy)]
struct Image {
    /// Pixels of the shorter side, and of the longer.
    size: (u64, u64),
    /// Pixels of a patch's side.
    side: u64,
}

impl Image {
    /// The patches that cover it once its longer side has so many pixels.
    fn patches_of(self, longer: u64) -> u64 {
        longer.div_ceil(self.side) * self.shorter_at(longer).div_ceil(self.side)
    }

    /// Pixels of the shorter side once the longer has so many, rounded.
    fn shorter_at(self, longer: u64) -> u64 {
        let (shorter, of) = self.size;
        ((shorter * longer + of / 2) / of).max(1)
    }

    fn as_little_as_needed(self, longest: u64, most: u64) -> u64 {
        let (mut fits, mut too_long) = (1, longest);
        while too_long - fits > 1 {
            let between = fits + (too_long - fits) / 2;
            if self.patches_of(between) <= most {
                fits = between;
            } else {
                too_long = between;
            }
        }
        self.patches_of(fits)
    }

    /// In the formula of OpenAI's guide, the root of what has to go is rounded down to whole
    /// patches along each side, and the side that loses more by that decides.
    fn to_whole_patches(self, longest: u64, most: u64) -> u64 {
        let (shorter, longer) = (self.shorter_at(longest), longest);
        let across = (most * shorter / longer).isqrt().max(1);
        let along = (most * longer / shorter).isqrt().max(1);
        let (whole, of, other) = if across * longer <= along * shorter {
            (across, shorter, longer)
        } else {
            (along, longer, shorter)
        };
        let pixels = whole.saturating_mul(self.side).saturating_mul(other) / of;
        let patches = whole.saturating_mul(pixels.max(1).div_ceil(self.side));
        patches.min(most)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::estimate::ImageTokens;
    use proptest::prelude::*;

    fn tokens(image: ImageTokens, detail: Detail, width: u32, height: u32) -> u64 {
        image
            .count(Some(PixelSize { width, height }), detail)
            .floor()
    }

    /// The examples in OpenAI's guide "Images and vision" for GPT-5.4.
    #[test]
    fn the_examples_of_openai_come_out() {
        let high = |width, height| tokens(ImageTokens::GPT_5_4, Detail::High, width, height);
        assert_eq!(high(1_024, 1_024), 1_229);
        assert_eq!(high(2_048, 2_048), 3_000);
    }

    /// An older edition had this one, for a budget of 1 536 patches and no limit of pixels.
    #[test]
    fn an_older_example_of_openai_comes_out() {
        let bounds = Bounds {
            longer: u32::MAX,
            patches: 1_536,
        };
        let patches = Patches {
            side: 32,
            percent: 100,
            low: bounds,
            high: bounds,
            full: bounds,
            shrink: Shrink::ToWholePatches,
            unknown: 0,
        };
        let image = ImageTokens::Patches(patches);
        assert_eq!(tokens(image, Detail::High, 1_800, 2_400), 1_452);
        assert_eq!(tokens(image, Detail::High, 1_024, 1_024), 1_024);
    }

    /// The tables in Anthropic's guide "Vision", for both sizes of image that models take.
    #[test]
    fn the_examples_of_anthropic_come_out() {
        for (width, height, standard, high) in [
            (200, 200, 64, 64),
            (1_000, 1_000, 1_296, 1_296),
            (1_092, 1_092, 1_521, 1_521),
            (1_920, 1_080, 1_560, 2_691),
            (3_840, 2_160, 1_560, 4_784),
            (2_000, 1_500, 1_564, 3_888),
        ] {
            let claude = |image| tokens(image, Detail::Auto, width, height);
            assert_eq!(claude(ImageTokens::CLAUDE), standard, "{width} × {height}");
            assert_eq!(claude(ImageTokens::CLAUDE_4_7), high, "{width} × {height}");
        }
    }

    #[test]
    fn a_side_of_one_pixel_is_a_row_of_patches() {
        assert_eq!(tokens(ImageTokens::CLAUDE, Detail::Auto, 1, u32::MAX), 56);
        assert_eq!(tokens(ImageTokens::CLAUDE, Detail::Auto, 1, 1), 1);
    }

    #[test]
    fn an_unknown_size_is_never_dearer_than_its_detail() {
        let low = ImageTokens::GPT_5_5.count(None, Detail::Low).floor();
        let high = ImageTokens::GPT_5_5.count(None, Detail::High).floor();
        assert_eq!((low, high), (308, 3_000));
    }

    fn any_patches() -> impl Strategy<Value = Patches> {
        let bounds = (any::<u32>(), any::<u32>());
        let shrink = prop_oneof![Just(Shrink::ToWholePatches), Just(Shrink::AsLittleAsNeeded)];
        (any::<u32>(), any::<u32>(), bounds, shrink).prop_map(|(side, percent, bounds, shrink)| {
            let bounds = Bounds {
                longer: bounds.0,
                patches: bounds.1,
            };
            Patches {
                side,
                percent,
                low: bounds,
                high: bounds,
                full: bounds,
                shrink,
                unknown: 0,
            }
        })
    }

    proptest! {
        #[test]
        fn no_patches_and_no_image_are_too_large(
            patches in any_patches(), width: u32, height: u32,
        ) {
            let bounds = patches.high;
            let count = patches.patches(PixelSize { width, height }, bounds);
            prop_assert!(count <= u64::from(bounds.patches.max(1)));
            let _ = patches.count(Some(PixelSize { width, height }), Detail::High);
            let _ = patches.count(None, Detail::High);
        }

        #[test]
        fn what_is_not_scaled_down_costs_no_less_when_it_grows(
            width in 1..1_400_u32, height in 1..1_400_u32, more in 0..400_u32,
        ) {
            for image in [ImageTokens::CLAUDE_4_7, ImageTokens::GPT_5_5] {
                let tokens = |width, height| tokens(image, Detail::Auto, width, height);
                prop_assert!(tokens(width, height) <= tokens(width + more, height));
                prop_assert!(tokens(width, height) <= tokens(width, height + more));
            }
        }
    }
}
