//! What a model says in one JSON document of its answer: in all of a plain one, or in an event of a
//! stream.

use serde_json::Value;

use crate::wire::WireFormat;

/// What a model says.
#[derive(Debug, Default)]
pub(super) struct Said {
    /// The text, without what the model thinks.
    pub(super) text: String,
    /// Output that is neither text nor a call: it thinks, most often.
    pub(super) thinks: bool,
    /// A call of any tool, also of one that the provider carries out itself.
    pub(super) calls_tool: bool,
}

impl Said {
    pub(super) fn of(format: WireFormat, document: &Value) -> Self {
        let mut said = Self::default();
        match format {
            WireFormat::OpenAiChat => said.choices(&document["choices"]),
            WireFormat::OpenAiResponses => said.response(document),
            WireFormat::AnthropicMessages => match document["type"].as_str() {
                Some("content_block_start") => said.part(&document["content_block"]),
                Some("content_block_delta") => said.part(&document["delta"]),
                _ => said.parts(&document["content"]),
            },
            WireFormat::Gemini => said.parts(&document["candidates"][0]["content"]["parts"]),
            WireFormat::BedrockConverse => said.parts(&document["output"]["message"]["content"]),
            WireFormat::OllamaChat => said.message(&document["message"]),
        }
        said
    }

    /// Of several, the first.
    fn choices(&mut self, choices: &Value) {
        let mut choices = choices.as_array().into_iter().flatten();
        let first = choices.find(|choice| choice["index"].as_u64().unwrap_or(0) == 0);
        if let Some(first) = first {
            self.message(&first["message"]);
            self.message(&first["delta"]);
        }
    }

    /// Of OpenAI's Responses: a whole one, or an event.
    fn response(&mut self, document: &Value) {
        match document["type"].as_str() {
            None => self.parts(&document["output"]),
            Some("response.output_text.delta") => self.parts(&document["delta"]),
            // Their texts come in pieces.
            Some("response.output_item.added" | "response.output_item.done") => {
                self.calls_tool |= is_call(&document["item"]["type"]);
            }
            // Of thoughts, refusals and calls.
            Some(kind) => self.thinks |= kind.ends_with(".delta") && says(&document["delta"]),
        }
    }

    /// Of a message whose calls and thoughts stand beside its content.
    fn message(&mut self, message: &Value) {
        self.calls_tool |= says(&message["tool_calls"]) || says(&message["function_call"]);
        self.parts(&message["content"]);
        let beside = [
            "reasoning_content",
            "reasoning",
            "reasoning_details",
            "thinking",
            "refusal",
        ];
        self.thinks |= beside.iter().any(|name| says(&message[*name]));
    }

    /// Of a text, or of a list of parts, in which calls stand among the texts.
    fn parts(&mut self, content: &Value) {
        if let Some(text) = content.as_str() {
            self.text.push_str(text);
        }
        for part in content.as_array().into_iter().flatten() {
            self.part(part);
        }
    }

    fn part(&mut self, part: &Value) {
        match part["type"].as_str() {
            // Gemini and Bedrock name what a part is by its field.
            None if part["thought"] == true => self.thinks |= says(&part["text"]),
            None => {
                self.parts(&part["text"]);
                self.calls_tool |= says(&part["functionCall"]) || says(&part["toolUse"]);
                self.thinks |= says(&part["thoughtSignature"]) || says(&part["reasoningContent"]);
            }
            Some("text" | "output_text" | "text_delta") => self.parts(&part["text"]),
            Some("message") => self.parts(&part["content"]),
            Some(_) if is_call(&part["type"]) => self.calls_tool = true,
            Some(_) => {
                let mut fields = part.as_object().into_iter().flatten();
                self.thinks |= fields.any(|(name, value)| name != "type" && says(value));
            }
        }
    }
}

/// Whether a part or an item of this type is a call, also one that the provider carries out itself.
fn is_call(kind: &Value) -> bool {
    let kind = kind.as_str().unwrap_or_default();
    kind.ends_with("tool_use") || kind.ends_with("_call")
}

