//! Who writes the summary, and what counts as one.

mod accept;
mod chat;
mod error;
mod function;
mod head;
mod job;
mod service;

pub(crate) use self::accept::accept;
pub use self::chat::{ChatSummarizer, chat_summarizer};
pub use self::error::SummarizeError;
pub use self::function::{SummarizerFn, summarizer_fn};
pub use self::head::HeadSummarizer;
pub use self::job::{Summary, SummaryJob};
pub use self::service::{ServiceSummarizer, summarizer_service};

use std::sync::Arc;

use async_trait::async_trait;

/// Writes a summary of messages that are to be cut.
///
/// Any closure is one ([`summarizer_fn`]), and so is any `tower::Service` with a model and a
/// stack of its own ([`summarizer_service`], [`chat_summarizer`]).
///
/// What it returns is not trusted: a summary that is blank, was cut off, exceeds its bound or
/// isn't smaller than what it replaces is refused, and then the fitter does what is set for a
/// [failed summary](crate::FailedSummary).
///
/// The future may be dropped at any await point. While it runs, no reservation of the wrapped
/// service is held, so it may go through the same limited stack.
///
/// ```
/// use async_trait::async_trait;
/// use contextfit_tower::{SummarizeError, Summarizer, Summary, SummaryJob};
///
/// /// Says how much there was, which is better than nothing.
/// struct Counts;
///
/// #[async_trait]
/// impl Summarizer for Counts {
///     async fn summarize(&self, job: SummaryJob) -> Result<Summary, SummarizeError> {
///         Ok(Summary::new(format!("{} messages were exchanged.", job.messages)))
///     }
/// }
/// ```
#[async_trait]
pub trait Summarizer: Send + Sync {
    /// Summarizes in at most [`SummaryJob::max_tokens`] tokens.
    ///
    /// # Errors
    ///
    /// There is no summary. The history is then not lost: what happens is a setting.
    async fn summarize(&self, job: SummaryJob) -> Result<Summary, SummarizeError>;

    /// The most output its model gives, in tokens, if that is known. It bounds the summary.
    fn max_output_tokens(&self) -> Option<u32> {
        None
    }
}

macro_rules! forward_to_inner {
    ($($pointer:ty),*) => {$(
        #[async_trait]
        impl<Z: Summarizer + ?Sized> Summarizer for $pointer {
            async fn summarize(&self, job: SummaryJob) -> Result<Summary, SummarizeError> {
                (**self).summarize(job).await
            }

            fn max_output_tokens(&self) -> Option<u32> {
                (**self).max_output_tokens()
            }
        }
    )*};
}
forward_to_inner!(Arc<Z>, Box<Z>);
