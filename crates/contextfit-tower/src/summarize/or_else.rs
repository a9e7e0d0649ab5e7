use async_trait::async_trait;

use super::run::run;
use super::{SummarizeError, Summarizer, Summary, SummaryJob};

/// A summarizer, and another one that is asked where the first has no usable summary. See
/// [`SummarizerExt::or_else`](crate::SummarizerExt::or_else).
///
/// Each of the two reads all of the conversation, as its own window asks for, so this one has none.
#[derive(Clone, Copy, Debug)]
pub struct OrElse<Z, O> {
    first: Z,
    other: O,
}

impl<Z, O> OrElse<Z, O> {
    pub(super) const fn new(first: Z, other: O) -> Self {
        Self { first, other }
    }

    /// The one that is asked first.
    pub const fn first(&self) -> &Z {
        &self.first
    }

    /// The one that is asked where the first has no usable summary.
    pub const fn other(&self) -> &O {
        &self.other
    }
}

#[async_trait]
impl<Z: Summarizer, O: Summarizer> Summarizer for OrElse<Z, O> {
    async fn summarize(&self, job: SummaryJob) -> Result<Summary, SummarizeError> {
        let error = match run(&self.first, job.clone()).await {
            answer @ (Ok(_) | Err(SummarizeError::Abort(_))) => return answer,
            Err(error) => error,
        };
        let mut errors = job.log.failed(error);
        match run(&self.other, job).await {
            answer @ (Ok(_) | Err(SummarizeError::Abort(_))) => answer,
            Err(error) => {
                errors.extend(error.apart());
                Err(SummarizeError::exhausted(errors))
            }
        }
    }

    /// That of the first.
    fn model(&self) -> Option<&str> {
        self.first.model()
    }

    /// That of the first, which the bound of a summary is made for.
    fn max_output_tokens(&self) -> Option<u32> {
        self.first.max_output_tokens()
    }
}
