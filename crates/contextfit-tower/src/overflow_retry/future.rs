use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use contextfit_core::request::RequestAdapter;
use pin_project_lite::pin_project;
use tower_service::Service;

use crate::OverflowClassifier;
use crate::delivery::Delivery;

pin_project! {
    /// The response of an [`OverflowRetry`](super::OverflowRetry) service.
    pub struct ResponseFuture<S, R, C, A>
    where
        S: Service<R>,
    {
        #[pin]
        delivery: Delivery<S, R, A, C>,
    }
}

impl<S, R, C, A> ResponseFuture<S, R, C, A>
where
    S: Service<R>,
{
    pub(super) const fn new(delivery: Delivery<S, R, A, C>) -> Self {
        Self { delivery }
    }
}

impl<S, R, C, A> Future for ResponseFuture<S, R, C, A>
where
    S: Service<R>,
    C: OverflowClassifier<S::Response, S::Error>,
    A: RequestAdapter<R> + Clone,
{
    type Output = Result<S::Response, S::Error>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.project()
            .delivery
            .poll(cx)
            .map(|outcome| outcome.answered.result)
    }
}

impl<S, R, C, A> fmt::Debug for ResponseFuture<S, R, C, A>
where
    S: Service<R>,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ResponseFuture").finish_non_exhaustive()
    }
}
