use contextfit_tower::{CacheTokens, ReportedUsage, Stop, Usage};

use super::stop_by_name;
use crate::json::Json;

/// What a response says of its tokens, gathered from its JSON: at once from a whole body, or event
/// by event from a stream.
///
/// In a stream the numbers grow, and some providers begin with zeros, or end with them; so of each
/// number the largest stands.
///
/// ```
/// use contextfit_providers::usage::ResponseUsage;
///
/// let mut usage = ResponseUsage::new();
/// usage.read(br#"{"type":"message_start","message":{"usage":{"input_tokens":12,"output_tokens":1}}}"#);
/// usage.read(br#"{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":30}}"#);
/// let usage = usage.usage().expect("both were reported");
/// assert_eq!((usage.input, usage.output), (12, 30));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ResponseUsage {
    /// Tokens of the prompt with those of a cache: OpenAI's Chat Completions, Gemini, Ollama.
    prompt: Option<u64>,
    /// The same without them, if the provider has names for those beside it: Anthropic, Bedrock.
    input: Option<u64>,
    cached_within: Option<u64>,
    cache_read: Option<u64>,
    cache_written: Option<u64>,
    output: Option<u64>,
    /// Tokens of output that aren't in `output`: Gemini's thoughts.
    thoughts: Option<u64>,
    total: Option<u64>,
    stop: Option<Stop>,
    /// How a response of OpenAI's Responses ended; why is in `stop`, if it says.
    status: Option<Stop>,
}

impl ResponseUsage {
    /// Nothing is read yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Reads one JSON text: a whole body, or the data of one event. One that says nothing of tokens,
    /// or isn't JSON, changes nothing.
    pub fn read(&mut self, json: &[u8]) {
        Json::new(json).object(|json, name| self.field(name, json));
    }

    /// What was gathered; `None` as long as nothing says how many tokens the prompt had.
    #[must_use]
    pub fn usage(&self) -> Option<Usage> {
        let (cache, read) = match (self.prompt, self.cached_within) {
            (None, None) => (CacheTokens::Beside, self.cache_read),
            (_, within) => (CacheTokens::Within, within.or(self.cache_read)),
        };
        let output = self.output.into_iter().chain(self.thoughts);
        ReportedUsage::new(cache)
            .input(self.prompt.or(self.input))
            .cache_read(read)
            .cache_written(self.cache_written)
            .output(output.reduce(u64::saturating_add))
            .total(self.total)
            .stop(self.stop())
            .usage()
    }

    /// Why the model stopped, if that was told.
    #[must_use]
    pub fn stop(&self) -> Option<Stop> {
        self.stop.or(self.status)
    }

    /// Reads a field of a response.
    pub(crate) fn field(&mut self, name: &str, value: &mut Json<'_>) {
        match name {
            // The first event of Anthropic, those of Responses, the last one of Groq.
            "message" | "response" | "x_groq" => {
                value.object(|value, name| self.field_within(name, value));
            }
            _ => self.field_within(name, value),
        }
    }

    /// Reads a field of a response that stands in an event.
    pub(crate) fn field_within(&mut self, name: &str, value: &mut Json<'_>) {
        match name {
            "usage" | "usageMetadata" => self.counts(value),
            // Ollama has no object around them.
            "prompt_eval_count" | "eval_count" => self.count(name, value),
            "choices" | "candidates" => {
                value.array(|choice| choice.object(|value, name| self.reason(name, value)));
            }
            "delta" => value.object(|value, name| self.reason(name, value)),
            "incomplete_details" => value.object(|value, name| {
                if name == "reason" {
                    self.stopped(value);
                }
            }),
            "status" => self.ended(value),
            _ => self.reason(name, value),
        }
    }

    /// Reads a field of a choice, of which one says why the model stopped.
    pub(crate) fn reason(&mut self, name: &str, value: &mut Json<'_>) {
        if matches!(
            name,
            "finish_reason" | "finishReason" | "stop_reason" | "stopReason" | "done_reason"
        ) {
            self.stopped(value);
        }
    }

    /// Of several choices the first one counts.
    fn stopped(&mut self, reason: &mut Json<'_>) {
        if self.stop.is_none() {
            let reason = reason.string().filter(|reason| !reason.is_empty());
            self.stop = reason.map(stop_by_name);
        }
    }

    fn ended(&mut self, status: &mut Json<'_>) {
        let is_end =
            |status: &&str| matches!(*status, "completed" | "incomplete" | "failed" | "cancelled");
        if let Some(status) = status.string().filter(is_end) {
            self.status = Some(stop_by_name(status));
        }
    }

    fn counts(&mut self, usage: &mut Json<'_>) {
        usage.object(|value, name| match name {
            "prompt_tokens_details" | "input_tokens_details" => value.object(|value, name| {
                if name == "cached_tokens" {
                    self.count(name, value);
                }
            }),
            _ => self.count(name, value),
        });
    }

