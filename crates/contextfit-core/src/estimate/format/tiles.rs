use crate::estimate::TokenCount;
use crate::request::{Detail, PixelSize};

/// Images in tiles, as OpenAI's models up to GPT-5.1 see them: one that is too large is scaled
/// down, and each square of 512 pixels that is needed to cover it costs the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiles {
    /// Tokens of an image beside its tiles, and of one of low detail.
    pub base: u32,
    /// Tokens of a tile.
    pub tile: u32,
}

/// Pixels of a tile's side.
const SIDE: u64 = 512;
/// Pixels of the longer side, at most.
const LONGER: u64 = 2_048;
/// Pixels of the shorter side, at most.
const SHORTER: u64 = 768;
/// Tiles of the largest image.
const MOST: u64 = LONGER.div_ceil(SIDE) * SHORTER.div_ceil(SIDE);

impl Tiles {
    /// What an image of this size costs. One of unknown size costs as much as the largest.
    #[must_use]
    pub fn count(self, size: Option<PixelSize>, detail: Detail) -> TokenCount {
        let tiles = match (detail, size) {
            (Detail::Low, _) => 0,
            (_, Some(size)) => tiles(size),
            (_, None) => MOST,
        };
        TokenCount::tokens(u64::from(self.base) + tiles * u64::from(self.tile))
    }
}

fn tiles(size: PixelSize) -> u64 {
    let (mut shorter, mut longer) = size.sides();
    if longer > LONGER {
        shorter = (shorter * LONGER / longer).max(1);
        longer = LONGER;
    }
    if shorter > SHORTER {
        longer = longer * SHORTER / shorter;
        shorter = SHORTER;
    }
    shorter.div_ceil(SIDE) * longer.div_ceil(SIDE)
}

#[cfg(test)]
mod tests {
    use super::*;

    const TILES: Tiles = Tiles {
        base: 85,
        tile: 170,
    };

    fn tokens(width: u32, height: u32) -> u64 {
        TILES
            .count(Some(PixelSize { width, height }), Detail::High)
            .floor()
    }

    /// The examples in OpenAI's guide "Images and vision".
    #[test]
    fn the_published_examples_come_out() {
        assert_eq!(tokens(1_024, 1_024), 765);
        assert_eq!(tokens(2_048, 4_096), 1_105);
        let size = Some(PixelSize {
            width: 4_096,
            height: 8_192,
        });
        assert_eq!(TILES.count(size, Detail::Low).floor(), 85);
    }

    #[test]
    fn small_images_are_not_enlarged() {
        assert_eq!(tokens(1, 1), 85 + 170);
        assert_eq!(tokens(512, 513), 85 + 2 * 170);
    }

    #[test]
    fn no_image_costs_more_than_one_of_unknown_size() {
        let unknown = TILES.count(None, Detail::Auto).floor();
        assert_eq!(tokens(20_480, 7_680), unknown);
        assert_eq!(tokens(u32::MAX, u32::MAX), 765);
        assert_eq!(tokens(u32::MAX, 1), 85 + 4 * 170);
    }
}
