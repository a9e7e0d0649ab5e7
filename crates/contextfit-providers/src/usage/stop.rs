use contextfit_tower::Stop;

/// Why a model stopped, by the word its provider has for it: the `finish_reason` of OpenAI and
/// Gemini, the `stop_reason` of Anthropic and Bedrock, the `done_reason` of Ollama, and the `status`
/// and the reason for it of OpenAI's Responses. Letter case doesn't matter.
///
/// ```
/// use contextfit_providers::usage::stop_by_name;
/// use contextfit_tower::Stop;
///
/// assert_eq!(stop_by_name("MAX_TOKENS"), Stop::Length);
/// assert_eq!(stop_by_name("model_context_window_exceeded"), Stop::ContextWindow);
/// ```
#[must_use]
pub fn stop_by_name(name: &str) -> Stop {
    match name.trim().to_ascii_lowercase().as_str() {
        "stop" | "end_turn" | "stop_sequence" | "tool_use" | "tool_calls" | "function_call"
        | "completed" | "eos" => Stop::Done,
        "length" | "max_tokens" | "max_output_tokens" => Stop::Length,
        // Anthropic, Bedrock and Z.ai; Mistral.
        "model_context_window_exceeded" | "model_length" => Stop::ContextWindow,
        "incomplete" | "failed" | "cancelled" | "error" => Stop::Interrupted,
        _ => Stop::Other,
    }
}
