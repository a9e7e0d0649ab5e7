use std::task::{Context, Poll};

use bytes::Bytes;
use tower_layer::Layer;
use tower_service::Service;

use super::ProviderRequest;

/// Hands a [`ProviderRequest`] on as the `http::Request<Bytes>` that it is.
///
/// [`HttpFitLayer`](crate::http::HttpFitLayer) has one inside. Where you stack the layers
/// yourself, this one goes below them, right above the provider.
#[derive(Clone, Copy, Debug, Default)]
pub struct SendRequestLayer;

impl<S> Layer<S> for SendRequestLayer {
    type Service = SendRequest<S>;

    fn layer(&self, inner: S) -> Self::Service {
        SendRequest { inner }
    }
}

/// The service of a [`SendRequestLayer`].
#[derive(Clone, Copy, Debug)]
pub struct SendRequest<S> {
    inner: S,
}

impl<S> SendRequest<S> {
    inner_service_accessors!();
}

impl<S> Service<ProviderRequest> for SendRequest<S>
where
    S: Service<http::Request<Bytes>>,
{
    type Response = S::Response;
    type Error = S::Error;
    type Future = S::Future;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Self::Error>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: ProviderRequest) -> Self::Future {
        self.inner.call(request.into())
    }
}
