use std::error::Error;

use tracing::Level;

use super::finish_reasons::finish_reasons;
use super::{FitEvent, Observer, Purpose};
use crate::Scope;

/// An observer that writes each event into the trace. Takes the feature `tracing`.
///
/// Its target is `contextfit`. What loses something or costs in vain is a warning, what was changed
/// is told at the level `INFO`, and what each request has at `DEBUG`. Fields have the names of
/// OpenTelemetry's semantic conventions for generative AI where these have one, and else begin with
/// `contextfit`.
///
/// It writes nothing of what is said in a conversation: numbers, names of models and kinds of errors.
/// What errors say is written only [if asked for](Self::error_texts).
///
/// ```
/// use contextfit_tower::{Fitter, TraceEvents};
///
/// let fitter = Fitter::builder().window(128_000).observer(TraceEvents::new()).build()?;
/// # Ok::<(), contextfit_tower::ConfigError>(())
/// ```
#[derive(Clone, Copy, Debug, Default)]
pub struct TraceEvents {
    error_texts: bool,
}

/// One event of a trace, with what all have.
macro_rules! write_event {
    ($level:ident, $event:expr, $message:literal, {$($field:tt)*}) => {
        tracing::event!(
            target: "contextfit",
            Level::$level,
            contextfit.event = $event.name(),
            gen_ai.request.model = $event.model(),
            $($field)*
            $message
        )
    };
}

/// The event of a request that was changed.
macro_rules! write_report {
    ($level:ident, $event:expr, $report:expr, $message:literal) => {
        write_event!($level, $event, $message, {
            contextfit.reason = $report.reason.as_str(),
            contextfit.tokens.before = $report.tokens_before,
            contextfit.tokens.after = $report.tokens_after,
            contextfit.tokens.limit = $report.limit,
            contextfit.messages.summarized = $report.summarized,
            contextfit.messages.archived = $report.archived,
            contextfit.messages.omitted = $report.omitted,
            contextfit.messages.clipped = $report.clipped,
            contextfit.messages.kept = $report.kept,
            contextfit.degraded = $report.degraded,
            contextfit.split_turn = $report.split_turn,
            contextfit.summarizer.calls = $report.summarizer_calls,
        })
    };
}

impl TraceEvents {
    /// Writes numbers, names of models and kinds of errors.
    #[must_use]
    pub const fn new() -> Self {
        Self { error_texts: false }
    }

    /// Whether what errors and their sources say is written too, as `exception.message`. A provider
    /// may quote in its error what it was sent, and so may a client or an adapter. Off unless set.
    #[must_use]
    pub const fn error_texts(mut self, write: bool) -> Self {
        self.error_texts = write;
        self
    }

    /// What an error and its sources say, if that is wanted.
    fn text(self, error: &(dyn Error + 'static)) -> Option<String> {
        if !self.error_texts {
            return None;
        }
        let (mut text, mut source) = (error.to_string(), error.source());
        while let Some(error) = source {
            text.push_str(": ");
            text.push_str(&error.to_string());
            source = error.source();
        }
        Some(text)
    }
}

impl Observer for TraceEvents {
    fn on_event(&self, event: &FitEvent<'_>) {
        match event {
            FitEvent::Passed { sent } => write_event!(DEBUG, event, "a request fits as it is", {
                contextfit.tokens.estimated = sent.estimated,
                contextfit.tokens.window = sent.window,
            }),
            FitEvent::Fitted(report) if report.degraded || !report.fits() => {
                write_report!(
                    WARN,
                    event,
                    report,
                    "a request was fitted as well as it can be"
                );
            }
            FitEvent::Fitted(report) => {
                write_report!(INFO, event, report, "a request was made to fit");
            }
            FitEvent::Stuck {
                sent,
                needed,
                limit,
            } => write_event!(WARN, event, "a request is sent over its limit", {
                contextfit.tokens.estimated = sent.estimated,
                contextfit.tokens.messages = needed,
                contextfit.tokens.messages_limit = limit,
            }),
            FitEvent::SwitchedOff { .. }
            | FitEvent::HistoryElsewhere { .. }
            | FitEvent::UnknownModel(_) => {
                write_event!(DEBUG, event, "a request is left alone", {});
            }
            FitEvent::Unreadable(error) => {
                write_event!(WARN, event, "a request can't be read", {
                    exception.message = self.text(*error),
                });
            }
            FitEvent::Refused { error, .. } => write_event!(WARN, event, "a request is refused", {
                error.type = error.kind(),
                exception.message = self.text(*error),
            }),
            FitEvent::ForeignSummary {
                message, reason, ..
            } => write_event!(WARN, event, "a message looks like a summary of ours and isn't", {
                contextfit.message = message,
                exception.message = %reason,
            }),
            FitEvent::SummaryRun {
                messages,
                calls,
                usage,
                error,
                ..
            } => write_event!(DEBUG, event, "the summarizer was asked", {
                contextfit.purpose = Purpose::Compaction.as_str(),
                contextfit.messages.read = messages,
                contextfit.summarizer.calls = calls,
                gen_ai.usage.input_tokens = usage.map(|usage| usage.input),
                gen_ai.usage.output_tokens = usage.map(|usage| usage.output),
                error.type = error.map(|error| error.kind()),
                exception.message = error.and_then(|error| self.text(error)),
            }),
            FitEvent::SummaryRefused(error) => {
                write_event!(WARN, event, "a call for a summary came to nothing", {
                    error.type = error.kind(),
                    exception.message = self.text(*error),
                });
            }
            FitEvent::Overflow {
                sent,
                overflow,
                recovering,
            } => write_event!(WARN, event, "the provider found a request too long", {
                contextfit.recovering = recovering,
                contextfit.tokens.estimated = sent.estimated,
                contextfit.overflow.input = overflow.input,
                contextfit.overflow.output = overflow.output,
                contextfit.overflow.limit = overflow.limit,
                contextfit.overflow.scope = match overflow.scope {
                    Scope::Input => "input",
                    Scope::Total => "total",
                },
            }),
            FitEvent::RetryRefused { sent } => {
                write_event!(WARN, event, "there is no budget to send a request again", {
                    contextfit.tokens.estimated = sent.estimated,
                });
            }
            FitEvent::NotRecovered { sent, error } => {
                write_event!(WARN, event, "a request that is too long can't be made smaller", {
                    contextfit.tokens.estimated = sent.estimated,
                    error.type = error.map(|error| error.kind()),
                    exception.message = error.and_then(|error| self.text(error)),
                });
            }
            FitEvent::Recovered { sent } => {
                write_event!(INFO, event, "a request that was too long is answered", {
                    contextfit.tokens.estimated = sent.estimated,
                });
            }
            FitEvent::Usage { sent, usage } => write_event!(DEBUG, event, "an answer was paid", {
                contextfit.purpose = Purpose::Answer.as_str(),
                contextfit.tokens.estimated = sent.estimated,
                gen_ai.usage.input_tokens = usage.input,
                gen_ai.usage.cache_read.input_tokens = usage.cached,
                gen_ai.usage.cache_write.input_tokens = usage.cache_written,
                gen_ai.usage.output_tokens = usage.output,
                gen_ai.response.finish_reasons = usage.stop.map(finish_reasons),
            }),
            FitEvent::Truncated { sent, usage } => {
                write_event!(WARN, event, "the provider can't have read the whole prompt", {
                    contextfit.tokens.estimated = sent.estimated,
                    gen_ai.usage.input_tokens = usage.input,
                });
            }
        }
    }
}
