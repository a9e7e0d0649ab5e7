/// A request or a setting that leaves no room for a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BudgetError {
    /// The window holds nothing.
    #[error("the context window is 0 tokens: set the window of the model, and no maximum of 0")]
    EmptyWindow,
    /// No message is allowed.
    #[error("a request of 0 messages asks for nothing: allow more, or set no bound")]
    NoMessages,
    /// The configured reserve leaves nothing of the window.
    #[error(
        "the reserve of {reserve} tokens leaves nothing of the {ceiling} tokens of the window: \
         set a reserve below it"
    )]
    ReserveTooLarge {
        /// Tokens kept free for the reply.
        reserve: u64,
        /// min(window, the caller's maximum).
        ceiling: u64,
    },
    /// What compaction can't touch is too large by itself.
    #[error(
        "the fixed part (system prompt, tools, response schema) takes {fixed} of {ceiling} tokens, \
         and compaction can't shrink it: shorten the system prompt or offer fewer tools"
    )]
    FixedPartTooLarge {
        /// Tokens of the fixed part.
        fixed: u64,
        /// The most tokens the prompt may use.
        ceiling: u64,
    },
    /// The fixed part would fit, but not beside the reserve for the reply.
    #[error(
        "the fixed part takes {fixed} tokens and the reply asks for {reserve}, together at least \
         the {ceiling} tokens of the window: ask for less output, or allow it to be lowered"
    )]
    OutputTooLarge {
        /// Tokens of the fixed part.
        fixed: u64,
        /// Tokens kept free for the reply.
        reserve: u64,
        /// min(window, the caller's maximum).
        ceiling: u64,
    },
}
