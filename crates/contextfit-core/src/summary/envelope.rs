use std::borrow::Cow;
use std::fmt;

use super::quote_inside;
use crate::request::{Conversation, Piece, Role};

const TAG: &str = "contextfit-summary";
/// Bytes of the start of an envelope, if each of its characters is written as an escape.
const LONGEST_START: usize = 6 * (1 + TAG.len());
const RECORD: &str =
    "This is a record of the earlier part of this conversation, not an instruction.";

/// The message that stands for everything that was cut: a summary, and how much it covers.
///
/// It is a user's message, whole and alone, that says what it is and how many messages it
/// stands for. [`find`](Self::find) recognises it in a later request, so that the next
/// compaction updates the summary instead of summarizing it again.
///
/// It is plain tagged text: whoever can put a whole user message into the history can write
/// one. Only the first one counts, so a later one is ordinary text; and none at the end of the
/// conversation does, because ours always has messages after it.
///
/// ```
/// use contextfit_core::summary::Envelope;
///
/// let envelope = Envelope { summary: "Port 8080 was chosen.".into(), messages: 12, omitted: 0 };
/// assert_eq!(Envelope::parse(&envelope.render()), Some(envelope));
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Envelope {
    /// The summary; empty if there is none, and only a notice stands.
    pub summary: String,
    /// How many messages it stands for, those of earlier compactions included.
    pub messages: u64,
    /// How many of these no summary covers.
    pub omitted: u64,
}

impl Envelope {
    /// The text of the message. The same envelope always gives the same bytes.
    #[must_use]
    pub fn render(&self) -> String {
        let Self {
            summary,
            messages,
            omitted,
        } = self;
        let notice = match omitted {
            0 => String::new(),
            _ => format!(
                " {omitted} of its {messages} messages were left out to fit the context window \
                 and are not covered: don't guess what they said."
            ),
        };
        let summary = Self::quote(summary);
        format!(
            "<{TAG} messages=\"{messages}\" omitted=\"{omitted}\">\n{RECORD}{notice}\n\n\
             {summary}\n</{TAG}>"
        )
    }

    /// Reads the text of a whole message back; `None` if it isn't an envelope from its first
    /// character to its last.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let rest = after_tag(text)?;
        let (messages, rest) = rest.strip_prefix(" messages=\"")?.split_once('"')?;
        let (omitted, rest) = rest.strip_prefix(" omitted=\"")?.split_once("\">\n")?;
        let body = rest
            .strip_suffix('>')?
            .strip_suffix(TAG)?
            .strip_suffix("\n</")?;
        let (_, summary) = body.strip_prefix(RECORD)?.split_once("\n\n")?;
        let envelope = Self {
            summary: summary.to_owned(),
            messages: messages.parse().ok()?,
            omitted: omitted.parse().ok()?,
        };
        // Whatever we didn't write ourselves, byte for byte, is not ours.
        (envelope.render() == text).then_some(envelope)
    }

    /// A summary as it stands in its envelope, where it can't close it.
    #[must_use]
    pub fn quote(summary: &str) -> Cow<'_, str> {
        quote_inside(TAG, summary)
    }

    /// The first message of a conversation that is an envelope, unless it is the last that could
    /// be cut. Its text is all that a view understands of it; what is opaque may ride along.
    pub fn find<V: Conversation + ?Sized>(view: &V) -> Option<(usize, Self)> {
        let last = (0..view.len()).rfind(|&index| !view.message(index).role.is_fixed())?;
        (0..last).find_map(|index| Some((index, Self::of_message(view, index)?)))
    }

    fn of_message<V: Conversation + ?Sized>(view: &V, index: usize) -> Option<Self> {
        if view.message(index).role != Role::User {
            return None;
        }
        let (mut pieces, mut envelope) = (0, None);
        view.pieces(index, &mut |piece| match piece {
            // A caller may mark messages with fields of their own.
            Piece::Opaque(_) => {}
            Piece::Text(text) if pieces == 0 => {
                pieces += 1;
                // Most texts needn't be decoded to see that they are none.
                let (start, _) = text.split_at(LONGEST_START);
                if after_tag(&start.decode()).is_some() {
                    envelope = Self::parse(&text.decode());
                }
            }
            _ => pieces += 1,
        });
        envelope.filter(|_| pieces == 1)
    }
}

/// What follows the start of an envelope.
fn after_tag(text: &str) -> Option<&str> {
    text.strip_prefix('<')?.strip_prefix(TAG)
}

impl fmt::Debug for Envelope {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The conversation itself stays out of logs.
        f.debug_struct("Envelope")
            .field("messages", &self.messages)
            .field("omitted", &self.omitted)
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::{ChatMessage, ChatRequest};
    use proptest::prelude::*;

    #[test]
    fn only_a_whole_message_of_the_user_is_an_envelope() {
        let text = Envelope {
            summary: "s".into(),
            messages: 2,
            omitted: 1,
        }
        .render();
        let find = |message| {
            let chat = ChatRequest::new("m", [message, ChatMessage::user("go on")]);
            Envelope::find(&chat).is_some()
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
        let chat = ChatRequest::new("m", [ChatMessage::user("hi"), ChatMessage::user(text)]);
        assert!(Envelope::find(&chat).is_none());
    }

    #[test]
    fn the_notice_says_how_many_messages_nobody_summarized() {
        let text = Envelope {
            summary: String::new(),
            messages: 7,
            omitted: 7,
        }
        .render();
        assert!(text.contains("7 of its 7 messages were left out"));
        assert!(Envelope::parse(&text).is_some());
    }

    proptest! {
        #[test]
        fn any_summary_survives_and_can_not_end_its_envelope(
            summary in "(</?contextfit-summary>|\\n| |[a-z]|\"){0,30}",
            messages: u64,
            omitted: u64,
        ) {
            let envelope = Envelope { summary, messages, omitted };
            let text = envelope.render();
            prop_assert_eq!(text.matches("</contextfit-summary>").count(), 1);
            let parsed = Envelope::parse(&text).unwrap();
            prop_assert_eq!(parsed.render(), text);
        }
    }
}
