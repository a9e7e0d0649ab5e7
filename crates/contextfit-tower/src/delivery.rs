//! Sends a request, and once more if the provider finds it too long.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use contextfit_core::request::RequestAdapter;
use pin_project_lite::pin_project;
use tower_service::Service;

use crate::fitter::{Fit, Fitter};
use crate::overflow::Size;
use crate::{
    FitError, FitEvent, FitFailure, Overflow, OverflowClassifier, RetryBudget, SummarizeError,
};

/// What one request needs to be recovered. It belongs to that request alone.
pub(crate) struct Recovery<S, R, A, C> {
    /// A clone of the service that was never called. It is driven to readiness before it is.
    inner: S,
    fitter: Fitter<A>,
    classifier: C,
    budget: Option<Arc<dyn RetryBudget>>,
    model: Option<Arc<str>>,
    size: Size,
    /// Whether the request was sent as the caller gave it.
    as_given: bool,
    /// The tokens of it that the provider counted when it found it too long.
    counted: Option<u64>,
    /// The request as the caller gave it, until it is made smaller. Not as it was sent: what
    /// was cut of it once can be summarized shorter, and the caller's pins and the plan in the
    /// report mean this one.
    original: Option<R>,
}

impl<S, R, A, C> Recovery<S, R, A, C>
where
    S: Service<R> + Clone,
    A: RequestAdapter<R> + Clone,
    C: OverflowClassifier<S::Response, S::Error> + Clone,
{
    /// What is needed to recover `request`, as the caller gave it.
    pub(crate) fn new(
        request: &R,
        size: Size,
        inner: &S,
        fitter: &Fitter<A>,
        classifier: &C,
    ) -> Self {
        Self {
            inner: inner.clone(),
            fitter: fitter.clone(),
            classifier: classifier.clone(),
            budget: None,
            model: fitter.model_of(request),
            size,
            as_given: true,
            counted: None,
            original: if classifier.recovers() {
                fitter.replay(request, size)
            } else {
                None
            },
        }
    }
}

impl<S, R, A, C> Recovery<S, R, A, C> {
    /// Sets what bounds how much is sent again.
    pub(crate) fn within(mut self, budget: Option<&Arc<dyn RetryBudget>>) -> Self {
        self.budget = budget.cloned();
        self
    }

    /// Sets the numbers of the request as it is sent, and whether it was changed.
    pub(crate) fn sent(mut self, size: Option<Size>, changed: bool) -> Self {
        self.size = size.unwrap_or(self.size);
        self.as_given = !changed;
        self
    }

    /// Has the request ask for less output, if that is enough. Whether it does.
    fn lower_output(&mut self, request: &mut R, overflow: &Overflow) -> bool
    where
        A: RequestAdapter<R>,
    {
        let model = self.model.as_deref();
        let lowered = match self.as_given {
            true => (self.fitter).lower_output(request, model, self.size, overflow),
            false => None,
        };
        self.size = lowered.unwrap_or(self.size);
        lowered.is_some()
    }

    /// The request to be made smaller, if there is one and it may be sent again. Taken once.
    fn take_original(&mut self) -> Option<R> {
        let original = self.original.take()?;
        let may = |budget: &Arc<dyn RetryBudget>| budget.withdraw();
        if self.budget.as_ref().is_none_or(may) {
            return Some(original);
        }
        let sent = self.size.sent(self.model.as_deref());
        self.fitter.observe(&FitEvent::RetryRefused { sent });
        None
    }

    /// Takes note of what the last response says it cost, now or later.
    fn take_note_of(&mut self, response: &mut S::Response)
    where
        S: Service<R>,
        C: OverflowClassifier<S::Response, S::Error>,
    {
        if let Some(budget) = &self.budget {
            budget.deposit();
        }
        let (fitter, size) = (&self.fitter, self.size);
        if let Some(usage) = self.classifier.usage(response) {
            fitter.note_usage(size.sent(self.model.as_deref()), &size, usage);
        } else {
            let report = fitter.late_report(self.model.take(), size);
            self.classifier.report_later(response, report);
        }
    }
}

/// The last result, and how it came to be the last.
pub(crate) struct Outcome<T, E> {
    pub(crate) result: Result<T, E>,
    pub(crate) ending: Ending,
}

/// Why nothing more is sent.
pub(crate) enum Ending {
    /// The result is no overflow.
    Done,
    /// It is one that can't be helped.
    TooLong,
    /// It is one, and the summarizer ended the request with this error.
    Aborted(FitError),
}

pin_project! {
    /// Drives a call that was made, and the recovery from an overflow.
    pub(crate) struct Delivery<S, R, A, C>
    where
        S: Service<R>,
    {
        recovery: Option<Recovery<S, R, A, C>>,
        first: Option<Result<S::Response, S::Error>>,
        #[pin]
        state: State<S, R, A>,
    }
}

