use std::path::Path;

use contextfit::chat::ChatRequest;

use super::error::{InputError, Problem};
use super::{is_jsonl, parse, read};

/// A conversation, or any other text.
#[derive(Debug)]
pub(crate) struct Document {
    /// The file it was read from.
    pub(crate) name: String,
    pub(crate) content: Content,
}

#[derive(Debug)]
pub(crate) enum Content {
    Conversation(ChatRequest),
    Text(String),
}

impl Document {
    /// Reads a file, or standard input for `-`. What begins as a conversation and isn't one is an
    /// error; what doesn't is a text.
    pub(crate) fn read(path: &Path) -> Result<Self, InputError> {
        let (name, bytes) = read(path);
        let content = bytes.and_then(|bytes| content(bytes, is_jsonl(path)));
        match content {
            Ok(content) => Ok(Self { name, content }),
            Err(problem) => Err(problem.in_file(name)),
        }
    }
}

fn content(bytes: Vec<u8>, jsonl: bool) -> Result<Content, Problem> {
    if jsonl || parse::begins_as_conversation(&bytes) {
        let (request, _) = parse::parse(&bytes, jsonl)?;
        return Ok(Content::Conversation(request));
    }
    match String::from_utf8(bytes) {
        Ok(text) => Ok(Content::Text(text)),
        Err(error) => Err(parse::not_text(error.as_bytes(), error.utf8_error())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<Content, Problem> {
        content(text.as_bytes().to_vec(), false)
    }

    #[test]
    fn a_text_is_told_from_a_conversation() {
        let user = r#"{"role":"user","content":"hi"}"#;
        for conversation in [
            user.to_owned(),
            format!(r#"{{"model":"m","messages":[{user}]}}"#),
            format!("{{\n \"model\": \"m\",\n \"messages\": [{user}]}}"),
        ] {
            let content = read_text(&conversation).unwrap();
            assert!(
                matches!(content, Content::Conversation(_)),
                "{conversation}"
            );
        }
        for text in [
            "",
            "hello",
            "[1, 2]",
            r#"{"name": "a", "version": 1}"#,
            "{",
            "{{ x }}",
        ] {
            assert!(
                matches!(read_text(text), Ok(Content::Text(same)) if same == text),
                "{text}"
            );
        }
    }

    #[test]
    fn a_broken_conversation_is_no_text() {
        let broken = read_text("{\"role\":\"user\",\"content\":5}").unwrap_err();
        assert!(
            broken.to_string().contains("content must be a text"),
            "{broken}"
        );
        let broken =
            read_text("{\"model\":\"m\",\"messages\":[{\"role\":\"robot\"}]}").unwrap_err();
        assert!(broken.to_string().contains("robot"), "{broken}");
        assert!(
            content(vec![b'a', 0xff], false)
                .unwrap_err()
                .to_string()
                .contains("UTF-8")
        );
    }
}
