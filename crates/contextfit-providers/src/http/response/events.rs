//! Server-sent events, out of bytes that come in any pieces.

use memchr::{memchr, memchr2};

use super::documents::LONGEST;

/// Reads the events of a stream beside whoever consumes it. Nothing waits for it: an event is there
/// with the byte that ends it.
///
/// Crates that read such streams consume them, and keep events of any size.
#[derive(Debug, Default)]
pub(in crate::http) struct Events {
    line: Vec<u8>,
    name: Vec<u8>,
    data: Vec<u8>,
    has_data: bool,
    is_too_long: bool,
    /// The last byte was a carriage return: a line feed after it ends no other line.
    after_return: bool,
    /// There was a line that no stream of events has.
    is_foreign: bool,
}

impl Events {
    /// Reads a piece. `hear` is told the name of each event and its data; the data of one that is
    /// too long is `None`.
    pub(super) fn read(&mut self, bytes: &[u8], mut hear: impl FnMut(&[u8], Option<&[u8]>)) {
        let mut rest = bytes;
        if self.after_return && !rest.is_empty() {
            self.after_return = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        while let Some(end) = memchr2(b'\n', b'\r', rest) {
            let part = &rest[..end];
            let is_return = rest[end] == b'\r';
            rest = &rest[end + 1..];
            if is_return {
                self.after_return = rest.is_empty();
                rest = rest.strip_prefix(b"\n").unwrap_or(rest);
            }
            if self.line.is_empty() && self.has_room(part) {
                self.end_line(part, &mut hear);
            } else {
                self.keep(part);
                self.end_kept_line(&mut hear);
            }
        }
        self.keep(rest);
    }

    /// The stream is over. Its last event counts, also where nothing ends it.
    pub(super) fn finish(&mut self, mut hear: impl FnMut(&[u8], Option<&[u8]>)) {
        if !self.line.is_empty() {
            self.end_kept_line(&mut hear);
        }
        self.end_event(&mut hear);
    }

    /// Whether there was a line that no stream of events has.
    pub(super) const fn is_foreign(&self) -> bool {
        self.is_foreign
    }

    fn has_room(&self, part: &[u8]) -> bool {
        self.line.len() + self.data.len() + part.len() <= LONGEST
    }

    fn keep(&mut self, part: &[u8]) {
        if self.has_room(part) {
            self.line.extend_from_slice(part);
        } else {
            self.is_too_long = true;
            self.data.clear();
            // What is left says which field it is.
            self.line.truncate(16);
        }
    }

    fn end_kept_line(&mut self, hear: &mut impl FnMut(&[u8], Option<&[u8]>)) {
        let mut line = std::mem::take(&mut self.line);
        self.end_line(&line, hear);
        // Its memory serves for the next line.
        line.clear();
        self.line = line;
    }

    fn end_line(&mut self, line: &[u8], hear: &mut impl FnMut(&[u8], Option<&[u8]>)) {
        let (field, value) = match memchr(b':', line) {
            Some(colon) => (&line[..colon], &line[colon + 1..]),
            None => (line, &[][..]),
        };
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match field {
            b"" if line.is_empty() => self.end_event(hear),
            // A comment.
            b"" => {}
            b"data" => {
                if self.has_data && !self.is_too_long {
                    self.data.push(b'\n');
                }
                self.has_data = true;
                if !self.is_too_long {
                    self.data.extend_from_slice(value);
                }
            }
            b"event" => {
                self.name.clear();
                self.name.extend_from_slice(value);
            }
            b"id" | b"retry" => {}
            _ => self.is_foreign = true,
        }
    }

    fn end_event(&mut self, hear: &mut impl FnMut(&[u8], Option<&[u8]>)) {
        if self.has_data || self.is_too_long || !self.name.is_empty() {
            hear(&self.name, (!self.is_too_long).then_some(&self.data));
        }
        self.name.clear();
        self.data.clear();
        self.has_data = false;
        self.is_too_long = false;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// The events in these pieces.
    fn events(pieces: &[&[u8]]) -> Vec<(String, Option<String>)> {
        let mut heard = Vec::new();
        let mut hear = |name: &[u8], data: Option<&[u8]>| {
            let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
            heard.push((text(name), data.map(text)));
        };
        let mut events = Events::default();
        for piece in pieces {
            events.read(piece, &mut hear);
        }
        events.finish(&mut hear);
        heard
    }

    fn event(name: &str, data: &str) -> (String, Option<String>) {
        (name.to_owned(), Some(data.to_owned()))
    }

    #[test]
    fn all_forms_of_lines_are_read() {
        let expected = [
            event("a", "1\n2"),
            event("", ""),
            event("b", ""),
            event("", "3"),
        ];
        let text = ": comment\nevent: a\ndata: 1\nid: 9\ndata:2\n\ndata\n\n\n\nevent:b\nretry: 5\n\ndata:3";
        for end in ["\n", "\r", "\r\n"] {
            assert_eq!(events(&[text.replace('\n', end).as_bytes()]), expected);
        }
    }

    #[test]
    fn an_event_is_there_with_the_byte_that_ends_it() {
        for text in ["data: 1\n\n", "data: 1\r\r", "data: 1\r\n\r\n"] {
            let mut heard = 0;
            let mut events = Events::default();
            events.read(text.as_bytes(), |_, _| heard += 1);
            assert_eq!(heard, 1, "{text:?}");
        }
    }

    #[test]
    fn what_no_stream_of_events_has_is_noticed() {
        for (text, is_foreign) in [
            ("data: 1\n\n: c\nid\n\n", false),
            ("Internal Server Error\n", true),
            ("dat: 1\n", true),
        ] {
            let mut events = Events::default();
            events.read(text.as_bytes(), |_, _| {});
            assert_eq!(events.is_foreign(), is_foreign, "{text}");
        }
    }

    #[test]
    fn an_event_without_end_costs_no_more_memory_than_the_longest() {
        let mut events = Events::default();
        let mut heard = Vec::new();
        let piece = vec![b'x'; LONGEST / 4];
        events.read(b"data: ", |_, _| {});
        for _ in 0..20 {
            events.read(&piece, |_, _| {});
            assert!(events.line.capacity() + events.data.capacity() <= 3 * LONGEST);
        }
        let rest = b"\ndata: more\n\ndata: 2\n\n";
        events.read(rest, |_, data| heard.push(data.map(<[u8]>::to_vec)));
        assert_eq!(heard, [None, Some(b"2".to_vec())]);
    }

    proptest! {
        #[test]
        fn it_reads_the_same_in_whatever_pieces(
            text in "(data|event|:|id| |\n|\r|\r\n|x|é){0,40}",
            cuts in proptest::collection::vec(any::<prop::sample::Index>(), 0..8),
        ) {
            let mut cuts: Vec<_> = cuts.iter().map(|cut| cut.index(text.len() + 1)).collect();
            cuts.sort_unstable();
            let mut pieces = Vec::new();
            let mut rest = text.as_bytes();
            for cut in cuts.iter().rev() {
                let (start, piece) = rest.split_at((*cut).min(rest.len()));
                pieces.push(piece);
                rest = start;
            }
            pieces.push(rest);
            pieces.reverse();
            prop_assert_eq!(events(&pieces), events(&[text.as_bytes()]));
        }
    }
}
