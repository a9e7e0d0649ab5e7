use contextfit::ExplainedMessage;
use contextfit::Why;
use contextfit::cut::Fate;
use contextfit::request::{PieceKind, Role};

use super::kind::{Kind, Kinds, add, total};

/// A message as it is drawn.
#[derive(Debug)]
pub(crate) struct Block {
    /// Its number, from 0.
    pub(crate) index: usize,
    /// Who speaks.
    pub(crate) role: Role,
    /// What it costs, in tokens.
    pub(crate) tokens: u64,
    /// What of that is what. Adds up to all of it.
    pub(crate) kinds: Kinds,
    /// The same of what is left of it.
    pub(crate) kinds_after: Kinds,
    /// The number of its group.
    pub(crate) group: usize,
    /// Where in its group it stands.
    pub(crate) place: Place,
    /// The number of its turn.
    pub(crate) turn: usize,
    /// Whether its turn begins with it.
    pub(crate) starts_turn: bool,
    /// What becomes of it.
    pub(crate) fate: Fate,
    /// Why.
    pub(crate) why: Why,
    /// How it begins, if that may be shown.
    pub(crate) excerpt: Option<String>,
}

/// Where a message stands in its group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    /// It is all of it.
    Alone,
    First,
    Middle,
    Last,
}

impl Block {
    /// Draws one of the messages.
    pub(crate) fn new(
        messages: &[ExplainedMessage],
        index: usize,
        excerpt: Option<String>,
    ) -> Self {
        let message = &messages[index];
        let previous = index.checked_sub(1).map(|index| &messages[index]);
        let next = messages.get(index + 1);
        let in_group = |other: Option<&ExplainedMessage>| {
            other.is_some_and(|other| other.group == message.group)
        };
        let kinds = kinds(message);
        Self {
            index,
            role: message.role,
            tokens: message.tokens,
            kinds_after: reduced(&kinds, message.tokens_after),
            kinds,
            group: message.group,
            place: match (in_group(previous), in_group(next)) {
                (false, false) => Place::Alone,
                (false, true) => Place::First,
                (true, true) => Place::Middle,
                (true, false) => Place::Last,
            },
            turn: message.turn,
            starts_turn: message.turn > 0
                && previous.is_none_or(|previous| previous.turn != message.turn),
            fate: message.fate,
            why: message.why,
            excerpt,
        }
    }

    /// What is left of it, in tokens.
    pub(crate) fn tokens_after(&self) -> u64 {
        total(&self.kinds_after)
    }
}

/// All tokens of a message by kind, its overhead among them.
fn kinds(message: &ExplainedMessage) -> Kinds {
    let mut kinds = Kinds::new();
    for &(kind, tokens) in &message.kinds {
        add(&mut kinds, Kind::Piece(kind), tokens);
    }
    let overhead = message.tokens.saturating_sub(total(&kinds));
    add(&mut kinds, Kind::Overhead, overhead);
    kinds
}

/// What is left of kinds of which so many tokens stay. Only results and texts are clipped.
fn reduced(kinds: &Kinds, tokens: u64) -> Kinds {
    if tokens == 0 {
        return Kinds::new();
    }
    let mut excess = total(kinds).saturating_sub(tokens);
    let mut left = kinds.clone();
    for kind in [PieceKind::ToolResult, PieceKind::Text] {
        if let Some(tokens) = left.get_mut(&Kind::Piece(kind)) {
            let clipped = excess.min(*tokens);
            *tokens -= clipped;
            excess -= clipped;
        }
    }
    left.retain(|_, tokens| *tokens > 0);
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_clipped_is_a_result() {
        let kinds = Kinds::from([
            (Kind::Piece(PieceKind::Text), 20),
            (Kind::Piece(PieceKind::ToolResult), 100),
            (Kind::Overhead, 4),
        ]);
        assert_eq!(reduced(&kinds, 124), kinds);
        let left = reduced(&kinds, 54);
        assert_eq!(left[&Kind::Piece(PieceKind::ToolResult)], 30);
        assert_eq!(total(&left), 54);
        assert_eq!(total(&reduced(&kinds, 14)), 14);
        assert!(reduced(&kinds, 0).is_empty());
    }
}
