//! A conversation as numbers: all that a policy sees.

mod cuttable;
mod groups;
mod open_calls;
mod read;
mod row;

pub use self::cuttable::Cuttable;
pub use self::read::Pins;
pub use self::row::Row;

use std::ops::Range;

/// A conversation as a table of numbers, one [`Row`] a message.
///
/// Rows are in the order of the messages. Every row belongs to a group, a run of messages that
/// stay or go together (a call and its results, a reasoning item and what follows it), and to
/// a turn, a user message with everything up to the next one.
///
/// ```
/// use contextfit_core::request::Role;
/// use contextfit_core::table::{Row, Table};
///
/// let table = Table::new([
///     Row::new(Role::User, 10),
///     Row::new(Role::Assistant, 20),
///     Row::new(Role::Tool, 300).joined(),
///     Row::new(Role::User, 5),
/// ]);
/// assert_eq!(table.groups().collect::<Vec<_>>(), [0..1, 1..3, 3..4]);
/// assert_eq!(table.rows()[2].turn(), 1);
/// assert_eq!(table.tokens(), 335);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Table {
    rows: Vec<Row>,
    groups: Vec<Range<usize>>,
}

impl Table {
    /// Makes a table, and numbers its groups and turns.
    pub fn new(rows: impl IntoIterator<Item = Row>) -> Self {
        let mut rows: Vec<Row> = rows.into_iter().collect();
        row::number(&mut rows);
        let mut start = 0;
        let groups = rows
            .chunk_by(|one, next| one.group() == next.group())
            .map(|rows| {
                let group = start..start + rows.len();
                start = group.end;
                group
            })
            .collect();
        Self { rows, groups }
    }

    /// The rows, one a message.
    #[must_use]
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// How many messages there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is no message.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The groups, oldest first, as ranges of rows.
    ///
    /// A system message inside a group is within its range, but never goes with it.
    pub fn groups(&self) -> impl DoubleEndedIterator<Item = Range<usize>> + '_ {
        self.groups.iter().cloned()
    }

    /// Tokens of all messages that may be cut.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.tokens_in(0..self.rows.len())
    }

    /// Tokens of the messages in a range, such as a [group](Self::groups), that may be cut.
    /// Sums saturate: what is left of a total is `saturating_sub`.
    #[must_use]
    pub fn tokens_in(&self, range: Range<usize>) -> u64 {
        let rows = self.rows.get(range).unwrap_or_default();
        sum(rows, |row| !row.role.is_fixed())
    }

    /// Tokens of the rows for which `pick` holds.
    pub fn sum(&self, pick: impl FnMut(&Row) -> bool) -> u64 {
        sum(&self.rows, pick)
    }

    /// The newest group with a message that may be cut and isn't our own summary; `None` if
    /// there is none.
    #[must_use]
    pub fn newest_group(&self) -> Option<usize> {
        self.rows
            .iter()
            .rev()
            .find(|row| !row.role.is_fixed() && !row.summary)
            .map(Row::group)
    }
}

fn sum(rows: &[Row], mut pick: impl FnMut(&Row) -> bool) -> u64 {
    rows.iter()
        .filter(|row| pick(row))
        .fold(0, |sum, row| sum.saturating_add(row.tokens))
}
