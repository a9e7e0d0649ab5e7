use std::sync::Arc;

use serde::{Deserialize, Serialize};

use super::{ChatMessage, Extra};

/// The answer to a [`ChatRequest`](super::ChatRequest).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChatResponse {
    /// The model that answered.
    #[serde(default)]
    pub model: Arc<str>,
    /// The answers; one unless more were asked for.
    #[serde(default)]
    pub choices: Vec<ChatChoice>,
    /// What the provider counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<ChatUsage>,
    /// All other fields.
    #[serde(flatten)]
    pub extra: Extra,
}

/// One of the answers in a [`ChatResponse`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ChatChoice {
    /// The message.
    pub message: ChatMessage,
    /// Why it ended: `stop`, `length`, `tool_calls`, …
    #[serde(default)]
    pub finish_reason: Option<Arc<str>>,
    /// All other fields.
    #[serde(flatten)]
    pub extra: Extra,
}

/// Tokens as the provider counted them.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ChatUsage {
    /// Tokens of the prompt, with those read from a cache.
    #[serde(default)]
    pub prompt_tokens: u64,
    /// Tokens of the answer.
    #[serde(default)]
    pub completion_tokens: u64,
    /// All other fields.
    #[serde(flatten)]
    pub extra: Extra,
}

impl ChatResponse {
    /// An answer that is one message.
    pub fn new(model: impl Into<Arc<str>>, message: ChatMessage, finish_reason: &str) -> Self {
        let choice = ChatChoice {
            message,
            finish_reason: Some(finish_reason.into()),
            extra: Extra::new(),
        };
        Self {
            model: model.into(),
            choices: vec![choice],
            usage: None,
            extra: Extra::new(),
        }
    }

    /// Sets what the provider counted.
    #[must_use]
    pub fn usage(mut self, prompt_tokens: u64, completion_tokens: u64) -> Self {
        let extra = [(
            "total_tokens".to_owned(),
            (prompt_tokens.saturating_add(completion_tokens)).into(),
        )];
        self.usage = Some(ChatUsage {
            prompt_tokens,
            completion_tokens,
            extra: extra.into_iter().collect(),
        });
        self
    }

    /// The text of the first answer; empty if there is none.
    #[must_use]
    pub fn text(&self) -> String {
        self.choices
            .first()
            .map(|choice| choice.message.text())
            .unwrap_or_default()
    }
}
