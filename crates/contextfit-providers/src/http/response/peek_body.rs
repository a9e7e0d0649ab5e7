use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use http_body::Body;
use pin_project_lite::pin_project;
use tower_layer::Layer;
use tower_service::Service;

use super::Peeked;

/// Puts a [`PeekBody`] around a service.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PeekBodyLayer;

impl PeekBodyLayer {
    /// The layer; there is nothing to set.
    #[must_use]
    pub const fn new() -> Self {
        Self
    }
}

impl<S> Layer<S> for PeekBodyLayer {
    type Service = PeekBody<S>;

    fn layer(&self, inner: S) -> PeekBody<S> {
        PeekBody::new(inner)
    }
}

/// Reads the start of each response before it is handed on, as far as it takes to know whether it is
/// an overflow; then a retry can still be made, because nobody has seen any of it.
///
/// - Of an **error status**, the first 64 KiB.
/// - Of a **plain JSON body**, all of it, but of one above 8 MiB nothing more is held back.
/// - Of a **stream**, as server-sent events, as JSON lines or as one large array: up to the first
///   event that is no bookkeeping. The events that only open a stream (`response.created`,
///   `message_start`, a first chunk with only a role), pings and comments are held back until then, a
///   mebibyte at most. Content is handed on in the moment it comes, and nothing after it is held.
/// - Of anything else, nothing, and nothing of what is compressed. A layer that decompresses belongs
///   inside.
///
/// Every byte is handed on as it came, in the same frames. [`HttpOverflow`](super::HttpOverflow) tells
/// what was found.
#[derive(Clone, Copy, Debug)]
pub struct PeekBody<S> {
    inner: S,
}

impl<S> PeekBody<S> {
    /// Reads the start of what `inner` answers.
    pub const fn new(inner: S) -> Self {
        Self { inner }
    }

    inner_service_accessors!();
}

impl<S, R, B> Service<R> for PeekBody<S>
where
    S: Service<R, Response = http::Response<B>>,
    B: Body<Data = Bytes>,
{
    type Response = http::Response<Peeked<B>>;
    type Error = S::Error;
    type Future = PeekBodyFuture<S::Future, B>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: R) -> Self::Future {
        PeekBodyFuture {
            call: self.inner.call(request),
            response: None,
        }
    }
}

pin_project! {
    /// The response of a [`PeekBody`] service.
    pub struct PeekBodyFuture<F, B: Body> {
        #[pin]
        call: F,
        response: Option<http::Response<Peeked<B>>>,
    }
}

impl<F, B, E> Future for PeekBodyFuture<F, B>
where
    F: Future<Output = Result<http::Response<B>, E>>,
    B: Body<Data = Bytes>,
{
    type Output = Result<http::Response<Peeked<B>>, E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let mut response = match this.response.take() {
            Some(response) => response,
            None => {
                let (head, body) = ready!(this.call.poll(cx))?.into_parts();
                let body = Peeked::new(&head, body);
                http::Response::from_parts(head, body)
            }
        };
        if response.body_mut().poll_peek(cx).is_pending() {
            *this.response = Some(response);
            return Poll::Pending;
        }
        Poll::Ready(Ok(response))
    }
}

impl<F, B: Body> fmt::Debug for PeekBodyFuture<F, B> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("PeekBodyFuture").finish_non_exhaustive()
    }
}
