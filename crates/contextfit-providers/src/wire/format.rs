use std::fmt;

use contextfit_core::request::AdapterError;

use super::formats::{
    anthropic_messages, bedrock_converse, gemini, ollama_chat, open_ai_chat, open_ai_responses,
};
use super::index::Index;
use super::json::Reader;

/// How a provider's requests are written.
///
/// Most servers speak one of these: what isn't listed is most often
/// [`OpenAiChat`](Self::OpenAiChat).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum WireFormat {
    /// [Chat Completions](https://platform.openai.com/docs/api-reference/chat/create) of OpenAI,
    /// and of the many servers that speak like it.
    OpenAiChat,
    /// [Responses](https://platform.openai.com/docs/api-reference/responses/create) of OpenAI.
    ///
    /// Each item of `input` is a message, and a plain string is a lone one. A request that has the
    /// provider shorten the history (`truncation`, `context_management`) is fitted all the same:
    /// what the provider cuts it doesn't summarize. Its own summaries, `compaction` items, are
    /// kept, and newer models let reasoning go where what came before it was changed.
    OpenAiResponses,
    /// [Messages](https://docs.claude.com/en/api/messages) of Anthropic, also by way of Vertex AI
    /// and of Bedrock's `InvokeModel`.
    AnthropicMessages,
    /// [generateContent](https://ai.google.dev/api/generate-content) of Gemini, also by way of
    /// Vertex AI or in the envelope of Code Assist, with its fields in either spelling.
    ///
    /// What is stored under a `cachedContent` comes before the contents: it can't be cut here, and
    /// what it costs isn't told until usage is reported.
    Gemini,
    /// [Converse](https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html)
    /// of Amazon Bedrock.
    BedrockConverse,
    /// [api/chat](https://github.com/ollama/ollama/blob/main/docs/api.md) of Ollama.
    ///
    /// The server cuts what is above its `num_ctx` without a word: the window that is set here has
    /// to be that one, not the one that the model was made for.
    OllamaChat,
}

impl WireFormat {
    /// All of them.
    pub const ALL: [Self; 6] = [
        Self::OpenAiChat,
        Self::OpenAiResponses,
        Self::AnthropicMessages,
        Self::Gemini,
        Self::BedrockConverse,
        Self::OllamaChat,
    ];

    /// Its name, in words.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenAiChat => "OpenAI Chat Completions",
            Self::OpenAiResponses => "OpenAI Responses",
            Self::AnthropicMessages => "Anthropic Messages",
            Self::Gemini => "Gemini generateContent",
            Self::BedrockConverse => "Bedrock Converse",
            Self::OllamaChat => "Ollama chat",
        }
    }

    /// What is to be known of it to read and to edit its bodies.
    pub(super) const fn rules(self) -> Rules {
        match self {
            Self::OpenAiChat => open_ai_chat::RULES,
            Self::OpenAiResponses => open_ai_responses::RULES,
            Self::AnthropicMessages => anthropic_messages::RULES,
            Self::Gemini => gemini::RULES,
            Self::BedrockConverse => bedrock_converse::RULES,
            Self::OllamaChat => ollama_chat::RULES,
        }
    }

    /// Whether a system message among the others has to stand alone, behind the user and before
    /// the assistant.
    pub(super) const fn has_system_behind_user(self) -> bool {
        matches!(self, Self::AnthropicMessages)
    }
}

impl fmt::Display for WireFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a format has to say about itself.
#[derive(Clone, Copy)]
pub(super) struct Rules {
    /// Reads a body.
    pub(super) read: fn(&mut Reader<'_>, &mut Index) -> Result<(), AdapterError>,
    /// What a message of the user is written with before its text, as a JSON literal, and after.
    pub(super) user_message: [&'static str; 2],
    /// How neighbours of one role become one message.
    pub(super) merging: Merging,
}

/// How neighbours of one role become one message.
#[derive(Clone, Copy)]
pub(super) struct Merging {
    /// Whether the provider demands that roles alternate.
    pub(super) is_required: bool,
    /// What a text is written with as a part, before it and after it, as a JSON literal; `None`
    /// where messages have no parts.
    pub(super) text_part: Option<[&'static str; 2]>,
}
