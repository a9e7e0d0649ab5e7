use crate::table::Row;

/// What becomes of one message.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Fate {
    /// It stays as it is.
    #[default]
    Keep,
    /// It stays, with its tool results clipped so that it costs at most so many tokens, or as
    /// little as markers in the place of their texts do: [`CLEAR`](Self::CLEAR).
    Clip(u64),
    /// It is cut, and the summary covers it.
    Summarize,
    /// It is cut, and nobody summarizes it: a notice says how many messages are missing.
    Drop,
}

impl Fate {
    /// It stays, with markers in the place of its tool results.
    pub const CLEAR: Self = Self::Clip(0);

    /// Whether the message is cut, summarized or not.
    #[must_use]
    pub const fn is_cut(self) -> bool {
        matches!(self, Self::Summarize | Self::Drop)
    }

    /// A message as it is after this, if it is kept.
    pub(crate) fn leaves(self, mut row: Row) -> Row {
        if let Self::Clip(most) = self {
            let tokens = most.max(row.cleared()).min(row.tokens);
            let freed = row.tokens - tokens;
            row.tokens = tokens;
            row.clippable = row.clippable.saturating_sub(freed);
            row.clearable = row.clearable.saturating_sub(freed);
        }
        row
    }
}
