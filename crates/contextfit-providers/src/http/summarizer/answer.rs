use std::fmt;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use contextfit_tower::{BoxError, SummaryChunk};
use futures_core::Stream;
use http::StatusCode;
use http_body::Body;

use super::chunks::Chunks;
use super::{HttpSummaryError, LONGEST_ERROR};
use crate::wire::WireFormat;

/// Bytes of an answer that are read, in all of its documents.
const MOST: usize = 64 * 1024 * 1024;

/// What a model says in a response, piece by piece, for
/// [`summarizer_stream_service`](contextfit_tower::summarizer_stream_service).
///
/// [`http_summarizer`](super::http_summarizer) reads its responses by it. By itself it serves who
/// makes the request otherwise. The response itself says whether it is streamed: as server-sent
/// events, as JSON lines or as one large array. A plain one is said in one piece, when all of it is
/// there.
///
/// - Text is text, without what the model thinks; thoughts and calls are told as such.
/// - An error in the answer is one of the stream, whatever came before: [`HttpSummaryError`]. So is an
///   error status, of which 2 KiB are read, an answer of more than 64 MiB, a document in it of more than
///   8 MiB, and whatever can't be read: what is compressed, say.
/// - A stream that ends without saying why says no [`Finish`](SummaryChunk::Finish): it was broken off.
///   A plain answer that is whole needn't say it.
/// - Comments, pings and what only opens a stream are nothing that the model puts out.
///
/// ```
/// use bytes::Bytes;
/// use contextfit_providers::http::HttpAnswer;
/// use contextfit_providers::wire::WireFormat;
/// use contextfit_tower::{BoxError, Summarizer, SummaryJob, summarizer_stream_service};
/// use http_body::Body;
/// use serde_json::json;
/// use tower_service::Service;
///
/// fn summarizer<S, B>(client: S) -> impl Summarizer
/// where
///     S: Service<http::Request<Bytes>, Response = http::Response<B>> + Clone + Send,
///     S::Future: Send,
///     S::Error: Into<BoxError>,
///     B: Body<Data = Bytes, Error: Into<BoxError>> + Send,
/// {
///     let request = |job: &SummaryJob| {
///         let body = json!({"my_own": job.prompt(), "stream": true});
///         http::Request::new(Bytes::from(body.to_string()))
///     };
///     let answer = |response| HttpAnswer::new(WireFormat::OpenAiChat, response);
///     summarizer_stream_service(client, request, answer)
/// }
/// ```
pub struct HttpAnswer<B> {
    /// Pinned in a box, so that the stream may be moved.
    body: Pin<Box<B>>,
    reads: Reads,
    /// Bytes that were read.
    read: usize,
}

/// What is read of a body.
enum Reads {
    Answer(Box<Chunks>),
    /// The start of what is said with an error status.
    Error(StatusCode, Vec<u8>),
    /// Nothing: it was told why.
    Nothing,
}

impl<B> HttpAnswer<B> {
    /// Reads a response that is written in this format.
    pub fn new(format: WireFormat, response: http::Response<B>) -> Self {
        let (head, body) = response.into_parts();
        let reads = if head.status.is_success() {
            Reads::Answer(Box::new(Chunks::new(format)))
        } else {
            Reads::Error(head.status, Vec::new())
        };
        Self {
            body: Box::pin(body),
            reads,
            read: 0,
        }
    }

    fn fail(&mut self, error: impl Into<BoxError>) -> Poll<Option<Result<SummaryChunk, BoxError>>> {
        self.reads = Reads::Nothing;
        Poll::Ready(Some(Err(error.into())))
    }
}

impl<B> Stream for HttpAnswer<B>
where
    B: Body<Data = Bytes>,
    B::Error: Into<BoxError>,
{
    type Item = Result<SummaryChunk, BoxError>;

    fn poll_next(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        let this = self.get_mut();
        loop {
            match &mut this.reads {
                Reads::Nothing => return Poll::Ready(None),
                Reads::Error(status, text) if text.len() >= LONGEST_ERROR => {
                    let error = HttpSummaryError::status(*status, text);
                    return this.fail(error);
                }
                Reads::Error(..) => {}
                Reads::Answer(chunks) => match chunks.next() {
                    Some(Ok(chunk)) => return Poll::Ready(Some(Ok(chunk))),
                    Some(Err(error)) => return this.fail(error),
                    None if chunks.is_over() => return Poll::Ready(None),
                    None => {}
                },
            }
            match (ready!(this.body.as_mut().poll_frame(cx)), &mut this.reads) {
                (Some(Err(error)), _) => return this.fail(error),
                (Some(Ok(frame)), reads) => {
                    let data = frame.into_data().unwrap_or_default();
                    this.read = this.read.saturating_add(data.len());
                    match reads {
                        _ if this.read > MOST => {
                            return this.fail(HttpSummaryError::TooLong { most: MOST });
                        }
                        Reads::Answer(chunks) => chunks.read(&data),
                        Reads::Error(_, text) => text.extend_from_slice(&data),
                        Reads::Nothing => {}
                    }
                }
                (None, Reads::Answer(chunks)) => chunks.finish(),
                (None, Reads::Error(status, text)) => {
                    let error = HttpSummaryError::status(*status, text);
                    return this.fail(error);
                }
                (None, Reads::Nothing) => return Poll::Ready(None),
            }
        }
    }
}

impl<B> fmt::Debug for HttpAnswer<B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The conversation itself stays out of logs.
        f.debug_struct("HttpAnswer")
            .field("read", &self.read)
            .finish_non_exhaustive()
    }
}
