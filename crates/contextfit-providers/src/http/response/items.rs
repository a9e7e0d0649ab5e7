//! JSON values one after the other, out of bytes that come in any pieces.

use memchr::memchr2;

use super::documents::LONGEST;

/// Finds where the values end in a body of JSON: a single one, one a line, or the items of one large
/// array, as Gemini streams them. It doesn't read them.
#[derive(Debug, Default)]
pub(in crate::http) struct Items {
    value: Vec<u8>,
    /// How many objects and arrays are open, but for an array around all.
    depth: usize,
    in_string: bool,
    after_backslash: bool,
    is_too_long: bool,
    is_array: bool,
}

impl Items {
    /// Reads a piece. `hear` is told each object and each string; one that is too long is `None`.
    pub(super) fn read(&mut self, bytes: &[u8], mut hear: impl FnMut(Option<&[u8]>)) {
        // Where what isn't kept yet begins.
        let mut start = if self.is_within() { Some(0) } else { None };
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            if self.in_string {
                at += self.go_on_in_string(&bytes[at..]);
            } else {
                at += 1;
                match byte {
                    b'"' => self.in_string = true,
                    b'{' => self.depth += 1,
                    b'[' if self.depth == 0 => self.is_array = true,
                    b'[' => self.depth += 1,
                    b'}' | b']' => self.depth = self.depth.saturating_sub(1),
                    _ => continue,
                }
            }
            match start {
                None if self.is_within() => start = Some(at - 1),
                Some(from) if !self.is_within() => {
                    start = None;
                    self.end(&bytes[from..at], &mut hear);
                }
                _ => {}
            }
        }
        if let Some(from) = start {
            self.keep(&bytes[from..]);
        }
    }

    /// Goes to the end of a string, or of what is there of it; tells how many bytes that are.
    fn go_on_in_string(&mut self, bytes: &[u8]) -> usize {
        let mut at = 0;
        if self.after_backslash {
            self.after_backslash = false;
            at = 1;
        }
        while let Some(found) = bytes.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
            at += found + 1;
            if bytes[at - 1] == b'"' {
                self.in_string = false;
                return at;
            }
            if at == bytes.len() {
                self.after_backslash = true;
                return at;
            }
            // What is escaped ends nothing.
            at += 1;
        }
        bytes.len()
    }

    /// The body is over. Its last value counts, also where it isn't complete.
    pub(super) fn finish(&mut self, mut hear: impl FnMut(Option<&[u8]>)) {
        if !self.value.is_empty() || self.is_too_long {
            self.end(&[], &mut hear);
        }
    }

    /// Whether there is an array around the values.
    pub(super) const fn is_array(&self) -> bool {
        self.is_array
    }

    const fn is_within(&self) -> bool {
        self.depth > 0 || self.in_string
    }

    fn keep(&mut self, part: &[u8]) {
        if self.value.len() + part.len() > LONGEST {
            self.is_too_long = true;
            self.value = Vec::new();
        } else if !self.is_too_long {
            self.value.extend_from_slice(part);
        }
    }

    /// A value is over; this is the last part of it.
    fn end(&mut self, part: &[u8], hear: &mut impl FnMut(Option<&[u8]>)) {
        let value = if self.value.is_empty() && !self.is_too_long && part.len() <= LONGEST {
            // All of it stands in one piece.
            Some(part)
        } else {
            self.keep(part);
            (!self.is_too_long).then_some(&*self.value)
        };
        hear(value);
        self.value.clear();
        self.is_too_long = false;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn items(pieces: &[&[u8]]) -> Vec<Option<String>> {
        let mut heard = Vec::new();
        let mut hear = |value: Option<&[u8]>| {
            heard.push(value.map(|value| String::from_utf8_lossy(value).into_owned()));
        };
        let mut items = Items::default();
        for piece in pieces {
            items.read(piece, &mut hear);
        }
        items.finish(&mut hear);
        heard
    }

    #[test]
    fn values_are_found_however_they_stand_and_wherever_they_are_cut() {
        let object = r#"{"a":["}",{"b":"\\\"]"}],"c":[[]]}"#;
        let expected = |times| vec![Some(object.to_owned()); times];
        for (text, times) in [
            (format!(" {object} "), 1),
            (format!("{object}\n{object}\r\n"), 2),
            (format!("[{object},\n {object}\n]"), 2),
            (format!("[1, null, {object}]"), 1),
            (String::new(), 0),
        ] {
            for cut in 0..=text.len() {
                let (start, end) = text.as_bytes().split_at(cut);
                assert_eq!(items(&[start, end]), expected(times), "{text} at {cut}");
            }
        }
    }

    #[test]
    fn a_string_is_a_value_too_and_what_is_cut_off_counts() {
        assert_eq!(items(&[br#""a{b""#]), [Some(r#""a{b""#.to_owned())]);
        assert_eq!(items(&[br#"{"a":"#]), [Some(r#"{"a":"#.to_owned())]);
    }

    #[test]
    fn a_value_without_end_costs_no_more_memory_than_the_longest() {
        let mut items = Items::default();
        items.read(b"{\"a\":\"", |_| {});
        for _ in 0..10 {
            items.read(&vec![b'x'; LONGEST / 4], |_| {});
            assert!(items.value.capacity() <= 2 * LONGEST);
        }
        let mut heard = Vec::new();
        items.read(b"\"}{}", |value| heard.push(value.map(<[u8]>::to_vec)));
        assert_eq!(heard, [None, Some(b"{}".to_vec())]);
    }
}
