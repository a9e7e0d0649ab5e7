use std::sync::Arc;

use contextfit_core::chat::{ChatMessage, ChatRequest, Content, ContentPart, Extra};
use contextfit_core::estimate::Estimator;
use contextfit_core::request::{Piece, Str};
use contextfit_tokenizers::{Encoding, TiktokenEstimator};
use contextfit_tower::Memo;
use serde_json::Value;

/// Counts tokens as OpenAI's models do, with the tokenizer `o200k_base`.
///
/// Text is counted by a [`TiktokenEstimator`], which nothing makes panic. How a request is framed
/// shares no code with contextfit, so that it can tell how far off an estimate is.
///
/// Counts are remembered, and clones share the memory: to count a long conversation again
/// costs little. The tokenizer is loaded once for all, with the first count, which takes a
/// moment.
///
/// ```
/// use contextfit_core::chat::{ChatMessage, ChatRequest};
/// use contextfit_testing::provider::ExactCounter;
///
/// let counter = ExactCounter::new();
/// assert_eq!(counter.count_text("Which port does it use?"), 6);
///
/// let request = ChatRequest::new("a-model", [ChatMessage::user("Which port does it use?")]);
/// let framing = ExactCounter::MESSAGE + ExactCounter::REPLY;
/// assert_eq!(counter.count_request(&request), 6 + framing);
/// ```
#[derive(Clone, Debug)]
pub struct ExactCounter {
    memo: Arc<Memo<TiktokenEstimator>>,
}

impl ExactCounter {
    /// Tokens that each message costs besides what it says: its frame and its role.
    pub const MESSAGE: u64 = 4;
    /// Tokens that a name costs besides its text.
    pub const NAME: u64 = 1;
    /// Tokens of a request that open the reply.
    pub const REPLY: u64 = 3;
    /// Tokens of an image, a sound or a file, whatever its size.
    pub const MEDIA: u64 = 765;

    /// A counter that remembers nothing yet.
    #[must_use]
    pub fn new() -> Self {
        let o200k = TiktokenEstimator::new(Encoding::O200kBase);
        Self {
            memo: Arc::new(Memo::new(o200k)),
        }
    }

    /// Tokens of a text.
    #[must_use]
    pub fn count_text(&self, text: &str) -> u64 {
        self.memo.count(Piece::Text(Str::plain(text))).floor()
    }

    /// Tokens of a request: its messages, its tools and the shape of its response.
    ///
    /// The output that it asks for is not part of it.
    #[must_use]
    pub fn count_request(&self, request: &ChatRequest) -> u64 {
        let messages: u64 = request
            .messages
            .iter()
            .map(|message| self.count_message(message))
            .sum();
        let tools = [&request.tools, &request.functions]
            .into_iter()
            .flatten()
            .flat_map(|tools| &**tools);
        let format = request.response_format.as_deref();
        let schemas: u64 = tools
            .map(|tool| self.count_text(tool.get()))
            .chain(format.map(|format| self.count_text(format.get())))
            .sum();
        messages + schemas + Self::REPLY
    }

    /// Tokens of a message in a request, with its framing.
    #[must_use]
    pub fn count_message(&self, message: &ChatMessage) -> u64 {
        let name = message
            .name
            .as_deref()
            .map_or(0, |name| self.count_text(name) + Self::NAME);
        self.count_said(message) + name + Self::MESSAGE
    }

    /// Tokens of what a message says: what it costs as an answer.
    pub(super) fn count_said(&self, message: &ChatMessage) -> u64 {
        let content = match &message.content {
            Some(Content::Text(text)) => self.count_text(text),
            Some(Content::Parts(parts)) => parts.iter().map(|part| self.count_part(part)).sum(),
            None => 0,
        };
        let calls = message
            .tool_calls
            .iter()
            .map(|call| self.count_text(call.name()) + self.count_text(call.arguments()));
        // A call in the way older than tools.
        let call = match message.extra.get("function_call") {
            Some(Value::Object(call)) => self.count_strings(call),
            _ => 0,
        };
        // What the model thought, a refusal, and whatever else is text.
        let beside = self.count_strings(&message.extra);
        content + calls.sum::<u64>() + call + beside
    }

