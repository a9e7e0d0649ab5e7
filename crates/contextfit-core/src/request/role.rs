/// Who speaks in a message, by meaning and not by the word on the wire.
///
/// A message that holds only tool results is [`Role::Tool`], whatever the provider calls it:
/// Anthropic and Gemini carry tool results in messages of the user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Role {
    /// Standing instructions.
    System,
    /// Standing instructions, in the word newer OpenAI models use.
    Developer,
    /// The person, or the program that speaks for one.
    User,
    /// The model.
    Assistant,
    /// Results of tool calls.
    Tool,
}

impl Role {
    /// Whether messages of this role are part of what compaction never touches.
    #[must_use]
    pub const fn is_fixed(self) -> bool {
        matches!(self, Self::System | Self::Developer)
    }
}
