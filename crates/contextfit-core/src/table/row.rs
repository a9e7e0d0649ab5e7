use crate::request::Role;

/// One message in a [`Table`](super::Table).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Row {
    /// Who speaks.
    pub role: Role,
    /// What the message costs, in tokens.
    pub tokens: u64,
    /// Tokens of the text in it that may be clipped: tool results in a message of a tool,
    /// these and plain text in one of the user, nothing in one of the assistant.
    pub clippable: u64,
    /// Tokens that go if markers take the place of all text of tool results in it.
    pub clearable: u64,
    /// Whether the message must stay verbatim.
    pub pinned: bool,
    /// Whether the message is our own summary of what was cut before.
    pub summary: bool,
    joined: bool,
    group: usize,
    turn: usize,
}

impl Row {
    /// A message of a role that costs so many tokens, in a group of its own.
    #[must_use]
    pub const fn new(role: Role, tokens: u64) -> Self {
        Self {
            role,
            tokens,
            clippable: 0,
            clearable: 0,
            pinned: false,
            summary: false,
            joined: false,
            group: 0,
            turn: 0,
        }
    }

    /// Puts the message into the group of the one before it.
    #[must_use]
    pub const fn joined(mut self) -> Self {
        self.joined = true;
        self
    }

    /// Pins the message.
    #[must_use]
    pub const fn pinned(mut self) -> Self {
        self.pinned = true;
        self
    }

    /// Marks the message as our summary.
    #[must_use]
    pub const fn summary(mut self) -> Self {
        self.summary = true;
        self
    }

    /// Sets how much of it may be clipped, in tokens.
    #[must_use]
    pub const fn clippable(mut self, tokens: u64) -> Self {
        self.clippable = tokens;
        self
    }

    /// Sets how much of it goes if markers take the place of its tool results, in tokens.
    #[must_use]
    pub const fn clearable(mut self, tokens: u64) -> Self {
        self.clearable = tokens;
        self
    }

    /// What the message costs with markers in the place of its tool results, in tokens.
    #[must_use]
    pub const fn cleared(&self) -> u64 {
        self.tokens.saturating_sub(self.clearable)
    }

    /// The number of its group, from 0, oldest first.
    #[must_use]
    pub const fn group(&self) -> usize {
        self.group
    }

    /// The number of its turn: 0 before the first user message, then 1, 2, …
    ///
    /// Our summary stands for a user's message and starts a turn too.
    #[must_use]
    pub const fn turn(&self) -> usize {
        self.turn
    }
}

/// Numbers groups and turns.
pub(super) fn number(rows: &mut [Row]) {
    let (mut group, mut turn) = (0, 0);
    for (index, row) in rows.iter_mut().enumerate() {
        if index > 0 && !row.joined {
            group += 1;
        }
        if row.role == Role::User {
            turn += 1;
        }
        row.group = group;
        row.turn = turn;
    }
}
