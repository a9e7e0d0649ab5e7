use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use contextfit_core::request::RequestAdapter;
use pin_project_lite::pin_project;
use tower_service::Service;

use super::ContextFit;
use crate::delivery::{Delivery, Outcome, Recovery};
use crate::fitter::Fit;
use crate::overflow::Size;
use crate::{BoxError, FitError, FitEvent, OverflowClassifier};

pin_project! {
    /// The response of a [`ContextFit`] service.
    pub struct ResponseFuture<S, R, A, C>
    where
        S: Service<R>,
    {
        // A clone that was never called, to be driven to readiness once the request fits.
        service: Option<ContextFit<S, A, C>>,
        #[pin]
        state: State<S, R, A, C>,
    }
}

pin_project! {
    #[project = StateProj]
    enum State<S, R, A, C>
    where
        S: Service<R>,
    {
        Fitting { #[pin] fit: Fit<R, A> },
        Readying { request: Option<R>, size: Option<Size>, pins: Option<Vec<usize>> },
        Delivering { #[pin] delivery: Delivery<S, R, A, C> },
    }
}

impl<S, R, A, C> ResponseFuture<S, R, A, C>
where
    S: Service<R>,
{
    pub(super) const fn delivering(delivery: Delivery<S, R, A, C>) -> Self {
        Self {
            service: None,
            state: State::Delivering { delivery },
        }
    }

    pub(super) const fn fitting(fit: Fit<R, A>, service: ContextFit<S, A, C>) -> Self {
        Self {
            service: Some(service),
            state: State::Fitting { fit },
        }
    }
}

impl<S, R, A, C> Future for ResponseFuture<S, R, A, C>
where
    S: Service<R> + Clone,
    S::Error: Into<BoxError>,
    A: RequestAdapter<R> + Clone,
    C: OverflowClassifier<S::Response, S::Error> + Clone,
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
                        pins: fitted.pins,
                    },
                    Err(failure) => {
                        if let Some(service) = this.service {
                            service.fitter.observe(&FitEvent::Refused(&failure.error));
                        }
                        return Poll::Ready(Err(failure.error.into()));
                    }
                },
                StateProj::Readying {
                    request,
                    size,
                    pins,
                } => {
                    let service = this
                        .service
                        .as_mut()
                        .expect("a service waits for the request");
                    if let Err(error) = ready!(service.inner.poll_ready(cx)) {
                        return Poll::Ready(Err(error.into()));
                    }
                    let request = request.take().expect("the request wasn't sent yet");
                    let ContextFit {
                        inner,
                        fitter,
                        classifier,
                    } = service;
                    let recovery = classifier.as_ref().zip(*size).map(|(classifier, size)| {
                        Recovery::new(&request, size, inner, fitter, classifier).pins(pins.take())
                    });
                    State::Delivering {
                        delivery: Delivery::new(inner.call(request), recovery),
                    }
                }
                StateProj::Delivering { delivery } => {
                    let Outcome { result, too_long } = ready!(delivery.poll(cx));
                    return Poll::Ready(result.map_err(|error| {
                        let source = error.into();
                        if too_long {
                            FitError::StillTooLong { source }.into()
                        } else {
                            source
                        }
                    }));
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
