use anstyle::Style;

use super::super::kind::{Kinds, Look, total};
use super::paint::painted;

/// Draws kinds as a bar of which `full` tokens would be so many cells. Whatever has a token has
/// a thin mark at least.
pub(super) fn bar(kinds: &Kinds, full: u64, cells: usize, dim: bool) -> String {
    let segments = segments(kinds, full, cells);
    let style = |look: Look| {
        if dim {
            look.style().dimmed()
        } else {
            look.style()
        }
    };
    if segments.is_empty() {
        let largest = kinds.iter().max_by_key(|&(_, &tokens)| tokens);
        return largest.map_or_else(String::new, |(kind, _)| painted("▏", style(kind.look())));
    }
    let parts = segments.iter().map(|&(look, cells)| {
        let text: String = std::iter::repeat_n(look.pattern(), cells).collect();
        painted(&text, style(look))
    });
    parts.collect()
}

/// What of a bar has been clipped off.
pub(super) fn missing(cells: usize) -> String {
    painted(&"╌".repeat(cells), Style::new().dimmed())
}

/// How many cells so many tokens are, rounded.
pub(super) fn cells_of(tokens: u64, full: u64, cells: usize) -> usize {
    let (tokens, full) = (u128::from(tokens), u128::from(full.max(1)));
    let cells = (tokens * cells as u128 * 2 + full) / (full * 2);
    usize::try_from(cells).unwrap_or(usize::MAX)
}

/// The parts of a bar, in cells; none if it is shorter than a cell. What is left of rounding down
/// goes to those that lost the most by it.
fn segments(kinds: &Kinds, full: u64, cells: usize) -> Vec<(Look, usize)> {
    let mut looks: Vec<(Look, u64)> = Vec::new();
    for (kind, &tokens) in kinds {
        match looks.iter_mut().find(|(look, _)| *look == kind.look()) {
            Some((_, sum)) => *sum = sum.saturating_add(tokens),
            None => looks.push((kind.look(), tokens)),
        }
    }
    let length = cells_of(total(kinds), full, cells);
    let exact = |tokens: u64| u128::from(tokens) * length as u128;
    // A total saturates, this doesn't.
    let sum: u128 = looks.iter().map(|&(_, tokens)| u128::from(tokens)).sum();
    let whole = sum.max(1);
    let mut segments: Vec<(Look, usize)> = looks
        .iter()
        .map(|&(look, tokens)| {
            let cells = exact(tokens) / whole;
            (look, usize::try_from(cells).unwrap_or(length))
        })
        .collect();
    let drawn: usize = segments.iter().map(|&(_, cells)| cells).sum();
    let mut lost: Vec<usize> = (0..looks.len()).collect();
    lost.sort_by_key(|&index| std::cmp::Reverse(exact(looks[index].1) % whole));
    for index in lost.into_iter().take(length.saturating_sub(drawn)) {
        segments[index].1 += 1;
    }
    segments.retain(|&(_, cells)| cells > 0);
    segments
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::inspect::kind::Kind;
    use contextfit::request::PieceKind;

    fn kinds(text: u64, call: u64, overhead: u64) -> Kinds {
        Kinds::from([
            (Kind::Piece(PieceKind::Text), text),
            (Kind::Piece(PieceKind::ToolCall), call),
            (Kind::Overhead, overhead),
        ])
    }

    /// A bar without its colours.
    fn plain(kinds: &Kinds, full: u64, cells: usize) -> String {
        anstream::adapter::strip_str(&bar(kinds, full, cells, false)).to_string()
    }

    #[test]
    fn a_bar_is_as_wide_as_its_tokens() {
        assert_eq!(plain(&kinds(50, 30, 20), 100, 10), "█████▓▓▓··");
        assert_eq!(plain(&kinds(50, 30, 20), 200, 10), "███▓·");
        assert_eq!(plain(&kinds(100, 0, 0), 100, 10), "██████████");
        assert_eq!(plain(&kinds(u64::MAX, u64::MAX, 0), u64::MAX, 4), "██▓▓");
    }

    #[test]
    fn a_single_cell_is_what_most_of_it_is() {
        assert_eq!(plain(&kinds(4, 10, 5), 100, 5), "▓");
        assert_eq!(plain(&kinds(40, 50, 10), 1_000, 10), "▓");
    }

    #[test]
    fn what_is_smaller_than_a_cell_has_a_thin_mark() {
        assert_eq!(plain(&kinds(0, 1, 0), 1_000, 10), "▏");
        assert_eq!(plain(&Kinds::new(), 1_000, 10), "");
        assert_eq!(plain(&kinds(1, 0, 0), 0, 10), "██████████");
    }

    #[test]
    fn every_pattern_differs_from_the_others() {
        let looks = [
            Look::Text,
            Look::Thinking,
            Look::ToolCall,
            Look::ToolResult,
            Look::Media,
            Look::Schema,
            Look::Summary,
            Look::Other,
        ];
        let patterns: std::collections::BTreeSet<char> =
            looks.into_iter().map(Look::pattern).collect();
        assert_eq!(patterns.len(), looks.len());
    }
}
