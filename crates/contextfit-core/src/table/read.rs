use super::groups::joined_to_previous;
use super::{LEAST_CLIP, Row, Table};
use crate::estimate::{Estimator, TokenCount};
use crate::request::{Conversation, Piece, Role, Str};

/// Which messages of a conversation stay verbatim by their place in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pins {
    /// The first user message: the task.
    pub task: bool,
    /// The last user message: what is to be answered.
    pub last_user: bool,
}

impl Pins {
    /// Pins neither.
    pub const NONE: Self = Self {
        task: false,
        last_user: false,
    };
    /// Pins both.
    pub const BOTH: Self = Self {
        task: true,
        last_user: true,
    };
}

impl Table {
    /// Reads a conversation into numbers. `summary` is the message that is our own summary,
    /// if there is one.
    pub fn read<V, E>(view: &V, estimator: &E, pins: Pins, summary: Option<usize>) -> Self
    where
        V: Conversation + ?Sized,
        E: Estimator + ?Sized,
    {
        let joined = joined_to_previous(view);
        let mut table = Self::new(joined.iter().enumerate().map(|(index, &joined)| {
            let message = view.message(index);
            let (tokens, clippable) = tokens_of(view, estimator, index, message.role);
            let mut row = Row::new(message.role, tokens).clippable(clippable);
            row.pinned = message.pinned;
            row.summary = summary == Some(index);
            if joined { row.joined() } else { row }
        }));
        let is_user = |row: &Row| row.role == Role::User && !row.summary;
        if pins.task
            && let Some(first) = table.rows.iter().position(is_user)
        {
            table.pin(first);
        }
        if pins.last_user
            && let Some(last) = table.rows.iter().rposition(is_user)
        {
            table.pin(last);
        }
        table
    }

    /// Pins message `index`; an index out of range is ignored.
    pub fn pin(&mut self, index: usize) {
        if let Some(row) = self.rows.get_mut(index) {
            row.pinned = true;
        }
    }
}

/// Tokens of a message, and how many of them are text that may be clipped.
fn tokens_of<V, E>(view: &V, estimator: &E, index: usize, role: Role) -> (u64, u64)
where
    V: Conversation + ?Sized,
    E: Estimator + ?Sized,
{
    let mut tokens = estimator.message_overhead(role);
    let mut clippable = 0_u64;
    view.pieces(index, &mut |piece| {
        let count = estimator.count(piece);
        tokens += count;
        if is_clippable(role, &piece) {
            let text = count.saturating_sub(beside(estimator, &piece)).floor();
            // A draft leaves the least of one text in each message; every text needs its own.
            let least = if clippable == 0 { 0 } else { LEAST_CLIP };
            if text > LEAST_CLIP {
                clippable = clippable.saturating_add(text - least);
            }
        }
    });
    (tokens.floor(), clippable)
}

/// What a result costs beside its content: it names its call.
fn beside<E: Estimator + ?Sized>(estimator: &E, piece: &Piece<'_>) -> TokenCount {
    match *piece {
        Piece::ToolResult { call_id, name, .. } => {
            let content = Str::plain("");
            estimator.count(Piece::ToolResult {
                call_id,
                name,
                content,
            })
        }
        _ => TokenCount::ZERO,
    }
}

/// Whether a piece in a message of this role may be clipped. Nothing the model wrote is.
pub(crate) const fn is_clippable(role: Role, piece: &Piece<'_>) -> bool {
    match role {
        Role::Tool => matches!(piece, Piece::ToolResult { .. }),
        Role::User => matches!(piece, Piece::Text(_)),
        Role::System | Role::Developer | Role::Assistant => false,
    }
}
