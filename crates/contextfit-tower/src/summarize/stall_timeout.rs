use std::fmt;
use std::future::poll_fn;
use std::sync::Arc;
use std::task::Poll;
use std::time::Duration;

use async_trait::async_trait;
use contextfit_core::estimate::Estimator;

use super::{SummarizeError, Summarizer, Summary, SummaryJob};
use crate::Timer;

/// A summarizer that is given up where its model puts nothing out for too long. See
/// [`SummarizerExt::stall_timeout`](crate::SummarizerExt::stall_timeout).
#[derive(Clone, Copy)]
pub struct StallTimeout<Z, T> {
    inner: Z,
    after: Duration,
    timer: T,
}

impl<Z, T> StallTimeout<Z, T> {
    pub(super) const fn new(inner: Z, after: Duration, timer: T) -> Self {
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

    fn model(&self) -> Option<&str> {
        self.inner.model()
    }

    fn max_output_tokens(&self) -> Option<u32> {
        self.inner.max_output_tokens()
    }

    fn window(&self) -> Option<u64> {
        self.inner.window()
    }

    fn estimator(&self) -> Option<Arc<dyn Estimator>> {
        self.inner.estimator()
    }
}
