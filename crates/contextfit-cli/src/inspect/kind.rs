use std::collections::BTreeMap;

use contextfit::request::PieceKind;

/// What tokens are spent on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// A piece of a message, or of what stands beside the messages.
    Piece(PieceKind),
    /// What a message costs beside what it says.
    Overhead,
    /// The summary that takes the place of the messages that are cut.
    Summary,
    /// The notice that does, where nobody writes a summary.
    Notice,
}

/// Tokens by kind, in the order in which they are drawn.
pub(crate) type Kinds = BTreeMap<Kind, u64>;

/// How a kind is drawn. Kinds that are rare share one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Look {
    Text,
    Thinking,
    ToolCall,
    ToolResult,
    Media,
    Schema,
    Summary,
    Other,
}

impl Kind {
    /// Its name for a person.
    pub(crate) const fn name(self) -> &'static str {
        match self {
            Self::Piece(kind) => kind.name(),
            Self::Overhead => "overhead",
            Self::Summary => "summary",
            Self::Notice => "notice",
        }
    }

    /// Its name for a program.
    pub(crate) fn key(self) -> String {
        self.name().replace(' ', "_")
    }

    /// How it is drawn.
    pub(crate) const fn look(self) -> Look {
        match self {
            Self::Piece(PieceKind::Text) => Look::Text,
            Self::Piece(PieceKind::Thinking) => Look::Thinking,
            Self::Piece(PieceKind::ToolCall) => Look::ToolCall,
            Self::Piece(PieceKind::ToolResult) => Look::ToolResult,
            Self::Piece(PieceKind::Image | PieceKind::Audio | PieceKind::File) => Look::Media,
            Self::Piece(PieceKind::Schema) => Look::Schema,
            Self::Summary | Self::Notice => Look::Summary,
            Self::Piece(_) | Self::Overhead => Look::Other,
        }
    }
}

/// All tokens of some kinds together.
pub(crate) fn total(kinds: &Kinds) -> u64 {
    kinds.values().copied().fold(0, u64::saturating_add)
}

/// Adds tokens of a kind, if there are any.
pub(crate) fn add(kinds: &mut Kinds, kind: Kind, tokens: u64) {
    if tokens > 0 {
        let sum = kinds.entry(kind).or_default();
        *sum = sum.saturating_add(tokens);
    }
}
