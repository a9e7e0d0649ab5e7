use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use super::{ChatMessage, Extra};

/// A chat request: the model, the messages, and whatever else goes along.
///
/// ```
/// use contextfit_core::chat::ChatRequest;
///
/// let body = r#"{"model":"a-model","messages":[{"role":"user","content":"hi"}],"seed":7}"#;
/// let request: ChatRequest = serde_json::from_str(body)?;
/// assert_eq!(request.extra["seed"], 7);
/// assert_eq!(serde_json::to_string(&request)?, body);
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ChatRequest {
    /// The model that is asked.
    pub model: Arc<str>,
    /// The conversation, oldest message first.
    pub messages: Vec<ChatMessage>,
    /// The tools on offer, each as the JSON it was written in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tools: Option<Arc<[Box<RawValue>]>>,
    /// The functions on offer, in the way older than tools.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub functions: Option<Arc<[Box<RawValue>]>>,
    /// The shape the answer must have, as the JSON it was written in.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub response_format: Option<Arc<RawValue>>,
    /// The most output, in tokens; the older name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_tokens: Option<u32>,
    /// The most output, in tokens, with what the model thinks.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_completion_tokens: Option<u32>,
    /// All other fields.
    #[serde(flatten)]
    pub extra: Extra,
}

impl ChatRequest {
    /// A request with a model and messages, and nothing else.
    pub fn new(
        model: impl Into<Arc<str>>,
        messages: impl IntoIterator<Item = ChatMessage>,
    ) -> Self {
        Self {
            model: model.into(),
            messages: messages.into_iter().collect(),
            tools: None,
            functions: None,
            response_format: None,
            max_tokens: None,
            max_completion_tokens: None,
            extra: Extra::new(),
        }
    }

    /// Asks for at most so many tokens of output.
    #[must_use]
    pub const fn max_tokens(mut self, tokens: u32) -> Self {
        self.max_tokens = Some(tokens);
        self
    }
}
