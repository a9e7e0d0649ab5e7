use std::fmt;
use std::str::FromStr;

use super::place::digest;
use crate::request::Conversation;

/// A digest of the messages that an envelope stands for, in their order, over all compactions.
///
/// Two conversations that were compacted alike have the same one. Written as 32 hexadecimal digits.
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Coverage([u8; 16]);

impl Coverage {
    /// That of all messages so far and of these, which follow them.
    #[must_use]
    pub fn with<V>(self, view: &V, messages: impl IntoIterator<Item = usize>) -> Self
    where
        V: Conversation + ?Sized,
    {
        messages.into_iter().fold(self, |Self(before), index| {
            let mut hasher = blake3::Hasher::new();
            hasher.update(&before);
            hasher.update(&digest(view, index, &[]));
            Self(half(hasher.finalize()))
        })
    }
}

/// Half of a hash is hard enough to hit, and costs half as many tokens.
pub(super) fn half(hash: blake3::Hash) -> [u8; 16] {
    let mut half = [0; 16];
    half.copy_from_slice(&hash.as_bytes()[..16]);
    half
}

impl fmt::Display for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:032x}", u128::from_be_bytes(self.0))
    }
}

impl fmt::Debug for Coverage {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Coverage({self})")
    }
}

impl FromStr for Coverage {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        u128::from_str_radix(text, 16).map(|number| Self(number.to_be_bytes()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::{ChatMessage, ChatRequest};

    #[test]
    fn it_tells_messages_and_their_order_apart_and_grows_with_them() {
        let chat = ChatRequest::new("m", ["a", "b", "a"].map(ChatMessage::user));
        let of = |messages: &[usize]| Coverage::default().with(&chat, messages.iter().copied());
        assert_eq!(of(&[0, 1]), of(&[2, 1]));
        assert_ne!(of(&[0, 1]), of(&[1, 0]));
        assert_ne!(of(&[0]), of(&[0, 0]));
        assert_eq!(of(&[0]).with(&chat, [1, 2]), of(&[0, 1, 2]));
        let shown = of(&[0]).to_string();
        assert_eq!((shown.len(), shown.parse()), (32, Ok(of(&[0]))));
    }

    #[test]
    fn roles_and_kinds_of_text_are_told_apart() {
        let said = [
            ChatMessage::user("x"),
            ChatMessage::assistant("x"),
            ChatMessage::tool("c", "x"),
            ChatMessage::assistant("").call("c", "x", ""),
            ChatMessage::assistant("").call("c", "", "x"),
        ];
        let chat = ChatRequest::new("m", said);
        let mut all: Vec<_> = (0..5)
            .map(|index| Coverage::default().with(&chat, [index]).to_string())
            .collect();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), 5);
    }
}
