use std::sync::Arc;

use async_trait::async_trait;
use contextfit_core::estimate::Estimator;

use super::accept::check_whole;
use super::{SummarizeError, Summarizer, Summary, SummaryJob};

/// A summarizer that is asked again where a call of it came to nothing. See
/// [`SummarizerExt::attempts`](crate::SummarizerExt::attempts).
#[derive(Clone, Copy, Debug)]
pub struct Attempts<Z> {
    inner: Z,
    most: usize,
}

impl<Z> Attempts<Z> {
    pub(super) const fn new(inner: Z, most: usize) -> Self {
        Self { inner, most }
    }

    /// The inner summarizer.
    pub const fn get_ref(&self) -> &Z {
        &self.inner
    }

    /// Takes the attempts off.
    pub fn into_inner(self) -> Z {
        self.inner
    }
}

#[async_trait]
impl<Z: Summarizer> Summarizer for Attempts<Z> {
    async fn summarize(&self, job: SummaryJob) -> Result<Summary, SummarizeError> {
        for _ in 1..self.most {
            let error = match self.inner.summarize(job.clone()).await {
                Ok(summary) => match check_whole(&summary) {
                    Ok(()) => return Ok(summary),
                    Err(error) => {
                        job.log.paid(summary.usage);
                        error
                    }
                },
                Err(error) if error.is_worth_an_attempt() => error,
                Err(error) => return Err(error),
            };
            job.log.failed(error);
        }
        self.inner.summarize(job).await
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
