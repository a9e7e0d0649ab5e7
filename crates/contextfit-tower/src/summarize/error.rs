use crate::BoxError;

/// There is no summary that could be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SummarizeError {
    /// The summarizer failed.
    #[error("the summarizer failed")]
    Failed(#[source] BoxError),
    /// The caller's own error, which ends the request: it is no failed summary, and nothing is
    /// done in its place, whatever is set for one. The error itself is the source. Made by
    /// [`abort`](Self::abort).
    #[error("the summarizer ended the request")]
    Abort(#[source] BoxError),
    /// This very summary was asked for before and refused, so it isn't asked for again.
    #[error(
        "this summary was asked for before and refused: it is asked for again when there is more \
         to summarize"
    )]
    RefusedBefore,
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
    /// What kind of error it is, in `snake_case`: one of a few, for traces and metrics.
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::Failed(_) => "summarizer_failed",
            Self::Abort(_) => "aborted",
            Self::RefusedBefore => "refused_before",
            Self::Blank => "blank",
            Self::CutOff => "cut_off",
            Self::NoRoom => "no_room_for_summary",
            Self::OverBound { .. } => "over_bound",
            Self::NotSmaller { .. } => "not_smaller",
        }
    }

    /// The summarizer failed for a reason of its own. A [`SummarizeError`] stays what it is.
    pub fn failed(source: impl Into<BoxError>) -> Self {
        match source.into().downcast::<Self>() {
            Ok(error) => *error,
            Err(source) => Self::Failed(source),
        }
    }

    /// The request must not go on: somebody cancelled it, or has spent what they may. A summarizer
    /// that returns this ends the request with it, whatever is set for a
    /// [failed summary](crate::FailedSummary), also in a recovery from an overflow. Only
    /// [`OverflowRetry`](crate::OverflowRetry) by itself then passes on what the provider said,
    /// because it has no error of its own.
    ///
    /// ```
    /// use std::error::Error;
    ///
    /// use contextfit_tower::SummarizeError;
    ///
    /// #[derive(Debug, thiserror::Error)]
    /// #[error("the budget of this session is spent")]
    /// struct Spent;
    ///
    /// let error = SummarizeError::abort(Spent);
    /// assert!(error.source().is_some_and(|source| source.is::<Spent>()));
    /// ```
    pub fn abort(source: impl Into<BoxError>) -> Self {
        Self::Abort(source.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_of_ours_stays_what_it_is() {
        let error = SummarizeError::failed(SummarizeError::abort("cancelled"));
        assert!(
            matches!(error, SummarizeError::Abort(source) if source.to_string() == "cancelled")
        );
        let error = SummarizeError::failed("no connection");
        assert!(matches!(error, SummarizeError::Failed(_)));
    }
}
