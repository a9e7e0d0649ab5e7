use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use async_openai::middleware::HttpRequestFactory;
use pin_project_lite::pin_project;
use tower_service::Service;

use super::FactoryRequest;

/// Hands on the factory of a request, and the response as one of `http`.
#[derive(Clone, Copy, Debug)]
pub struct SendFactory<S> {
    inner: S,
}

impl<S> SendFactory<S> {
    pub(super) const fn new(inner: S) -> Self {
        Self { inner }
    }

    inner_service_accessors!();
}

impl<S> Service<FactoryRequest> for SendFactory<S>
where
    S: Service<HttpRequestFactory, Response = reqwest::Response>,
{
    type Response = http::Response<reqwest::Body>;
    type Error = S::Error;
    type Future = SendFuture<S::Future>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), S::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: FactoryRequest) -> Self::Future {
        let call = self.inner.call(request.into_factory());
        SendFuture { call }
    }
}

pin_project! {
    /// The response of a [`SendFactory`] service.
    #[derive(Debug)]
    pub struct SendFuture<F> {
        #[pin]
        call: F,
    }
}

impl<F, E> Future for SendFuture<F>
where
    F: Future<Output = Result<reqwest::Response, E>>,
{
    type Output = Result<http::Response<reqwest::Body>, E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        Poll::Ready(ready!(self.project().call.poll(cx)).map(Into::into))
    }
}
