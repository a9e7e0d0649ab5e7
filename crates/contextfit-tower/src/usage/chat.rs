use contextfit_core::chat::ChatResponse;

use super::{CacheTokens, ReportedUsage, Stop, Usage, UsageReader};

/// Reads the usage of a [`ChatResponse`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChatUsageReader;

impl ChatUsageReader {
    /// Why the model stopped, if the response says.
    #[must_use]
    pub fn stop(response: &ChatResponse) -> Option<Stop> {
        let reason = response.choices.first()?.finish_reason.as_deref()?;
        Some(match reason.trim().to_ascii_lowercase().as_str() {
            "stop" | "tool_calls" | "function_call" => Stop::Done,
            "length" | "max_tokens" | "max_output_tokens" => Stop::Length,
            "model_context_window_exceeded" => Stop::ContextWindow,
            "incomplete" => Stop::Interrupted,
            _ => Stop::Other,
        })
    }
}

impl UsageReader<ChatResponse> for ChatUsageReader {
    fn usage(&self, response: &ChatResponse) -> Option<Usage> {
        let usage = response.usage.as_ref()?;
        let cached = usage
            .extra
            .get("prompt_tokens_details")
            .and_then(|details| details.get("cached_tokens"))
            .and_then(|tokens| tokens.as_u64());
        ReportedUsage::new(CacheTokens::Within)
            .input(usage.prompt_tokens)
            .cache_read(cached)
            .output(usage.completion_tokens)
            .stop(Self::stop(response))
            .usage()
    }
}
