use crate::BoxError;

/// There is no summary that could be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SummarizeError {
    /// The summarizer failed.
    #[error("the summarizer failed")]
    Failed(#[source] BoxError),
    /// The summary is empty, or nothing but white space.
    #[error("the summarizer returned a blank summary")]
    Blank,
    /// The summarizer's model stopped because its output was full.
    #[error("the summary was cut off: give the summarizer's model more output, or ask for less")]
    CutOff,
    /// The limit leaves too few tokens for any summary, so none was asked for.
    #[error("the limit leaves no room for a summary: use a larger window or a smaller reserve")]
    NoRoom,
    /// The summary exceeds its bound.
    #[error("the summary has {tokens} tokens, {bound} were allowed")]
    OverBound {
        /// Tokens of the summary.
        tokens: u64,
        /// The most that were allowed.
        bound: u64,
    },
    /// The summary, with what frames it, isn't smaller than what it replaces.
    #[error("the summary has {tokens} tokens with its frame, and would replace {replaced}")]
    NotSmaller {
        /// Tokens of the summary's message.
        tokens: u64,
        /// Tokens of the messages it would replace.
        replaced: u64,
    },
}

impl SummarizeError {
    /// The summarizer failed for a reason of its own.
    pub fn failed(source: impl Into<BoxError>) -> Self {
        Self::Failed(source.into())
    }
}
