use serde_json::Value;

use super::node::{Findings, Node};
use super::{
    Violation, anthropic_messages, bedrock_converse, gemini, ollama_chat, openai_chat,
    openai_responses,
};

/// Whose rules a body has to keep: one for each wire format.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WireRules {
    /// OpenAI's `/v1/chat/completions`, and what is compatible with it.
    OpenAiChat,
    /// OpenAI's `/v1/responses`.
    OpenAiResponses,
    /// Anthropic's `/v1/messages`.
    AnthropicMessages,
    /// Google's `generateContent`.
    Gemini,
    /// Bedrock's `Converse`.
    BedrockConverse,
    /// Ollama's `/api/chat`.
    OllamaChat,
}

impl WireRules {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::OpenAiChat,
        Self::OpenAiResponses,
        Self::AnthropicMessages,
        Self::Gemini,
        Self::BedrockConverse,
        Self::OllamaChat,
    ];

    /// Checks a body by what the provider itself demands.
    ///
    /// # Errors
    ///
    /// Every rule that is broken, with its place.
    pub fn check(self, body: &Value) -> Result<(), Vec<Violation>> {
        WireCheck::from(self).check(body)
    }

    /// The name of the list that holds the conversation.
    #[must_use]
    pub fn messages(self) -> &'static str {
        match self {
            Self::OpenAiResponses => "input",
            Self::Gemini => "contents",
            _ => "messages",
        }
    }
}

/// The rules of a wire format, and how strictly they are meant.
///
/// A provider's own rules are `WireCheck::from(rules)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WireCheck {
    pub(super) rules: WireRules,
    pub(super) alternating: bool,
    pub(super) signed: bool,
}

impl From<WireRules> for WireCheck {
    fn from(rules: WireRules) -> Self {
        Self {
            rules,
            alternating: false,
            signed: false,
        }
    }
}

impl WireCheck {
    /// Demands that user and model take turns, beginning with the user, as many chat templates
    /// and some compatible servers do.
    ///
    /// OpenAI, Anthropic, Gemini and Ollama take two messages of one role in a row. Bedrock never
    /// does. Results of tools stand anywhere: their own rules say where. Items of the Responses
    /// API don't take turns, so nothing is added there.
    #[must_use]
    pub fn alternating(mut self) -> Self {
        self.alternating = true;
        self
    }

    /// Demands the signatures that Gemini 3 demands, of any model.
    ///
    /// The model of a Gemini request is in its URL. Without this they are demanded where the body
    /// names such a model.
    #[must_use]
    pub fn signed(mut self) -> Self {
        self.signed = true;
        self
    }

    /// Checks a body.
    ///
    /// # Errors
    ///
    /// Every rule that is broken, with its place.
    pub fn check(self, body: &Value) -> Result<(), Vec<Violation>> {
        let mut found = Findings::default();
        let root = Node::root(body);
        let check = match self.rules {
            WireRules::OpenAiChat => openai_chat::check,
            WireRules::OpenAiResponses => openai_responses::check,
            WireRules::AnthropicMessages => anthropic_messages::check,
            WireRules::Gemini => gemini::check,
            WireRules::BedrockConverse => bedrock_converse::check,
            WireRules::OllamaChat => ollama_chat::check,
        };
        check(&root, self, &mut found);
        if found.0.is_empty() {
            Ok(())
        } else {
            Err(found.0)
        }
    }
}
