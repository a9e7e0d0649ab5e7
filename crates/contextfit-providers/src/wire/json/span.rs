use contextfit_core::request::Str;

/// Where something stands in a body, in bytes.
///
/// A body is at most 4 GiB, so that an index of it stays small.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    start: u32,
    end: u32,
    /// Whether it is the inside of a string literal, so that escapes in it are to be resolved.
    is_literal: bool,
}

impl Span {
    /// No text at all.
    pub(crate) const EMPTY: Self = Self {
        start: 0,
        end: 0,
        is_literal: false,
    };

    /// A value as it is written. The body was measured before: it is no longer than an index
    /// can hold.
    pub(crate) fn raw(start: usize, end: usize) -> Self {
        let [start, end] = [start, end].map(|at| u32::try_from(at).unwrap_or(u32::MAX));
        Self {
            start,
            end,
            is_literal: false,
        }
    }

    /// The inside of a string literal that is written from `start` to `end`.
    pub(crate) fn literal(start: usize, end: usize) -> Self {
        Self {
            is_literal: true,
            ..Self::raw(start + 1, end - 1)
        }
    }

    pub(crate) const fn start(self) -> usize {
        self.start as usize
    }

    pub(crate) const fn end(self) -> usize {
        self.end as usize
    }

    pub(crate) const fn is_literal(self) -> bool {
        self.is_literal
    }

    /// What stands there.
    pub(crate) fn written(self, body: &str) -> &str {
        body.get(self.start()..self.end()).unwrap_or_default()
    }

    /// The text that stands there.
    pub(crate) fn text(self, body: &str) -> Str<'_> {
        let written = self.written(body);
        if self.is_literal {
            Str::escaped(written)
        } else {
            Str::plain(written)
        }
    }
}
