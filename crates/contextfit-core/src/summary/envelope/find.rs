use super::form::{TAG, after_tag};
use super::{Envelope, EnvelopeKeys, NotOurs, Place};
use crate::request::{Conversation, Piece, Role};

/// Bytes of the start of an envelope, if each of its characters is written as an escape.
const LONGEST_START: usize = 6 * (1 + TAG.len());

/// What of a conversation is an envelope, or looks like one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Found {
    /// Ours, and the message that it is. There is at most one that counts.
    pub ours: Option<(usize, Envelope)>,
    /// The first message that looks like one of ours and isn't, and why.
    pub foreign: Option<(usize, NotOurs)>,
}

impl Envelope {
    /// Looks for the envelope in a conversation: a whole message of the user that was sealed for its
    /// place, unless it is the last that could be cut. Its text is all that a view understands of it;
    /// what is opaque may ride along. There is at most one that counts.
    pub fn find<V: Conversation + ?Sized>(view: &V, keys: &EnvelopeKeys) -> Found {
        let mut found = Found::default();
        let (mut place, mut at) = (Place::default(), 0);
        for (message, text) in candidates(view) {
            (place, at) = (place.later(view, at, message), message);
            match Self::open(&text, &place, keys) {
                Ok(envelope) if found.ours.is_none() => found.ours = Some((message, envelope)),
                // One that was pasted again, at the very place that it was sealed for.
                Ok(_) | Err(NotOurs::NoEnvelope) => {}
                Err(reason) => found.foreign = found.foreign.or(Some((message, reason))),
            }
        }
        found
    }

    /// The first message that has the form of an envelope, without a look at who wrote it. Nothing
    /// must follow from it, see [`read_unverified`](Self::read_unverified).
    pub fn find_unverified<V: Conversation + ?Sized>(view: &V) -> Option<(usize, Self)> {
        candidates(view).find_map(|(message, text)| Some((message, Self::read_unverified(&text)?)))
    }
}

/// The messages that look like envelopes at their beginning.
fn candidates<V: Conversation + ?Sized>(view: &V) -> impl Iterator<Item = (usize, String)> {
    // Ours always has messages after it.
    let last = (0..view.len()).rfind(|&index| !view.message(index).role.is_fixed());
    (0..last.unwrap_or_default())
        .filter(|&index| view.message(index).role == Role::User)
        .filter_map(|index| Some((index, text_of(view, index)?)))
}

/// The text of a message that says nothing else and begins like an envelope.
fn text_of<V: Conversation + ?Sized>(view: &V, index: usize) -> Option<String> {
    let (mut pieces, mut found) = (0, None);
    view.pieces(index, &mut |piece| match piece {
        // A caller may mark messages with fields of their own.
        Piece::Opaque(_) => {}
        Piece::Text(text) if pieces == 0 => {
            pieces += 1;
            // Most texts needn't be decoded to see that they are none.
            let (start, _) = text.split_at(LONGEST_START);
            if after_tag(&start.decode()).is_some() {
                found = Some(text.decode().into_owned());
            }
        }
        _ => pieces += 1,
    });
    found.filter(|_| pieces == 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::{ChatMessage, ChatRequest};
    use crate::summary::EnvelopeKey;

    fn keys() -> EnvelopeKeys {
        EnvelopeKeys::new(EnvelopeKey::new("a secret of the test").unwrap())
    }

    #[test]
    fn only_a_whole_message_of_the_user_is_an_envelope() {
        let text = Envelope {
            summary: "s".into(),
            messages: 2,
            ..Envelope::default()
        }
        .seal(&Place::default(), &keys());
        let find = |message| {
            let chat = ChatRequest::new("m", [message, ChatMessage::user("go on")]);
            Envelope::find(&chat, &keys()).ours.is_some()
        };
        assert!(find(ChatMessage::user(text.as_str())));
        assert!(!find(ChatMessage::user(format!("{text} "))));
        assert!(!find(ChatMessage::user(format!("See: {text}"))));
        assert!(!find(ChatMessage::assistant(text.as_str())));
        assert!(!find(ChatMessage::tool("c", text.as_str())));
        // Ours has no name.
        let mut named = ChatMessage::user(text.as_str());
        named.name = Some("ann".into());
        assert!(!find(named));
        let mut marked = ChatMessage::user(text.as_str());
        marked.extra.insert("id".into(), "message 7".into());
        assert!(find(marked));
        // What is asked last is asked by the user.
        let chat = ChatRequest::new("m", [ChatMessage::user(text)]);
        assert_eq!(Envelope::find(&chat, &keys()), Found::default());
    }

    #[test]
    fn one_that_is_pasted_back_is_text_and_does_not_hide_ours() {
        let envelope = |summary: &str| Envelope {
            summary: summary.into(),
            ..Envelope::default()
        };
        let task = || ChatMessage::user("the task");
        let place = Place::of(&ChatRequest::new("m", [task(), task()]), 1);
        let old = || ChatMessage::user(envelope("old").seal(&place, &keys()));
        let new = || ChatMessage::user(envelope("new").seal(&place, &keys()));
        let find = |said: Vec<ChatMessage>| Envelope::find(&ChatRequest::new("m", said), &keys());

        let both = find(vec![task(), new(), old(), task()]);
        assert_eq!(both.ours, Some((1, envelope("new"))));
        assert_eq!(both.foreign, Some((2, NotOurs::BrokenSeal)));
        // Before any compaction, or after ours was taken away.
        let pasted = find(vec![task(), task(), old(), task()]);
        assert_eq!(pasted.ours, None);
        assert_eq!(pasted.foreign, Some((2, NotOurs::BrokenSeal)));
    }
}
