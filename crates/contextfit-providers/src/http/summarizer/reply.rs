//! What a model said, read from the JSON of its whole answer.

use serde_json::Value;

use super::HttpSummaryError;
use crate::wire::WireFormat;

/// What a model said.
#[derive(Debug, Default)]
pub(super) struct Reply {
    /// The text, without what the model thought.
    pub(super) text: String,
    /// A call of any tool, also of one that the provider carries out itself.
    pub(super) calls_tool: bool,
}

impl Reply {
    pub(super) fn read(format: WireFormat, answer: &[u8]) -> Result<Self, HttpSummaryError> {
        let whole: Value = serde_json::from_slice(answer).map_err(HttpSummaryError::Unreadable)?;
        if !whole["error"].is_null() {
            return Err(HttpSummaryError::said(answer));
        }
        let mut reply = Self::default();
        match format {
            WireFormat::OpenAiChat => reply.message(&whole["choices"][0]["message"]),
            WireFormat::OpenAiResponses => reply.parts(&whole["output"]),
            WireFormat::AnthropicMessages => reply.parts(&whole["content"]),
            WireFormat::Gemini => reply.parts(&whole["candidates"][0]["content"]["parts"]),
            WireFormat::BedrockConverse => reply.parts(&whole["output"]["message"]["content"]),
            WireFormat::OllamaChat => reply.message(&whole["message"]),
        }
        Ok(reply)
    }

    /// Of a message whose calls stand beside its content.
    fn message(&mut self, message: &Value) {
        let calls = message["tool_calls"].as_array();
        self.calls_tool |= calls.is_some_and(|calls| !calls.is_empty());
        self.calls_tool |= message["function_call"].is_object();
        self.parts(&message["content"]);
    }

    /// Of a text, or of a list of parts, in which calls stand among the texts.
    fn parts(&mut self, content: &Value) {
        if let Some(text) = content.as_str() {
            self.text.push_str(text);
        }
        for part in content.as_array().into_iter().flatten() {
            match part["type"].as_str() {
                // Gemini and Bedrock name what a part is by its field.
                None => {
                    self.calls_tool |= part["functionCall"].is_object();
                    self.calls_tool |= part["toolUse"].is_object();
                    if part["thought"] != true {
                        self.parts(&part["text"]);
                    }
                }
                Some("text" | "output_text") => self.parts(&part["text"]),
                Some("message") => self.parts(&part["content"]),
                // Those that the provider carries out itself, too.
                Some(kind) => {
                    self.calls_tool |= kind.ends_with("tool_use") || kind.ends_with("_call");
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(format: WireFormat, answer: &str) -> Option<String> {
        let reply = Reply::read(format, answer.as_bytes());
        reply.ok().map(|reply| reply.text)
    }

    #[test]
    fn the_text_is_read_without_thoughts() {
        for (format, answer) in [
            (
                WireFormat::OpenAiChat,
                r#"{"choices":[{"message":{"reasoning_content":"Hm.","content":"They met.","tool_calls":[]}}],"error":null}"#,
            ),
            (
                WireFormat::OpenAiChat,
                r#"{"choices":[{"message":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"Hm."}]},{"type":"text","text":"They met."}]}}]}"#,
            ),
            (
                WireFormat::OpenAiResponses,
                r#"{"error":null,"output":[{"type":"reasoning","summary":[{"type":"summary_text","text":"Hm."}]},{"type":"message","content":[{"type":"output_text","text":"They met."}]}]}"#,
            ),
            (
                WireFormat::AnthropicMessages,
                r#"{"type":"message","content":[{"type":"thinking","thinking":"Hm."},{"type":"text","text":"They "},{"type":"text","text":"met."}]}"#,
            ),
            (
                WireFormat::Gemini,
                r#"{"candidates":[{"content":{"parts":[{"text":"Hm.","thought":true},{"text":"They met."}]}}]}"#,
            ),
            (
                WireFormat::BedrockConverse,
                r#"{"output":{"message":{"content":[{"reasoningContent":{"reasoningText":{"text":"Hm."}}},{"text":"They met."}]}}}"#,
            ),
            (
                WireFormat::OllamaChat,
                r#"{"message":{"thinking":"Hm.","content":"They met."},"done":true}"#,
            ),
        ] {
            assert_eq!(
                text(format, answer).as_deref(),
                Some("They met."),
                "{answer}"
            );
        }
    }

    #[test]
    fn what_is_not_there_is_no_text() {
        for format in WireFormat::ALL {
            for answer in [
                "{}",
                "[]",
                "7",
                r#"{"choices":[],"output":[7],"content":{}}"#,
            ] {
                assert_eq!(text(format, answer).as_deref(), Some(""), "{answer}");
            }
            assert_eq!(text(format, "Bad gateway"), None);
        }
    }

    #[test]
    fn calls_that_the_provider_carries_out_are_calls() {
        for (format, answer) in [
            (
                WireFormat::AnthropicMessages,
                r#"{"content":[{"type":"text","text":"I look."},{"type":"server_tool_use","name":"web_search"}]}"#,
            ),
            (
                WireFormat::OpenAiResponses,
                r#"{"output":[{"type":"web_search_call"},{"type":"message","content":[{"type":"output_text","text":"a"}]}]}"#,
            ),
            (
                WireFormat::OpenAiChat,
                r#"{"choices":[{"message":{"content":"I look.","function_call":{"name":"f"}}}]}"#,
            ),
        ] {
            let reply = Reply::read(format, answer.as_bytes()).unwrap();
            assert!(reply.calls_tool, "{answer}");
        }
    }
}
