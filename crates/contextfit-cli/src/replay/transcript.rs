use contextfit::chat::{ChatMessage, ChatRequest, ChatRole};

use crate::input::{InputError, Recording};

/// A conversation that can be played.
#[derive(Debug)]
pub(crate) struct Transcript {
    /// The file it was read from.
    pub(crate) name: String,
    /// All of it, as one request.
    pub(crate) recorded: ChatRequest,
    /// The messages of the assistant that somebody asked for.
    pub(crate) replies: Vec<usize>,
}

impl TryFrom<Recording> for Transcript {
    type Error = InputError;

    fn try_from(recording: Recording) -> Result<Self, InputError> {
        match replies(&recording.request.messages) {
            Ok(replies) => Ok(Self {
                name: recording.name,
                recorded: recording.request,
                replies,
            }),
            Err(problem) => Err(recording.lacks(problem)),
        }
    }
}

/// The messages of the assistant that somebody asked for: those after one of the user.
fn replies(messages: &[ChatMessage]) -> Result<Vec<usize>, &'static str> {
    let is = |role| move |message: &ChatMessage| message.role == role;
    if !messages.iter().any(is(ChatRole::Assistant)) {
        return Err("the conversation has no message of the assistant, so nothing to ask for");
    }
    let first = messages.iter().position(is(ChatRole::User));
    let replies: Vec<usize> = (first.unwrap_or(messages.len())..messages.len())
        .filter(|&index| messages[index].role == ChatRole::Assistant)
        .collect();
    if replies.is_empty() {
        return Err("no message of the assistant follows one of the user, so nothing was asked");
    }
    Ok(replies)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn user() -> ChatMessage {
        ChatMessage::user("hi")
    }

    fn assistant() -> ChatMessage {
        ChatMessage::assistant("hello")
    }

    #[test]
    fn a_greeting_and_what_nobody_answered_are_no_requests() {
        let messages = [assistant(), user(), assistant(), assistant(), user()];
        assert_eq!(replies(&messages), Ok(vec![2, 3]));
    }

    #[test]
    fn what_nobody_can_play_is_refused() {
        let said = |messages| {
            let transcript = Transcript::try_from(Recording::of(messages));
            transcript.unwrap_err().to_string()
        };
        let text = said(vec![user(), user()]);
        assert!(text.starts_with("a.json:1: ") && text.contains("no message of the assistant"));
        assert!(said(vec![assistant()]).contains("follows one of the user"));
    }
}
