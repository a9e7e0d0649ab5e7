use super::{AudioTokens, FileTokens, ImageTokens};
use crate::estimate::TokenCount;
use crate::request::{Media, MediaKind, Piece, Role, Str};

/// How a provider turns what stands beside text into tokens: the framing of messages and calls,
/// the form of schemas, images, sounds and files.
///
/// Text is counted by whoever holds the format. A format is data: start from the one that is
/// nearest, and set the fields that differ.
///
/// ```
/// use contextfit_core::estimate::{PromptFormat, TokenCount};
/// use contextfit_core::request::{Piece, Role, Str};
///
/// let mut format = PromptFormat::PLAIN;
/// format.message = 3;
/// let words = |text: Str<'_>| TokenCount::tokens(text.decode().split_whitespace().count() as u64);
/// let said = format.count(Piece::Text(Str::plain("three words long")), words);
/// assert_eq!((said + format.message(Role::User)).floor(), 3 + 3);
/// ```
/// The known ones, each with what it is known by, are [`PLAIN`](Self::PLAIN),
/// [`OPENAI`](Self::OPENAI), [`ANTHROPIC`](Self::ANTHROPIC), [`GEMINI`](Self::GEMINI),
/// [`LLAMA`](Self::LLAMA), [`QWEN`](Self::QWEN), [`MISTRAL`](Self::MISTRAL) and
/// [`DEEPSEEK`](Self::DEEPSEEK). What providers publish is taken from them, what they don't is an
/// estimate, and says how it errs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct PromptFormat {
    /// Tokens of a message's framing.
    pub message: u32,
    /// Tokens of a speaker's name, beside the name.
    pub speaker: u32,
    /// Tokens of the framing of a tool call.
    pub tool_call: u32,
    /// Tokens of the framing of a tool result.
    pub tool_result: u32,
    /// Whether the ids that tie calls to results are text for the model.
    pub call_ids: bool,
    /// Tokens of the framing of a schema.
    pub schema: u32,
    /// What the text of a schema comes to, in per cent of what it costs as it is written in JSON.
    pub schema_percent: u32,
    /// Tokens of a request: what introduces the reply, say.
    pub request: u32,
    /// Tokens of a request that has any schema, beside those of each.
    pub any_schema: u32,
    /// What an image costs.
    pub image: ImageTokens,
    /// What a sound costs.
    pub audio: AudioTokens,
    /// What a file costs.
    pub file: FileTokens,
}

impl PromptFormat {
    /// What a piece costs, its text being counted by `count_text`.
    pub fn count(
        &self,
        piece: Piece<'_>,
        mut count_text: impl FnMut(Str<'_>) -> TokenCount,
    ) -> TokenCount {
        let tokens = |tokens: u32| TokenCount::tokens(tokens.into());
        match piece {
            Piece::Text(text) | Piece::Thinking(text) | Piece::Opaque(text) => count_text(text),
            Piece::Speaker(name) => tokens(self.speaker) + count_text(name),
            Piece::ToolCall {
                id,
                name,
                arguments,
            } => {
                let framing = tokens(self.tool_call) + self.id(id, &mut count_text);
                framing + count_text(name) + count_text(arguments)
            }
            Piece::ToolResult {
                call_id,
                name,
                content,
            } => {
                let framing = tokens(self.tool_result) + self.id(call_id, &mut count_text);
                framing + count_text(name) + count_text(content)
            }
            Piece::Schema(json) => {
                tokens(self.schema) + count_text(json).percent(self.schema_percent)
            }
            Piece::Media(media) => self.media(media),
        }
    }

    /// The same with another rule for images, where that differs by model.
    #[must_use]
    pub const fn with_image(mut self, image: ImageTokens) -> Self {
        self.image = image;
        self
    }

    /// What the framing of a message of this role costs.
    #[must_use]
    pub const fn message(&self, role: Role) -> TokenCount {
        let _ = role;
        TokenCount::tokens(self.message as u64)
    }

    /// What a request with so many schemas costs once, beside all that is in it.
    #[must_use]
    pub const fn request(&self, schemas: usize) -> TokenCount {
        let any_schema = if schemas == 0 { 0 } else { self.any_schema };
        TokenCount::tokens(self.request as u64 + any_schema as u64)
    }

    fn id(&self, id: Str<'_>, count_text: impl FnOnce(Str<'_>) -> TokenCount) -> TokenCount {
        if self.call_ids {
            count_text(id)
        } else {
            TokenCount::ZERO
        }
    }

    fn media(&self, media: Media<'_>) -> TokenCount {
        match media.kind {
            MediaKind::Image => self.image.count(media.size, media.detail),
            MediaKind::Audio => self.audio.count(media.duration, media.bytes),
            MediaKind::File => self.file.count(media.pages, media.duration, media.bytes),
        }
    }
}

impl Default for PromptFormat {
    fn default() -> Self {
        Self::PLAIN
    }
}
