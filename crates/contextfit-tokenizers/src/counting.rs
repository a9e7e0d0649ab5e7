use std::ops::ControlFlow;

use contextfit_core::estimate::{PromptFormat, TokenCount};
use contextfit_core::request::{Piece, Str};

use crate::chunks::for_each_chunk;

/// More than any text costs.
const MOST: TokenCount = TokenCount::units(u64::MAX);

/// What a text costs, by the tokens of its chunks.
pub(crate) fn count(text: Str<'_>, count_chunk: impl Fn(&str) -> usize) -> TokenCount {
    count_up_to(text, MOST, count_chunk)
}

/// Whether a piece costs more than `limit`. No chunk is counted behind the one that says so.
pub(crate) fn exceeds(
    format: &PromptFormat,
    piece: Piece<'_>,
    limit: TokenCount,
    count_chunk: impl Fn(&str) -> usize,
) -> bool {
    let mut stopped = false;
    let counted = format.count(piece, |text| {
        let counted = count_up_to(text, limit, &count_chunk);
        stopped |= counted > limit;
        counted
    });
    // A format may take a text for less than it is. Then all of it decides.
    counted > limit || stopped && format.count(piece, |text| count(text, &count_chunk)) > limit
}

/// What a text costs if that isn't more than `limit`; else something that is.
fn count_up_to(
    text: Str<'_>,
    limit: TokenCount,
    count_chunk: impl Fn(&str) -> usize,
) -> TokenCount {
    let mut counted = TokenCount::ZERO;
    for_each_chunk(text, |chunk| {
        counted += TokenCount::tokens(count_chunk(chunk) as u64);
        if counted > limit {
            ControlFlow::Break(())
        } else {
            ControlFlow::Continue(())
        }
    });
    counted
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    use crate::chunks::LONGEST;

    #[test]
    fn stops_with_the_chunk_that_says_so() {
        let text = "a".repeat(10 * LONGEST);
        let seen = Cell::new(0);
        let counter = |chunk: &str| {
            seen.set(seen.get() + 1);
            chunk.len()
        };
        let limit = |tokens| TokenCount::tokens(tokens as u64);
        let piece = Piece::Text(Str::plain(&text));
        for (tokens, over, chunks) in [
            (0, true, 1),
            (LONGEST - 1, true, 1),
            (LONGEST, true, 2),
            (10 * LONGEST - 1, true, 10),
            (10 * LONGEST, false, 10),
        ] {
            seen.set(0);
            let answer = exceeds(&PromptFormat::PLAIN, piece, limit(tokens), counter);
            assert_eq!((answer, seen.get()), (over, chunks), "{tokens}");
        }
    }

    #[test]
    fn a_format_that_takes_a_text_for_less_decides() {
        let mut half = PromptFormat::PLAIN;
        half.schema_percent = 50;
        let text = "a".repeat(10 * LONGEST);
        let schema = Piece::Schema(Str::plain(&text));
        let over = |tokens| exceeds(&half, schema, TokenCount::tokens(tokens), str::len);
        let cost = 5 * LONGEST as u64;
        assert!(!over(cost) && over(cost - 1));
    }
}
