use contextfit_core::chat::{ChatRequest, ChatRole};

/// A conversation is put together in a way that a provider refuses.
///
/// The wording is OpenAI's, with its spelling, where OpenAI checks the same thing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StructureError {
    /// There is no message.
    #[error(
        "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead."
    )]
    Empty,
    /// No message is of the user. OpenAI lets this pass; most others don't.
    #[error("Invalid 'messages': at least one message with role 'user' is required.")]
    NoUser,
    /// A tool result doesn't say what it answers.
    #[error("Missing required parameter: 'messages[{message}].tool_call_id'.")]
    NoCallId {
        /// The result, by its number.
        message: usize,
    },
    /// A tool result answers no call of the assistant's message before it.
    #[error(
        "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
    )]
    Stray {
        /// The result, by its number.
        message: usize,
        /// The call that it claims to answer.
        id: String,
    },
    /// A call has more than one result.
    #[error(
        "Invalid parameter: only one tool message may respond to each 'tool_call_id'. The following tool_call_id has a response message already: {id}"
    )]
    Duplicate {
        /// The second result, by its number.
        message: usize,
        /// The call.
        id: String,
    },
    /// Calls have no result before the conversation goes on, or ends.
    #[error(
        "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: {}",
        ids.join(", ")
    )]
    Unanswered {
        /// The message of the assistant, by its number.
        message: usize,
        /// The calls without a result, in the order in which they stand.
        ids: Vec<String>,
    },
}

impl StructureError {
    /// The place of the error, in the provider's notation.
    pub(super) fn place(&self) -> String {
        match self {
            Self::Empty | Self::NoUser => "messages".to_owned(),
            Self::NoCallId { message } => format!("messages[{message}].tool_call_id"),
            Self::Stray { message, .. }
            | Self::Duplicate { message, .. }
            | Self::Unanswered { message, .. } => format!("messages.[{message}].role"),
        }
    }
}

/// Checks that a conversation is put together as providers demand.
///
/// There are messages, and one of the user among them. Every call of the assistant is answered
/// by exactly one tool message, right after it and before any other message. A tool message
/// answers such a call.
///
/// ```
/// use contextfit_core::chat::{ChatMessage, ChatRequest};
/// use contextfit_testing::provider::{StructureError, check_structure};
///
/// let cut_in_two = ChatRequest::new("a-model", [
///     ChatMessage::user("Go on."),
///     ChatMessage::tool("call_1", "done"),
/// ]);
/// assert!(matches!(
///     check_structure(&cut_in_two),
///     Err(StructureError::Stray { message: 1, .. })
/// ));
/// ```
///
/// # Errors
///
/// The first thing that is wrong, from the start of the conversation.
pub fn check_structure(request: &ChatRequest) -> Result<(), StructureError> {
    if request.messages.is_empty() {
        return Err(StructureError::Empty);
    }
    let mut calls = Calls::default();
    for (index, message) in request.messages.iter().enumerate() {
        if message.role == ChatRole::Tool {
            calls.answer(index, message.tool_call_id.as_deref())?;
            continue;
        }
        calls.all_answered()?;
        calls = Calls::default();
        if message.role == ChatRole::Assistant {
            calls.message = index;
            calls.open = message.tool_calls.iter().map(|call| &*call.id).collect();
        }
    }
    calls.all_answered()?;
    if !request
        .messages
        .iter()
        .any(|one| one.role == ChatRole::User)
    {
        return Err(StructureError::NoUser);
    }
    Ok(())
}

/// The calls of the latest message that isn't a result.
#[derive(Default)]
struct Calls<'a> {
    message: usize,
    open: Vec<&'a str>,
    answered: Vec<&'a str>,
}

