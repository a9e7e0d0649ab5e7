//! Which messages to cut: policies over a [`Table`], and the laws that hold for any of them.

mod laws;
mod policy;
mod recent_budget;
mod suffix;
mod topic_and_recent;

pub use self::laws::{enforce, everything};
pub use self::policy::{CutPolicy, CutPolicyFn, cut_policy_fn};
pub use self::recent_budget::RecentBudget;
pub use self::topic_and_recent::TopicAndRecent;

use std::ops::Range;

use crate::table::Table;

/// Which messages to cut: each is replaced by the summary or kept.
///
/// ```
/// use contextfit_core::cut::Cut;
///
/// let cut = Cut::of(5, 1..3);
/// assert!(cut.contains(2));
/// assert!(!cut.contains(3));
/// assert_eq!(cut.count(), 2);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    cut: Vec<bool>,
}

impl Cut {
    /// Cuts nothing of `len` messages.
    #[must_use]
    pub fn none(len: usize) -> Self {
        Self {
            cut: vec![false; len],
        }
    }

    /// Cuts a range of `len` messages. What of the range is beyond the end is ignored.
    #[must_use]
    pub fn of(len: usize, range: Range<usize>) -> Self {
        let mut cut = Self::none(len);
        cut.add(range);
        cut
    }

    /// Cuts a range too. What of it is beyond the end is ignored.
    pub fn add(&mut self, range: Range<usize>) {
        let end = range.end.min(self.cut.len());
        if let Some(messages) = self.cut.get_mut(range.start..end) {
            messages.fill(true);
        }
    }

    /// Keeps a message after all.
    pub fn keep(&mut self, index: usize) {
        if let Some(message) = self.cut.get_mut(index) {
            *message = false;
        }
    }

    /// Whether message `index` is cut.
    #[must_use]
    pub fn contains(&self, index: usize) -> bool {
        self.cut.get(index).copied().unwrap_or(false)
    }

    /// How many messages are cut.
    #[must_use]
    pub fn count(&self) -> usize {
        self.cut.iter().filter(|&&cut| cut).count()
    }

    /// Tokens of the messages that are cut, by the table that the cut was made from.
    #[must_use]
    pub fn tokens(&self, table: &Table) -> u64 {
        self.iter()
            .filter_map(|index| table.rows().get(index))
            .fold(0, |sum, row| sum.saturating_add(row.tokens))
    }

    /// How many messages the cut is over, cut or not.
    #[must_use]
    pub fn len(&self) -> usize {
        self.cut.len()
    }

    /// Whether nothing is cut.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.cut.contains(&true)
    }

    /// The messages that are cut, in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        self.cut
            .iter()
            .enumerate()
            .filter_map(|(index, &cut)| cut.then_some(index))
    }
}
