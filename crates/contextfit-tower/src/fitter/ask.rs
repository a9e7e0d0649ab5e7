use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::Poll;

use super::Shared;
use crate::observe::SummarySpan;
use crate::summarize::run;
use crate::{FitEvent, SummarizeError, Summarizer, Summary, SummaryJob};

/// What came of asking for a part of a summary.
#[derive(Debug)]
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
        calls.end(&answer);
        span.end(&answer, calls.usage, || {
            let written_by = answer
                .as_ref()
                .ok()
                .and_then(|summary| summary.model.as_deref());
            self.observer.on_event(&FitEvent::SummaryRun {
                model: written_by.or_else(|| summarizer.model()),
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

#[cfg(test)]
mod tests {
    use std::future::pending;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::Fitter;
    use crate::summarize::scripted::job;
    use crate::{BoxError, summarizer_fn};
    use tokio_test::{assert_pending, assert_ready, task};

    /// Counts calls that begin, and those that are dropped before they end.
    #[derive(Clone, Default)]
    struct Counts(Arc<[AtomicUsize; 2]>);

    struct Call(Counts, bool);

    impl Counts {
        fn begin(&self) -> Call {
            self.0[0].fetch_add(1, Ordering::Relaxed);
            Call(self.clone(), false)
        }

        fn are(&self) -> (usize, usize) {
            let [begun, dropped] = &*self.0;
            (
                begun.load(Ordering::Relaxed),
                dropped.load(Ordering::Relaxed),
            )
        }
    }

    impl Call {
        fn end(&mut self) {
            self.1 = true;
        }
    }

    impl Drop for Call {
        fn drop(&mut self) {
            if !self.1 {
                self.0.0[1].fetch_add(1, Ordering::Relaxed);
            }
        }
    }

    type Ending = fn() -> Result<&'static str, BoxError>;

    /// Jobs of one and two messages are asked for; that of two answers, that of one never does.
    fn asking(ending: Ending, archives: bool) -> (Asking, Counts) {
        let counts = Counts::default();
        let counted = counts.clone();
        let summarizer = summarizer_fn(move |job: SummaryJob| {
            let mut call = counted.begin();
            async move {
                if job.messages == 1 {
                    pending::<()>().await;
                }
                call.end();
                ending()
            }
        });
        let jobs = vec![Some(job(1, None)), None, Some(job(2, None))];
        let fitter = Fitter::builder().window(1_000).build().unwrap();
        let asking = ask(
            Arc::clone(&fitter.shared),
            Arc::new(summarizer),
            jobs,
            archives,
        );
        (asking, counts)
    }

    #[test]
    fn all_parts_are_asked_for_at_once() {
        let (asking, counts) = asking(|| Ok("They agreed."), false);
        let mut asking = task::spawn(asking);
        assert_pending!(asking.poll());
        assert_eq!(counts.are(), (2, 0));
        drop(asking);
        assert_eq!(counts.are(), (2, 1));
    }

    #[test]
    fn a_part_that_comes_to_nothing_gives_the_others_up_unless_a_record_stands_in() {
        let (asking, counts) = asking(|| Err("no connection".into()), false);
        let answers = assert_ready!(task::spawn(asking).poll());
        assert!(matches!(
            answers[..],
            [Answer::GivenUp, Answer::NotAsked, Answer::Came(Err(_))]
        ));
        assert_eq!(counts.are(), (2, 1));

        let (asking, counts) = self::asking(|| Err("no connection".into()), true);
        assert_pending!(task::spawn(asking).poll());
        assert_eq!(counts.are().0, 2);
    }

    #[test]
    fn an_error_that_ends_the_request_gives_the_others_up_in_any_case() {
        for archives in [false, true] {
            let abort: Ending = || Err(SummarizeError::abort("cancelled").into());
            let (asking, counts) = asking(abort, archives);
            let answers = assert_ready!(task::spawn(asking).poll());
            assert!(matches!(
                answers[2],
                Answer::Came(Err(SummarizeError::Abort(_)))
            ));
            assert_eq!(counts.are(), (2, 1));
        }
    }
}
