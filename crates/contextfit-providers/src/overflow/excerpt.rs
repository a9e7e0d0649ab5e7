use std::fmt::{self, Write as _};

/// Bytes of a long text that are read at either end.
const END: usize = 64 * 1024;

/// The part of a text that is read: all of it, or the head and the tail of a long one.
///
/// A text of any length can be written into it, and costs no more memory than that.
#[derive(Debug, Default)]
pub(super) struct Excerpt {
    head: String,
    tail: String,
    is_cut: bool,
}

impl Excerpt {
    /// The excerpt of what is displayed.
    pub(super) fn of(text: impl fmt::Display) -> Self {
        let mut excerpt = Self::default();
        // What fails to be displayed is read as far as it got.
        let _ = write!(excerpt, "{text}");
        excerpt.forget_all_but_the_end();
        if !excerpt.is_cut {
            excerpt.head.push_str(&excerpt.tail);
        }
        excerpt
    }

    /// The head of a text, and its tail if it is too long to be read whole.
    pub(super) fn ends(text: &str) -> (&str, Option<&str>) {
        if text.len() <= 2 * END {
            return (text, None);
        }
        let (head, rest) = text.split_at(boundary(text, END));
        (head, Some(&rest[start_of_end(rest)..]))
    }

    /// The texts to read, each by itself: one, or the head and the tail.
    pub(super) fn parts(&self) -> impl Iterator<Item = &str> {
        [Some(&*self.head), self.is_cut.then_some(&*self.tail)]
            .into_iter()
            .flatten()
    }

    fn forget_all_but_the_end(&mut self) {
        if self.tail.len() > END {
            self.tail.drain(..start_of_end(&self.tail));
            self.is_cut = true;
        }
    }
}

impl fmt::Write for Excerpt {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        let room = END.saturating_sub(self.head.len());
        let (head, rest) = text.split_at(boundary(text, room));
        self.head.push_str(head);
        let (skipped, end) = rest.split_at(start_of_end(rest));
        if !skipped.is_empty() {
            self.tail.clear();
            self.is_cut = true;
        }
        self.tail.push_str(end);
        // Not at every piece, or a text in small pieces would be moved over and over.
        if self.tail.len() > 2 * END {
            self.forget_all_but_the_end();
        }
        Ok(())
    }
}

/// Where the last bytes of a text begin, those that are read.
fn start_of_end(text: &str) -> usize {
    boundary(text, text.len().saturating_sub(END))
}

/// The first character border at or after a byte.
fn boundary(text: &str, byte: usize) -> usize {
    (byte..text.len())
        .find(|&byte| text.is_char_boundary(byte))
        .unwrap_or(text.len())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Displays a text in pieces of so many characters.
    struct Pieces<'a>(&'a str, usize);

    impl fmt::Display for Pieces<'_> {
        fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            let chars: Vec<char> = self.0.chars().collect();
            for piece in chars.chunks(self.1) {
                f.write_str(&piece.iter().collect::<String>())?;
            }
            Ok(())
        }
    }

    fn parts(text: impl fmt::Display) -> Vec<String> {
        Excerpt::of(text).parts().map(str::to_owned).collect()
    }

    #[test]
    fn a_text_that_can_be_read_whole_is_one_part() {
        for length in [0, 1, END, END + 1, 2 * END] {
            let text = "abcdefg".repeat(length / 7 + 1)[..length].to_owned();
            for piece in [1, 1000, usize::MAX] {
                assert_eq!(parts(Pieces(&text, piece)), [&*text], "{length} {piece}");
            }
        }
    }

    #[test]
    fn of_a_longer_text_both_ends_are_read() {
        for length in [2 * END + 1, 3 * END, 5 * END + 7] {
            let text = "abcdefg".repeat(length / 7 + 1)[..length].to_owned();
            for piece in [1, 1000, END, usize::MAX] {
                let parts = parts(Pieces(&text, piece));
                assert_eq!(parts.len(), 2, "{length} {piece}");
                assert!(parts[0] == text[..END], "{length} {piece}");
                assert!(parts[1] == text[length - END..], "{length} {piece}");
            }
        }
    }

    #[test]
    fn no_character_is_torn() {
        for shift in 0..4 {
            let text = format!("{}{}", "a".repeat(shift), "😀".repeat(END));
            for piece in [1, 1000, usize::MAX] {
                let parts = parts(Pieces(&text, piece));
                assert_eq!(parts.len(), 2);
                assert!(text.starts_with(&parts[0]) && text.ends_with(&parts[1]));
                assert!(parts.iter().all(|part| part.len().abs_diff(END) < 4));
            }
        }
    }

    #[test]
    fn what_fails_to_be_displayed_is_read_as_far_as_it_got() {
        struct Broken;

        impl fmt::Display for Broken {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("prompt is too long")?;
                Err(fmt::Error)
            }
        }

        assert_eq!(parts(Broken), ["prompt is too long"]);
    }
}
