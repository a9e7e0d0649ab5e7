use std::sync::Arc;

use super::pieces::{Place, REFUSAL};
use super::{ChatMessage, Content, ContentPart};
use crate::plan::Clip;
use crate::request::ApplyError;

impl ChatMessage {
    /// The message with the named pieces replaced.
    pub(super) fn clipped(&self, clips: &[Clip]) -> Result<Self, ApplyError> {
        let mut places = Vec::new();
        self.pieces(|place, _| places.push(place));
        let mut message = self.clone();
        // Copied once, however many clips there are.
        let mut parts = match &self.content {
            Some(Content::Parts(parts)) => copied(parts),
            _ => Vec::new(),
        };
        for clip in clips {
            let text = clip.text.as_str();
            match places.get(clip.piece) {
                Some(Place::Content) => message.content = Some(text.into()),
                Some(&Place::Part(number)) => parts[number].say(text),
                Some(Place::Refusal) => {
                    message.extra.insert(REFUSAL.to_owned(), text.into());
                }
                Some(Place::Elsewhere) | None => {
                    return Err(ApplyError::NoSuchPiece {
                        message: clip.message,
                        piece: clip.piece,
                    });
                }
            }
        }
        if let Some(Content::Parts(old)) = &mut message.content {
            *old = parts.into();
        }
        Ok(message)
    }
}

impl ContentPart {
    /// Replaces what [`said`](Self::said) tells, in the field where it stands.
    fn say(&mut self, text: &str) {
        if self.text.is_none() && &*self.kind == REFUSAL {
            self.extra.insert(REFUSAL.to_owned(), text.into());
        } else {
            self.text = Some(text.into());
        }
    }
}

fn copied(parts: &Arc<[ContentPart]>) -> Vec<ContentPart> {
    #[cfg(test)]
    tests::COPIED.set(tests::COPIED.get() + parts.len());
    parts.to_vec()
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    thread_local! {
        /// Parts copied in this thread: the work that must not grow with parts times clips.
        pub(super) static COPIED: Cell<usize> = const { Cell::new(0) };
    }

    fn message(json: &str) -> ChatMessage {
        serde_json::from_str(json).unwrap()
    }

    fn clip(piece: usize, text: &str) -> Clip {
        Clip {
            message: 3,
            piece,
            text: text.into(),
            omitted_chars: 1,
        }
    }

    #[test]
    fn parts_are_copied_once_however_many_clips_there_are() {
        let count = 16_000;
        let whole = ChatMessage::user(vec![ContentPart::text("long"); count]);
        let clips: Vec<Clip> = (0..count)
            .map(|piece| clip(piece, &piece.to_string()))
            .collect();
        let before = COPIED.get();
        let clipped = whole.clipped(&clips).unwrap();
        assert!(COPIED.get() - before <= 4 * count);
        let Some(Content::Parts(parts)) = clipped.content else {
            panic!("the parts are gone");
        };
        assert!(
            parts.iter().enumerate().all(|(number, part)| {
                part.text.as_deref() == Some(number.to_string().as_str())
            })
        );
    }

    #[test]
    fn a_clip_lands_where_its_piece_is_shown() {
        // Some pieces stand before the content, and one part is shown as two pieces.
        let whole = message(
            r#"{"role":"user","reasoning":"hm","refusal":"left","content":[
                {"type":"unheard_of","a":"1","b":"2"},
                {"type":"text","text":"one","cache":{}},
                {"type":"refusal","refusal":"no"}]}"#,
        );
        let clipped = whole.clipped(&[clip(3, "x"), clip(4, "y"), clip(5, "z")]);
        let expected = message(
            r#"{"role":"user","reasoning":"hm","refusal":"z","content":[
                {"type":"unheard_of","a":"1","b":"2"},
                {"type":"text","text":"x","cache":{}},
                {"type":"refusal","refusal":"y"}]}"#,
        );
        assert_eq!(clipped.unwrap(), expected);

        let whole = message(r#"{"role":"tool","content":"out","reasoning_content":"hm"}"#);
        assert_eq!(whole.clipped(&[clip(1, "o")]).unwrap().text(), "o");
    }

    #[test]
    fn a_clip_of_what_is_no_text_or_not_there_is_refused() {
        let whole = message(
            r#"{"role":"user","reasoning":"hm","note":"n","content":[
                {"type":"image_url","text":"alt"},{"type":"unheard_of","a":"1"}],
                "tool_calls":[{"id":"c","function":{"name":"f","arguments":""}}]}"#,
        );
        // The one after the last too: thinking, image, unheard of, call, note.
        for piece in (0..=5).chain([usize::MAX]) {
            assert_eq!(
                whole.clipped(&[clip(piece, "x")]),
                Err(ApplyError::NoSuchPiece { message: 3, piece })
            );
        }
        let silent = message(r#"{"role":"assistant","content":null}"#);
        assert!(silent.clipped(&[clip(0, "x")]).is_err());
    }
}
