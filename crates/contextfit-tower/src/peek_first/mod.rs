//! Middleware that holds a stream back until its first content, so that an overflow that comes
//! before that can still be recovered from.
//!
//! A provider that streams may say "too long" when it has answered already: in the first item of the
//! stream, or after some that a user wouldn't see. [`PeekFirst`] returns such an error as the
//! service's own, for a layer around it to recover from. It is for services whose response is a
//! stream of results, as client crates have them.
//!
//! ```
//! use contextfit_core::chat::{ChatMessage, ChatRequest};
//! use contextfit_tower::peek_first::{ItemKind, Peeked, PeekFirstLayer, StreamOverflow};
//! use contextfit_tower::{
//!     BoxError, ContextFitLayer, Fitter, HeadSummarizer, Overflow, Usage, UsageOverflow,
//!     UsageReader, classifier_fn,
//! };
//! use futures_util::TryStreamExt;
//! use futures_util::stream::{self, Iter};
//! use tower::{Service, ServiceBuilder, ServiceExt, service_fn};
//!
//! /// What comes out of a stream.
//! enum Event {
//!     Created,
//!     Text(String),
//!     Done { prompt_tokens: u64, completion_tokens: u64 },
//! }
//!
//! #[derive(Debug, thiserror::Error)]
//! #[error("too long")]
//! struct TooLong;
//!
//! type Events = Iter<std::vec::IntoIter<Result<Event, TooLong>>>;
//!
//! #[derive(Clone, Copy)]
//! struct EventUsage;
//!
//! impl UsageReader<Event> for EventUsage {
//!     fn usage(&self, event: &Event) -> Option<Usage> {
//!         match *event {
//!             Event::Done { prompt_tokens, completion_tokens } => {
//!                 Some(Usage::new(prompt_tokens, completion_tokens))
//!             }
//!             _ => None,
//!         }
//!     }
//! }
//!
//! # #[tokio::main(flavor = "current_thread")] async fn main() -> Result<(), BoxError> {
//! // A provider that takes eight messages, and finds out late.
//! let provider = service_fn(|request: ChatRequest| async move {
//!     let messages = request.messages.len();
//!     let events = if messages > 8 {
//!         vec![Ok(Event::Created), Err(TooLong)]
//!     } else {
//!         let text = Event::Text(format!("{messages} messages"));
//!         let done = Event::Done { prompt_tokens: 900, completion_tokens: 2 };
//!         vec![Ok(Event::Created), Ok(text), Ok(done)]
//!     };
//!     Ok::<_, TooLong>(stream::iter(events))
//! });
//!
//! let peek = PeekFirstLayer::new(|event: &Event| match event {
//!     Event::Created => ItemKind::Bookkeeping,
//!     Event::Text(_) => ItemKind::Content,
//!     Event::Done { .. } => ItemKind::End,
//! });
//! let errors = classifier_fn(|_, result: &Result<Peeked<Events>, TooLong>| {
//!     result.as_ref().err().map(|TooLong| Overflow::new())
//! });
//! let overflow = StreamOverflow::new(errors).usage(UsageOverflow::new(EventUsage));
//!
//! let fitter = Fitter::builder().window(8_000).summarizer(HeadSummarizer).build()?;
//! let mut service = ServiceBuilder::new()
//!     .layer(ContextFitLayer::new(fitter).overflow_retry(overflow))
//!     .layer(peek)
//!     .service(provider);
//!
//! let chat = (0..12).map(|turn| ChatMessage::user(format!("{turn}: {}", "x".repeat(1_000))));
//! let mut stream = service.ready().await?.call(ChatRequest::new("a-model", chat)).await?;
//! assert!(matches!(stream.try_next().await?, Some(Event::Created)));
//! assert!(matches!(stream.try_next().await?, Some(Event::Text(text)) if text == "3 messages"));
//! # Ok(()) }
//! ```

mod future;
mod item_kind;
mod layer;
mod peeked;
mod stream_overflow;

pub use self::future::ResponseFuture;
pub use self::item_kind::ItemKind;
pub use self::layer::PeekFirstLayer;
pub use self::peeked::Peeked;
pub use self::stream_overflow::StreamOverflow;

use std::fmt;
use std::task::{Context, Poll};

use futures_core::TryStream;
use tower_service::Service;

/// Holds the items of a stream back until the first that is no bookkeeping.
///
/// - That is content, or the end of the answer: what was held back is handed on with it, in order,
///   and from then on each item goes through as it comes. So no content is ever delayed.
/// - It is an error: the service returns it, converted by [`From`] where its own is of another type.
/// - There is none: the stream is handed on, and says so by [`Peeked::is_empty`].
///
/// It belongs directly below what recovers, and above whatever retries what is transient. The stream
/// has to be [`Unpin`]: one that isn't is boxed, with `.map_response(Box::pin)` on the service below.
///
/// See the [module docs](self) for an example.
#[derive(Clone, Copy)]
pub struct PeekFirst<S, F> {
    inner: S,
    look: F,
    most_held: usize,
}

impl<S, F> PeekFirst<S, F> {
    const fn new(inner: S, look: F, most_held: usize) -> Self {
        Self {
            inner,
            look,
            most_held,
        }
    }

    inner_service_accessors!();
}

impl<S: fmt::Debug, F> fmt::Debug for PeekFirst<S, F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PeekFirst")
            .field("inner", &self.inner)
            .field("most_held", &self.most_held)
            .finish_non_exhaustive()
    }
}

impl<S, R, F> Service<R> for PeekFirst<S, F>
where
    S: Service<R>,
    S::Response: TryStream + Unpin,
    S::Error: From<<S::Response as TryStream>::Error>,
    F: Fn(&<S::Response as TryStream>::Ok) -> ItemKind + Clone,
{
    type Response = Peeked<S::Response>;
    type Error = S::Error;
    type Future = ResponseFuture<S::Future, S::Response, F>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: R) -> Self::Future {
        ResponseFuture::new(self.inner.call(request), self.look.clone(), self.most_held)
    }
}
