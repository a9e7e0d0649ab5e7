use super::{Cut, CutPolicy, Fate};
use crate::budget::Budget;
use crate::request::Role;
use crate::table::Table;

/// Replaces the texts of old tool results by markers, all but the newest few.
///
/// Nothing is cut and nobody summarizes: what was called stays, and each marker says how much
/// is missing, so that the model can call again. The newest group is never touched, because
/// nobody has read its results yet; neither are pins. Usually the first of several:
///
/// ```
/// use contextfit_core::cut::{ClearToolResults, CutPolicy, TopicAndRecent};
///
/// let policy = ClearToolResults::keep(3).then(TopicAndRecent);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ClearToolResults {
    keep: usize,
}

impl ClearToolResults {
    /// Keeps so many of the newest results, those of the newest group included.
    #[must_use]
    pub const fn keep(results: usize) -> Self {
        Self { keep: results }
    }
}

impl Default for ClearToolResults {
    /// Keeps three.
    fn default() -> Self {
        Self::keep(3)
    }
}

impl CutPolicy for ClearToolResults {
    fn cut(&self, table: &Table, _: &Budget) -> Option<Cut> {
        let newest = table.newest_group()?;
        let mut cut = Cut::none(table.len());
        let results = table.rows().iter().enumerate().rev();
        let results = results.filter(|(_, row)| row.role == Role::Tool);
        for (index, row) in results.skip(self.keep) {
            if row.clearable > 0 && !row.pinned && row.group() < newest {
                cut.set(index, Fate::CLEAR);
            }
        }
        (!cut.is_untouched()).then_some(cut)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::{BudgetRules, Window};
    use crate::table::Row;

    fn cleared(keep: usize, rows: &[Row]) -> Vec<usize> {
        let budget = Budget::new(Window::new(100), &BudgetRules::default(), 0, None, None);
        let cut =
            ClearToolResults::keep(keep).cut(&Table::new(rows.iter().copied()), &budget.unwrap());
        let fates = cut.map_or(vec![], |cut| cut.fates().to_vec());
        let cleared = |&index: &usize| fates[index] == Fate::CLEAR;
        (0..fates.len()).filter(cleared).collect()
    }

    #[test]
    fn the_newest_results_stay_and_older_ones_are_cleared() {
        let call = Row::new(Role::Assistant, 5);
        let result = Row::new(Role::Tool, 500).clearable(480).joined();
        let small = Row::new(Role::Tool, 5).joined();
        let rows = [call, result, small, call, result, call, result, result];
        assert_eq!(cleared(2, &rows), [1, 4]);
        assert_eq!(cleared(3, &rows), [1]);
        assert_eq!(cleared(9, &rows), [] as [usize; 0]);
        // Nobody has read the newest group.
        assert_eq!(cleared(0, &rows), [1, 4]);
        assert_eq!(cleared(0, &[call, result.pinned(), call]), [] as [usize; 0]);
        assert_eq!(cleared(0, &[]), [] as [usize; 0]);
    }
}
