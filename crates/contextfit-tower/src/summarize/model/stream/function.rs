use std::fmt;
use std::future::Future;

use async_trait::async_trait;
use futures_core::Stream;

use super::{SummaryChunk, collect};
use crate::BoxError;
use crate::summarize::model::Model;
use crate::summarize::{SummarizeError, Summarizer, Summary, SummaryJob};

/// Makes a summarizer of a closure that returns a future of a stream.
///
/// An error of the future or in the stream is a failed summary, unless it is a [`SummarizeError`]
/// itself: that stays what it is. The stream has to say why it ends, with [`SummaryChunk::Finish`];
/// one that doesn't was broken off, and half a summary is none. A call that is given up is dropped:
/// nothing has to be read to its end.
///
/// ```
/// use contextfit_tower::{Stop, SummaryChunk, summarizer_stream_fn};
/// use futures_util::stream;
///
/// let summarizer = summarizer_stream_fn(|job| async move {
///     let chunks = [
///         SummaryChunk::Thinking,
///         SummaryChunk::Text(format!("{} messages ", job.messages)),
///         SummaryChunk::Text("were exchanged.".to_owned()),
///         SummaryChunk::Finish(Stop::Done),
///     ];
///     Ok::<_, std::io::Error>(stream::iter(chunks.map(Ok::<_, std::io::Error>)))
/// });
/// ```
pub fn summarizer_stream_fn<F, Fut, St, E, I>(open: F) -> StreamSummarizerFn<F>
where
    F: Fn(SummaryJob) -> Fut + Send + Sync,
    Fut: Future<Output = Result<St, E>> + Send,
    St: Stream<Item = Result<SummaryChunk, I>> + Send,
    E: Into<BoxError>,
    I: Into<BoxError>,
{
    StreamSummarizerFn {
        open,
        model: Model::default(),
    }
}

/// A summarizer made of a closure that opens a stream. See [`summarizer_stream_fn`].
#[derive(Clone)]
pub struct StreamSummarizerFn<F> {
    open: F,
    model: Model,
}

impl<F> StreamSummarizerFn<F> {
    say_model!();
}

impl<F> fmt::Debug for StreamSummarizerFn<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamSummarizerFn").finish_non_exhaustive()
    }
}

#[async_trait]
impl<F, Fut, St, E, I> Summarizer for StreamSummarizerFn<F>
where
    F: Fn(SummaryJob) -> Fut + Send + Sync,
    Fut: Future<Output = Result<St, E>> + Send,
    St: Stream<Item = Result<SummaryChunk, I>> + Send,
    E: Into<BoxError>,
    I: Into<BoxError>,
{
    async fn summarize(&self, job: SummaryJob) -> Result<Summary, SummarizeError> {
        let (progress, log) = (job.progress(), job.log.clone());
        let stream = (self.open)(job).await.map_err(SummarizeError::failed)?;
        collect(stream, &progress, &log).await
    }

    tell_model!();
}
