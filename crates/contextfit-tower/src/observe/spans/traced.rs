use std::future::Future;

use tracing::field::Empty;
use tracing::instrument::{Instrument, Instrumented};
use tracing::span::Entered;
use tracing::{Span, info_span};

use crate::observe::finish_reasons::finish_reasons;
use crate::{
    FitError, FitReport, Purpose, Reason, SummarizeError, Summary, SummaryJob, SummaryKind, Usage,
};

/// Around what is done to make a request fit, from the moment when that is decided until it fits, or
/// can't. A request that fits as it is has none.
pub(crate) struct FitSpan(Span);

impl FitSpan {
    pub(crate) const fn none() -> Self {
        Self(Span::none())
    }

    /// A fit of a prompt of so many tokens that may have so many.
    pub(crate) fn new(model: Option<&str>, reason: Reason, tokens: u64, limit: u64) -> Self {
        Self(info_span!(
            target: "contextfit",
            "contextfit.fit",
            gen_ai.request.model = model,
            gen_ai.conversation.compacted = Empty,
            contextfit.purpose = Purpose::Compaction.as_str(),
            contextfit.reason = reason.as_str(),
            contextfit.tokens.before = tokens,
            contextfit.tokens.after = Empty,
            contextfit.tokens.limit = limit,
            contextfit.messages.summarized = Empty,
            contextfit.messages.archived = Empty,
            contextfit.messages.omitted = Empty,
            contextfit.messages.clipped = Empty,
            contextfit.messages.kept = Empty,
            contextfit.degraded = Empty,
            contextfit.split_turn = Empty,
            contextfit.summarizer.calls = Empty,
            error.type = Empty,
        ))
    }

    /// Enters it for one poll.
    pub(crate) fn enter(&self) -> Entered<'_> {
        self.0.enter()
    }

    /// Says what the fit came to; without a report the request is sent as it is.
    pub(crate) fn end(&self, fitted: Result<Option<&FitReport>, &FitError>) {
        let report = match fitted {
            Ok(Some(report)) => report,
            Ok(None) => return,
            Err(error) => {
                self.0.record("error.type", error.kind());
                return;
            }
        };
        if report.summarized + report.archived + report.omitted > 0 {
            // By the convention it is true or not there.
            self.0.record("gen_ai.conversation.compacted", true);
        }
        self.0
            .record("contextfit.tokens.after", report.tokens_after)
            .record("contextfit.messages.summarized", report.summarized)
            .record("contextfit.messages.archived", report.archived)
            .record("contextfit.messages.omitted", report.omitted)
            .record("contextfit.messages.clipped", report.clipped)
            .record("contextfit.messages.kept", report.kept)
            .record("contextfit.degraded", report.degraded)
            .record("contextfit.split_turn", report.split_turn)
            .record("contextfit.summarizer.calls", report.summarizer_calls);
    }
}

/// Around one run of the summarizer.
pub(crate) struct SummarySpan(Span);

impl SummarySpan {
    pub(crate) fn new(model: Option<&str>, job: &SummaryJob) -> Self {
        Self(info_span!(
            target: "contextfit",
            "contextfit.summarize",
            // No value that the convention has: a run may be one call of a model, some, or none.
            gen_ai.operation.name = "summarize",
            gen_ai.request.model = model,
            gen_ai.usage.input_tokens = Empty,
            gen_ai.usage.cache_read.input_tokens = Empty,
            gen_ai.usage.cache_write.input_tokens = Empty,
            gen_ai.usage.output_tokens = Empty,
            gen_ai.response.finish_reasons = Empty,
            contextfit.purpose = Purpose::Compaction.as_str(),
            contextfit.summary.kind = match job.kind {
                SummaryKind::History => "history",
                SummaryKind::TurnStart => "turn_start",
            },
            contextfit.summary.max_tokens = job.max_tokens,
            contextfit.messages.read = job.conversation.len(),
            contextfit.messages.unread = Empty,
            error.type = Empty,
        ))
    }

    /// Has a run happen inside of it.
    pub(crate) fn around<F: Future>(&self, run: F) -> Instrumented<F> {
        run.instrument(self.0.clone())
    }

    /// Says what the run came to and what all its calls cost, and tells of it inside.
    pub(crate) fn end(
        &self,
        answer: &Result<Summary, SummarizeError>,
        usage: Option<Usage>,
        tell: impl FnOnce(),
    ) {
        if let Some(usage) = usage {
            self.0
                .record("gen_ai.usage.input_tokens", usage.input)
                .record("gen_ai.usage.cache_read.input_tokens", usage.cached)
                .record("gen_ai.usage.cache_write.input_tokens", usage.cache_written)
                .record("gen_ai.usage.output_tokens", usage.output)
                .record(
                    "gen_ai.response.finish_reasons",
                    usage.stop.map(finish_reasons),
                );
        }
        match answer {
            Ok(summary) => self.0.record("contextfit.messages.unread", summary.omitted),
            Err(error) => self.0.record("error.type", error.kind()),
        };
        self.0.in_scope(tell);
    }
}
