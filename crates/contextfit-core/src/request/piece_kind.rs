use super::{MediaKind, Piece};

/// What a [`Piece`] is, without what it says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum PieceKind {
    /// The name of who speaks.
    Speaker,
    /// What somebody said.
    Text,
    /// What the model thought, in the open or sealed.
    Thinking,
    /// A call of a tool.
    ToolCall,
    /// What a tool answered.
    ToolResult,
    /// A schema.
    Schema,
    /// An image.
    Image,
    /// A sound.
    Audio,
    /// A file.
    File,
    /// What nobody here understands.
    Opaque,
}

impl PieceKind {
    /// Its name, in lower case: `tool call`, say.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Speaker => "speaker",
            Self::Text => "text",
            Self::Thinking => "thinking",
            Self::ToolCall => "tool call",
            Self::ToolResult => "tool result",
            Self::Schema => "schema",
            Self::Image => MediaKind::Image.name(),
            Self::Audio => MediaKind::Audio.name(),
            Self::File => MediaKind::File.name(),
            Self::Opaque => "other",
        }
    }
}

impl Piece<'_> {
    /// What it is, without what it says.
    #[must_use]
    pub const fn kind(&self) -> PieceKind {
        match self {
            Self::Speaker(_) => PieceKind::Speaker,
            Self::Text(_) => PieceKind::Text,
            Self::Thinking(_) => PieceKind::Thinking,
            Self::ToolCall { .. } => PieceKind::ToolCall,
            Self::ToolResult { .. } => PieceKind::ToolResult,
            Self::Schema(_) => PieceKind::Schema,
            Self::Media(media) => match media.kind {
                MediaKind::Image => PieceKind::Image,
                MediaKind::Audio => PieceKind::Audio,
                MediaKind::File => PieceKind::File,
                MediaKind::Sealed => PieceKind::Thinking,
            },
            Self::Opaque(_) => PieceKind::Opaque,
        }
    }
}
