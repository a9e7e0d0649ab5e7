use std::ops::ControlFlow;
use std::sync::LazyLock;

use contextfit_core::request::Str;
use regex::Regex;

/// The longest chunk, in bytes.
///
/// Tokenizers slow down on long runs without a border, and panic on a megabyte of blanks. Up to
/// this length they take no more than five times as long as for usual text. Shorter chunks
/// gain little, and have more cuts.
pub(crate) const LONGEST: usize = 16 * 1024;

/// Shows a text in chunks of at most [`LONGEST`] bytes, until it is told to stop.
///
/// A text and its escaped form have the same chunks. What is escaped is decoded as it comes to
/// it: there are never more than two chunks in memory. A malformed escape leaves the sixteen
/// kilobytes around it as they are written.
pub(crate) fn for_each_chunk(text: Str<'_>, visit: impl FnMut(&str) -> ControlFlow<()>) {
    // Nobody asks here whether it came to the end.
    let _ = try_each_chunk(text, LONGEST, visit);
}

fn try_each_chunk(
    text: Str<'_>,
    longest: usize,
    mut visit: impl FnMut(&str) -> ControlFlow<()>,
) -> ControlFlow<()> {
    if !text.is_escaped() || !text.written().contains('\\') {
        let mut rest = text.written();
        while !rest.is_empty() {
            let (chunk, after) = rest.split_at(end_of_chunk(rest, longest));
            visit(chunk)?;
            rest = after;
        }
        return ControlFlow::Continue(());
    }
    let (mut decoded, mut rest) = (String::new(), text);
    loop {
        // One character beyond a chunk says where to cut.
        while decoded.len() <= longest && !rest.is_empty() {
            let (part, after) = rest.split_at(longest.max(LONGEST_ESCAPE));
            decoded.push_str(&part.decode());
            rest = after;
        }
        if decoded.is_empty() {
            return ControlFlow::Continue(());
        }
        let end = end_of_chunk(&decoded, longest);
        visit(&decoded[..end])?;
        decoded.drain(..end);
    }
}

/// A pair of surrogates, in bytes.
const LONGEST_ESCAPE: usize = 12;

/// Two characters between which every text is split before it is made into tokens, whatever
/// stands before and behind them: nothing changes when it is cut there.
///
/// It is so in the patterns of `cl100k_base` and `o200k_base`, and in those that were made after
/// them. In this order: the end of a number; the end of a word, where neither an accent nor an
/// `'s` goes on with it; before blanks, but for line ends that go with what they follow; after
/// line ends, but for a `/` that goes with them; before a number, where no blanks are.
static BORDER: LazyLock<Regex> = LazyLock::new(|| {
    let pairs = [
        r"\p{N}\P{N}",
        r"\p{L}[^\p{L}\p{M}']",
        r"\S[\s--\r\n]",
        r"[\r\n][^\s/]",
        r"[^\s\p{N}]\p{N}",
    ];
    Regex::new(&pairs.join("|")).expect("the pattern is well formed")
});

/// Where the first chunk of a text ends: at the last border in it; without one, wherever the
/// chunk is full.
fn end_of_chunk(text: &str, longest: usize) -> usize {
    if text.len() <= longest {
        return text.len();
    }
    let is_boundary = |&at: &usize| text.is_char_boundary(at);
    let after = |at: usize| (at + 1..=text.len()).find(is_boundary);
    // No character is longer than four bytes.
    let full = (1..=longest).rev().find(is_boundary);
    let full = full.or_else(|| after(0)).unwrap_or(text.len());
    let end = after(full).unwrap_or(text.len());
    // Most often the last line has one.
    for reach in [longest / 64, longest / 8, longest] {
        let start = (0..=full.saturating_sub(reach)).rev().find(is_boundary);
        let start = start.unwrap_or_default();
        if let Some(border) = borders(&text[start..end]).last() {
            return start + border;
        }
    }
    full
}

/// Borders in a text, in order: all of them but those where two have a character in common.
pub(crate) fn borders(text: &str) -> impl Iterator<Item = usize> {
    BORDER.find_iter(text).map(|pair| {
        let first = pair.as_str().chars().next();
        pair.start() + first.map_or(0, char::len_utf8)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn chunks(text: Str<'_>, longest: usize) -> Vec<String> {
        let mut chunks = Vec::new();
        let all = try_each_chunk(text, longest, |chunk| {
            chunks.push(chunk.to_owned());
            ControlFlow::Continue(())
        });
        assert!(all.is_continue());
        chunks
    }

    #[test]
    fn chunks_end_at_the_last_border() {
        for (text, expected) in [
            ("", &[] as &[&str]),
            ("12345678", &["12345678"]),
            ("one two three", &["one two", " three"]),
            ("one  two", &["one  two"]),
            ("one    two", &["one", "    two"]),
            ("abcdefghijk", &["abcdefgh", "ijk"]),
            ("abcde12345", &["abcde", "12345"]),
            ("{\"a\":1}\n{", &["{\"a\":1}\n", "{"]),
            ("!!!!!!\n/!", &["!!!!!!\n/", "!"]),
            ("aaaaaaa's", &["aaaaaaa'", "s"]),
            ("ééééé", &["éééé", "é"]),
        ] {
            assert_eq!(chunks(Str::plain(text), 8), expected, "{text:?}");
        }
    }

    #[test]
    fn a_character_that_is_longer_than_a_chunk_is_one() {
        assert_eq!(chunks(Str::plain("😀é"), 1), ["😀", "é"]);
    }

    #[test]
    fn stops_when_told_to() {
        for text in [Str::plain("one two"), Str::escaped(r"one \u0074wo")] {
            let mut shown = 0;
            let all = try_each_chunk(text, 2, |_| {
                shown += 1;
                ControlFlow::Break(())
            });
            assert!(all.is_break());
            assert_eq!(shown, 1);
        }
    }

    proptest! {
        #[test]
        fn chunks_are_the_text_and_short_and_alike_escaped(
            text in "[a1 .'/\n\r\u{301}é中😀\\\"]{0,60}", longest in 4_usize..20,
        ) {
            let plain = chunks(Str::plain(&text), longest);
            prop_assert_eq!(plain.concat(), &*text);
            prop_assert!(plain.iter().all(|chunk| (1..=longest).contains(&chunk.len())));
            let json = serde_json::to_string(&text).unwrap();
            let escaped = chunks(Str::escaped(&json[1..json.len() - 1]), longest);
            prop_assert_eq!(escaped, plain);
        }
    }
}
