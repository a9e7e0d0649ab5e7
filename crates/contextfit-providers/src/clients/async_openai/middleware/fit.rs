use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use async_openai::error::OpenAIError;
use async_openai::middleware::HttpRequestFactory;
use contextfit_core::request::Native;
use contextfit_tower::{BoxError, ContextFit};
use tower_service::Service;

use super::FactoryRequest;
use super::send_factory::SendFactory;
use crate::http::{HttpOverflow, PeekBody, Peeked};

pub(super) type Stack<S, A, C> = ContextFit<PeekBody<SendFactory<S>>, A, C>;

/// Makes each conversation fit that a client of `async-openai` sends, and recovers once from an
/// overflow.
///
/// What the provider or the inner service says is handed on as it is; an error of a
/// [`Fitter`](contextfit_tower::Fitter) is in an [`OpenAIError::Boxed`].
///
/// See the [module docs](super) for an example.
pub struct FactoryFit<S, A = Native, C = HttpOverflow> {
    pub(super) inner: Stack<S, A, C>,
}

impl<S: Clone, A: Clone, C: Clone> Clone for FactoryFit<S, A, C> {
    fn clone(&self) -> Self {
        Self {
            inner: self.inner.clone(),
        }
    }
}

impl<S: fmt::Debug, A, C> fmt::Debug for FactoryFit<S, A, C> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FactoryFit")
            .field("inner", self.inner.get_ref().get_ref().get_ref())
            .finish_non_exhaustive()
    }
}

impl<S, A, C> Service<HttpRequestFactory> for FactoryFit<S, A, C>
where
    Stack<S, A, C>: Service<
            FactoryRequest,
            Response = http::Response<Peeked<reqwest::Body>>,
            Error = BoxError,
            Future: Send,
        > + Clone
        + Send
        + 'static,
{
    type Response = reqwest::Response;
    type Error = OpenAIError;
    type Future = Pin<Box<dyn Future<Output = Result<reqwest::Response, OpenAIError>> + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), OpenAIError>> {
        self.inner.poll_ready(cx).map_err(unboxed)
    }

    fn call(&mut self, factory: HttpRequestFactory) -> Self::Future {
        // The one that is ready is called, once the request is built.
        let clone = self.inner.clone();
        let mut ready = std::mem::replace(&mut self.inner, clone);
        Box::pin(async move {
            let request = FactoryRequest::read(factory).await?;
            let response = ready.call(request).await.map_err(unboxed)?;
            Ok(response.map(reqwest::Body::wrap).into())
        })
    }
}

/// The error of the inner service as it was.
fn unboxed(error: BoxError) -> OpenAIError {
    match error.downcast() {
        Ok(error) => *error,
        Err(error) => OpenAIError::Boxed(error),
    }
}
