use crate::estimate::TokenCount;
use crate::request::PixelSize;

/// Images in crops, as Gemini 2.0 and 2.5 see them: a small one is one crop, any other is cut into
/// squares of two thirds of its shorter side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crops {
    /// Tokens of a crop.
    pub crop: u32,
    /// Tokens of an image of unknown size.
    pub unknown: u32,
}

/// Pixels of both sides of an image that is one crop, at most.
const SMALL: u64 = 384;
/// Pixels of a crop's side, at least and at most.
const SIDE: (u64, u64) = (256, 768);

impl Crops {
    /// What an image of this size costs.
    #[must_use]
    pub fn count(self, size: Option<PixelSize>) -> TokenCount {
        match size {
            Some(size) => TokenCount::tokens(crops(size).saturating_mul(self.crop.into())),
            None => TokenCount::tokens(self.unknown.into()),
        }
    }
}

fn crops(size: PixelSize) -> u64 {
    let (shorter, longer) = size.sides();
    if longer <= SMALL {
        return 1;
    }
    let side = (shorter * 2 / 3).clamp(SIDE.0, SIDE.1);
    shorter.div_ceil(side) * longer.div_ceil(side)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(width: u32, height: u32) -> u64 {
        let crops = Crops {
            crop: 258,
            unknown: 0,
        };
        crops.count(Some(PixelSize { width, height })).floor()
    }

    /// The example in Google's guide "Image understanding": six crops of 360 pixels.
    #[test]
    fn the_published_examples_come_out() {
        assert_eq!(tokens(960, 540), 6 * 258);
        assert_eq!(tokens(384, 384), 258);
    }

    #[test]
    fn crops_are_neither_tiny_nor_huge() {
        assert_eq!(tokens(385, 1), 2 * 258);
        assert_eq!(tokens(7_680, 7_680), 100 * 258);
        assert!(tokens(u32::MAX, u32::MAX) > tokens(7_680, 7_680));
    }
}
