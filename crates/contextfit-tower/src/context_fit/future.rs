use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use contextfit_core::request::RequestAdapter;
use pin_project_lite::pin_project;
use tower_service::Service;

use crate::delivery::{Delivery, Ending, Outcome, Recovery};
use crate::fitter::{Fit, Fitter};
use crate::overflow::Size;
use crate::{BoxError, FitError, FitEvent, OverflowClassifier};

pin_project! {
    /// The response of a [`ContextFit`](super::ContextFit) service.
    pub struct ResponseFuture<S, R, A, C>
    where
        S: Service<R>,
    {
        waiting: Option<Waiting<S, R, A, C>>,
        #[pin]
        state: State<S, R, A, C>,
    }
}

/// What waits until the request fits.
struct Waiting<S, R, A, C> {
    /// A clone that was never called, to be driven to readiness.
    inner: S,
    fitter: Fitter<A>,
    recovery: Option<Recovery<S, R, A, C>>,
}

pin_project! {
    #[project = StateProj]
    enum State<S, R, A, C>
    where
        S: Service<R>,
    {
        Fitting { #[pin] fit: Fit<R, A> },
        Readying { request: Option<R>, size: Option<Size>, changed: bool },
        Delivering { #[pin] delivery: Delivery<S, R, A, C> },
    }
}

impl<S, R, A, C> ResponseFuture<S, R, A, C>
where
    S: Service<R>,
{
    pub(super) fn delivering(call: S::Future, recovery: Option<Recovery<S, R, A, C>>) -> Self {
        let delivery = Delivery::new(call, recovery);
        Self {
            waiting: None,
            state: State::Delivering { delivery },
        }
    }

    pub(super) fn fitting(
        fit: Fit<R, A>,
        inner: S,
        fitter: Fitter<A>,
        recovery: Option<Recovery<S, R, A, C>>,
    ) -> Self {
        let waiting = Waiting {
            inner,
            fitter,
            recovery,
        };
        Self {
            waiting: Some(waiting),
            state: State::Fitting { fit },
        }
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
        let mut this = self.project();
        loop {
            let next = match this.state.as_mut().project() {
                StateProj::Fitting { fit } => match ready!(fit.poll(cx)) {
                    Ok(fitted) => State::Readying {
                        request: Some(fitted.request),
                        size: fitted.size,
                        changed: fitted.report.is_some(),
                    },
                    Err(failure) => {
                        if let Some(waiting) = this.waiting {
                            waiting.fitter.observe(&FitEvent::Refused(&failure.error));
                        }
                        return Poll::Ready(Err(failure.error.into()));
                    }
                },
                StateProj::Readying {
                    request,
                    size,
                    changed,
                } => {
                    let waiting = this
                        .waiting
                        .as_mut()
                        .expect("a service waits for the request");
                    if let Err(error) = ready!(waiting.inner.poll_ready(cx)) {
                        return Poll::Ready(Err(error.into()));
                    }
                    let request = request.take().expect("the request wasn't sent yet");
                    let recovery = waiting.recovery.take();
                    let recovery = recovery.map(|recovery| recovery.sent(*size, *changed));
                    State::Delivering {
                        delivery: Delivery::new(waiting.inner.call(request), recovery),
                    }
                }
                StateProj::Delivering { delivery } => {
                    let Outcome { result, ending } = ready!(delivery.poll(cx));
                    return Poll::Ready(match ending {
                        Ending::Done => result.map_err(Into::into),
                        Ending::TooLong => result.map_err(|error| {
                            let source = error.into();
                            FitError::StillTooLong { source }.into()
                        }),
                        Ending::Aborted(error) => Err(error.into()),
                    });
                }
            };
            this.state.set(next);
        }
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
