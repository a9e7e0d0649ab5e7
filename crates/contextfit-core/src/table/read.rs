use super::groups::joined_to_previous;
use super::{Row, Table};
use crate::estimate::{Estimator, Measured, measure};
use crate::request::{Conversation, Role};

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
    /// Reads a conversation into numbers: [measures](measure) it, and makes a table [of](Self::of)
    /// that.
    pub fn read<V, E>(view: &V, estimator: &E, pins: Pins, summary: Option<usize>) -> Self
    where
        V: Conversation + ?Sized,
        E: Estimator + ?Sized,
    {
        Self::of(view, &measure(view, estimator), pins, summary)
    }

    /// Makes a table of a conversation that is measured already, without looking at its text.
    ///
    /// `summary` is the message that is our own summary, if there is one. A message that wasn't
    /// measured has no row.
    pub fn of<V>(view: &V, measured: &Measured, pins: Pins, summary: Option<usize>) -> Self
    where
        V: Conversation + ?Sized,
    {
        let joined = joined_to_previous(view);
        let messages = joined.into_iter().zip(&measured.each).enumerate();
        let mut table = Self::new(messages.map(|(index, (joined, tokens))| {
            let message = view.message(index);
            let mut row = Row::new(message.role, tokens.all)
                .clippable(tokens.clippable)
                .clearable(tokens.clearable);
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::{ChatMessage, ChatRequest};
    use crate::estimate::CharEstimator;

    #[test]
    fn a_message_that_was_not_measured_has_no_row() {
        let chat = |count| ChatRequest::new("m", vec![ChatMessage::user("hi"); count]);
        for (measured, len) in [(1, 3), (3, 1)] {
            let measured = measure(&chat(measured), &CharEstimator::default());
            let table = Table::of(&chat(len), &measured, Pins::BOTH, Some(2));
            assert_eq!(table.len(), 1);
        }
    }
}
