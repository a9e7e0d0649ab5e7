use async_trait::async_trait;
use contextfit_core::summary::{Envelope, archive};

use crate::summarize::{SummarizeError, Summarizer, Summary, SummaryJob};
use crate::tokens::shortened;

/// Writes a bounded raw record of the messages instead of a summary: the last of a
/// [chain](crate::SummarizerExt::or_else).
///
/// The newest of what was said is kept, behind as much of the previous summary as half of the bound
/// holds. Such a record is [degraded](Summary::degraded), and says how many messages it holds and how
/// many it leaves out. It needs no model, is deterministic, and is what
/// [`FailedSummary::Archive`](crate::FailedSummary::Archive) puts in place of a summary.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Archive;

#[async_trait]
impl Summarizer for Archive {
    async fn summarize(&self, job: SummaryJob) -> Result<Summary, SummarizeError> {
        Ok(archived(&job))
    }

    /// `archive`, which is no model's name.
    fn model(&self) -> Option<&str> {
        Some("archive")
    }
}

/// A raw record of what a job is about. Blank where there is no room for any.
pub(crate) fn archived(job: &SummaryJob) -> Summary {
    let count = |text: &str| job.count(&Envelope::quote(text));
    let earlier = job.previous.as_deref().unwrap_or_default();
    let earlier = shortened(earlier, job.max_tokens / 2, count);
    // What joins them costs no more than this.
    let joint = match &*earlier {
        "" => 0,
        earlier => count(earlier) + count("\n\n"),
    };
    let left = job.max_tokens.saturating_sub(joint);
    let messages = job.conversation.len();
    let (text, omitted) = match archive(&job.conversation, left, count) {
        None => (earlier, messages),
        Some(record) if earlier.is_empty() => (record.text, record.omitted),
        Some(record) => (format!("{earlier}\n\n{}", record.text), record.omitted),
    };
    Summary::new(text)
        .archived(messages.saturating_sub(omitted))
        .omitted(omitted)
        .degraded(true)
}