impl Calls<'_> {
    fn answer(&mut self, message: usize, id: Option<&str>) -> Result<(), StructureError> {
        let id = id.ok_or(StructureError::NoCallId { message })?;
        if let Some(at) = self.open.iter().position(|&call| call == id) {
            self.answered.push(self.open.remove(at));
            Ok(())
        } else if self.answered.contains(&id) {
            Err(StructureError::Duplicate {
                message,
                id: id.to_owned(),
            })
        } else {
            Err(StructureError::Stray {
                message,
                id: id.to_owned(),
            })
        }
    }

    fn all_answered(&self) -> Result<(), StructureError> {
        if self.open.is_empty() {
            return Ok(());
        }
        Err(StructureError::Unanswered {
            message: self.message,
            ids: self.open.iter().map(|&id| id.to_owned()).collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use contextfit_core::chat::ChatMessage;

    fn check(messages: Vec<ChatMessage>) -> Result<(), StructureError> {
        check_structure(&ChatRequest::new("m", messages))
    }

    fn user() -> ChatMessage {
        ChatMessage::user("go on")
    }

    fn calls(ids: &[&str]) -> ChatMessage {
        ids.iter().fold(ChatMessage::assistant(""), |message, id| {
            message.call(*id, "tool", "{}")
        })
    }

    fn result(id: &str) -> ChatMessage {
        ChatMessage::tool(id, "done")
    }

    fn stray(message: usize, id: &str) -> Result<(), StructureError> {
        Err(StructureError::Stray {
            message,
            id: id.to_owned(),
        })
    }

    fn unanswered(message: usize, ids: &[&str]) -> Result<(), StructureError> {
        Err(StructureError::Unanswered {
            message,
            ids: ids.iter().map(|&id| id.to_owned()).collect(),
        })
    }

    #[test]
    fn whole_conversations_pass() {
        for messages in [
            vec![user()],
            vec![user(), user(), ChatMessage::assistant("a")],
            vec![ChatMessage::system("s"), user(), calls(&["a"]), result("a")],
            // Results out of order, and an id used again in a later message.
            vec![
                user(),
                calls(&["a", "b"]),
                result("b"),
                result("a"),
                calls(&["a"]),
                result("a"),
            ],
            // What comes first may be of the assistant, as after a cut.
            vec![calls(&["a"]), result("a"), user()],
        ] {
            assert_eq!(check(messages), Ok(()));
        }
    }

    #[test]
    fn no_message_and_no_user_are_refused() {
        assert_eq!(check(vec![]), Err(StructureError::Empty));
        assert_eq!(
            check(vec![ChatMessage::system("s")]),
            Err(StructureError::NoUser)
        );
        assert_eq!(
            check(vec![ChatMessage::system("s"), calls(&["a"]), result("a")]),
            Err(StructureError::NoUser)
        );
    }

    #[test]
    fn a_result_without_its_call_is_refused() {
        assert_eq!(check(vec![user(), result("a")]), stray(1, "a"));
        assert_eq!(
            check(vec![user(), calls(&["a"]), result("b")]),
            stray(2, "b")
        );
        // Its call is there, but not right before it.
        assert_eq!(
            check(vec![calls(&["a"]), result("a"), user(), result("a")]),
            stray(3, "a")
        );
        // A call by anybody but the assistant is none.
        let mut user_calls = calls(&["a"]);
        user_calls.role = ChatRole::User;
        assert_eq!(check(vec![user_calls, result("a")]), stray(1, "a"));
    }

    #[test]
    fn a_result_that_names_no_call_is_refused() {
        let mut nameless = result("a");
        nameless.tool_call_id = None;
        assert_eq!(
            check(vec![user(), calls(&["a"]), nameless]),
            Err(StructureError::NoCallId { message: 2 })
        );
    }

    #[test]
    fn a_call_without_its_result_is_refused() {
        assert_eq!(check(vec![user(), calls(&["a"])]), unanswered(1, &["a"]));
        assert_eq!(
            check(vec![
                user(),
                calls(&["a", "b", "c"]),
                result("b"),
                user(),
                result("a"),
            ]),
            unanswered(1, &["a", "c"])
        );
        assert_eq!(
            check(vec![user(), calls(&["a"]), calls(&["b"]), result("b")]),
            unanswered(1, &["a"])
        );
        assert_eq!(
            check(vec![user(), calls(&["a"]), ChatMessage::system("s")]),
            unanswered(1, &["a"])
        );
    }

    #[test]
    fn a_second_result_for_one_call_is_refused() {
        assert_eq!(
            check(vec![user(), calls(&["a", "b"]), result("a"), result("a")]),
            Err(StructureError::Duplicate {
                message: 3,
                id: "a".into()
            })
        );
        // Two calls under one id want two results.
        assert_eq!(
            check(vec![user(), calls(&["a", "a"]), result("a"), result("a")]),
            Ok(())
        );
        assert_eq!(
            check(vec![user(), calls(&["a", "a"]), result("a")]),
            unanswered(1, &["a"])
        );
    }

    #[test]
    fn the_first_error_is_named() {
        assert_eq!(check(vec![result("x"), calls(&["a"])]), stray(0, "x"));
    }
}
