use async_openai::types::chat::{
    CompletionUsage, CreateChatCompletionResponse, CreateChatCompletionStreamResponse, FinishReason,
};
use contextfit_tower::{CacheTokens, ReportedUsage, Stop, Usage, UsageReader};

/// Reads the usage of responses of `async-openai`, whole and streamed.
///
/// A stream has its usage in its last chunk, and only if it was asked for with
/// `stream_options.include_usage`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AsyncOpenAiUsage;

impl UsageReader<CreateChatCompletionResponse> for AsyncOpenAiUsage {
    fn usage(&self, response: &CreateChatCompletionResponse) -> Option<Usage> {
        let stop = response
            .choices
            .first()
            .and_then(|choice| choice.finish_reason);
        usage(response.usage.as_ref()?, stop)
    }
}

impl UsageReader<CreateChatCompletionStreamResponse> for AsyncOpenAiUsage {
    fn usage(&self, chunk: &CreateChatCompletionStreamResponse) -> Option<Usage> {
        let stop = chunk
            .choices
            .first()
            .and_then(|choice| choice.finish_reason);
        usage(chunk.usage.as_ref()?, stop)
    }
}

fn usage(usage: &CompletionUsage, stop: Option<FinishReason>) -> Option<Usage> {
    let details = usage.prompt_tokens_details.as_ref();
    ReportedUsage::new(CacheTokens::Within)
        .input(usage.prompt_tokens)
        .cache_read(details.and_then(|details| details.cached_tokens))
        .cache_written(details.and_then(|details| details.cache_write_tokens))
        .output(usage.completion_tokens)
        .stop(stop.map(|reason| match reason {
            FinishReason::Stop | FinishReason::ToolCalls | FinishReason::FunctionCall => Stop::Done,
            FinishReason::Length => Stop::Length,
            FinishReason::ContentFilter => Stop::Other,
        }))
        .usage()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn what_a_response_reports_is_read() {
        let response = json!({
            "id": "r", "created": 1, "model": "m", "object": "chat.completion",
            "choices": [{"index": 0, "finish_reason": "length",
                "message": {"role": "assistant", "content": "so"}}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 7, "total_tokens": 107,
                "prompt_tokens_details": {"cached_tokens": 40, "cache_write_tokens": 9}},
        });
        let response: CreateChatCompletionResponse = serde_json::from_value(response).unwrap();
        let expected = Usage::new(100, 7)
            .cached(40)
            .cache_written(9)
            .stop(Some(Stop::Length));
        assert_eq!(AsyncOpenAiUsage.usage(&response), Some(expected));
    }

    #[test]
    fn the_last_chunk_of_a_stream_has_the_usage() {
        let chunk = |usage| {
            let chunk = json!({
                "id": "r", "created": 1, "model": "m", "object": "chat.completion.chunk",
                "choices": [], "usage": usage,
            });
            let chunk: CreateChatCompletionStreamResponse = serde_json::from_value(chunk).unwrap();
            AsyncOpenAiUsage.usage(&chunk)
        };
        assert_eq!(chunk(json!(null)), None);
        let usage = json!({"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5});
        assert_eq!(chunk(usage), Some(Usage::new(3, 2)));
    }
}
