//! Everything that a service of HTTP requests needs, in one layer.

mod future;
mod layer;

pub use self::future::HttpFitFuture;
pub use self::layer::HttpFitLayer;

use std::fmt;
use std::task::{Context, Poll};

use bytes::Bytes;
use contextfit_core::request::Native;
use contextfit_tower::{FittedResponse, Reporting};
use tower_service::Service;

use super::{HttpOverflow, PeekBody, ProviderRequest, SendRequest};
use crate::wire::WireFormat;

/// Makes each request to a provider fit before it is sent, and recovers once if the provider
/// finds it too long all the same.
///
/// Its inner service takes an `http::Request<Bytes>`, and so does it. What is no conversation goes
/// through untouched, as [`ProviderRequest`] says. The body of a response is handed on as it came,
/// in a [`Peeked`](super::Peeked), as soon as enough of it was read to know that it is no overflow.
///
/// The response to a request that was changed has a [`FitReport`](contextfit_tower::FitReport) among
/// its extensions, with the plan to do the same to a history of one's own. It is never sent anywhere.
///
/// The error is a `BoxError`, as that of [`ContextFit`](contextfit_tower::ContextFit), which does the
/// work.
///
/// See [`HttpFitLayer`] for an example.
pub struct HttpFit<S, A = Native, C = HttpOverflow> {
    inner: Stack<S, A, C>,
    format: Option<WireFormat>,
}

impl<S, A, C> HttpFit<S, A, C> {
    /// The service of the provider.
    pub const fn get_ref(&self) -> &S {
        self.inner.get_ref().get_ref().get_ref()
    }
}

impl<S: Clone, A: Clone, C: Clone> Clone for HttpFit<S, A, C> {
    fn clone(&self) -> Self {
        Self {
            inner: self.inner.clone(),
            format: self.format,
        }
    }
}

impl<S: fmt::Debug, A, C> fmt::Debug for HttpFit<S, A, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpFit")
            .field("inner", self.get_ref())
            .field("format", &self.format)
            .finish_non_exhaustive()
    }
}

type Stack<S, A, C> = Reporting<SendRequest<PeekBody<S>>, A, C>;

impl<S, A, C, B> Service<http::Request<Bytes>> for HttpFit<S, A, C>
where
    Stack<S, A, C>: Service<ProviderRequest, Response = FittedResponse<http::Response<B>>>,
{
    type Response = http::Response<B>;
    type Error = <Stack<S, A, C> as Service<ProviderRequest>>::Error;
    type Future = HttpFitFuture<<Stack<S, A, C> as Service<ProviderRequest>>::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: http::Request<Bytes>) -> Self::Future {
        HttpFitFuture::new(self.inner.call(match self.format {
            Some(format) => ProviderRequest::of_format(format, request),
            None => request.into(),
        }))
    }
}
