use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt;

use crate::request::{Conversation, MediaKind, Piece, Role};
use crate::summary::one_line;

/// One part of what a message says.
#[derive(Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct TranscriptPart {
    /// What it is.
    pub kind: PartKind,
    /// Who speaks, in one line: `User`, `User Ann`, `Assistant`, `Tool`.
    pub speaker: String,
    /// The tool that is called, or whose result it is, in one line; empty if there is none, or if
    /// nobody says which.
    pub tool: String,
    /// The text, without white space around it. Of a call, these are its arguments, and they may be
    /// empty; nothing else is.
    pub text: String,
}

impl TranscriptPart {
    /// Takes out of all that it says what `redact` takes out. Whoever speaks keeps their role.
    pub(super) fn redact(&mut self, redact: impl Fn(&str) -> Cow<'_, str>) {
        // What is borrowed may be another text, too.
        self.text = redact(&self.text).into_owned();
        self.tool = one_line(&redact(&self.tool)).into_owned();
        if let Some((role, name)) = self.speaker.split_once(' ') {
            let named = format!("{role} {}", one_line(&redact(name)));
            named.trim_end().clone_into(&mut self.speaker);
        }
    }
}

/// What one part of a message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum PartKind {
    /// Words, or the name of an image or file.
    Text,
    /// What a model thought.
    Thinking,
    /// The call of a tool.
    ToolCall,
    /// What a tool gave back.
    ToolResult,
}

/// The names of the tools that were called, by the ids of the calls: not every format has them
/// with the result.
#[derive(Default)]
pub(super) struct CalledTools(HashMap<String, String>);

/// What message `index` says, in order. System messages say nothing here, and neither does what has
/// no text; media are named, never included.
pub(super) fn parts_of<V>(view: &V, index: usize, called: &mut CalledTools) -> Vec<TranscriptPart>
where
    V: Conversation + ?Sized,
{
    let mut parts = Vec::new();
    let role = match view.message(index).role {
        Role::System | Role::Developer => return parts,
        Role::User => "User",
        Role::Assistant => "Assistant",
        Role::Tool => "Tool",
    };
    let mut speaker = role.to_owned();
    view.pieces(index, &mut |piece| {
        let mut say = |kind, tool: &str, text: &str| {
            let text = text.trim();
            if !text.is_empty() || kind == PartKind::ToolCall {
                parts.push(TranscriptPart {
                    kind,
                    speaker: speaker.clone(),
                    tool: one_line(tool).into_owned(),
                    text: text.to_owned(),
                });
            }
        };
        match piece {
            Piece::Speaker(name) => {
                let named = format!("{role} {}", one_line(&name.decode()));
                named.trim_end().clone_into(&mut speaker);
            }
            Piece::Text(text) => say(PartKind::Text, "", &text.decode()),
            // What nobody here understands may be all that a message says.
            Piece::Opaque(text) => {
                let text = text.decode();
                if !is_data(&text) {
                    say(PartKind::Text, "", &text);
                }
            }
            Piece::Thinking(text) => say(PartKind::Thinking, "", &text.decode()),
            Piece::ToolCall {
                id,
                name,
                arguments,
            } => {
                let (id, name) = (id.decode(), name.decode());
                say(PartKind::ToolCall, &name, &arguments.decode());
                called.0.insert(id.into_owned(), name.into_owned());
            }
            Piece::ToolResult {
                call_id,
                name,
                content,
            } => {
                let name = name.decode();
                let called = called.0.get(&*call_id.decode());
                let tool = called.filter(|_| name.is_empty());
                let tool = tool.map_or(&*name, String::as_str);
                say(PartKind::ToolResult, tool, &content.decode());
            }
            // Nobody but the provider can read it.
            Piece::Media(media) if media.kind == MediaKind::Sealed => {}
            Piece::Media(media) => {
                // Whoever reads the transcript mustn't think that it could be looked at.
                let label = media.label.decode();
                let media = format!("({} {}, not shown)", media.kind.name(), label.trim());
                say(PartKind::Text, "", &media.replace(" ,", ","));
            }
            Piece::Schema(_) => {}
        }
    });
    parts
}

/// Whether a text is for machines alone: thoughts or results that came encrypted, in base64.
fn is_data(text: &str) -> bool {
    const LEAST: usize = 256;
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=-_".contains(&byte);
    text.len() >= LEAST && text.bytes().all(is_base64)
}

impl fmt::Debug for TranscriptPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // The conversation itself stays out of logs.
        f.debug_struct("TranscriptPart")
            .field("kind", &self.kind)
            .finish_non_exhaustive()
    }
}
