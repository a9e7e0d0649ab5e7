use super::Shared;
use crate::observe::SummarySpan;
use crate::{FitEvent, SummarizeError, Summarizer, Summary, SummaryJob};

impl Shared {
    /// Asks the summarizer once, and tells what it cost.
    pub(super) async fn ask(
        &self,
        summarizer: &dyn Summarizer,
        job: SummaryJob,
    ) -> Result<Summary, SummarizeError> {
        let (kind, messages) = (job.kind, job.messages);
        let span = SummarySpan::new(summarizer.model(), &job);
        let answer = span.around(summarizer.summarize(job)).await;
        span.end(&answer, || {
            self.observer.on_event(&FitEvent::SummaryRun {
                model: summarizer.model(),
                kind,
                messages,
                usage: answer.as_ref().ok().and_then(|summary| summary.usage),
                error: answer.as_ref().err(),
            });
        });
        answer
    }
}
