use async_openai::types::chat::{
    ChatCompletionMessageToolCalls, ChatCompletionRequestAssistantMessage,
    ChatCompletionRequestAssistantMessageContent as AssistantContent,
    ChatCompletionRequestAssistantMessageContentPart as AssistantPart,
    ChatCompletionRequestDeveloperMessageContent as DeveloperContent,
    ChatCompletionRequestDeveloperMessageContentPart as DeveloperPart,
    ChatCompletionRequestMessage as Message,
    ChatCompletionRequestSystemMessageContent as SystemContent,
    ChatCompletionRequestSystemMessageContentPart as SystemPart,
    ChatCompletionRequestToolMessageContent as ToolContent,
    ChatCompletionRequestToolMessageContentPart as ToolPart,
    ChatCompletionRequestUserMessageContent as UserContent,
    ChatCompletionRequestUserMessageContentPart as UserPart, ImageDetail, ImageUrl,
};
use contextfit_core::request::{Detail, Media, MediaKind, Piece, Str};

/// Where a piece stands in its message, for whoever wants to replace its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// The content, being one text.
    Content,
    /// The part of this number, being a text.
    Part(usize),
    /// The field of its own that a refusal stands in.
    Refusal,
    /// Wherever no text can be replaced.
    Elsewhere,
}

/// Shows the pieces of a message, each with its place.
///
/// The one source of their order: reading and clipping both number the pieces by it. It is the
/// order of [`ChatRequest`](contextfit_core::chat::ChatRequest).
pub(super) fn pieces<'a>(message: &'a Message, mut visit: impl FnMut(Place, Piece<'a>)) {
    match message {
        Message::Developer(message) => {
            speaker(message.name.as_deref(), &mut visit);
            match &message.content {
                DeveloperContent::Text(said) => visit(Place::Content, text(said)),
                DeveloperContent::Array(parts) => {
                    for (number, DeveloperPart::Text(part)) in parts.iter().enumerate() {
                        visit(Place::Part(number), text(&part.text));
                    }
                }
            }
        }
        Message::System(message) => {
            speaker(message.name.as_deref(), &mut visit);
            match &message.content {
                SystemContent::Text(said) => visit(Place::Content, text(said)),
                SystemContent::Array(parts) => {
                    for (number, SystemPart::Text(part)) in parts.iter().enumerate() {
                        visit(Place::Part(number), text(&part.text));
                    }
                }
            }
        }
        Message::User(message) => {
            speaker(message.name.as_deref(), &mut visit);
            match &message.content {
                UserContent::Text(said) => visit(Place::Content, text(said)),
                UserContent::Array(parts) => {
                    for (number, part) in parts.iter().enumerate() {
                        user_part(number, part, &mut visit);
                    }
                }
            }
        }
        Message::Assistant(message) => assistant(message, &mut visit),
        Message::Tool(message) => {
            let result = |said| result(&message.tool_call_id, "", said);
            match &message.content {
                ToolContent::Text(said) => visit(Place::Content, result(said)),
                ToolContent::Array(parts) => {
                    for (number, ToolPart::Text(part)) in parts.iter().enumerate() {
                        visit(Place::Part(number), result(&part.text));
                    }
                }
            }
        }
        // The way older than tools: no ids.
        Message::Function(message) => {
            if let Some(said) = &message.content {
                visit(Place::Content, result("", &message.name, said));
            }
        }
    }
}

#[expect(
    deprecated,
    reason = "the way older than tools: one call, without an id"
)]
fn assistant<'a>(
    message: &'a ChatCompletionRequestAssistantMessage,
    visit: &mut impl FnMut(Place, Piece<'a>),
) {
    speaker(message.name.as_deref(), visit);
    match &message.content {
        Some(AssistantContent::Text(said)) => visit(Place::Content, text(said)),
        Some(AssistantContent::Array(parts)) => {
            for (number, part) in parts.iter().enumerate() {
                let said = match part {
                    AssistantPart::Text(part) => &part.text,
                    AssistantPart::Refusal(part) => &part.refusal,
                };
                visit(Place::Part(number), text(said));
            }
        }
        None => {}
    }
    if let Some(refusal) = &message.refusal {
        visit(Place::Refusal, text(refusal));
    }
    for call in message.tool_calls.iter().flatten() {
        let (id, name, arguments) = match call {
            ChatCompletionMessageToolCalls::Function(call) => {
                (&call.id, &call.function.name, &call.function.arguments)
            }
            ChatCompletionMessageToolCalls::Custom(call) => {
                (&call.id, &call.custom_tool.name, &call.custom_tool.input)
            }
        };
        visit(Place::Elsewhere, tool_call(id, name, arguments));
    }
    if let Some(call) = &message.function_call {
        visit(Place::Elsewhere, tool_call("", &call.name, &call.arguments));
    }
}

fn user_part<'a>(number: usize, part: &'a UserPart, visit: &mut impl FnMut(Place, Piece<'a>)) {
    let media = match part {
        UserPart::Text(part) => return visit(Place::Part(number), text(&part.text)),
        UserPart::ImageUrl(part) => image(&part.image_url),
        UserPart::InputAudio(part) => Media::new(MediaKind::Audio).base64(&part.input_audio.data),
        UserPart::File(part) => {
            let file = Media::new(MediaKind::File);
            match &part.file.file_data {
                Some(data) => file.data_url(data),
                None => file,
            }
        }
    };
    visit(Place::Elsewhere, Piece::Media(media));
}

fn image(image: &ImageUrl) -> Media<'_> {
    let detail = match image.detail {
        Some(ImageDetail::Low) => Detail::Low,
        Some(ImageDetail::High) => Detail::High,
        Some(ImageDetail::Original) => Detail::Original,
        Some(ImageDetail::Auto) | None => Detail::Auto,
    };
    Media::new(MediaKind::Image)
        .detail(detail)
        .data_url(&image.url)
}

/// The name of who speaks; that of a tool stands with its result.
fn speaker<'a>(name: Option<&'a str>, visit: &mut impl FnMut(Place, Piece<'a>)) {
    if let Some(name) = name.filter(|name| !name.is_empty()) {
        visit(Place::Elsewhere, Piece::Speaker(Str::plain(name)));
    }
}

const fn text(said: &str) -> Piece<'_> {
    Piece::Text(Str::plain(said))
}

const fn result<'a>(call_id: &'a str, name: &'a str, content: &'a str) -> Piece<'a> {
    Piece::ToolResult {
        call_id: Str::plain(call_id),
        name: Str::plain(name),
        content: Str::plain(content),
    }
}

const fn tool_call<'a>(id: &'a str, name: &'a str, arguments: &'a str) -> Piece<'a> {
    Piece::ToolCall {
        id: Str::plain(id),
        name: Str::plain(name),
        arguments: Str::plain(arguments),
    }
}
