use contextfit::chat::ChatRequest;
use contextfit::request::{Conversation, Piece, Str};

use crate::one_line::one_line;

/// The most characters of an excerpt.
const LENGTH: usize = 80;

/// How a message begins, in one line: enough to tell which one it is.
pub(crate) fn excerpt(request: &ChatRequest, message: usize) -> String {
    let mut said = String::new();
    let mut thought = String::new();
    request.pieces(message, &mut |piece| match piece {
        Piece::Speaker(name) => begin(&mut said, &[name, ":".into()]),
        Piece::Text(text) => begin(&mut said, &[text]),
        Piece::ToolResult { content, .. } => begin(&mut said, &[content]),
        Piece::ToolCall {
            name, arguments, ..
        } => begin(&mut said, &[name, "(".into(), arguments, ")".into()]),
        Piece::Media(media) => begin(
            &mut said,
            &["[".into(), media.kind.name().into(), "]".into()],
        ),
        Piece::Thinking(text) | Piece::Opaque(text) => begin(&mut thought, &[text]),
        _ => {}
    });
    let said = one_line(&said, LENGTH);
    if said.is_empty() {
        one_line(&thought, LENGTH)
    } else {
        said
    }
}

/// Adds the beginning of what consists of these parts, unless there is enough.
fn begin(text: &mut String, parts: &[Str<'_>]) {
    // In bytes: more than enough.
    if text.len() > LENGTH * 8 {
        return;
    }
    if !text.is_empty() {
        text.push(' ');
    }
    for part in parts {
        // White space will be one space, so that what matters may come late.
        let part = part.decode();
        text.extend(part.trim_start().chars().take(LENGTH * 4));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contextfit::chat::ChatMessage;

    fn of(message: ChatMessage) -> String {
        excerpt(&ChatRequest::new("m", [message]), 0)
    }

    #[test]
    fn a_message_is_told_by_its_beginning() {
        assert_eq!(of(ChatMessage::user("Which\nport?")), "Which port?");
        assert_eq!(of(ChatMessage::tool("c", "8080")), "8080");
        let call = ChatMessage::assistant("").call("c", "read", r#"{"path":"a"}"#);
        assert_eq!(of(call), r#"read({"path":"a"})"#);
        let both = ChatMessage::assistant("I look.").call("c", "ls", "");
        assert_eq!(of(both), "I look. ls()");
        assert_eq!(of(ChatMessage::assistant("")), "");
    }

    #[test]
    fn an_excerpt_is_short_whatever_the_message_is() {
        for long in [
            "a".repeat(10_000),
            " ".repeat(10_000) + "b",
            "好 ".repeat(10_000),
        ] {
            let excerpt = of(ChatMessage::user(long));
            assert!((1..=LENGTH).contains(&excerpt.chars().count()), "{excerpt}");
        }
    }

    #[test]
    fn what_was_thought_is_shown_where_nothing_was_said() {
        let message = |content: &str| -> ChatMessage {
            let json =
                format!(r#"{{"role":"assistant","content":{content},"reasoning_content":"hm"}}"#);
            serde_json::from_str(&json).unwrap()
        };
        assert_eq!(of(message("null")), "hm");
        assert_eq!(of(message(r#""Yes.""#)), "Yes.");
    }

    #[test]
    fn an_image_is_named_and_never_its_data() {
        let message = r#"{"role":"user","name":"ann","content":[
            {"type":"text","text":"Look:"},
            {"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]}"#;
        assert_eq!(
            of(serde_json::from_str(message).unwrap()),
            "ann: Look: [image]"
        );
    }
}
