//! Sends a request, and once more if the provider finds it too long.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use contextfit_core::request::RequestAdapter;
use pin_project_lite::pin_project;
use tower_service::Service;

use crate::fitter::{Fit, Fitted, Fitter};
use crate::overflow::Size;
use crate::{
    FitError, FitEvent, FitFailure, FitReport, Overflow, OverflowClassifier, RetryBudget, Sent,
    SummarizeError, Usage,
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

    /// Has the request ask for less output, if that is enough. What was done then.
    fn lower_output(&mut self, request: &mut R, overflow: &Overflow) -> Option<FitReport>
    where
        A: RequestAdapter<R>,
    {
        let model = self.model.as_deref();
        let lowered = match self.as_given {
            true => (self.fitter).lower_output(request, model, self.size, overflow),
            false => None,
        };
        let (report, size) = lowered?;
        self.size = size;
        Some(report)
    }

    /// The request to be made smaller, if there is one and it may be sent again. Taken once.
    fn take_original(&mut self) -> Option<R> {
        let original = self.original.take()?;
        let may = |budget: &Arc<dyn RetryBudget>| budget.withdraw();
        if self.budget.as_ref().is_none_or(may) {
            return Some(original);
        }
        let sent = self.sent_now();
        self.fitter.observe(&FitEvent::RetryRefused { sent });
        None
    }

    /// Takes note of what the last response says it cost, now or later. What it says now.
    fn take_note_of(&mut self, response: &mut S::Response) -> Option<Usage>
    where
        S: Service<R>,
        C: OverflowClassifier<S::Response, S::Error>,
    {
        if let Some(budget) = &self.budget {
            budget.deposit();
        }
        let (fitter, size) = (&self.fitter, self.size);
        let usage = self.classifier.usage(response);
        if let Some(usage) = usage {
            fitter.note_usage(size.sent(self.model.as_deref()), &size, usage);
        } else {
            let report = fitter.late_report(self.model.take(), size);
            self.classifier.report_later(response, report);
        }
        usage
    }

    /// Tells what an answer cost that had no room. What its numbers teach is learned with the
    /// overflow.
    fn tell_cost(&self, response: &S::Response) -> Option<Usage>
    where
        S: Service<R>,
        C: OverflowClassifier<S::Response, S::Error>,
    {
        let usage = self.classifier.usage(response)?;
        let sent = self.sent_now();
        self.fitter.observe(&FitEvent::Usage { sent, usage });
        Some(usage)
    }

    fn sent_now(&self) -> Sent<'_> {
        self.size.sent(self.model.as_deref())
    }
}

/// A result, and what was done to the request that it answers.
pub(crate) struct Answered<T, E> {
    pub(crate) result: Result<T, E>,
    /// `None` if it was sent as the caller gave it.
    pub(crate) report: Option<Box<FitReport>>,
    /// What it cost, where somebody reads that at once.
    pub(crate) usage: Option<Usage>,
}

/// The last result, and how it came to be the last.
pub(crate) struct Outcome<T, E> {
    pub(crate) answered: Answered<T, E>,
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
        first: Option<Answered<S::Response, S::Error>>,
        // What was done to the request that is under way.
        report: Option<Box<FitReport>>,
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
    /// Drives `call`, for whose request `report` says what was done to it. Without a `recovery`,
    /// whatever it gives is the outcome.
    pub(crate) const fn new(
        call: S::Future,
        recovery: Option<Recovery<S, R, A, C>>,
        report: Option<Box<FitReport>>,
    ) -> Self {
        Self {
            recovery,
            first: None,
            report,
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
                    let mut answered = Answered {
                        result: ready!(call.poll(cx)),
                        report: this.report.take(),
                        usage: None,
                    };
                    let is_second = this.first.is_some();
                    if let Some(first) = better(this.first.take(), &answered.result) {
                        return done(first, Ending::TooLong);
                    }
                    let Some(recovery) = this.recovery else {
                        return done(answered, Ending::Done);
                    };
                    let sent = recovery.sent_now();
                    let overflow = recovery.classifier.classify(&sent, &answered.result);
                    let Some(overflow) = overflow else {
                        if let Ok(response) = &mut answered.result {
                            if is_second {
                                recovery.fitter.observe(&FitEvent::Recovered { sent });
                            }
                            answered.usage = recovery.take_note_of(response);
                        }
                        return done(answered, Ending::Done);
                    };
                    if let Ok(response) = &answered.result {
                        answered.usage = recovery.tell_cost(response);
                    }
                    let fitter = &recovery.fitter;
                    if let Some(counted) = fitter.learn_overflow(&sent, &recovery.size, &overflow) {
                        recovery.counted = Some(counted);
                    }
                    let original = recovery.take_original();
                    let recovering = original.is_some();
                    let sent = recovery.sent_now();
                    recovery.fitter.observe(&FitEvent::Overflow {
                        sent,
                        overflow,
                        recovering,
                    });
                    let Some(mut request) = original else {
                        return done(answered, Ending::TooLong);
                    };
                    // An answer that had no room would have no more of it.
                    let lowered = match answered.result {
                        Ok(_) => None,
                        Err(_) => recovery.lower_output(&mut request, &overflow),
                    };
                    *this.first = Some(answered);
                    if let Some(report) = lowered {
                        *this.report = Some(Box::new(report));
                        this.state.set(State::Readying {
                            request: Some(request),
                        });
                        continue;
                    }
                    let sent = recovery.sent_now();
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
                        Ok(Fitted {
                            request,
                            report: Some(report),
                            size,
                        }) => {
                            if let Some(size) = size {
                                recovery.size = size.made_from(&recovery.size, recovery.counted);
                            }
                            *this.report = Some(Box::new(report));
                            (request, true)
                        }
                        Ok(fitted) => {
                            let (sent, error) = (recovery.sent_now(), None);
                            recovery
                                .fitter
                                .observe(&FitEvent::NotRecovered { sent, error });
                            (fitted.request, false)
                        }
                        Err(failure) => {
                            let FitFailure { request, error } = *failure;
                            let event = FitEvent::NotRecovered {
                                sent: recovery.sent_now(),
                                error: Some(&error),
                            };
                            recovery.fitter.observe(&event);
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
                        let answered = Answered {
                            result: Err(error),
                            report: this.report.take(),
                            usage: None,
                        };
                        let first = better(this.first.take(), &answered.result);
                        return done(first.unwrap_or(answered), Ending::Done);
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
fn better<T, E>(first: Option<Answered<T, E>>, second: &Result<T, E>) -> Option<Answered<T, E>> {
    first.filter(|first| first.result.is_ok() && second.is_err())
}

const fn done<T, E>(answered: Answered<T, E>, ending: Ending) -> Poll<Outcome<T, E>> {
    Poll::Ready(Outcome { answered, ending })
}
