use contextfit_core::plan::Clip;
use contextfit_core::request::ApplyError;
use genai::chat::{ChatMessage, ContentPart};

use super::pieces::{Place, pieces};

/// The message with the named pieces replaced.
pub(super) fn clipped(message: &ChatMessage, clips: &[Clip]) -> Result<ChatMessage, ApplyError> {
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
fn text_at(message: &mut ChatMessage, place: Place) -> Option<&mut String> {
    let Place::Part(number) = place else {
        return None;
    };
    match message.content.iter_mut().nth(number)? {
        ContentPart::Text(text) => Some(text),
        ContentPart::ToolResponse(result) => Some(&mut result.content),
        _ => None,
    }
}
