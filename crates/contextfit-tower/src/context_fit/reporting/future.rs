use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use contextfit_core::request::RequestAdapter;
use pin_project_lite::pin_project;
use tower_service::Service;

use super::FittedResponse;
use crate::context_fit::sending::Sending;
use crate::{BoxError, OverflowClassifier};

pin_project! {
    /// The response of a [`Reporting`](super::Reporting) service.
    pub struct ReportingFuture<S, R, A, C>
    where
        S: Service<R>,
    {
        #[pin]
        sending: Sending<S, R, A, C>,
    }
}

impl<S, R, A, C> ReportingFuture<S, R, A, C>
where
    S: Service<R>,
{
    pub(super) const fn new(sending: Sending<S, R, A, C>) -> Self {
        Self { sending }
    }
}

impl<S, R, A, C> Future for ReportingFuture<S, R, A, C>
where
    S: Service<R>,
    S::Error: Into<BoxError>,
    A: RequestAdapter<R> + Clone,
    C: OverflowClassifier<S::Response, S::Error>,
{
    type Output = Result<FittedResponse<S::Response>, BoxError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        self.project().sending.poll(cx)
    }
}

impl<S, R, A, C> fmt::Debug for ReportingFuture<S, R, A, C>
where
    S: Service<R>,
{
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("ReportingFuture").finish_non_exhaustive()
    }
}