    fn count_part(&self, part: &ContentPart) -> u64 {
        match (&*part.kind, &part.text) {
            ("image_url" | "image" | "input_audio" | "audio_url" | "video_url" | "file", _) => {
                Self::MEDIA
            }
            (_, Some(text)) => self.count_text(text),
            // A refusal is text in a field of its own name.
            (_, None) if part.extra.values().any(Value::is_string) => {
                self.count_strings(&part.extra)
            }
            (_, None) => Self::MEDIA,
        }
    }

    /// Tokens of all texts among the fields.
    fn count_strings(&self, fields: &Extra) -> u64 {
        fields
            .values()
            .filter_map(Value::as_str)
            .map(|text| self.count_text(text))
            .sum()
    }
}

impl Default for ExactCounter {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(json: &str) -> ChatRequest {
        serde_json::from_str(json).unwrap()
    }

    #[test]
    fn a_count_is_remembered_and_shared_by_clones() {
        let counter = ExactCounter::new();
        let text = "one two three ".repeat(1_000);
        let count = counter.clone().count_text(&text);
        assert_eq!(counter.memo.len(), 1);
        assert_eq!(counter.count_text(&text), count);
    }

    #[test]
    fn everything_that_is_sent_counts() {
        let counter = ExactCounter::new();
        let base = r#"{"model":"m","messages":[{"role":"user","content":"go"}]}"#;
        let one = counter.count_text("go");
        assert_eq!(one, 1);
        let base = counter.count_request(&request(base));
        assert_eq!(base, one + ExactCounter::MESSAGE + ExactCounter::REPLY);
        for (json, more) in [
            (
                r#"{"model":"m","messages":[{"role":"user","content":"go","name":"go"}]}"#,
                one + ExactCounter::NAME,
            ),
            (
                r#"{"model":"m","messages":[{"role":"user","content":[
                    {"type":"text","text":"go"},{"type":"refusal","refusal":"go"}]}]}"#,
                one,
            ),
            (
                r#"{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"go"},
                    {"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]}]}"#,
                ExactCounter::MEDIA,
            ),
            (
                r#"{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"go"},
                    {"type":"image","text":"go"},{"type":"unheard_of","a":"go","b":"go"},
                    {"type":"unheard_of"}]}]}"#,
                2 * ExactCounter::MEDIA + 2 * one,
            ),
            (
                r#"{"model":"m","messages":[{"role":"user","content":"go","reasoning_content":"go",
                    "reasoning":"go","refusal":"go","note":"go","annotations":[]}]}"#,
                4 * one,
            ),
            (
                r#"{"model":"m","messages":[{"role":"user","content":"go"},
                    {"role":"assistant","content":null,"tool_calls":[
                        {"id":"c","type":"custom","custom":{"name":"go","input":"go"}}]},
                    {"role":"assistant","content":null,
                     "function_call":{"name":"go","arguments":"go"}}]}"#,
                4 * one + 2 * ExactCounter::MESSAGE,
            ),
            (
                r#"{"model":"m","messages":[{"role":"user","content":"go"},
                    {"role":"assistant","content":null,"tool_calls":[
                        {"id":"c","type":"function","function":{"name":"go","arguments":"go"}}]}]}"#,
                2 * one + ExactCounter::MESSAGE,
            ),
            (
                r#"{"model":"m","messages":[{"role":"user","content":"go"}],
                    "tools":["go"],"functions":["go"],"response_format":"go"}"#,
                3 * counter.count_text("\"go\""),
            ),
        ] {
            assert_eq!(counter.count_request(&request(json)), base + more, "{json}");
        }
    }
}
