use contextfit_tower::{CacheTokens, ReportedUsage, Stop, Usage, UsageReader};
use genai::chat::{ChatResponse, StopReason, StreamEnd, Usage as GenaiCounts};

/// Reads the usage of responses of `genai`, whole and at the end of a stream.
///
/// A stream has its usage only if it was asked for with `ChatOptions::with_capture_usage`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GenaiUsage;

impl UsageReader<ChatResponse> for GenaiUsage {
    fn usage(&self, response: &ChatResponse) -> Option<Usage> {
        usage(&response.usage, response.stop_reason.as_ref())
    }
}

impl UsageReader<StreamEnd> for GenaiUsage {
    fn usage(&self, end: &StreamEnd) -> Option<Usage> {
        usage(
            end.captured_usage.as_ref()?,
            end.captured_stop_reason.as_ref(),
        )
    }
}

/// `genai` counts the tokens of a cache into those of the prompt, whatever the provider does.
fn usage(usage: &GenaiCounts, stop: Option<&StopReason>) -> Option<Usage> {
    let details = usage.prompt_tokens_details.as_ref();
    ReportedUsage::new(CacheTokens::Within)
        .input(usage.prompt_tokens)
        .cache_read(details.and_then(|details| details.cached_tokens))
        .cache_written(details.and_then(|details| details.cache_creation_tokens))
        .output(usage.completion_tokens)
        .total(usage.total_tokens)
        .stop(stop.map(why))
        .usage()
}

fn why(stop: &StopReason) -> Stop {
    match stop {
        StopReason::Completed(_) | StopReason::ToolCall(_) | StopReason::StopSequence(_) => {
            Stop::Done
        }
        StopReason::MaxTokens(reason) => match reason.as_str() {
            "model_context_window_exceeded" | "model_length" => Stop::ContextWindow,
            // OpenAI's other wire says no more than that.
            _ => Stop::Length,
        },
        StopReason::ContentFilter(_) | StopReason::Other(_) => Stop::Other,
    }
}
