use async_trait::async_trait;
use contextfit_core::summary::extract;

use crate::summarize::{SummarizeError, Summarizer, Summary, SummaryJob};

/// Keeps what matters most of what it is given, in its own words.
///
/// It needs no model and no network, is deterministic and always has an answer within its bound: the
/// demands of the user, what was done, decided and went wrong, and as many paths, names and numbers
/// as there is room for. See [`extract`] for how it chooses. It understands nothing: a model's
/// summary says more. Where there is no model, or none answers, it loses less than the start of
/// the conversation ([`HeadSummarizer`](crate::HeadSummarizer)) or its end
/// ([`archive`](contextfit_core::summary::archive)) would.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ExtractiveSummarizer;

#[async_trait]
impl Summarizer for ExtractiveSummarizer {
    async fn summarize(&self, job: SummaryJob) -> Result<Summary, SummarizeError> {
        let count = |text: &str| job.count(text);
        let previous = job.previous.as_deref();
        let text = extract(&job.conversation, previous, job.max_tokens, count);
        // If nobody says anything, that is a blank summary, and refused as one.
        Ok(Summary::new(text.unwrap_or_default()))
    }

    /// `extractive`, which is no model's name.
    fn model(&self) -> Option<&str> {
        Some("extractive")
    }
}
