use std::sync::Arc;

use async_trait::async_trait;
use contextfit::estimate::Estimator;
use contextfit::{SummarizeError, Summarizer, Summary, SummaryJob};
use contextfit_testing::provider::ExactCounter;

use super::tally::Tally;

/// Counts what a summarizer reads and writes.
#[derive(Debug)]
pub(crate) struct Counted<Z> {
    pub(crate) summarizer: Z,
    pub(crate) counter: ExactCounter,
    pub(crate) tally: Arc<Tally>,
}

#[async_trait]
impl<Z: Summarizer> Summarizer for Counted<Z> {
    async fn summarize(&self, job: SummaryJob) -> Result<Summary, SummarizeError> {
        let read = count_transcript(&self.counter, &job.transcript)
            + self
                .counter
                .count_text(job.previous.as_deref().unwrap_or_default());
        let summary = self.summarizer.summarize(job).await;
        let wrote = summary
            .as_ref()
            .map_or(0, |summary| self.counter.count_text(&summary.text));
        self.tally.summarized(read + wrote);
        summary
    }

    fn max_output_tokens(&self) -> Option<u32> {
        self.summarizer.max_output_tokens()
    }

    fn window(&self) -> Option<u64> {
        self.summarizer.window()
    }

    fn estimator(&self) -> Option<Arc<dyn Estimator>> {
        self.summarizer.estimator()
    }
}

/// Tokens of a transcript, part by part.
///
/// An agent that sends its whole history every time has it summarized from the start every
/// time. The counter remembers parts that it knows. No token spans the border of two: it is
/// after the end of a line and before a bracket.
fn count_transcript(counter: &ExactCounter, transcript: &str) -> u64 {
    let mut tokens = 0;
    let mut rest = transcript;
    while let Some(end) = rest.find("\n\n[") {
        let (part, after) = rest.split_at(end + 2);
        tokens += counter.count_text(part);
        rest = after;
    }
    tokens + counter.count_text(rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counting_by_parts_is_exact() {
        let counter = ExactCounter::new();
        for text in [
            "",
            "<conversation>\n[User]: Which port?\n\n[Assistant]: 8080.\n</conversation>",
            "[User]: x;\n\n\n\n[Tool result]: [1]\n\n[2] {}/\n\n[[\n\n[",
            "[Assistant]: 你好。\n\n[User]: \n\n [a]\n\n[Tool]: don't\n\n['s]",
        ] {
            assert_eq!(
                count_transcript(&counter, text),
                ExactCounter::new().count_text(text),
                "{text:?}"
            );
        }
    }
}
