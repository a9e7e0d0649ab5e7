use std::borrow::Cow;

/// A borrowed text, as it is or still escaped as inside a JSON string.
///
/// A view over a wire request points into the body, where text is escaped. It is decoded while
/// it is counted and never copied for that.
///
/// ```
/// use contextfit_core::request::Str;
///
/// assert_eq!(Str::plain("né\n").char_count(), 3);
/// assert_eq!(Str::escaped(r"n\u00e9\n").char_count(), 3);
/// assert_eq!(Str::escaped(r"n\u00e9\n").decode(), "né\n");
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Str<'a> {
    raw: &'a str,
    escaped: bool,
}

impl<'a> Str<'a> {
    /// Text as it is.
    #[must_use]
    pub const fn plain(text: &'a str) -> Self {
        Self {
            raw: text,
            escaped: false,
        }
    }

    /// The inside of a JSON string literal, without its quotes.
    #[must_use]
    pub const fn escaped(literal: &'a str) -> Self {
        Self {
            raw: literal,
            escaped: true,
        }
    }

    /// Whether there is no text.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.raw.is_empty()
    }

    /// The text as it is written: with its escapes, if it [is escaped](Self::is_escaped).
    #[must_use]
    pub const fn written(&self) -> &'a str {
        self.raw
    }

    /// Whether it is the inside of a JSON string literal.
    #[must_use]
    pub const fn is_escaped(&self) -> bool {
        self.escaped
    }

    /// Splits it after as much as is written in `bytes` bytes, between characters and between
    /// escapes. So a long text can be decoded part by part. The first part is empty only if
    /// `bytes` doesn't hold the first character or escape.
    ///
    /// ```
    /// use contextfit_core::request::Str;
    ///
    /// let (first, rest) = Str::escaped(r"a\u0041").split_at(3);
    /// assert_eq!((first.decode(), rest.decode()), ("a".into(), "A".into()));
    /// let (first, rest) = Str::plain("né").split_at(2);
    /// assert_eq!((first.decode(), rest.decode()), ("n".into(), "é".into()));
    /// ```
    #[must_use]
    pub fn split_at(&self, bytes: usize) -> (Self, Self) {
        let (first, rest) = self.raw.split_at(self.boundary(bytes));
        let part = |raw| Self { raw, ..*self };
        (part(first), part(rest))
    }

    /// The last place up to `most` bytes that is in no character and in no escape.
    fn boundary(&self, most: usize) -> usize {
        if most >= self.raw.len() {
            return self.raw.len();
        }
        let is_boundary = |&end: &usize| self.raw.is_char_boundary(end);
        let end = (0..=most).rev().find(is_boundary).unwrap_or(0);
        if !self.escaped {
            return end;
        }
        let mut read = 0;
        while let Some(at) = self.raw.as_bytes()[read..end]
            .iter()
            .position(|&it| it == b'\\')
        {
            let escape = read + at;
            read = escape + escape_length(&self.raw.as_bytes()[escape..]);
            if read > end {
                return escape;
            }
        }
        end
    }

    /// Length in characters (Unicode scalar values) of the decoded text.
    ///
    /// A malformed escape counts as the characters it is written with.
    #[must_use]
    #[inline]
    pub fn char_count(&self) -> usize {
        let written = bytecount::num_chars(self.raw.as_bytes());
        if self.escaped {
            written - surplus_of_escapes(self.raw)
        } else {
            written
        }
    }

    /// The text itself. Copies only where escapes have to be resolved.
    ///
    /// A malformed literal is returned as it is written.
    #[must_use]
    pub fn decode(&self) -> Cow<'a, str> {
        if let Some(written) = self.as_written() {
            return Cow::Borrowed(written);
        }
        match serde_json::from_str::<String>(&format!("\"{}\"", self.raw)) {
            Ok(text) => Cow::Owned(text),
            Err(_) => Cow::Borrowed(self.raw),
        }
    }

    /// The text, if nothing in it has to be decoded.
    pub(crate) fn as_written(&self) -> Option<&'a str> {
        (!self.escaped || !self.raw.contains('\\')).then_some(self.raw)
    }

    /// Shows the decoded text, as UTF-8, part by part, without copying what is written as it is.
    ///
    /// A malformed escape is shown as it is written.
    pub(crate) fn for_each_part(&self, mut visit: impl FnMut(&[u8])) {
        let mut rest = self.raw;
        if self.escaped {
            while let Some(at) = rest.find('\\') {
                let (before, escape) = rest.split_at(at);
                let length = escape_length(escape.as_bytes());
                let (escape, after) = escape.split_at(length);
                visit(before.as_bytes());
                let mut utf8 = [0; 4];
                visit(match meaning(escape.as_bytes()) {
                    Some(char) => char.encode_utf8(&mut utf8).as_bytes(),
                    None => escape.as_bytes(),
                });
                rest = after;
            }
        }
        visit(rest.as_bytes());
    }
}

impl<'a> From<&'a str> for Str<'a> {
    fn from(text: &'a str) -> Self {
        Self::plain(text)
    }
}

/// How many characters the escapes of a literal take beyond the ones they stand for.
fn surplus_of_escapes(literal: &str) -> usize {
    let bytes = literal.as_bytes();
    surplus_if_short(bytes).unwrap_or_else(|| {
        let mut surplus = 0;
        let mut rest = bytes;
        while let Some(at) = rest.iter().position(|&byte| byte == b'\\') {
            rest = &rest[at..];
            let length = escape_length(rest);
            surplus += length - 1;
            rest = &rest[length..];
        }
        surplus
    })
}

