//! Conversations that are made up, the same every time.

mod chinese;
mod coding;
mod group;
mod support;

use contextfit_core::chat::ChatMessage;

use crate::random::Random;

/// Made-up conversations of a few hundred messages, each with its name: an agent that writes code, a
/// support desk, a chat of several people, and a Chinese assistant with tools.
#[must_use]
pub fn synthetic() -> Vec<(&'static str, Vec<ChatMessage>)> {
    vec![
        ("made-up coding agent", coding::conversation()),
        ("made-up support desk", support::conversation()),
        ("made-up group chat", group::conversation()),
        ("made-up Chinese shop", chinese::conversation()),
    ]
}

/// One of several, at random.
fn one<'a, T: ?Sized>(random: &mut Random, of: &[&'a T]) -> &'a T {
    of[random.below(of.len())]
}

/// So many random characters of an identifier in capitals.
fn code(random: &mut Random, length: usize) -> String {
    const CHARS: &[u8] = b"ABCDEFGHJKLMNPQRSTUVWXYZ23456789";
    let char = |_| char::from(CHARS[random.below(CHARS.len())]);
    (0..length).map(char).collect()
}

/// A call of a tool, with the result of it.
fn called(
    messages: &mut Vec<ChatMessage>,
    says: &str,
    tool: &str,
    arguments: String,
    result: String,
) {
    let id = format!("call_{}", messages.len());
    messages.push(ChatMessage::assistant(says).call(&*id, tool, arguments));
    messages.push(ChatMessage::tool(&*id, result));
}
