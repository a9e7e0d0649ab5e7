use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use contextfit_core::request::RequestAdapter;
use pin_project_lite::pin_project;

use super::compose::Answer;
use super::finish::Finished;
use super::parts::Part;
use super::rewrite::{Rewrite, accept_quoted};
use super::{Fitted, Fitter, Shared, Start};
use crate::observe::FitSpan;
use crate::overflow::Size;
use crate::{FitError, FitFailure, SummarizeError, Summarizer, SummaryJob};

type Summarizing = Pin<Box<dyn Future<Output = Vec<Answer>> + Send>>;

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
        answers: Option<Summarizing>,
    },
    Done,
}

impl<R, A> Fit<R, A> {
    pub(crate) fn new(fitter: Fitter<A>, request: R, start: Result<Start, FitError>) -> Self {
        let mut span = FitSpan::none();
        let state = match start {
            Ok(Start::Untouched(size)) => State::Decided(Ok(size)),
            Ok(Start::Rewrite(mut rewrite)) => {
                span = rewrite.span();
                let summarizer = fitter.shared.summarizer.clone();
                let summarizer = summarizer.filter(|_| fitter.asks(&rewrite));
                let archives = fitter.archives(rewrite.optional);
                let answers = summarizer.map(|summarizer| {
                    let jobs = rewrite.parts.iter_mut().map(Part::take_job).collect();
                    summarize(Arc::clone(&fitter.shared), summarizer, jobs, archives)
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

/// Calls of the summarizer, one after the other, that borrow nothing.
///
/// Where one comes to nothing, the next would be in vain, unless a raw record stands in for it.
fn summarize(
    shared: Arc<Shared>,
    summarizer: Arc<dyn Summarizer>,
    jobs: Vec<Option<SummaryJob>>,
    archives: bool,
) -> Summarizing {
    Box::pin(async move {
        let mut answers = Vec::with_capacity(jobs.len());
        let mut jobs = jobs.into_iter().peekable();
        while let Some(job) = jobs.next() {
            let Some(job) = job else {
                answers.push(None);
                continue;
            };
            let (estimator, bound) = (Arc::clone(&job.estimator), job.max_tokens);
            let answer = shared.ask(&*summarizer, job).await;
            let goes_on = match &answer {
                // Whoever composes it all looks at the last.
                _ if jobs.peek().is_none() => false,
                Ok(summary) => archives || accept_quoted(summary, bound, &*estimator).is_ok(),
                Err(SummarizeError::Abort(_)) => false,
                Err(_) => archives,
            };
            answers.push(Some(answer));
            if !goes_on {
                break;
            }
        }
        answers
    })
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