    fn count(&mut self, name: &str, value: &mut Json<'_>) {
        let known = match name {
            "prompt_tokens" | "promptTokenCount" | "prompt_eval_count" => &mut self.prompt,
            "input_tokens" | "inputTokens" => &mut self.input,
            "completion_tokens"
            | "output_tokens"
            | "outputTokens"
            | "candidatesTokenCount"
            | "eval_count" => &mut self.output,
            "thoughtsTokenCount" => &mut self.thoughts,
            "total_tokens" | "totalTokens" | "totalTokenCount" => &mut self.total,
            // OpenAI and Moonshot, DeepSeek, Gemini.
            "cached_tokens" | "prompt_cache_hit_tokens" | "cachedContentTokenCount" => {
                &mut self.cached_within
            }
            "cache_read_input_tokens" | "cacheReadInputTokens" => &mut self.cache_read,
            "cache_creation_input_tokens" | "cacheWriteInputTokens" => &mut self.cache_written,
            _ => return,
        };
        *known = (*known).max(value.count());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn gathered(events: &[&str]) -> Option<Usage> {
        let mut usage = ResponseUsage::new();
        for event in events {
            usage.read(event.as_bytes());
        }
        usage.usage()
    }

    #[test]
    fn whole_bodies_of_all_formats_are_read() {
        let done = Some(Stop::Done);
        for (body, usage) in [
            (
                // OpenAI, Chat Completions.
                r#"{"choices":[{"index":0,"message":{"role":"assistant","content":"a"},"finish_reason":"stop"}],
                    "usage":{"prompt_tokens":1200,"completion_tokens":40,"total_tokens":1240,
                    "prompt_tokens_details":{"cached_tokens":1024,"audio_tokens":0},
                    "completion_tokens_details":{"reasoning_tokens":8}}}"#,
                Usage::new(1_200, 40).cached(1_024).stop(done),
            ),
            (
                // OpenAI, Responses.
                r#"{"object":"response","status":"completed","error":null,"incomplete_details":null,
                    "output":[{"type":"message","status":"completed","content":[]}],
                    "usage":{"input_tokens":300,"input_tokens_details":{"cached_tokens":256},
                    "output_tokens":20,"total_tokens":320}}"#,
                Usage::new(300, 20).cached(256).stop(done),
            ),
            (
                // Anthropic.
                r#"{"type":"message","role":"assistant","content":[{"type":"text","text":"a"}],
                    "stop_reason":"end_turn","usage":{"input_tokens":10,"cache_creation_input_tokens":200,
                    "cache_read_input_tokens":3000,"cache_creation":{"ephemeral_5m_input_tokens":200},
                    "output_tokens":5}}"#,
                Usage::new(3_210, 5)
                    .cached(3_000)
                    .cache_written(200)
                    .stop(done),
            ),
            (
                // Gemini: thoughts are output, and not in the candidates' tokens.
                r#"{"candidates":[{"content":{"parts":[{"text":"a"}],"role":"model"},"finishReason":"STOP"}],
                    "usageMetadata":{"promptTokenCount":90,"candidatesTokenCount":7,"thoughtsTokenCount":30,
                    "cachedContentTokenCount":64,"totalTokenCount":127}}"#,
                Usage::new(90, 37).cached(64).stop(done),
            ),
            (
                // Bedrock.
                r#"{"output":{"message":{"role":"assistant","content":[{"text":"a"}]}},"stopReason":"end_turn",
                    "usage":{"inputTokens":11,"outputTokens":6,"totalTokens":117,"cacheReadInputTokens":60,
                    "cacheWriteInputTokens":40}}"#,
                Usage::new(111, 6).cached(60).cache_written(40).stop(done),
            ),
            (
                // Ollama.
                r#"{"model":"m","message":{"role":"assistant","content":"a"},"done_reason":"stop","done":true,
                    "prompt_eval_count":26,"eval_count":298}"#,
                Usage::new(26, 298).stop(done),
            ),
        ] {
            assert_eq!(gathered(&[body]), Some(usage), "{body}");
        }
    }

    #[test]
    fn full_output_and_a_full_window_are_told_apart() {
        let stop = |body: &str| {
            let mut usage = ResponseUsage::new();
            usage.read(body.as_bytes());
            usage.stop()
        };
        for length in [
            r#"{"choices":[{"finish_reason":"length"}]}"#,
            r#"{"stop_reason":"max_tokens"}"#,
            r#"{"stopReason":"max_tokens"}"#,
            r#"{"candidates":[{"finishReason":"MAX_TOKENS"}]}"#,
            r#"{"done_reason":"length"}"#,
            r#"{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"}}"#,
            r#"{"type":"response.incomplete","response":{"incomplete_details":{"reason":"max_output_tokens"},"status":"incomplete"}}"#,
        ] {
            assert_eq!(stop(length), Some(Stop::Length), "{length}");
        }
        for window in [
            r#"{"stop_reason":"model_context_window_exceeded"}"#,
            r#"{"delta":{"stop_reason":"model_context_window_exceeded"}}"#,
            r#"{"choices":[{"finish_reason":"model_length"}]}"#,
        ] {
            assert_eq!(stop(window), Some(Stop::ContextWindow), "{window}");
        }
        assert_eq!(stop(r#"{"status":"incomplete"}"#), Some(Stop::Interrupted));
        assert_eq!(stop(r#"{"status":"in_progress"}"#), None);
        assert_eq!(stop(r#"{"choices":[{"finish_reason":null}]}"#), None);
        assert_eq!(stop(r#"{"choices":[{"finish_reason":""}]}"#), None);
    }

    #[test]
    fn streams_of_all_formats_are_gathered() {
        let length = Some(Stop::Length);
        for (events, usage) in [
            (
                &[
                    r#"{"choices":[{"delta":{"content":"a"},"finish_reason":null}],"usage":null}"#,
                    r#"{"choices":[{"delta":{},"finish_reason":"length"}],"usage":null}"#,
                    r#"{"choices":[],"usage":{"prompt_tokens":11,"completion_tokens":6,"total_tokens":17}}"#,
                    "[DONE]",
                ][..],
                Usage::new(11, 6).stop(length),
            ),
            (
                // Groq has it elsewhere.
                &[
                    r#"{"choices":[{"delta":{},"finish_reason":"length"}],"x_groq":{"usage":{"prompt_tokens":11,"completion_tokens":6}}}"#,
                ],
                Usage::new(11, 6).stop(length),
            ),
            (
                &[
                    r#"{"type":"message_start","message":{"stop_reason":null,"usage":{"input_tokens":1,"cache_read_input_tokens":10,"output_tokens":1}}}"#,
                    r#"{"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}}"#,
                    r#"{"type":"message_delta","delta":{"stop_reason":"max_tokens"},"usage":{"output_tokens":6}}"#,
                    r#"{"type":"message_stop"}"#,
                ],
                Usage::new(11, 6).cached(10).stop(length),
            ),
            (
                &[
                    r#"{"type":"response.created","response":{"status":"in_progress","usage":null}}"#,
                    r#"{"type":"response.output_text.delta","delta":"a"}"#,
                    r#"{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"usage":{"input_tokens":11,"output_tokens":6}}}"#,
                ],
                Usage::new(11, 6).stop(length),
            ),
            (
                &[
                    r#"{"candidates":[{"content":{"parts":[{"text":"a"}]}}],"usageMetadata":{"promptTokenCount":11,"candidatesTokenCount":2}}"#,
                    r#"{"candidates":[{"finishReason":"MAX_TOKENS"}],"usageMetadata":{"promptTokenCount":11,"candidatesTokenCount":6}}"#,
                ],
                Usage::new(11, 6).stop(length),
            ),
            (
                &[
                    r#"{"message":{"content":"a"},"done":false}"#,
                    r#"{"message":{"content":""},"done":true,"done_reason":"length","prompt_eval_count":11,"eval_count":6}"#,
                ],
                Usage::new(11, 6).stop(length),
            ),
        ] {
            assert_eq!(gathered(events), Some(usage), "{events:?}");
        }
    }

    #[test]
    fn a_zero_at_the_start_or_the_end_changes_nothing() {
        let zeros = r#"{"usage":{"input_tokens":0,"output_tokens":0,"cache_read_input_tokens":0}}"#;
        let counted = r#"{"usage":{"input_tokens":7,"output_tokens":3}}"#;
        let usage = Some(Usage::new(7, 3));
        assert_eq!(gathered(&[zeros, counted]), usage);
        assert_eq!(gathered(&[counted, zeros]), usage);
    }

    #[test]
    fn a_proxy_that_says_it_in_two_ways_is_read_in_one() {
        let body = r#"{"usage":{"prompt_tokens":100,"completion_tokens":5,"cache_read_input_tokens":40,"prompt_tokens_details":{"cached_tokens":40}}}"#;
        assert_eq!(gathered(&[body]), Some(Usage::new(100, 5).cached(40)));
    }

    #[test]
    fn what_says_nothing_of_tokens_is_no_usage() {
        for body in [
            "",
            "not JSON",
            "[]",
            r#"{"usage":null}"#,
            r#"{"usage":"9"}"#,
            r#"{"usage":{"prompt_tokens":null,"completion_tokens":3}}"#,
            r#"{"error":{"message":"no","usage":{"prompt_tokens":3}}}"#,
            // It may go on.
            r#"{"usage":{"prompt_tokens":3"#,
            // What a user wrote, or a tool, is nested deeper than that.
            r#"{"metadata":{"usage":{"prompt_tokens":3}}}"#,
        ] {
            assert_eq!(gathered(&[body]), None, "{body}");
        }
    }
}