/// Whether there is anything in a text, a list or an object.
fn says(value: &Value) -> bool {
    match value {
        Value::String(text) => !text.is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(format: WireFormat, document: &str) -> Said {
        Said::of(format, &serde_json::from_str(document).unwrap())
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
            let said = said(format, answer);
            assert_eq!((&*said.text, said.thinks), ("They met.", true), "{answer}");
            assert!(!said.calls_tool, "{answer}");
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
                let said = said(format, answer);
                assert_eq!(said.text, "", "{answer}");
                assert!(!said.thinks && !said.calls_tool, "{answer}");
            }
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
            assert!(said(format, answer).calls_tool, "{answer}");
        }
    }

    #[test]
    fn a41_an_event_says_text_or_thinks_or_calls_or_nothing() {
        use WireFormat::*;
        let text = (true, false, false);
        let thinks = (false, true, false);
        let calls = (false, false, true);
        let nothing = (false, false, false);
        for (format, event, expected) in [
            (
                OpenAiChat,
                r#"{"choices":[{"index":0,"delta":{"content":"a"}}]}"#,
                text,
            ),
            (
                OpenAiChat,
                r#"{"choices":[{"index":1,"delta":{"content":"a"}}]}"#,
                nothing,
            ),
            (
                OpenAiChat,
                r#"{"choices":[{"delta":{"content":null,"reasoning_content":"a"}}]}"#,
                thinks,
            ),
            (
                OpenAiChat,
                r#"{"choices":[{"delta":{"content":"","reasoning":"a"}}]}"#,
                thinks,
            ),
            (
                OpenAiChat,
                r#"{"choices":[{"delta":{"reasoning_details":[{"data":"a"}]}}]}"#,
                thinks,
            ),
            (
                OpenAiChat,
                r#"{"choices":[{"delta":{"refusal":"a"}}]}"#,
                thinks,
            ),
            (
                OpenAiChat,
                r#"{"choices":[{"delta":{"tool_calls":[{"index":0}]}}]}"#,
                calls,
            ),
            (
                OpenAiChat,
                r#"{"choices":[{"delta":{"function_call":{"arguments":"a"}}}]}"#,
                calls,
            ),
            (
                OpenAiChat,
                r#"{"choices":[{"delta":{"role":"assistant","content":"","refusal":null,"tool_calls":[]}}]}"#,
                nothing,
            ),
            (OpenAiChat, r#"{"choices":[]}"#, nothing),
            (
                OpenAiResponses,
                r#"{"type":"response.output_text.delta","delta":"a"}"#,
                text,
            ),
            (
                OpenAiResponses,
                r#"{"type":"response.reasoning_summary_text.delta","delta":"a"}"#,
                thinks,
            ),
            (
                OpenAiResponses,
                r#"{"type":"response.refusal.delta","delta":"a"}"#,
                thinks,
            ),
            (
                OpenAiResponses,
                r#"{"type":"response.output_item.added","item":{"type":"function_call"}}"#,
                calls,
            ),
            (
                OpenAiResponses,
                r#"{"type":"response.output_item.done","item":{"type":"web_search_call"}}"#,
                calls,
            ),
            // The text was there before.
            (
                OpenAiResponses,
                r#"{"type":"response.output_item.done","item":{"type":"message","content":[{"type":"output_text","text":"a"}]}}"#,
                nothing,
            ),
            (
                OpenAiResponses,
                r#"{"type":"response.completed","response":{"output":[{"type":"message","content":[{"type":"output_text","text":"a"}]}]}}"#,
                nothing,
            ),
            (
                OpenAiResponses,
                r#"{"type":"response.created","response":{}}"#,
                nothing,
            ),
            (
                AnthropicMessages,
                r#"{"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}}"#,
                text,
            ),
            (
                AnthropicMessages,
                r#"{"type":"content_block_delta","delta":{"type":"thinking_delta","thinking":"a"}}"#,
                thinks,
            ),
            (
                AnthropicMessages,
                r#"{"type":"content_block_delta","delta":{"type":"signature_delta","signature":"a"}}"#,
                thinks,
            ),
            (
                AnthropicMessages,
                r#"{"type":"content_block_start","content_block":{"type":"text","text":""}}"#,
                nothing,
            ),
            (
                AnthropicMessages,
                r#"{"type":"content_block_start","content_block":{"type":"thinking","thinking":"","signature":""}}"#,
                nothing,
            ),
            (
                AnthropicMessages,
                r#"{"type":"content_block_start","content_block":{"type":"tool_use","id":"a","name":"f","input":{}}}"#,
                calls,
            ),
            (
                AnthropicMessages,
                r#"{"type":"message_start","message":{"content":[]}}"#,
                nothing,
            ),
            (AnthropicMessages, r#"{"type":"ping"}"#, nothing),
            (
                Gemini,
                r#"{"candidates":[{"content":{"parts":[{"text":"a"}]}}]}"#,
                text,
            ),
            (
                Gemini,
                r#"{"candidates":[{"content":{"parts":[{"text":"a","thought":true}]}}]}"#,
                thinks,
            ),
            (
                Gemini,
                r#"{"candidates":[{"content":{"parts":[{"text":"","thoughtSignature":"a"}]}}]}"#,
                thinks,
            ),
            (
                Gemini,
                r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f"}}]}}]}"#,
                calls,
            ),
            (
                Gemini,
                r#"{"candidates":[{"finishReason":"STOP"}]}"#,
                nothing,
            ),
            (
                OllamaChat,
                r#"{"message":{"content":"a"},"done":false}"#,
                text,
            ),
            (
                OllamaChat,
                r#"{"message":{"content":"","thinking":"a"},"done":false}"#,
                thinks,
            ),
            (
                OllamaChat,
                r#"{"message":{"tool_calls":[{"function":{}}]},"done":false}"#,
                calls,
            ),
            (
                OllamaChat,
                r#"{"message":{"role":"assistant","content":""},"done":true}"#,
                nothing,
            ),
        ] {
            let said = said(format, event);
            let told = (said.text == "a", said.thinks, said.calls_tool);
            assert_eq!(told, expected, "{event}");
        }
    }
}
