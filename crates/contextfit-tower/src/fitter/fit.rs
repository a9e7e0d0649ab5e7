use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use contextfit_core::request::RequestAdapter;
use pin_project_lite::pin_project;

use super::ask::{Asking, ask};
use super::finish::Finished;
use super::parts::Part;
use super::rewrite::Rewrite;
use super::{Fitted, Fitter, Start};
use crate::observe::FitSpan;
use crate::overflow::Size;
use crate::{FitError, FitFailure};

pin_project! {
    /// Carries a request from its measure to its fitted form.
    ///
    /// The request is owned here and whole until the plan is applied, in one go, after the last
    /// await: the future may be dropped at any point.
    pub(crate) struct Fit<R, A> {
        fitter: Fitter<A>,
        request: Option<R>,
        span: FitSpan,
        state: State,
    }
}

enum State {
    /// Nothing is left to wait for, and nothing to change.
    Decided(Result<Option<Size>, FitError>),
    /// All is decided but for the text of the summary, if there is to be one.
    Rewriting {
        rewrite: Box<Rewrite>,
        answers: Option<Asking>,
    },
    Done,
}

impl<R, A> Fit<R, A> {
    pub(crate) fn new(fitter: Fitter<A>, request: R, start: Result<Start, FitError>) -> Self {
        let mut span = FitSpan::none();
        let state = match start {
            Ok(Start::Untouched(size)) => State::Decided(Ok(size)),
            Ok(Start::Rewrite(rewrite)) => {
                span = rewrite.span();
                let summarizer = fitter.shared.summarizer.clone();
                let summarizer = summarizer.filter(|_| fitter.asks(&rewrite));
                let archives = fitter.archives(rewrite.optional);
                let answers = summarizer.map(|summarizer| {
                    let jobs = rewrite.parts.iter().map(Part::job).collect();
                    ask(Arc::clone(&fitter.shared), summarizer, jobs, archives)
                });
                State::Rewriting { rewrite, answers }
            }
            Err(error) => State::Decided(Err(error)),
        };
        Self {
            fitter,
            request: Some(request),
            span,
            state,
        }
    }
}

impl<R, A> Future for Fit<R, A>
where
    A: RequestAdapter<R>,
{
    type Output = Result<Fitted<R>, Box<FitFailure<R>>>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let _entered = this.span.enter();
        let answers = match this.state {
            State::Rewriting {
                answers: Some(answers),
                ..
            } => ready!(answers.as_mut().poll(cx)),
            _ => Vec::new(),
        };
        let mut request = this.request.take().expect("not polled after completion");
        let finished = match std::mem::replace(this.state, State::Done) {
            State::Rewriting { rewrite, .. } => this.fitter.finish(&mut request, rewrite, answers),
            State::Decided(decided) => decided.map(|size| Finished { report: None, size }),
            State::Done => unreachable!("the request is gone with the state"),
        };
        let done = finished.as_ref().map(|done| done.report.as_ref());
        this.span.end(done);
        Poll::Ready(match finished {
            Ok(Finished { report, size }) => Ok(Fitted {
                request,
                report,
                size,
            }),
            Err(error) => Err(Box::new(FitFailure::new(request, error))),
        })
    }
}
