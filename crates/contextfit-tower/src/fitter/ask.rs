use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use super::Shared;
use crate::observe::SummarySpan;
use crate::summarize::run;
use crate::{FitEvent, SummarizeError, Summarizer, Summary, SummaryJob};

/// What came of asking for a part of a summary.
pub(super) enum Answer {
    /// Nobody was asked.
    NotAsked,
    /// The call was given up, because another part came to nothing, and all depends on both.
    GivenUp,
    /// The summarizer answered.
    Came(Result<Summary, SummarizeError>),
}

/// Waits for the answers to all jobs, in their order.
pub(super) type Asking = Pin<Box<dyn Future<Output = Vec<Answer>> + Send>>;

type UnderWay<'a> = Pin<Box<dyn Future<Output = Result<Summary, SummarizeError>> + Send + 'a>>;

/// Asks for all parts of a summary at once; of those without a job, nobody is asked.
///
/// Where one comes to nothing, the others are in vain and are given up, unless a raw record stands
/// in for it. An error that is to end the request ends them all. What is returned borrows nothing.
pub(super) fn ask(
    shared: Arc<Shared>,
    summarizer: Arc<dyn Summarizer>,
    jobs: Vec<Option<SummaryJob>>,
    archives: bool,
) -> Asking {
    Box::pin(async move {
        let calls = jobs.into_iter().map(|job| Call {
            answer: Answer::NotAsked,
            under_way: job.map(|job| Box::pin(shared.ask_for(&*summarizer, job)) as UnderWay<'_>),
        });
        let mut calls: Vec<Call<'_>> = calls.collect();
        poll_fn(|cx| {
            for call in &mut calls {
                let Some(under_way) = &mut call.under_way else {
                    continue;
                };
                call.answer = Answer::GivenUp;
                let Poll::Ready(answer) = under_way.as_mut().poll(cx) else {
                    continue;
                };
                let ends_all = match &answer {
                    Ok(_) => false,
                    Err(SummarizeError::Abort(_)) => true,
                    Err(_) => !archives,
                };
                call.under_way = None;
                call.answer = Answer::Came(answer);
                if ends_all {
                    return Poll::Ready(());
                }
            }
            if calls.iter().any(|call| call.under_way.is_some()) {
                Poll::Pending
            } else {
                Poll::Ready(())
            }
        })
        .await;
        calls.into_iter().map(|call| call.answer).collect()
    })
}

impl Shared {
    /// Asks for one part, and tells what all the calls for it cost.
    async fn ask_for(
        &self,
        summarizer: &dyn Summarizer,
        job: SummaryJob,
    ) -> Result<Summary, SummarizeError> {
        let (kind, messages, log) = (job.kind, job.conversation.len(), job.log.clone());
        let span = SummarySpan::new(summarizer.model(), &job);
        let answer = span.around(run(summarizer, job)).await;
        let mut calls = log.calls();
        calls.number += 1;
        calls.pay(answer.as_ref().ok().and_then(|summary| summary.usage));
        span.end(&answer, calls.usage, || {
            self.observer.on_event(&FitEvent::SummaryRun {
                model: summarizer.model(),
                kind,
                messages,
                calls: calls.number,
                usage: calls.usage,
                error: answer.as_ref().err(),
            });
        });
        answer
    }
}

/// A call of the summarizer, and what would come of it if it were given up now.
struct Call<'a> {
    answer: Answer,
    under_way: Option<UnderWay<'a>>,
}
