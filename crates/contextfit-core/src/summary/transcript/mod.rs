//! What a summarizer gets to read.

mod arguments;
mod caps;
mod labels;
mod part;
mod render;
mod within;

pub use self::caps::ItemCaps;
pub use self::part::{PartKind, TranscriptPart};
pub use self::within::Chunk;

use std::borrow::Cow;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use self::part::{CalledTools, parts_of};
pub(super) use self::render::call;
use crate::request::Conversation;

/// Messages as a summarizer gets to read them: who says what, as text that needs no request any
/// more.
///
/// System messages are left out, media are named. A clone, and a part of one, costs one count of
/// references.
///
/// ```
/// use contextfit_core::chat::{ChatMessage, ChatRequest};
/// use contextfit_core::summary::{ItemCaps, PartKind, Transcript};
///
/// let chat = ChatRequest::new("a-model", [
///     ChatMessage::user("Which port?"),
///     ChatMessage::assistant("").call("c", "read", r#"{"path":"a.toml"}"#),
///     ChatMessage::tool("c", "port = 8080"),
/// ]);
/// let transcript = Transcript::of(&chat, 0..3);
/// assert_eq!(transcript.messages()[2][0].kind, PartKind::ToolResult);
/// assert_eq!(
///     transcript.render(&ItemCaps::default()),
///     "<conversation>\n[User]: Which port?\n\n\
///      [Assistant tool calls]: read(path=\"a.toml\")\n\n\
///      [Tool result read]: port = 8080\n</conversation>"
/// );
/// ```
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Transcript {
    all: Arc<Vec<Vec<TranscriptPart>>>,
    range: Range<usize>,
}

impl Transcript {
    /// The transcript of some messages, by their indices.
    pub fn of<V>(view: &V, messages: impl IntoIterator<Item = usize>) -> Self
    where
        V: Conversation + ?Sized,
    {
        let mut called = CalledTools::default();
        messages
            .into_iter()
            .filter(|&index| !view.message(index).role.is_fixed())
            .map(|index| parts_of(view, index, &mut called))
            .collect::<Vec<_>>()
            .into()
    }

    /// The same with each text as `redact` leaves it: words, thoughts, results, the arguments of calls
    /// as they were written, and the names of speakers and tools.
    #[must_use]
    pub fn redacted(&self, redact: impl Fn(&str) -> Cow<'_, str>) -> Self {
        let mut messages = self.messages().to_vec();
        for part in messages.iter_mut().flatten() {
            part.redact(&redact);
        }
        messages.into()
    }

    /// The messages, each with its parts. One that has no text has no parts.
    #[must_use]
    pub fn messages(&self) -> &[Vec<TranscriptPart>] {
        &self.all[self.range.clone()]
    }

    /// How many messages there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.range.len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.range.is_empty()
    }

    /// A range of the messages, counted from the first of these.
    fn slice(&self, range: Range<usize>) -> Self {
        let start = self.range.start;
        Self {
            all: Arc::clone(&self.all),
            range: start + range.start..start + range.end,
        }
    }
}

impl From<Vec<Vec<TranscriptPart>>> for Transcript {
    fn from(messages: Vec<Vec<TranscriptPart>>) -> Self {
        Self {
            range: 0..messages.len(),
            all: Arc::new(messages),
        }
    }
}

impl fmt::Debug for Transcript {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The conversation itself stays out of logs.
        f.debug_struct("Transcript")
            .field("messages", &self.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::{ChatMessage, ChatRequest};

    #[test]
    fn a_clone_and_a_part_share_the_text() {
        let chat = ChatRequest::new("m", ["a", "b", "c"].map(ChatMessage::user));
        let all = Transcript::of(&chat, 0..3);
        let part = all.slice(1..3);
        assert_eq!(part.slice(1..2).messages(), &all.messages()[2..]);
        assert!(Arc::ptr_eq(&part.all, &all.all));
        assert!(all.slice(3..3).is_empty());
    }

    #[test]
    fn what_is_redacted_is_in_no_part() {
        let chat: ChatRequest = serde_json::from_str(
            r#"{"model":"m","messages":[{"role":"user","content":"key=s3cret"},
                {"role":"assistant","reasoning":"s3cret?","content":"ok","tool_calls":[
                    {"id":"c","function":{"name":"login","arguments":"{\"key\":\"s3cret\"}"}}]},
                {"role":"tool","tool_call_id":"c","name":"s3cret_tool","content":"s3cret accepted"},
                {"role":"user","name":"Ann s3cret","content":"So?"}]}"#,
        )
        .unwrap();
        let whole = Transcript::of(&chat, 0..4);
        let redacted = whole.redacted(|text| match text.contains("s3cret") {
            true => Cow::Owned(text.replace("s3cret", "***")),
            false => Cow::Borrowed(text),
        });
        let shown = redacted.render(&ItemCaps::NONE);
        assert_eq!(
            shown,
            whole.render(&ItemCaps::NONE).replace("s3cret", "***")
        );
        assert_eq!(shown.matches("***").count(), 6);
        // Whoever is left out is still a user, and no name becomes two lines.
        let nobody = whole.redacted(|text| match text {
            "Ann s3cret" => "".into(),
            "login" => "a\nb".into(),
            text if text.contains("s3cret") => "gone".into(),
            text => text.into(),
        });
        assert!(!nobody.render(&ItemCaps::NONE).contains("s3cret"));
        let parts = nobody.messages().concat();
        assert_eq!(parts[5].speaker, "User");
        assert_eq!(parts[3].tool, r"a\nb");
    }
}
