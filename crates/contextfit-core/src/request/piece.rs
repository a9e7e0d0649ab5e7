use super::{Media, Str};

/// One countable part of a message, or of what is sent beside the messages.
///
/// Borrowed from the request: an [`Estimator`](crate::estimate::Estimator) counts it and a
/// summarizer's transcript is written from it; neither needs to know the request's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Piece<'a> {
    /// The name of who speaks, where the message gives one: several users, several agents. It
    /// comes before what they say. The name of a tool is no speaker, see
    /// [`ToolResult`](Self::ToolResult).
    Speaker(Str<'a>),
    /// What somebody said.
    Text(Str<'a>),
    /// What the model thought, where the conversation carries it.
    Thinking(Str<'a>),
    /// The model calls a tool.
    ToolCall {
        /// What the result will answer to; empty where the provider has none.
        id: Str<'a>,
        /// The tool.
        name: Str<'a>,
        /// Its arguments, most often a JSON object.
        arguments: Str<'a>,
    },
    /// What a tool answered. The one kind of text that a policy may clip inside a kept message;
    /// where it is allowed, what the user said is clipped as a last resort.
    ToolResult {
        /// The call that it answers; empty where the provider has none.
        call_id: Str<'a>,
        /// The tool, where the message names it; else empty.
        name: Str<'a>,
        /// The answer.
        content: Str<'a>,
    },
    /// A tool's schema or the schema of the response.
    Schema(Str<'a>),
    /// An image, a sound, a file.
    Media(Media<'a>),
    /// Anything that has to be sent along and that nobody here understands.
    Opaque(Str<'a>),
}

impl<'a> Piece<'a> {
    /// Shows every text in the piece that costs tokens, in the order in which it stands.
    ///
    /// [`Piece::Media`] has none: what it costs doesn't depend on text.
    #[inline]
    pub fn for_each_text(&self, mut visit: impl FnMut(Str<'a>)) {
        match *self {
            Self::Speaker(text)
            | Self::Text(text)
            | Self::Thinking(text)
            | Self::Schema(text)
            | Self::Opaque(text) => visit(text),
            Self::ToolCall {
                id,
                name,
                arguments,
            } => {
                visit(id);
                visit(name);
                visit(arguments);
            }
            Self::ToolResult {
                call_id,
                name,
                content,
            } => {
                visit(call_id);
                visit(name);
                visit(content);
            }
            Self::Media(_) => {}
        }
    }
}
