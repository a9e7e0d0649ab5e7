use std::fmt;
use std::marker::PhantomData;
use std::sync::Mutex;

use async_trait::async_trait;
use futures_core::Stream;
use tower_service::Service;

use super::{SummaryChunk, collect};
use crate::BoxError;
use crate::summarize::model::Model;
use crate::summarize::model::service::call;
use crate::summarize::{SummarizeError, Summarizer, Summary, SummaryJob};

/// Makes a summarizer of a service whose response is a stream, or has one:
/// [`summarizer_service`](crate::summarizer_service) for what is streamed.
///
/// `request` makes the service's request of a job, and `chunks` a stream of the response. What holds
/// for the stream of [`summarizer_stream_fn`](crate::summarizer_stream_fn) holds for this one.
///
/// ```
/// use contextfit_tower::{Stop, SummaryChunk, SummaryJob, summarizer_stream_service};
/// use futures_util::{StreamExt, stream};
/// use tower::service_fn;
///
/// // Stands for a client, and for what a model sends.
/// let model = service_fn(|prompt: String| async move {
///     let words = ["They ", "agreed.", ""].map(|word| Ok::<_, std::io::Error>(word));
///     Ok::<_, std::io::Error>(stream::iter(words))
/// });
/// let summarizer = summarizer_stream_service(
///     model,
///     |job: &SummaryJob| job.prompt(),
///     |words| words.map(|word| {
///         word.map(|word| match word {
///             "" => SummaryChunk::Finish(Stop::Done),
///             word => SummaryChunk::Text(word.to_owned()),
///         })
///     }),
/// );
/// ```
pub fn summarizer_stream_service<S, R, Q, P, St, I>(
    service: S,
    request: Q,
    chunks: P,
) -> StreamServiceSummarizer<S, R, Q, P>
where
    S: Service<R>,
    Q: Fn(&SummaryJob) -> R,
    P: Fn(S::Response) -> St,
    St: Stream<Item = Result<SummaryChunk, I>>,
    I: Into<BoxError>,
{
    StreamServiceSummarizer {
        service: Mutex::new(service),
        request,
        chunks,
        model: Model::default(),
        makes: PhantomData,
    }
}

/// A summarizer made of a service that answers in a stream. See [`summarizer_stream_service`].
pub struct StreamServiceSummarizer<S, R, Q, P> {
    // Only ever locked to clone the service: it needn't be `Sync`.
    service: Mutex<S>,
    request: Q,
    chunks: P,
    model: Model,
    makes: PhantomData<fn() -> R>,
}

impl<S, R, Q, P> StreamServiceSummarizer<S, R, Q, P> {
    say_model!();
}

impl<S, R, Q, P> fmt::Debug for StreamServiceSummarizer<S, R, Q, P> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StreamServiceSummarizer")
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl<S, R, Q, P, St, I> Summarizer for StreamServiceSummarizer<S, R, Q, P>
where
    S: Service<R> + Clone + Send,
    S::Future: Send,
    S::Response: Send,
    S::Error: Into<BoxError>,
    R: Send,
    Q: Fn(&SummaryJob) -> R + Send + Sync,
    P: Fn(S::Response) -> St + Send + Sync,
    St: Stream<Item = Result<SummaryChunk, I>> + Send,
    I: Into<BoxError>,
{
    async fn summarize(&self, job: SummaryJob) -> Result<Summary, SummarizeError> {
        let response = call(&self.service, (self.request)(&job)).await?;
        collect((self.chunks)(response), &job.progress(), &job.log).await
    }

    tell_model!();
}
