use super::groups::joined_to_previous;
use super::{LEAST_CLIP, Row, Table};
use crate::estimate::{Estimator, TokenCount};
use crate::marker;
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
            let mut row = row_of(view, estimator, index, message.role);
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

/// What a message costs, and how much of that is text that may be clipped or cleared.
fn row_of<V, E>(view: &V, estimator: &E, index: usize, role: Role) -> Row
where
    V: Conversation + ?Sized,
    E: Estimator + ?Sized,
{
    let mut tokens = estimator.message_overhead(role);
    let (mut clippable, mut clearable) = (0_u64, 0_u64);
    view.pieces(index, &mut |piece| {
        let count = estimator.count(piece);
        tokens += count;
        if !is_clippable(role, &piece) {
            return;
        }
        let text = count
            .saturating_sub(with_content(estimator, &piece, ""))
            .floor();
        // A draft leaves the least of one text in each message; every text needs its own.
        let least = if clippable == 0 { 0 } else { LEAST_CLIP };
        if text > LEAST_CLIP {
            clippable = clippable.saturating_add(text - least);
        }
        if role == Role::Tool {
            let marker = with_content(estimator, &piece, marker::LONGEST).ceil();
            // What rounding the message loses mustn't be promised.
            let freed = count.floor().saturating_sub(marker + 1);
            clearable = clearable.saturating_add(freed);
        }
    });
    Row::new(role, tokens.floor())
        .clippable(clippable)
        .clearable(clearable)
}

/// What a result costs with another content. It names its call too.
fn with_content<E: Estimator + ?Sized>(
    estimator: &E,
    piece: &Piece<'_>,
    content: &str,
) -> TokenCount {
    match *piece {
        Piece::ToolResult { call_id, name, .. } => {
            let content = Str::plain(content);
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
