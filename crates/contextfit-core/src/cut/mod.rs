//! Which messages to cut: policies over a [`Table`], and the laws that hold for any of them.

mod clear_tool_results;
mod clip_tool_results;
mod drop_oldest;
mod fate;
mod laws;
mod policy;
mod recent_budget;
mod suffix;
mod then;
mod topic_and_recent;

pub use self::clear_tool_results::ClearToolResults;
pub use self::clip_tool_results::ClipToolResults;
pub use self::drop_oldest::DropOldest;
pub use self::fate::Fate;
pub use self::laws::{enforce, everything};
pub use self::policy::{CutPolicy, CutPolicyFn, cut_policy_fn};
pub use self::recent_budget::RecentBudget;
pub use self::then::{Enough, Then};
pub use self::topic_and_recent::TopicAndRecent;

use std::ops::Range;

use crate::table::Table;

/// What becomes of each message: a [`Fate`] for every one of them.
///
/// Messages that are summarized or dropped are *cut*. One message, a summary or a notice, takes
/// the place of all that is cut.
///
/// ```
/// use contextfit_core::cut::{Cut, Fate};
///
/// let mut cut = Cut::of(5, 1..3);
/// cut.set(4, Fate::Clip(100));
/// assert!(cut.contains(2));
/// assert!(!cut.contains(4));
/// assert_eq!(cut.count(), 2);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    fates: Vec<Fate>,
}

impl Cut {
    /// Keeps all of `len` messages.
    #[must_use]
    pub fn none(len: usize) -> Self {
        Self {
            fates: vec![Fate::Keep; len],
        }
    }

    /// Summarizes a range of `len` messages. What of the range is beyond the end is ignored.
    #[must_use]
    pub fn of(len: usize, range: Range<usize>) -> Self {
        let mut cut = Self::none(len);
        cut.add(range);
        cut
    }

    /// Summarizes a range too. What of it is beyond the end is ignored.
    pub fn add(&mut self, range: Range<usize>) {
        let end = range.end.min(self.fates.len());
        if let Some(messages) = self.fates.get_mut(range.start..end) {
            messages.fill(Fate::Summarize);
        }
    }

    /// Keeps a message after all, as it is.
    pub fn keep(&mut self, index: usize) {
        self.set(index, Fate::Keep);
    }

    /// Decides about one message. An index beyond the end is ignored.
    pub fn set(&mut self, index: usize, fate: Fate) {
        if let Some(message) = self.fates.get_mut(index) {
            *message = fate;
        }
    }

    /// Decides otherwise about all that is cut.
    pub(crate) fn replace(&mut self, fate: Fate) {
        for message in self.fates.iter_mut().filter(|message| message.is_cut()) {
            *message = fate;
        }
    }

    /// What becomes of message `index`.
    #[must_use]
    pub fn fate(&self, index: usize) -> Fate {
        self.fates.get(index).copied().unwrap_or_default()
    }

    /// What becomes of each message, in order.
    #[must_use]
    pub fn fates(&self) -> &[Fate] {
        &self.fates
    }

    /// Whether message `index` is cut.
    #[must_use]
    pub fn contains(&self, index: usize) -> bool {
        self.fate(index).is_cut()
    }

    /// How many messages are cut.
    #[must_use]
    pub fn count(&self) -> usize {
        self.iter().count()
    }

    /// How many messages there are once the cut is made: those that are kept, and the one that takes
    /// the place of all that are cut.
    #[must_use]
    pub fn messages_after(&self) -> usize {
        self.len() - self.count() + usize::from(!self.is_empty())
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
        self.fates.len()
    }

    /// Whether no message is cut. Some may be clipped.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.fates.iter().any(|fate| fate.is_cut())
    }

    /// Whether every message stays as it is.
    #[must_use]
    pub fn is_untouched(&self) -> bool {
        self.fates.iter().all(|&fate| fate == Fate::Keep)
    }

    /// The messages that are cut, in order.
    pub fn iter(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        self.with(Fate::is_cut)
    }

    /// The messages that a summary covers, in order.
    pub fn summarized(&self) -> impl Iterator<Item = usize> + Clone + '_ {
        self.with(|fate| fate == Fate::Summarize)
    }

    fn with(&self, is: fn(Fate) -> bool) -> impl Iterator<Item = usize> + Clone + '_ {
        self.fates
            .iter()
            .enumerate()
            .filter_map(move |(index, &fate)| is(fate).then_some(index))
    }
}
