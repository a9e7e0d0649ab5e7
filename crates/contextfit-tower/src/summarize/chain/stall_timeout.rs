use std::fmt;
use std::future::poll_fn;
use std::task::Poll;
use std::time::Duration;

use async_trait::async_trait;

use crate::Timer;
use crate::summarize::{SummarizeError, Summarizer, Summary, SummaryJob};

/// A summarizer that is given up where its model puts nothing out for too long. See
/// [`SummarizerExt::stall_timeout`](crate::SummarizerExt::stall_timeout).
#[derive(Clone, Copy)]
pub struct StallTimeout<Z, T> {
    inner: Z,
    after: Duration,
    timer: T,
}

impl<Z, T> StallTimeout<Z, T> {
    pub(in crate::summarize) const fn new(inner: Z, after: Duration, timer: T) -> Self {
        Self {
            inner,
            after,
            timer,
        }
    }

    /// The inner summarizer.
    pub const fn get_ref(&self) -> &Z {
        &self.inner
    }

    /// Takes the time-out off.
    pub fn into_inner(self) -> Z {
        self.inner
    }
}

impl<Z: fmt::Debug, T> fmt::Debug for StallTimeout<Z, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("StallTimeout")
            .field("inner", &self.inner)
            .field("after", &self.after)
            .finish_non_exhaustive()
    }
}

#[async_trait]
impl<Z: Summarizer, T: Timer> Summarizer for StallTimeout<Z, T> {
    async fn summarize(&self, job: SummaryJob) -> Result<Summary, SummarizeError> {
        let progress = job.progress();
        let mut call = self.inner.summarize(job);
        let mut outputs = progress.outputs();
        let mut sleep = self.timer.sleep(self.after);
        poll_fn(|cx| {
            if let Poll::Ready(answer) = call.as_mut().poll(cx) {
                return Poll::Ready(answer);
            }
            loop {
                if progress.outputs() != outputs {
                    outputs = progress.outputs();
                    sleep = self.timer.sleep(self.after);
                }
                if sleep.as_mut().poll(cx).is_pending() {
                    return Poll::Pending;
                }
                // Another task may have read the output, which doesn't wake this one.
                if progress.outputs() == outputs {
                    let after = self.after;
                    return Poll::Ready(Err(SummarizeError::Stalled { after }));
                }
            }
        })
        .await
    }

    tell_model_of!(inner);
}

#[cfg(all(test, feature = "tokio"))]
mod tests {
    use std::future::{Future, pending};
    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;
    use crate::summarize::scripted::job;
    use crate::summarize::{Progress, SummarizerExt};
    use crate::{BoxError, summarizer_fn};
    use tokio::time::{Instant, sleep};

    const MINUTE: Duration = Duration::from_secs(60);

    /// What comes of a call that does this, and how long it took.
    async fn timed<Fut>(
        call: impl Fn(Progress) -> Fut + Send + Sync,
    ) -> (Result<Summary, SummarizeError>, Duration)
    where
        Fut: Future<Output = ()> + Send,
    {
        let summarizer = summarizer_fn(|job: SummaryJob| {
            let call = call(job.progress());
            async move {
                call.await;
                Ok::<_, BoxError>("They agreed.")
            }
        });
        let start = Instant::now();
        let answer = summarizer
            .stall_timeout(MINUTE)
            .summarize(job(3, None))
            .await;
        (answer, start.elapsed())
    }

    fn is_stalled(answer: &Result<Summary, SummarizeError>) -> bool {
        matches!(answer, Err(SummarizeError::Stalled { after: MINUTE }))
    }

    #[tokio::test(start_paused = true)]
    async fn a42_a_model_that_says_nothing_is_given_up_and_it_is_said_after_how_long() {
        let (answer, after) = timed(|_| pending()).await;
        assert!(is_stalled(&answer) && after.as_secs() == 60);
        let said = answer.unwrap_err().to_string();
        assert!(
            said.contains("nothing out for 60s") && said.contains("or_else"),
            "{said}"
        );
    }

    #[tokio::test(start_paused = true)]
    async fn a42_any_output_starts_the_time_anew_and_nothing_caps_it_all() {
        let (answer, after) = timed(|progress| async move {
            for _ in 0..100 {
                sleep(MINUTE - Duration::from_millis(5)).await;
                progress.output();
            }
        })
        .await;
        assert!(answer.is_ok() && after > 99 * MINUTE);
    }

    #[tokio::test(start_paused = true)]
    async fn a42_connecting_counts_and_headers_are_no_output() {
        let (answer, after) = timed(|progress| async move {
            // To connect, and for the headers.
            sleep(MINUTE / 2).await;
            sleep(MINUTE).await;
            progress.output();
        })
        .await;
        assert!(is_stalled(&answer) && after.as_secs() == 60);
    }

    #[tokio::test(start_paused = true)]
    async fn a42_after_the_last_output_there_is_as_much_time_again() {
        let (answer, after) = timed(|progress| async move {
            sleep(MINUTE / 2).await;
            progress.output();
            pending::<()>().await;
        })
        .await;
        assert!(is_stalled(&answer) && after.as_secs() == 90);
    }

    #[tokio::test(start_paused = true)]
    async fn output_that_another_task_reads_counts_too() {
        let (answer, after) = timed(|progress| async move {
            let reads = tokio::spawn(async move {
                for _ in 0..5 {
                    sleep(MINUTE / 2).await;
                    progress.output();
                }
                sleep(MINUTE / 2).await;
            });
            reads.await.unwrap();
        })
        .await;
        assert!(answer.is_ok() && after == 3 * MINUTE);
    }

    #[tokio::test(start_paused = true)]
    async fn a44_a_call_that_is_given_up_is_dropped() {
        struct Dropped(Arc<AtomicBool>);
        impl Drop for Dropped {
            fn drop(&mut self) {
                self.0.store(true, Ordering::Relaxed);
            }
        }
        let dropped = Arc::new(AtomicBool::new(false));
        let (answer, _) = timed(|_| {
            let held = Dropped(Arc::clone(&dropped));
            async move {
                let _held = held;
                pending::<()>().await;
            }
        })
        .await;
        assert!(is_stalled(&answer) && dropped.load(Ordering::Relaxed));
    }

    #[tokio::test(start_paused = true)]
    async fn a43_a_call_that_stalled_is_made_again() {
        let calls = Arc::new(std::sync::atomic::AtomicUsize::new(0));
        let counted = Arc::clone(&calls);
        let summarizer = summarizer_fn(move |_| {
            let first = counted.fetch_add(1, Ordering::Relaxed) == 0;
            async move {
                if first {
                    pending::<()>().await;
                }
                Ok::<_, BoxError>("They agreed.")
            }
        });
        let summarizer = summarizer.stall_timeout(MINUTE).attempts(2);
        assert!(summarizer.summarize(job(3, None)).await.is_ok());
        assert_eq!(calls.load(Ordering::Relaxed), 2);
    }
}
