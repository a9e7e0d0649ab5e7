//! What can go wrong while a request is fitted.

use std::error::Error;

use contextfit_core::budget::BudgetError;
use contextfit_core::request::{AdapterError, ApplyError};

use crate::{BoxError, SummarizeError, UnknownModel};

/// A request could not be fitted, and was not sent.
///
/// [`StillTooLong`](Self::StillTooLong) is the exception: it was sent, and is too long all the
/// same.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum FitError {
    /// The request has no room for a conversation: its fixed part, or the output it asks for,
    /// is too large.
    #[error(transparent)]
    NoRoom(#[from] BudgetError),
    /// Nothing that may be cut or clipped makes the messages fit.
    #[error(
        "the messages need {needed} tokens and may use {limit}; compaction can bring them to \
         {floor}, beside a fixed part of {fixed}: shorten the newest messages, pin fewer, or \
         allow clipping"
    )]
    CannotFit {
        /// Tokens the messages have.
        needed: u64,
        /// Tokens they may use.
        limit: u64,
        /// Tokens of the fixed part.
        fixed: u64,
        /// The fewest tokens the messages can be brought to.
        floor: u64,
    },
    /// There are more messages than are allowed, whatever is cut.
    #[error(
        "the request has {messages} messages and may have {most}; compaction can bring them to \
         {floor}: pin fewer, or allow more"
    )]
    TooManyMessages {
        /// How many messages there are.
        messages: usize,
        /// How many there may be.
        most: usize,
        /// The fewest they can be brought to.
        floor: usize,
    },
    /// There is no usable summary, and that is set to be an error; or the summarizer ended the
    /// request.
    #[error("the conversation can't be summarized")]
    Summarize(#[from] SummarizeError),
    /// The request's model isn't known.
    #[error(transparent)]
    UnknownModel(#[from] UnknownModel),
    /// The request is malformed.
    #[error(transparent)]
    Unreadable(#[from] AdapterError),
    /// The adapter couldn't carry out the plan.
    #[error(transparent)]
    Apply(#[from] ApplyError),
    /// The provider found the request too long, and it can't be made smaller or was made
    /// smaller once. Sending it again can't help.
    #[error("the provider finds the request too long, and it can't be fitted any better")]
    StillTooLong {
        /// What the provider said.
        source: BoxError,
    },
}

impl FitError {
    /// What kind of error it is, in `snake_case`: one of a few, for traces and metrics. That of a
    /// [`Summarize`](Self::Summarize) is [its own](SummarizeError::kind).
    #[must_use]
    pub const fn kind(&self) -> &'static str {
        match self {
            Self::NoRoom(_) => "no_room",
            Self::CannotFit { .. } => "cannot_fit",
            Self::TooManyMessages { .. } => "too_many_messages",
            Self::Summarize(error) => error.kind(),
            Self::UnknownModel(_) => "unknown_model",
            Self::Unreadable(_) => "unreadable",
            Self::Apply(_) => "not_applied",
            Self::StillTooLong { .. } => "still_too_long",
        }
    }
}

/// Whether an error, or one in its chain of sources, is an overflow that was already recovered
/// from or can't be: retrying it can only cost. So is a request that its summarizer
/// [ended](SummarizeError::abort).
///
/// For the policy of a retry layer outside of [`ContextFit`](crate::ContextFit).
///
/// ```
/// use contextfit_tower::{FitError, is_final_overflow};
///
/// let error = FitError::StillTooLong { source: "too long".into() };
/// assert!(is_final_overflow(&error));
/// assert!(!is_final_overflow(&std::io::Error::other("connection reset")));
/// ```
#[must_use]
pub fn is_final_overflow(error: &(dyn Error + 'static)) -> bool {
    let mut next = Some(error);
    while let Some(error) = next {
        if let Some(
            FitError::StillTooLong { .. }
            | FitError::CannotFit { .. }
            | FitError::TooManyMessages { .. }
            | FitError::NoRoom(_)
            | FitError::Summarize(SummarizeError::Abort(_)),
        ) = error.downcast_ref()
        {
            return true;
        }
        next = error.source();
    }
    false
}

/// A request that could not be fitted, with the reason. Nothing is lost.
#[derive(thiserror::Error)]
#[error("the request could not be fitted")]
#[non_exhaustive]
pub struct FitFailure<R> {
    /// The request, unchanged.
    pub request: R,
    /// The reason.
    #[source]
    pub error: FitError,
}

impl<R> FitFailure<R> {
    pub(crate) const fn new(request: R, error: FitError) -> Self {
        Self { request, error }
    }
}

impl<R> std::fmt::Debug for FitFailure<R> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("FitFailure")
            .field("error", &self.error)
            .finish_non_exhaustive()
    }
}
