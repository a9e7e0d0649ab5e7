use super::{Cut, CutPolicy, Fate};
use crate::budget::Budget;
use crate::request::Role;
use crate::table::{Row, Table};

/// Clips tool results so that all of them together cost no more than a total.
///
/// The total is spent on the newest first. The first that doesn't fit keeps a head and a tail of
/// what is left, older ones a marker. Nothing is cut, and calls are as they were. Pins stay whole
/// and count towards the total. This is how the WeKnora project trims.
///
/// ```
/// use contextfit_core::cut::{ClipToolResults, CutPolicy, RecentBudget};
///
/// let policy = RecentBudget::default().then(ClipToolResults::total(10_000));
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClipToolResults {
    total: Option<u64>,
}

impl ClipToolResults {
    /// The least total there is unless set, in tokens.
    pub const LEAST: u64 = 8_192;
    /// The largest total there is unless set, in tokens.
    pub const MOST: u64 = 32_768;

    /// Leaves so many tokens to all results together. A fifth of the ceiling unless set, and
    /// then between [`LEAST`](Self::LEAST) and [`MOST`](Self::MOST).
    #[must_use]
    pub const fn total(tokens: u64) -> Self {
        Self {
            total: Some(tokens),
        }
    }

    /// The total under a budget, in tokens.
    #[must_use]
    pub fn total_under(&self, budget: &Budget) -> u64 {
        let fifth = budget.ceiling / 5;
        self.total
            .unwrap_or_else(|| fifth.clamp(Self::LEAST, Self::MOST))
    }
}

impl CutPolicy for ClipToolResults {
    fn cut(&self, table: &Table, budget: &Budget) -> Option<Cut> {
        let results = || {
            let rows = table.rows().iter().enumerate().rev();
            rows.filter(|(_, row)| row.role == Role::Tool)
        };
        // All start as markers; then the newest become whole again while the total lasts.
        let least = |row: &Row| {
            if row.pinned {
                row.tokens
            } else {
                row.cleared()
            }
        };
        let markers = results().fold(0_u64, |sum, (_, row)| sum.saturating_add(least(row)));
        let mut left = Some(self.total_under(budget).saturating_sub(markers));
        let mut cut = Cut::none(table.len());
        for (index, row) in results() {
            let more = row.tokens - least(row);
            match left {
                Some(tokens) if more <= tokens => left = Some(tokens - more),
                _ => {
                    // What is left is spent on the first that doesn't fit, and none on the others.
                    let preview = row.cleared().saturating_add(left.take().unwrap_or(0));
                    if more > 0 {
                        cut.set(index, Fate::Clip(preview));
                    }
                }
            }
        }
        (!cut.is_untouched()).then_some(cut)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::{BudgetRules, Window};

    fn budget(window: u64) -> Budget {
        let rules = BudgetRules::default();
        Budget::new(Window::new(window), &rules, 0, None, None).unwrap()
    }

    #[test]
    fn the_total_is_spent_on_the_newest_first() {
        // A marker costs 20.
        let result = |tokens: u64| Row::new(Role::Tool, tokens).clearable(tokens - 20);
        let rows = [
            result(520),
            Row::new(Role::Assistant, 900),
            result(1_020),
            result(320),
            result(120),
        ];
        let cut = |total| {
            ClipToolResults::total(total)
                .cut(&Table::new(rows), &budget(1_000))
                .map_or(vec![], |cut| cut.fates().to_vec())
        };
        assert_eq!(cut(1_980), []);
        let (keep, clip) = (Fate::Keep, Fate::Clip);
        assert_eq!(cut(1_979), [clip(519), keep, keep, keep, keep]);
        // 80 of markers, 100 and 300 for the newest two, 200 for a part of the next.
        assert_eq!(cut(680), [clip(20), keep, clip(220), keep, keep]);
        assert_eq!(cut(0), [clip(20), keep, clip(20), clip(20), clip(20)]);
    }

    #[test]
    fn the_total_follows_from_the_window() {
        let total = |window| ClipToolResults::default().total_under(&budget(window));
        assert_eq!(total(8_000), 8_192);
        assert_eq!(total(100_000), 20_000);
        assert_eq!(total(1_000_000), 32_768);
    }
}
