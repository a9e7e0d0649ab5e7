use std::fmt::Write as _;

use contextfit_core::chat::{ChatMessage, ChatRequest, ChatRole, Content};

/// As what the plain way writes a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Rendering {
    /// The JSON that is sent.
    Json,
    /// The role and what is said, called or answered, as it would be shown to a reader.
    Text,
}

/// The plain way, as agents have it that don't think of their own costs: each message is written
/// out, its characters are counted, and four are a token. Over the window, what stays is the system
/// messages, the task, and as many of the newest messages as fit beside them into half of it.
///
/// The messages that stay, in order.
///
/// ```
/// use contextfit_benches::{Rendering, history, plainly};
///
/// let request = history(360, 100_000);
/// assert_eq!(plainly(&request, Rendering::Json, 200_000).len(), 360);
/// assert!(plainly(&request, Rendering::Json, 25_000).len() < 90);
/// ```
///
/// # Panics
///
/// Never: a message can always be written.
#[must_use]
pub fn plainly(request: &ChatRequest, rendering: Rendering, window: usize) -> Vec<&ChatMessage> {
    let messages = &request.messages;
    let tokens: Vec<usize> = messages
        .iter()
        .map(|message| rendering.of(message).chars().count() / 4)
        .collect();
    if tokens.iter().sum::<usize>() <= window {
        return messages.iter().collect();
    }
    let task = messages.iter().position(|it| it.role == ChatRole::User);
    let is_held = |index: usize| messages[index].role == ChatRole::System || Some(index) == task;
    let held = (0..messages.len()).filter(|&index| is_held(index));
    let mut used: usize = held.map(|index| tokens[index]).sum();
    let mut start = messages.len();
    for index in (0..messages.len()).rev().filter(|&index| !is_held(index)) {
        used += tokens[index];
        if used > window / 2 {
            break;
        }
        start = index;
    }
    // A result without its call would be refused.
    let orphans = messages[start..].iter();
    start += orphans.take_while(|it| it.role == ChatRole::Tool).count();
    let kept = (0..messages.len()).filter(|&index| index >= start || is_held(index));
    kept.map(|index| &messages[index]).collect()
}

impl Rendering {
    /// Its name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Json => "JSON",
            Self::Text => "text",
        }
    }

    fn of(self, message: &ChatMessage) -> String {
        match self {
            Self::Json => serde_json::to_string(message).expect("it can be written"),
            Self::Text => text(message),
        }
    }
}

fn text(message: &ChatMessage) -> String {
    let mut text = format!("{:?}: ", message.role);
    match &message.content {
        Some(Content::Text(said)) => text.push_str(said),
        Some(parts) => text.push_str(&parts.text()),
        None => {}
    }
    for call in &*message.tool_calls {
        let (id, name, arguments) = (&call.id, call.name(), call.arguments());
        write!(text, "\n{id}: {name}({arguments})").expect("a string takes everything");
    }
    if let Some(call) = &message.tool_call_id {
        write!(text, "\nanswers {call}").expect("a string takes everything");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A message of so many tokens, as text.
    fn said(role: ChatRole, tokens: usize) -> ChatMessage {
        let mut message = ChatMessage::user("");
        message.role = role;
        let beside = text(&message).len();
        message.content = Some("x".repeat(tokens * 4 - beside).into());
        assert_eq!(text(&message).chars().count(), tokens * 4);
        message
    }

    /// Which of the messages stay.
    fn kept(messages: &[ChatMessage], window: usize) -> Vec<usize> {
        let request = ChatRequest::new("m", messages.to_vec());
        let kept = plainly(&request, Rendering::Text, window);
        let place = |kept: &ChatMessage| {
            request
                .messages
                .iter()
                .position(|it| std::ptr::eq(it, kept))
        };
        kept.into_iter().filter_map(place).collect()
    }

    /// 160 tokens.
    fn session() -> Vec<ChatMessage> {
        let outline = [
            (ChatRole::System, 10),
            (ChatRole::User, 20),
            (ChatRole::Assistant, 30),
            (ChatRole::Tool, 40),
            (ChatRole::Assistant, 20),
            (ChatRole::Tool, 30),
            (ChatRole::User, 10),
        ];
        let messages = outline.map(|(role, tokens)| said(role, tokens));
        messages.to_vec()
    }

    #[test]
    fn what_fits_stays() {
        assert_eq!(kept(&session(), 160), [0, 1, 2, 3, 4, 5, 6]);
        assert!(kept(&session(), 159).len() < 7);
    }

    #[test]
    fn the_task_and_the_newest_fill_half_of_the_window() {
        let more = (0..40).map(|_| said(ChatRole::User, 10));
        let messages: Vec<_> = session().into_iter().chain(more).collect();
        // Beside the 30 tokens of the system message and the task: 17 messages, then 16.
        let and_from = |start| [0, 1].into_iter().chain(start..47).collect::<Vec<_>>();
        assert_eq!(kept(&messages, 400), and_from(30));
        assert_eq!(kept(&messages, 399), and_from(31));
        // Where there is room for nothing, nothing but those stays.
        assert_eq!(kept(&messages, 10), [0, 1]);
    }

    #[test]
    fn no_result_is_the_first_to_stay() {
        // Half of 159 tokens are enough for the last result, but not for its call.
        assert_eq!(kept(&session(), 159), [0, 1, 6]);
    }

    #[test]
    fn every_way_to_write_a_message_has_all_of_its_text() {
        let call = ChatMessage::assistant("I look.").call("call_1", "read", "all");
        let result = ChatMessage::tool("call_1", "found");
        for rendering in [Rendering::Json, Rendering::Text] {
            for part in ["I look.", "call_1", "read", "all"] {
                assert!(rendering.of(&call).contains(part));
            }
            assert!(rendering.of(&result).contains("found"));
            assert!(rendering.of(&result).contains("call_1"));
        }
    }
}
