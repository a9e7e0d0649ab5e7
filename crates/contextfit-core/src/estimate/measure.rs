use super::{Estimator, TokenCount};
use crate::request::Conversation;

/// What a request costs, by an estimate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Measured {
    /// Tokens of the messages that may be cut: all but system and developer messages.
    pub messages: u64,
    /// Tokens of what is never cut: system and developer messages, tool schemas, the schema
    /// of the response.
    pub fixed: u64,
    /// The output the request asks for, in tokens.
    pub max_output: Option<u32>,
    /// Tokens of what stands beside the messages; part of the fixed ones.
    pub beside: u64,
}

impl Measured {
    /// Tokens of the whole prompt.
    #[must_use]
    pub const fn prompt(&self) -> u64 {
        self.messages.saturating_add(self.fixed)
    }
}

/// Measures a request in one pass that allocates nothing.
pub fn measure<V, E>(view: &V, estimator: &E) -> Measured
where
    V: Conversation + ?Sized,
    E: Estimator + ?Sized,
{
    let mut beside = TokenCount::ZERO;
    view.fixed(&mut |piece| beside += estimator.count(piece));
    let mut measured = Measured {
        messages: 0,
        fixed: beside.floor(),
        beside: beside.floor(),
        max_output: view.max_output_tokens(),
    };
    for index in 0..view.len() {
        let tokens = message_tokens(view, estimator, index);
        let part = if view.message(index).role.is_fixed() {
            &mut measured.fixed
        } else {
            &mut measured.messages
        };
        *part = part.saturating_add(tokens);
    }
    measured
}

/// Tokens of message `index`, rounded down once.
pub fn message_tokens<V, E>(view: &V, estimator: &E, index: usize) -> u64
where
    V: Conversation + ?Sized,
    E: Estimator + ?Sized,
{
    let mut tokens = estimator.message_overhead(view.message(index).role);
    view.pieces(index, &mut |piece| tokens += estimator.count(piece));
    tokens.floor()
}
