use contextfit_core::request::{Media, MediaKind, Piece, Str};
use genai::chat::{Binary, BinarySource, ChatMessage, ContentPart, ToolCall};

/// Where a piece stands in its message, for whoever wants to replace its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The part of this number, being a text or a result.
    Part(usize),
    /// Wherever no text can be replaced.
    Elsewhere,
}

/// Shows the pieces of a message, each with its place.
///
/// The one source of their order: reading and clipping both number the pieces by it. The arguments
/// of a call are no text in `genai`, so a piece lives no longer than its visit.
pub(super) fn pieces(message: &ChatMessage, mut visit: impl FnMut(Place, Piece<'_>)) {
    for (number, part) in message.content.iter().enumerate() {
        match part {
            ContentPart::Text(text) => {
                visit(Place::Part(number), Piece::Text(Str::plain(text)));
            }
            ContentPart::ToolResponse(result) => visit(
                Place::Part(number),
                Piece::ToolResult {
                    call_id: Str::plain(&result.call_id),
                    name: Str::plain(result.fn_name.as_deref().unwrap_or_default()),
                    content: Str::plain(&result.content),
                },
            ),
            ContentPart::ToolCall(call) => tool_call(message, call, &mut visit),
            ContentPart::Binary(binary) => {
                visit(Place::Elsewhere, Piece::Media(media(binary)));
            }
            ContentPart::ReasoningContent(thought) => {
                visit(Place::Elsewhere, Piece::Thinking(Str::plain(thought)));
            }
            ContentPart::ThoughtSignature(signature) => {
                visit(Place::Elsewhere, Piece::Opaque(Str::plain(signature)));
            }
            ContentPart::Custom(part) => {
                Piece::each_unknown(&part.data, &mut |piece| visit(Place::Elsewhere, piece));
            }
        }
    }
}

fn tool_call(message: &ChatMessage, call: &ToolCall, visit: &mut impl FnMut(Place, Piece<'_>)) {
    let arguments = call.fn_arguments.to_string();
    let piece = Piece::ToolCall {
        id: Str::plain(&call.call_id),
        name: Str::plain(&call.fn_name),
        arguments: Str::plain(&arguments),
    };
    visit(Place::Elsewhere, piece);
    for signature in call.thought_signatures.iter().flatten() {
        // Of a stream, the signatures stand in parts of their own and once more in its first call.
        let is_signature =
            |part: &ContentPart| part.as_thought_signature() == Some(signature.as_str());
        if !message.content.iter().any(is_signature) {
            visit(Place::Elsewhere, Piece::Opaque(Str::plain(signature)));
        }
    }
}

fn media(binary: &Binary) -> Media<'_> {
    let media_type = binary.content_type.trim().to_ascii_lowercase();
    let media = Media::new(MediaKind::of_type(&media_type));
    let media = match &binary.source {
        BinarySource::Base64(data) => media.base64(data),
        BinarySource::Url(url) => media.data_url(url),
    };
    media.label(Str::plain(binary.name.as_deref().unwrap_or_default()))
}
