use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use contextfit_core::request::RequestAdapter;
use pin_project_lite::pin_project;

use super::finish::Finished;
use super::rewrite::Rewrite;
use super::{Fitted, Fitter, Start};
use crate::overflow::Size;
use crate::{FitError, FitFailure, SummarizeError, Summarizer, Summary, SummaryJob};

type Summarizing = Pin<Box<dyn Future<Output = Result<Summary, SummarizeError>> + Send>>;

pin_project! {
    /// Carries a request from its measure to its fitted form.
    ///
    /// The request is owned here and whole until the plan is applied, in one go, after the last
    /// await: the future may be dropped at any point.
    pub(crate) struct Fit<R, A> {
        fitter: Fitter<A>,
        request: Option<R>,
        state: State,
    }
}

enum State {
    /// Nothing is left to wait for, and nothing to change.
    Decided(Result<Option<Size>, FitError>),
    /// All is decided but for the text of the summary, if there is to be one.
    Rewriting {
        rewrite: Box<Rewrite>,
        summary: Option<Summarizing>,
    },
    Done,
}

impl<R, A> Fit<R, A> {
    pub(crate) fn new(fitter: Fitter<A>, request: R, start: Result<Start, FitError>) -> Self {
        let state = match start {
            Ok(Start::Untouched(size)) => State::Decided(Ok(size)),
            Ok(Start::Rewrite(mut rewrite)) => {
                let summarizer = fitter.shared.summarizer.clone();
                let summary = rewrite.job.take().zip(summarizer);
                let summary = summary.map(|(job, summarizer)| summarize(summarizer, job));
                State::Rewriting { rewrite, summary }
            }
            Err(error) => State::Decided(Err(error)),
        };
        Self {
            fitter,
            request: Some(request),
            state,
        }
    }
}

/// A call of the summarizer that borrows nothing.
fn summarize(summarizer: Arc<dyn Summarizer>, job: SummaryJob) -> Summarizing {
    Box::pin(async move { summarizer.summarize(job).await })
}

impl<R, A> Future for Fit<R, A>
where
    A: RequestAdapter<R>,
{
    type Output = Result<Fitted<R>, Box<FitFailure<R>>>;

    fn poll(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let this = self.project();
        let summary = match this.state {
            State::Rewriting {
                summary: Some(summary),
                ..
            } => Some(ready!(summary.as_mut().poll(cx))),
            _ => None,
        };
        let mut request = this.request.take().expect("not polled after completion");
        let finished = match std::mem::replace(this.state, State::Done) {
            State::Rewriting { rewrite, .. } => this.fitter.finish(&mut request, rewrite, summary),
            State::Decided(decided) => decided.map(|size| Finished { report: None, size }),
            State::Done => unreachable!("the request is gone with the state"),
        };
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
