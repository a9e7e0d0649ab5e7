use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use contextfit_core::request::RequestAdapter;
use pin_project_lite::pin_project;
use tower_service::Service;

use super::sending::Sending;
use crate::{BoxError, OverflowClassifier};

pin_project! {
    /// The response of a [`ContextFit`](super::ContextFit) service.
    pub struct ResponseFuture<S, R, A, C>
    where
        S: Service<R>,
    {
        #[pin]
        sending: Sending<S, R, A, C>,
    }
}

impl<S, R, A, C> ResponseFuture<S, R, A, C>
where
    S: Service<R>,
{
    pub(super) const fn new(sending: Sending<S, R, A, C>) -> Self {
        Self { sending }
    }
}

impl<S, R, A, C> Future for ResponseFuture<S, R, A, C>
where
    S: Service<R>,
    S::Error: Into<BoxError>,
    A: RequestAdapter<R> + Clone,
    C: OverflowClassifier<S::Response, S::Error>,
{
    type Output = Result<S::Response, BoxError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let sent = self.project().sending.poll(cx);
        sent.map_ok(|fitted| fitted.response)
    }
}

impl<S, R, A, C> fmt::Debug for ResponseFuture<S, R, A, C>
where
    S: Service<R>,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseFuture").finish_non_exhaustive()
    }
}
