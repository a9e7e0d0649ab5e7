use std::fmt;
use std::future::Future;

use async_trait::async_trait;

use super::known::Model;
use crate::BoxError;
use crate::summarize::{SummarizeError, Summarizer, Summary, SummaryJob};

/// Makes a summarizer of a closure that returns a future.
///
/// Its error is a failed summary, unless it is a [`SummarizeError`] itself: that stays what it is.
///
/// ```
/// use contextfit_tower::{Summary, summarizer_fn};
///
/// let summarizer = summarizer_fn(|job| async move {
///     let first_line = job.transcript.lines().nth(1).unwrap_or_default();
///     Ok::<_, std::io::Error>(Summary::new(job.head(first_line, job.max_tokens)))
/// });
/// ```
pub fn summarizer_fn<F, Fut, T, E>(summarize: F) -> SummarizerFn<F>
where
    F: Fn(SummaryJob) -> Fut + Send + Sync,
    Fut: Future<Output = Result<T, E>> + Send,
    T: Into<Summary>,
    E: Into<BoxError>,
{
    SummarizerFn {
        summarize,
        model: Model::default(),
    }
}

/// A summarizer made of a closure. See [`summarizer_fn`].
#[derive(Clone)]
pub struct SummarizerFn<F> {
    summarize: F,
    model: Model,
}

impl<F> SummarizerFn<F> {
    say_model!();
}

impl<F> fmt::Debug for SummarizerFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("SummarizerFn").finish_non_exhaustive()
    }
}

#[async_trait]
impl<F, Fut, T, E> Summarizer for SummarizerFn<F>
where
    F: Fn(SummaryJob) -> Fut + Send + Sync,
    Fut: Future<Output = Result<T, E>> + Send,
    T: Into<Summary>,
    E: Into<BoxError>,
{
    async fn summarize(&self, job: SummaryJob) -> Result<Summary, SummarizeError> {
        (self.summarize)(job)
            .await
            .map(Into::into)
            .map_err(SummarizeError::failed)
    }

    tell_model!();
}
