use std::ops::Range;

use super::{Row, Table};

/// A group that the laws let go, and what that frees.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cuttable {
    /// The rows of the group. A system message or our own summary may stand among them; neither is
    /// freed.
    pub rows: Range<usize>,
    /// The tokens that are freed.
    pub tokens: u64,
    /// The messages that are freed.
    pub messages: usize,
}

impl Table {
    /// The [groups](Self::groups) that the laws let go, oldest first: no pin is in them, and not
    /// the newest message. A policy that counts what it frees counts these; what the laws keep
    /// frees nothing. Our own summary goes with the first that does.
    ///
    /// ```
    /// use contextfit_core::request::Role;
    /// use contextfit_core::table::{Row, Table};
    ///
    /// let table = Table::new([
    ///     Row::new(Role::System, 10),
    ///     Row::new(Role::User, 10).pinned(),
    ///     Row::new(Role::Assistant, 20),
    ///     Row::new(Role::Tool, 300).joined(),
    ///     Row::new(Role::User, 5),
    /// ]);
    /// let round = table.cuttable().next().expect("one may go");
    /// assert_eq!((round.rows, round.tokens, round.messages), (2..4, 320, 2));
    /// ```
    pub fn cuttable(&self) -> impl DoubleEndedIterator<Item = Cuttable> + '_ {
        let newest = self.newest_group();
        self.groups().filter_map(move |rows| {
            let may_go = |row: &&Row| !row.role.is_fixed() && !row.summary;
            let freed = || self.rows()[rows.clone()].iter().filter(may_go);
            let goes = freed().all(|row| !row.pinned && Some(row.group()) != newest);
            (goes && freed().next().is_some()).then(|| Cuttable {
                tokens: freed().fold(0, |sum, row| sum.saturating_add(row.tokens)),
                messages: freed().count(),
                rows: rows.clone(),
            })
        })
    }
}
