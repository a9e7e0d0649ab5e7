use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use contextfit_core::request::RequestAdapter;
use pin_project_lite::pin_project;
use tower_service::Service;

use super::FittedResponse;
use crate::delivery::{Delivery, Ending, Outcome, Recovery};
use crate::fitter::{Fit, Fitter};
use crate::overflow::Size;
use crate::{BoxError, FitError, FitReport, OverflowClassifier};

pin_project! {
    /// Fits a request, sends it and recovers, for both services of this module.
    pub(super) struct Sending<S, R, A, C>
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
        Readying {
            request: Option<R>,
            size: Option<Size>,
            report: Option<Box<FitReport>>,
        },
        Delivering { #[pin] delivery: Delivery<S, R, A, C> },
    }
}

impl<S, R, A, C> Sending<S, R, A, C>
where
    S: Service<R>,
{
    pub(super) const fn delivering(
        call: S::Future,
        recovery: Option<Recovery<S, R, A, C>>,
    ) -> Self {
        let delivery = Delivery::new(call, recovery, None);
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

impl<S, R, A, C> Future for Sending<S, R, A, C>
where
    S: Service<R>,
    S::Error: Into<BoxError>,
    A: RequestAdapter<R> + Clone,
    C: OverflowClassifier<S::Response, S::Error>,
{
    type Output = Result<FittedResponse<S::Response>, BoxError>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        loop {
            let next = match this.state.as_mut().project() {
                StateProj::Fitting { fit } => match ready!(fit.poll(cx)) {
                    Ok(fitted) => State::Readying {
                        request: Some(fitted.request),
                        size: fitted.size,
                        report: fitted.report.map(Box::new),
                    },
                    Err(failure) => {
                        if let Some(waiting) = this.waiting {
                            waiting.fitter.tell_refused(&failure);
                        }
                        return Poll::Ready(Err(failure.error.into()));
                    }
                },
                StateProj::Readying {
                    request,
                    size,
                    report,
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
                    let changed = report.is_some();
                    let recovery = recovery.map(|recovery| recovery.sent(*size, changed));
                    let call = waiting.inner.call(request);
                    State::Delivering {
                        delivery: Delivery::new(call, recovery, report.take()),
                    }
                }
                StateProj::Delivering { delivery } => {
                    let Outcome { answered, ending } = ready!(delivery.poll(cx));
                    let response = match (answered.result, ending) {
                        (_, Ending::Aborted(error)) => return Poll::Ready(Err(error.into())),
                        (Ok(response), _) => response,
                        (Err(error), Ending::Done) => return Poll::Ready(Err(error.into())),
                        (Err(error), Ending::TooLong) => {
                            let source = error.into();
                            return Poll::Ready(Err(FitError::StillTooLong { source }.into()));
                        }
                    };
                    return Poll::Ready(Ok(FittedResponse {
                        response,
                        report: answered.report.map(|report| *report),
                        usage: answered.usage,
                    }));
                }
            };
            this.state.set(next);
        }
    }
}
