/// The longest chunk, in bytes.
///
/// The tokenizer's pattern runs out of stack on a megabyte of blanks, and the tokenizer panics.
/// This length is safe, and takes a moment at most, whatever the text is.
pub(super) const LONGEST: usize = 64 * 1024;

/// A text in chunks of at most [`LONGEST`] bytes, cut where that changes its tokens least.
pub(super) fn chunks(text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        let (chunk, after) = rest.split_at(end_of_chunk(rest));
        rest = after;
        (!chunk.is_empty()).then_some(chunk)
    })
}

/// Where the first chunk of a text ends.
///
/// The last place where a blank follows something that isn't one: no token spans such a place,
/// so the count stays exact. Else before the last end of a line, and in a text without either
/// wherever the chunk is full.
fn end_of_chunk(text: &str) -> usize {
    if text.len() <= LONGEST {
        return text.len();
    }
    let full = (0..=LONGEST)
        .rev()
        .find(|&end| text.is_char_boundary(end))
        .unwrap_or(text.len());
    let mut next = text[full..].chars().next();
    let mut end_of_line = None;
    for (start, char) in text[..full].char_indices().rev() {
        let end = start + char.len_utf8();
        match next {
            _ if char.is_whitespace() => {}
            // Punctuation and the end of the line after it may be one token.
            Some('\r' | '\n') => {
                end_of_line.get_or_insert(end);
            }
            Some(next) if next.is_whitespace() => return end,
            _ => {}
        }
        next = Some(char);
    }
    end_of_line.unwrap_or(full)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lengths(text: &str) -> Vec<usize> {
        let chunks: Vec<&str> = chunks(text).collect();
        assert_eq!(chunks.concat(), text);
        assert!(chunks.iter().all(|chunk| chunk.len() <= LONGEST));
        chunks.into_iter().map(str::len).collect()
    }

    #[test]
    fn a_short_text_is_one_chunk() {
        assert_eq!(lengths(""), [0; 0]);
        assert_eq!(lengths("one two"), [7]);
        assert_eq!(lengths(&" ".repeat(LONGEST)), [LONGEST]);
    }

    #[test]
    fn cuts_before_a_blank() {
        let text = format!("{} {}", "a".repeat(10), "b".repeat(LONGEST));
        assert_eq!(lengths(&text), [10, LONGEST, 1]);
        // The place where the chunk is full may be the one.
        let text = format!("{} b", "a".repeat(LONGEST));
        assert_eq!(lengths(&text), [LONGEST, 2]);
    }

    #[test]
    fn cuts_before_a_line_end_where_there_is_no_blank() {
        let text = format!("{};\n\n{}", "a".repeat(10), "b".repeat(LONGEST));
        assert_eq!(lengths(&text), [11, LONGEST, 2]);
    }

    #[test]
    fn never_cuts_a_character() {
        for filler in ["é", "你", "😀"] {
            for shift in 0..4 {
                lengths(&("x".repeat(shift) + &filler.repeat(LONGEST)));
            }
        }
    }
}
