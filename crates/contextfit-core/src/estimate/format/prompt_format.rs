use super::{AudioTokens, FileTokens, ImageTokens, sealed};
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
                tokens(self.schema) + count_text(json).scaled(self.schema_percent.into(), 100)
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
            MediaKind::Sealed => sealed(media.bytes),
        }
    }
}

impl Default for PromptFormat {
    fn default() -> Self {
        Self::PLAIN
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::estimate::{CharEstimator, Estimator};
    use crate::request::Detail;
    use proptest::prelude::*;

    /// Every cost is another power of two, and a character is a thousand tokens.
    const ODD: PromptFormat = PromptFormat {
        message: 1,
        speaker: 2,
        tool_call: 4,
        tool_result: 8,
        call_ids: false,
        schema: 16,
        schema_percent: 50,
        request: 32,
        any_schema: 64,
        image: ImageTokens::Flat(128),
        audio: AudioTokens::flat(256),
        file: FileTokens::flat(512),
    };

    fn thousands(text: Str<'_>) -> TokenCount {
        TokenCount::tokens(1_000 * text.char_count() as u64)
    }

    fn call<'a>(id: &'a str) -> Piece<'a> {
        Piece::ToolCall {
            id: Str::plain(id),
            name: Str::plain("ab"),
            arguments: Str::plain("{}"),
        }
    }

    fn result<'a>(call_id: &'a str) -> Piece<'a> {
        Piece::ToolResult {
            call_id: Str::plain(call_id),
            name: Str::plain("ab"),
            content: Str::plain("out"),
        }
    }

    #[test]
    fn each_kind_of_piece_costs_its_framing_and_its_text() {
        let text = Str::plain("abcd");
        for (piece, tokens) in [
            (Piece::Text(text), 4_000),
            (Piece::Thinking(text), 4_000),
            (Piece::Opaque(text), 4_000),
            (Piece::Speaker(text), 4_002),
            (call("12345"), 4_004),
            (result("12345"), 5_008),
            (Piece::Schema(text), 2_016),
            (Piece::Media(Media::new(MediaKind::Image)), 128),
            (Piece::Media(Media::new(MediaKind::Audio)), 256),
            (Piece::Media(Media::new(MediaKind::File)), 512),
            (Piece::Media(Media::new(MediaKind::Sealed)), 1_200),
            (Piece::Media(Media::new(MediaKind::Sealed).bytes(403)), 100),
        ] {
            assert_eq!(ODD.count(piece, thousands).floor(), tokens, "{piece:?}");
        }
        assert_eq!(ODD.message(Role::Assistant).floor(), 1);
    }

    #[test]
    fn ids_cost_their_text_where_the_model_reads_them() {
        let mut reads = ODD;
        reads.call_ids = true;
        assert_eq!(reads.count(call("12345"), thousands).floor(), 9_004);
        assert_eq!(reads.count(result("12345"), thousands).floor(), 10_008);
    }

    #[test]
    fn a_request_costs_more_with_any_schemas_but_not_for_each() {
        assert_eq!(ODD.request(0).floor(), 32);
        assert_eq!(ODD.request(1).floor(), 32 + 64);
        assert_eq!(ODD.request(usize::MAX), ODD.request(1));
    }

    #[test]
    fn a_format_is_changed_in_its_images_alone() {
        let format = PromptFormat::GEMINI.with_image(ImageTokens::GEMINI_2);
        let image = Piece::Media(Media::new(MediaKind::Image).size(960, 540));
        assert_eq!(format.count(image, thousands).floor(), 1_548);
        assert_eq!(
            format.with_image(ImageTokens::GEMINI_3),
            PromptFormat::GEMINI
        );
    }

    #[test]
    fn the_plain_format_counts_as_the_default_estimator_does() {
        let chars = CharEstimator::default();
        let quarters = |text: Str<'_>| TokenCount::ratio(text.char_count() as u64, 4);
        let text = Str::plain("some text");
        let image = Media::new(MediaKind::Image).size(4_000, 3_000);
        let sound = Media::new(MediaKind::Audio).duration(Duration::from_secs(600));
        let file = Media::new(MediaKind::File).pages(10).bytes(1 << 20);
        let sealed = Media::new(MediaKind::Sealed).bytes(403);
        for piece in [
            Piece::Speaker(text),
            Piece::Text(text),
            Piece::Thinking(text),
            Piece::Opaque(text),
            Piece::Schema(text),
            call("call_1"),
            result("call_1"),
            Piece::Media(image),
            Piece::Media(sound),
            Piece::Media(file),
            Piece::Media(sealed),
        ] {
            let plain = PromptFormat::default().count(piece, quarters);
            assert_eq!(plain, chars.count(piece), "{piece:?}");
        }
        let plain = PromptFormat::PLAIN;
        assert_eq!(
            plain.message(Role::User),
            chars.message_overhead(Role::User)
        );
        assert_eq!(plain.request(60), chars.request_overhead(60));
    }

    fn any_media() -> impl Strategy<Value = Media<'static>> {
        let kind = prop_oneof![
            Just(MediaKind::Image),
            Just(MediaKind::Audio),
            Just(MediaKind::File),
            Just(MediaKind::Sealed)
        ];
        let detail = prop_oneof![
            Just(Detail::Low),
            Just(Detail::High),
            Just(Detail::Original),
            Just(Detail::Auto)
        ];
        let known: (_, _, _, _) = (
            any::<Option<(u32, u32)>>(),
            any::<Option<Duration>>(),
            any::<Option<u32>>(),
            any::<Option<u64>>(),
        );
        (kind, detail, known).prop_map(|(kind, detail, (size, duration, pages, bytes))| {
            let mut media = Media::new(kind).detail(detail);
            if let Some((width, height)) = size {
                media = media.size(width, height);
            }
            (media.duration, media.pages, media.bytes) = (duration, pages, bytes);
            media
        })
    }

    proptest! {
        #[test]
        fn no_media_are_free_or_too_large_to_count(media in any_media(), largest: u32) {
            for format in PromptFormat::ALL {
                let _ = format.count(Piece::Media(media), thousands);
                let unknown = Media::new(media.kind).detail(media.detail);
                prop_assert!(format.count(Piece::Media(unknown), thousands).floor() > 0);
                let image = Media::new(MediaKind::Image).detail(media.detail).size(largest, 1);
                prop_assert!(format.count(Piece::Media(image), thousands).floor() > 0);
            }
            let mut greedy = ODD;
            greedy.schema_percent = largest;
            greedy.audio = AudioTokens { per_second: largest, bytes_per_second: 1, unknown: largest };
            greedy.file =
                FileTokens { per_page: largest, per_second: 0, bytes_per_page: 1, unknown: largest };
            let _ = greedy.count(Piece::Media(media), thousands);
            let most = |_: Str<'_>| TokenCount::tokens(u64::MAX);
            prop_assert!(greedy.count(call("1"), most) >= TokenCount::tokens(u64::MAX));
            let schema = greedy.count(Piece::Schema(Str::plain("{}")), most);
            prop_assert!(largest < 100 || schema >= TokenCount::tokens(u64::MAX));
        }
    }
}