/// The surplus where every escape is of two bytes, and of these the second is no backslash: then
/// it is one for each. That is most text, and found out many bytes at a time.
fn surplus_if_short(literal: &[u8]) -> Option<usize> {
    // So many that a byte can count them.
    const CHUNK: usize = 128;
    let Some((&last, _)) = literal.split_last() else {
        return Some(0);
    };
    let mut surplus = 0;
    let nexts = literal[1..].chunks(CHUNK);
    for (chunk, nexts) in literal.chunks(CHUNK).zip(nexts) {
        let (mut escapes, mut others) = (0_u8, 0_u8);
        for (&byte, &next) in chunk.iter().zip(nexts) {
            let is_escape = u8::from(byte == b'\\');
            let is_short = matches!(next, b'n' | b'"' | b't' | b'r' | b'/' | b'b' | b'f');
            escapes += is_escape;
            others |= is_escape & u8::from(!is_short);
        }
        if others != 0 {
            return None;
        }
        surplus += usize::from(escapes);
    }
    (last != b'\\').then_some(surplus)
}

/// Bytes of the escape at the start of `text`; 1 where it is malformed.
fn escape_length(text: &[u8]) -> usize {
    match text.get(1) {
        Some(b'u') => match code_unit(text) {
            // A pair of surrogates is one character.
            Some(0xD800..=0xDBFF) => match code_unit(&text[6..]) {
                Some(0xDC00..=0xDFFF) => 12,
                _ => 1,
            },
            Some(0xDC00..=0xDFFF) | None => 1,
            Some(_) => 6,
        },
        Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => 2,
        _ => 1,
    }
}

/// The character that a whole escape stands for; `None` where it is malformed.
fn meaning(escape: &[u8]) -> Option<char> {
    Some(match *escape.get(1)? {
        b'u' => {
            let units = [code_unit(escape), escape.get(6..).and_then(code_unit)];
            return char::decode_utf16(units.into_iter().flatten()).next()?.ok();
        }
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        itself => char::from(itself),
    })
}

/// The number in a `\uXXXX` at the start of `text`.
fn code_unit(text: &[u8]) -> Option<u16> {
    let digits = text.strip_prefix(b"\\u")?.get(..4)?;
    digits.iter().try_fold(0, |unit, &digit| {
        let value = char::from(digit).to_digit(16)?;
        Some(unit << 4 | u16::try_from(value).ok()?)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn escapes_count_as_what_they_stand_for() {
        for (literal, text) in [
            (r#"a\"b"#, "a\"b"),
            (r"\\\\n", "\\\\n"),
            (r"\ud83d\ude00!", "😀!"),
            (r"\u4f60\u597d", "你好"),
        ] {
            assert_eq!(Str::escaped(literal).decode(), text);
            assert_eq!(
                Str::escaped(literal).char_count(),
                text.chars().count(),
                "{literal}"
            );
        }
    }

    #[test]
    fn long_text_counts_as_its_chars_do() {
        for text in ["a", "é", "好", "😀", "aé好😀"] {
            for times in [63, 64, 191, 192, 193, 1_000] {
                let text = text.repeat(times);
                assert_eq!(Str::plain(&text).char_count(), text.chars().count());
            }
        }
    }

    #[test]
    fn malformed_escapes_are_taken_as_written() {
        for literal in [r"\", r"\q", r"\u12", r"\ud83d", r"\ude00", r"\u+123"] {
            assert_eq!(Str::escaped(literal).decode(), literal);
            assert_eq!(
                Str::escaped(literal).char_count(),
                literal.chars().count(),
                "{literal}"
            );
        }
        // Half a pair of surrogates, then an escape that is well formed.
        assert_eq!(Str::escaped(r"\ud83d\u0041").char_count(), 7);
    }

    proptest! {
        #[test]
        fn any_text_counts_alike_plain_and_escaped(text in any::<String>()) {
            let quoted = serde_json::to_string(&text).unwrap();
            let literal = Str::escaped(&quoted[1..quoted.len() - 1]);
            prop_assert_eq!(literal.char_count(), text.chars().count());
            prop_assert_eq!(literal.decode(), &*text);
            for text in [literal, Str::plain(&text)] {
                for bytes in 0..=text.written().len() + 1 {
                    let (first, rest) = text.split_at(bytes);
                    prop_assert!(first.written().len() <= bytes);
                    prop_assert!(bytes < 12 || rest.is_empty() || !first.is_empty());
                    let parts = [first.decode(), rest.decode()].concat();
                    prop_assert_eq!(parts, text.decode());
                }
            }
            let mut parts = Vec::new();
            literal.for_each_part(|part| parts.extend_from_slice(part));
            prop_assert_eq!(parts, text.as_bytes());
        }

        #[test]
        fn no_literal_panics(literal in r#"(\\|u|[0-9a-fD]|"|é){0,40}"#) {
            let text = Str::escaped(&literal);
            let _ = (text.char_count(), text.decode());
            for bytes in 0..literal.len() {
                let (first, rest) = text.split_at(bytes);
                prop_assert_eq!([first.written(), rest.written()].concat(), &*literal);
            }
            let mut parts = Vec::new();
            text.for_each_part(|part| parts.extend_from_slice(part));
            let parts = String::from_utf8(parts).unwrap();
            prop_assert_eq!(parts.chars().count(), text.char_count());
        }
    }
}
