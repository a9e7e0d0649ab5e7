//! Who writes the summary, and what counts as one.

#[macro_use]
mod model;

mod asking;
mod chain;
mod error;
mod job;
mod offline;
mod progress;
mod prompts;
#[cfg(test)]
pub(crate) mod scripted;
mod settings;
mod summary;

pub(crate) use self::asking::{Calls, Reading, run};
pub use self::chain::{Attempts, OrElse, StallTimeout, SummarizerExt};
pub use self::error::{Exhausted, SummarizeError};
pub use self::job::{SummaryJob, SummaryKind};
pub use self::model::{
    ChatSummarizer, ServiceSummarizer, SummarizerFn, chat_summarizer, summarizer_fn,
    summarizer_service,
};
#[cfg(feature = "stream")]
pub use self::model::{
    StreamServiceSummarizer, StreamSummarizerFn, SummaryChunk, summarizer_stream_fn,
    summarizer_stream_service,
};
pub(crate) use self::offline::archived;
pub use self::offline::{Archive, ExtractiveSummarizer, HeadSummarizer};
pub use self::progress::Progress;
pub use self::prompts::Prompts;
pub(crate) use self::settings::SummarySettings;
pub use self::summary::Summary;

use std::sync::Arc;

use async_trait::async_trait;
use contextfit_core::estimate::Estimator;

/// Writes a summary of messages that are to be cut.
///
/// Any closure is one ([`summarizer_fn`]), and so is any `tower::Service` with a model and a
/// stack of its own ([`summarizer_service`], [`chat_summarizer`]).
///
/// [`summarize`](Self::summarize) is one call of one model. More attempts, a time-out and another
/// one that stands in are put around it: see [`SummarizerExt`].
///
/// What it returns is not trusted: a summary that is blank, was cut off, called a tool, exceeds its
/// bound or isn't smaller than what it replaces is refused, and then the fitter does what is set for
/// a [failed summary](crate::FailedSummary).
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
    /// There is no summary. The history is then not lost: what happens is a setting, but for
    /// [`SummarizeError::Abort`], which is to end the request.
    async fn summarize(&self, job: SummaryJob) -> Result<Summary, SummarizeError>;

    /// The name of its model, if it has one, as traces and metrics tell it.
    fn model(&self) -> Option<&str> {
        None
    }

    /// The most output its model gives, in tokens, if that is known. It bounds the summary.
    fn max_output_tokens(&self) -> Option<u32> {
        None
    }

    /// The window of its model, in tokens, output included. What doesn't fit into it is read in
    /// chunks, one [job](SummaryJob) each, at most as many
    /// [as there may be](crate::FitterBuilder::summary_calls); of what is more the oldest messages
    /// are left out, and the transcript says so.
    ///
    /// `None`: it reads whatever it is given, and a window is its own matter.
    fn window(&self) -> Option<u64> {
        None
    }

    /// What counts tokens as its model does, for its window. The fitter's own counts if `None`, and
    /// the bound of a summary is always counted by that.
    fn estimator(&self) -> Option<Arc<dyn Estimator>> {
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

            fn model(&self) -> Option<&str> {
                (**self).model()
            }

            fn max_output_tokens(&self) -> Option<u32> {
                (**self).max_output_tokens()
            }

            fn window(&self) -> Option<u64> {
                (**self).window()
            }

            fn estimator(&self) -> Option<Arc<dyn Estimator>> {
                (**self).estimator()
            }
        }
    )*};
}
forward_to_inner!(Arc<Z>, Box<Z>);

#[cfg(test)]
mod tests {
    use contextfit_core::estimate::CharEstimator;
    use contextfit_core::summary::Transcript;
    use tower::service_fn;

    use super::*;
    use crate::BoxError;

    fn job() -> SummaryJob {
        SummaryJob::new(
            SummaryKind::History,
            Transcript::default(),
            None,
            100,
            Arc::new(CharEstimator::default()),
            Arc::default(),
        )
    }

    #[test]
    fn the_window_is_told_through_pointers() {
        let closure = summarizer_fn(|_| async { Ok::<_, BoxError>("summary") });
        assert_eq!(Summarizer::window(&closure), None);
        let closure: Box<dyn Summarizer> = Box::new(closure.window(8_000));
        assert_eq!(Summarizer::window(&Arc::new(closure)), Some(8_000));
    }

    #[tokio::test]
    async fn b23_the_error_that_is_to_end_a_request_comes_out_as_it_is() {
        let abort = || SummarizeError::abort("cancelled");
        let closure = summarizer_fn(move |_| async move { Err::<Summary, _>(abort()) });
        let service = service_fn(move |_: ()| async move { Err::<(), _>(abort()) });
        let service = summarizer_service(
            service,
            |_: &SummaryJob| (),
            |()| Ok::<_, BoxError>(Summary::new("summary")),
        );
        let summarizers: [&dyn Summarizer; 2] = [&closure, &service];
        for summarizer in summarizers {
            let error = summarizer.summarize(job()).await.unwrap_err();
            assert!(matches!(error, SummarizeError::Abort(_)), "{error}");
        }
    }
}