pin_project! {
    #[project = StateProj]
    enum State<S, R, A>
    where
        S: Service<R>,
    {
        Calling { #[pin] call: S::Future },
        Refitting { #[pin] fit: Fit<R, A> },
        Readying { request: Option<R> },
    }
}

impl<S, R, A, C> Delivery<S, R, A, C>
where
    S: Service<R>,
{
    /// Drives `call`. Without a `recovery`, whatever it gives is the outcome.
    pub(crate) fn new(call: S::Future, recovery: Option<Recovery<S, R, A, C>>) -> Self {
        Self {
            recovery,
            first: None,
            state: State::Calling { call },
        }
    }
}

impl<S, R, A, C> Future for Delivery<S, R, A, C>
where
    S: Service<R>,
    A: RequestAdapter<R> + Clone,
    C: OverflowClassifier<S::Response, S::Error>,
{
    type Output = Outcome<S::Response, S::Error>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let mut this = self.project();
        loop {
            let next = match this.state.as_mut().project() {
                StateProj::Calling { call } => {
                    let mut result = ready!(call.poll(cx));
                    if let Some(first) = better(this.first.take(), &result) {
                        return done(first, Ending::TooLong);
                    }
                    let Some(recovery) = this.recovery else {
                        return done(result, Ending::Done);
                    };
                    let sent = recovery.size.sent(recovery.model.as_deref());
                    let Some(overflow) = recovery.classifier.classify(&sent, &result) else {
                        if let Ok(response) = &mut result {
                            recovery.take_note_of(response);
                        }
                        return done(result, Ending::Done);
                    };
                    let fitter = &recovery.fitter;
                    if let Some(counted) = fitter.learn_overflow(&sent, &recovery.size, &overflow) {
                        recovery.counted = Some(counted);
                    }
                    let original = recovery.take_original();
                    let recovering = original.is_some();
                    let sent = recovery.size.sent(recovery.model.as_deref());
                    recovery.fitter.observe(&FitEvent::Overflow {
                        sent,
                        overflow,
                        recovering,
                    });
                    let Some(mut request) = original else {
                        return done(result, Ending::TooLong);
                    };
                    // An answer that had no room would have no more of it.
                    let refused = result.is_err();
                    *this.first = Some(result);
                    if refused && recovery.lower_output(&mut request, &overflow) {
                        this.state.set(State::Readying {
                            request: Some(request),
                        });
                        continue;
                    }
                    let sent = recovery.size.sent(recovery.model.as_deref());
                    let start = recovery.fitter.start_again(
                        &request,
                        sent.model,
                        recovery.size,
                        recovery.as_given,
                        &overflow,
                    );
                    State::Refitting {
                        fit: Fit::new(recovery.fitter.clone(), request, start),
                    }
                }
                StateProj::Refitting { fit } => {
                    let fitted = ready!(fit.poll(cx));
                    let recovery = this.recovery.as_mut().expect("a recovery is under way");
                    let (request, smaller) = match fitted {
                        Ok(fitted) if fitted.report.is_some() => {
                            if let Some(size) = fitted.size {
                                recovery.size = size.made_from(&recovery.size, recovery.counted);
                            }
                            (fitted.request, true)
                        }
                        Ok(fitted) => (fitted.request, false),
                        Err(failure) => {
                            let FitFailure { request, error } = *failure;
                            recovery.fitter.observe(&FitEvent::NotRecovered(&error));
                            if let FitError::Summarize(SummarizeError::Abort(_)) = error {
                                let first = this.first.take().expect("there was a first result");
                                return done(first, Ending::Aborted(error));
                            }
                            (request, false)
                        }
                    };
                    let as_it_was = recovery.as_given && recovery.fitter.resends_unchanged();
                    if !smaller && !as_it_was {
                        // The first result stands.
                        let first = this.first.take().expect("there was a first result");
                        return done(first, Ending::TooLong);
                    }
                    State::Readying {
                        request: Some(request),
                    }
                }
                StateProj::Readying { request } => {
                    let recovery = this.recovery.as_mut().expect("a recovery is under way");
                    if let Err(error) = ready!(recovery.inner.poll_ready(cx)) {
                        let result = Err(error);
                        let first = better(this.first.take(), &result);
                        return done(first.unwrap_or(result), Ending::Done);
                    }
                    let request = request.take().expect("the request wasn't sent yet");
                    State::Calling {
                        call: recovery.inner.call(request),
                    }
                }
            };
            this.state.set(next);
        }
    }
}

/// The first result, where it is an answer after all and the second is none.
fn better<T, E>(first: Option<Result<T, E>>, second: &Result<T, E>) -> Option<Result<T, E>> {
    first.filter(|first| first.is_ok() && second.is_err())
}

const fn done<T, E>(result: Result<T, E>, ending: Ending) -> Poll<Outcome<T, E>> {
    Poll::Ready(Outcome { result, ending })
}
