//! The marker that stands where text was left out.

const OPENS: &str = "[… ";
const CLOSES: &str = " characters omitted to fit the context window …]";

/// The longest marker there is.
pub(crate) const LONGEST: &str =
    "[… 18446744073709551615 characters omitted to fit the context window …]";

/// A marker that says how many characters are missing.
pub(crate) fn marker(omitted: usize) -> String {
    format!("{OPENS}{omitted}{CLOSES}")
}

/// The markers in a text: where each starts and ends, in bytes, and the characters it says are
/// missing.
pub(crate) fn markers(text: &str) -> impl Iterator<Item = (std::ops::Range<usize>, usize)> + '_ {
    text.match_indices(OPENS).filter_map(|(start, opens)| {
        let inside = start + opens.len();
        let digits = text[inside..]
            .bytes()
            .take_while(u8::is_ascii_digit)
            .count();
        let omitted = text[inside..inside + digits].parse().ok()?;
        text[inside + digits..].strip_prefix(CLOSES)?;
        Some((start..inside + digits + CLOSES.len(), omitted))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_marker_is_found_again() {
        let text = format!("a{}b{}[… x", marker(12), marker(usize::MAX));
        let found: Vec<_> = markers(&text).map(|(_, omitted)| omitted).collect();
        assert_eq!(found, [12, usize::MAX]);
        let (place, _) = markers(&text).next().unwrap();
        assert_eq!(text[place], marker(12));
    }

    #[test]
    fn none_is_longer_than_the_longest() {
        assert_eq!(marker(usize::MAX).len(), LONGEST.len());
    }
}
