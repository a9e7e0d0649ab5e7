use async_trait::async_trait;

use crate::summarize::{SummarizeError, Summarizer, Summary, SummaryJob};

/// Keeps the beginning of what it is given, and no more.
///
/// It needs no model and no network, is deterministic and always has an answer, and it is a poor
/// summary: what is decided late in a conversation is lost. Half of the bound goes to the
/// previous summary at the most, so that something of each compaction remains.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HeadSummarizer;

#[async_trait]
impl Summarizer for HeadSummarizer {
    async fn summarize(&self, job: SummaryJob) -> Result<Summary, SummarizeError> {
        let inside = job
            .transcript
            .strip_prefix("<conversation>\n")
            .unwrap_or(&job.transcript);
        let inside = inside.strip_suffix("\n</conversation>").unwrap_or(inside);
        let text = match &job.previous {
            Some(previous) if inside.is_empty() => previous.clone(),
            Some(previous) => format!("{}\n\n{inside}", job.head(previous, job.max_tokens / 2)),
            None => inside.to_owned(),
        };
        Ok(Summary::new(job.head(&text, job.max_tokens)))
    }

    /// `head`, which is no model's name.
    fn model(&self) -> Option<&str> {
        Some("head")
    }
}
