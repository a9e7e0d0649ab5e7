use super::events::Events;
use super::items::Items;

/// Bytes of the longest document that is read: a whole body, or one event of a stream. Those with
/// images in them are large; the last event of OpenAI's Responses repeats all that came before it.
pub(in crate::http) const LONGEST: usize = 8 * 1024 * 1024;

/// One JSON document of a body.
#[derive(Clone, Copy, Debug)]
pub(in crate::http) struct Heard<'a> {
    /// The name of the event, if it is one.
    pub(in crate::http) event: &'a [u8],
    /// `None` if it is too long to be read.
    pub(in crate::http) data: Option<&'a [u8]>,
    /// Whether it stands alone, and not in a row of them.
    pub(in crate::http) is_alone: bool,
}

/// Finds the documents of a body that comes in pieces.
///
/// The body itself says how they stand in it, as some servers name another type than they send: it
/// begins with a brace or a bracket, or else it is a stream of events.
#[derive(Debug, Default)]
pub(in crate::http) enum Documents {
    #[default]
    Undecided,
    /// After so many bytes of a byte order mark.
    Mark(usize),
    Events(Events),
    Items(Items),
}

const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

impl Documents {
    pub(in crate::http) fn read(&mut self, mut bytes: &[u8], mut hear: impl FnMut(Heard<'_>)) {
        self.decide(&mut bytes);
        match self {
            Self::Undecided | Self::Mark(_) => {}
            Self::Events(events) => events.read(bytes, |event, data| hear(of_event(event, data))),
            Self::Items(items) => read_items(items, bytes, hear),
        }
    }

    pub(in crate::http) fn finish(&mut self, mut hear: impl FnMut(Heard<'_>)) {
        match self {
            Self::Undecided | Self::Mark(_) => {}
            Self::Events(events) => events.finish(|event, data| hear(of_event(event, data))),
            Self::Items(items) => {
                let is_alone = !items.is_array();
                items.finish(|data| hear(of_item(data, is_alone)));
            }
        }
    }

    /// Whether the body is something else: plain text, say.
    pub(super) const fn is_foreign(&self) -> bool {
        matches!(self, Self::Events(events) if events.is_foreign())
    }

    /// Decides by the first byte that isn't white space, and leaves the bytes from there on.
    fn decide(&mut self, bytes: &mut &[u8]) {
        while let (Self::Undecided | Self::Mark(_), Some((&first, rest))) =
            (&*self, bytes.split_first())
        {
            let mark = if let Self::Mark(length) = self {
                *length
            } else {
                0
            };
            if BYTE_ORDER_MARK.get(mark) == Some(&first) {
                *self = Self::Mark(mark + 1);
                *bytes = rest;
            } else if first.is_ascii_whitespace() {
                *bytes = rest;
            } else if matches!(first, b'{' | b'[') {
                *self = Self::Items(Items::default());
            } else {
                *self = Self::Events(Events::default());
            }
        }
    }
}

fn read_items(items: &mut Items, bytes: &[u8], mut hear: impl FnMut(Heard<'_>)) {
    // An array opens before its first item, in this piece or in one before it.
    let is_alone = !items.is_array() && bytes.first() != Some(&b'[');
    items.read(bytes, |data| hear(of_item(data, is_alone)));
}

const fn of_event<'a>(event: &'a [u8], data: Option<&'a [u8]>) -> Heard<'a> {
    Heard {
        event,
        data,
        is_alone: false,
    }
}

const fn of_item(data: Option<&[u8]>, is_alone: bool) -> Heard<'_> {
    Heard {
        event: b"",
        data,
        is_alone,
    }
}
