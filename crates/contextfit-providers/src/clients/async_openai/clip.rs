use async_openai::types::chat::{
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
    ChatCompletionRequestUserMessageContentPart as UserPart,
};
use contextfit_core::plan::Clip;
use contextfit_core::request::ApplyError;

use super::pieces::{Place, pieces};

/// The message with the named pieces replaced.
pub(super) fn clipped(message: &Message, clips: &[Clip]) -> Result<Message, ApplyError> {
    let mut places = Vec::new();
    pieces(message, |place, _| places.push(place));
    let mut message = message.clone();
    for clip in clips {
        let place = places.get(clip.piece);
        let text = place.and_then(|&place| text_at(&mut message, place));
        let text = text.ok_or(ApplyError::NoSuchPiece {
            message: clip.message,
            piece: clip.piece,
        })?;
        text.clone_from(&clip.text);
    }
    Ok(message)
}

/// The text at a place, if it is one that can be replaced.
fn text_at(message: &mut Message, place: Place) -> Option<&mut String> {
    let number = match place {
        Place::Elsewhere => return None,
        Place::Content => None,
        Place::Part(number) => Some(number),
        Place::Refusal => match message {
            Message::Assistant(message) => return message.refusal.as_mut(),
            _ => return None,
        },
    };
    match message {
        Message::Developer(message) => match (&mut message.content, number) {
            (DeveloperContent::Text(text), None) => Some(text),
            (DeveloperContent::Array(parts), Some(number)) => {
                let DeveloperPart::Text(part) = parts.get_mut(number)?;
                Some(&mut part.text)
            }
            _ => None,
        },
        Message::System(message) => match (&mut message.content, number) {
            (SystemContent::Text(text), None) => Some(text),
            (SystemContent::Array(parts), Some(number)) => {
                let SystemPart::Text(part) = parts.get_mut(number)?;
                Some(&mut part.text)
            }
            _ => None,
        },
        Message::User(message) => match (&mut message.content, number) {
            (UserContent::Text(text), None) => Some(text),
            (UserContent::Array(parts), Some(number)) => match parts.get_mut(number)? {
                UserPart::Text(part) => Some(&mut part.text),
                _ => None,
            },
            _ => None,
        },
        Message::Assistant(message) => match (message.content.as_mut()?, number) {
            (AssistantContent::Text(text), None) => Some(text),
            (AssistantContent::Array(parts), Some(number)) => match parts.get_mut(number)? {
                AssistantPart::Text(part) => Some(&mut part.text),
                AssistantPart::Refusal(part) => Some(&mut part.refusal),
            },
            _ => None,
        },
        Message::Tool(message) => match (&mut message.content, number) {
            (ToolContent::Text(text), None) => Some(text),
            (ToolContent::Array(parts), Some(number)) => {
                let ToolPart::Text(part) = parts.get_mut(number)?;
                Some(&mut part.text)
            }
            _ => None,
        },
        Message::Function(message) => message.content.as_mut(),
    }
}
