use std::error::Error;
use std::fmt;
use std::sync::Arc;
use std::time::Duration;

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
    /// The summarizer's model stopped because its output was full, or was broken off.
    #[error(
        "the summary was cut off: give the summarizer's model more output, let it think less, or ask \
         for less"
    )]
    CutOff,
    /// The summarizer's model called a tool. It was offered none, so it took the transcript for its
    /// own conversation.
    #[error("the summarizer's model called a tool instead of summarizing")]
    CalledTool,
    /// The summarizer's model put nothing out for so long.
    #[error(
        "the summarizer stalled: its model put nothing out for {after:?}; allow more time, or let \
         another summarizer stand in with `or_else`"
    )]
    Stalled {
        /// How long it was waited for.
        after: Duration,
    },
    /// The window of the summarizer's model has no room for what it is to read.
    #[error(
        "the summarizer's window of {window} tokens leaves no room to read anything: its prompt and \
         its output take {taken}"
    )]
    WindowTooSmall {
        /// Tokens of the window.
        window: u64,
        /// Tokens of it that are taken by what is no message.
        taken: u64,
    },
    /// Each of several summarizers failed, or wrote nothing usable. The last of their errors is the
    /// source.
    #[error(transparent)]
    Exhausted(Exhausted),
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
            Self::CalledTool => "called_tool",
            Self::Stalled { .. } => "stalled",
            Self::WindowTooSmall { .. } => "window_too_small",
            Self::Exhausted(_) => "exhausted",
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

    /// One error of several that were met one after the other, oldest first.
    pub(super) const fn exhausted(errors: Vec<Arc<Self>>) -> Self {
        Self::Exhausted(Exhausted { errors })
    }

    /// What an error stands for, oldest first.
    pub(super) fn apart(self) -> Vec<Arc<Self>> {
        match self {
            Self::Exhausted(exhausted) => exhausted.errors,
            error => vec![Arc::new(error)],
        }
    }

    /// The last of what it stands for.
    pub(crate) fn last(&self) -> &Self {
        match self {
            Self::Exhausted(exhausted) => exhausted.errors.last().map_or(self, |last| last),
            error => error,
        }
    }

    /// Whether a summarizer was called for it. None is where there is no room to read or to write.
    pub(crate) fn is_of_a_call(&self) -> bool {
        !matches!(
            self.last(),
            Self::NoRoom | Self::RefusedBefore | Self::WindowTooSmall { .. }
        )
    }

    /// Whether asking for the very same may give a summary: the summarizer didn't answer, which may
    /// pass. What was answered and refused would most likely be answered again.
    pub(crate) fn may_pass(&self) -> bool {
        match self {
            Self::Failed(_) | Self::Stalled { .. } => true,
            Self::Exhausted(exhausted) => exhausted.errors().any(Self::may_pass),
            _ => false,
        }
    }

    /// Whether the same summarizer may do better at once, asked for the same.
    pub(super) fn is_worth_an_attempt(&self) -> bool {
        match self {
            Self::Blank | Self::CutOff | Self::CalledTool => true,
            error => error.may_pass(),
        }
    }
}

/// Each of several summarizers failed, or wrote nothing usable.
pub struct Exhausted {
    errors: Vec<Arc<SummarizeError>>,
}

impl Exhausted {
    /// What each of them met with, in the order in which they were asked.
    pub fn errors(&self) -> impl Iterator<Item = &SummarizeError> {
        self.errors.iter().map(|error| &**error)
    }
}

impl fmt::Display for Exhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let number = self.errors.len();
        write!(f, "none of {number} summarizers wrote a usable summary")
    }
}

impl fmt::Debug for Exhausted {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Exhausted").field(&self.errors).finish()
    }
}

impl Error for Exhausted {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        let last = self.errors.last()?;
        Some(&**last)
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

    #[test]
    fn b23_the_last_of_several_errors_is_the_source_and_all_are_there() {
        let own = std::io::Error::other("no connection");
        let errors = [SummarizeError::Blank, SummarizeError::failed(own)].map(Arc::new);
        let error = SummarizeError::exhausted(errors.to_vec());
        assert!(error.to_string().contains("none of 2 summarizers"));
        let last = error.source().unwrap();
        assert!(matches!(
            last.downcast_ref(),
            Some(SummarizeError::Failed(_))
        ));
        assert!(last.source().unwrap().is::<std::io::Error>());
        assert!(matches!(error.last(), SummarizeError::Failed(_)));
        assert!(
            error.may_pass()
                && !SummarizeError::exhausted(vec![Arc::new(SummarizeError::Blank)]).may_pass()
        );
        assert_eq!(error.apart().len(), 2);
    }
}
