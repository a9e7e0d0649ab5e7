use super::one_line;
use crate::request::{Conversation, MediaKind, Piece, Role};

/// What one piece of a message says.
#[derive(Clone, Copy)]
pub(super) struct Said<'a> {
    pub(super) kind: Kind,
    /// Who speaks, in one line. With a result it is the tool, and may be empty.
    pub(super) who: &'a str,
    /// Never empty, without white space around it.
    pub(super) text: &'a str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Thinking,
    Call,
    Result,
}

/// Shows what message `index` says, in order. System messages are passed over, and so is what has
/// no text; media are named, never included.
pub(super) fn for_each_said<V>(view: &V, index: usize, mut visit: impl FnMut(Said<'_>))
where
    V: Conversation + ?Sized,
{
    let role = match view.message(index).role {
        Role::System | Role::Developer => return,
        Role::User => "User",
        Role::Assistant => "Assistant",
        Role::Tool => "Tool",
    };
    let mut speaker = role.to_owned();
    view.pieces(index, &mut |piece| {
        let mut say = |kind, who: &str, text: &str| {
            let text = text.trim();
            if !text.is_empty() {
                visit(Said { kind, who, text });
            }
        };
        match piece {
            Piece::Speaker(name) => {
                let named = format!("{role} {}", one_line(&name.decode()));
                named.trim_end().clone_into(&mut speaker);
            }
            Piece::Text(text) => say(Kind::Text, &speaker, &text.decode()),
            // What nobody here understands may be all that a message says.
            Piece::Opaque(text) => {
                let text = text.decode();
                if !is_data(&text) {
                    say(Kind::Text, &speaker, &text);
                }
            }
            Piece::Thinking(text) => say(Kind::Thinking, &speaker, &text.decode()),
            Piece::ToolCall {
                name, arguments, ..
            } => {
                let call = format!("{}({})", name.decode(), arguments.decode());
                say(Kind::Call, &speaker, &call);
            }
            Piece::ToolResult { name, content, .. } => {
                say(Kind::Result, &one_line(&name.decode()), &content.decode());
            }
            // Nobody but the provider can read it.
            Piece::Media(media) if media.kind == MediaKind::Sealed => {}
            Piece::Media(media) => {
                let media = format!("({} {})", media.kind.name(), media.label.decode());
                say(Kind::Text, &speaker, &media.replace(" )", ")"));
            }
            Piece::Schema(_) => {}
        }
    });
}

/// Whether a text is for machines alone: thoughts or results that came encrypted, in base64.
fn is_data(text: &str) -> bool {
    const LEAST: usize = 256;
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=-_".contains(&byte);
    text.len() >= LEAST && text.bytes().all(is_base64)
}
