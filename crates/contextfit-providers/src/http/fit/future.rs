use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};

use contextfit_tower::FittedResponse;
use pin_project_lite::pin_project;

pin_project! {
    /// The response of a [`HttpFit`](super::HttpFit) service.
    pub struct HttpFitFuture<F> {
        #[pin]
        sending: F,
    }
}

impl<F> HttpFitFuture<F> {
    pub(super) const fn new(sending: F) -> Self {
        Self { sending }
    }
}

impl<F, B, E> Future for HttpFitFuture<F>
where
    F: Future<Output = Result<FittedResponse<http::Response<B>>, E>>,
{
    type Output = Result<http::Response<B>, E>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let sent = self.project().sending.poll(cx);
        sent.map_ok(|fitted| {
            let mut response = fitted.response;
            if let Some(report) = fitted.report {
                response.extensions_mut().insert(report);
            }
            response
        })
    }
}

impl<F> fmt::Debug for HttpFitFuture<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("HttpFitFuture").finish_non_exhaustive()
    }
}
