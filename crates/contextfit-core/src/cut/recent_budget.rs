use super::suffix::{Held, start_of_suffix};
use super::{Cut, CutPolicy};
use crate::budget::Budget;
use crate::table::Table;

/// Keeps as many of the newest groups as fit into a budget of their own, and summarizes all
/// before them, the task and the start of the current turn included.
///
/// The budget is a ceiling, exceeded only when the newest group alone is larger. It is never
/// more than a quarter of what the window leaves beside the reserve, nor than the target.
/// This is how the WeKnora project compacts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RecentBudget {
    keep: u64,
}

impl RecentBudget {
    /// Tokens of recent messages to keep, unless set.
    pub const KEEP: u64 = 20_000;

    /// Keeps so many tokens of recent messages. 0 means [`KEEP`](Self::KEEP).
    #[must_use]
    pub const fn new(keep: u64) -> Self {
        Self {
            keep: if keep == 0 { Self::KEEP } else { keep },
        }
    }

    /// The tokens to keep under a budget.
    ///
    /// ```
    /// use contextfit_core::budget::{Budget, BudgetRules, Window};
    /// use contextfit_core::cut::RecentBudget;
    ///
    /// let mut rules = BudgetRules::default();
    /// rules.reserve = Some(8_000);
    /// let small = Budget::new(Window::new(20_000), &rules, 0, None, None)?;
    /// assert_eq!(RecentBudget::default().keep(&small), 3_000);
    /// # Ok::<(), contextfit_core::budget::BudgetError>(())
    /// ```
    #[must_use]
    pub fn keep(&self, budget: &Budget) -> u64 {
        let quarter = budget.ceiling.saturating_sub(budget.reserve) / 4;
        let keep = if quarter > 0 {
            self.keep.min(quarter)
        } else {
            self.keep
        };
        keep.min(budget.target)
    }
}

impl Default for RecentBudget {
    fn default() -> Self {
        Self::new(Self::KEEP)
    }
}

impl CutPolicy for RecentBudget {
    fn cut(&self, table: &Table, budget: &Budget) -> Option<Cut> {
        let start = start_of_suffix(table, budget, self.keep(budget), &Held::none())?;
        (start > 0).then(|| Cut::of(table.len(), 0..start))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::{BudgetRules, Window};
    use crate::request::Role;
    use crate::table::Row;

    fn cut(table: &Table, window: u64) -> Vec<usize> {
        let rules = BudgetRules {
            reserve: Some(0),
            ..BudgetRules::default()
        };
        let budget = Budget::new(Window::new(window), &rules, 0, None, None).unwrap();
        RecentBudget::default()
            .cut(table, &budget)
            .map_or(vec![], |cut| cut.iter().collect())
    }

    #[test]
    fn the_kept_tail_fills_its_budget_exactly() {
        let table = Table::new([10, 10, 15, 10].map(|tokens| Row::new(Role::User, tokens)));
        assert_eq!(cut(&table, 100), [0, 1]);
        assert_eq!(cut(&table, 96), [0, 1, 2]);
    }

    #[test]
    fn a_turn_of_many_rounds_is_cut_at_a_group_border() {
        let mut rows = vec![Row::new(Role::User, 5)];
        for _ in 0..40 {
            rows.push(Row::new(Role::Assistant, 5));
            rows.push(Row::new(Role::Tool, 5).joined());
        }
        let table = Table::new(rows);
        // 25 of 100 tokens hold two rounds.
        assert_eq!(cut(&table, 100), (0..77).collect::<Vec<_>>());
    }

    #[test]
    fn what_is_inside_its_budget_is_nothing_to_cut() {
        let table = Table::new([10, 10].map(|tokens| Row::new(Role::User, tokens)));
        assert_eq!(cut(&table, 100), [] as [usize; 0]);
        assert_eq!(cut(&Table::default(), 100), [] as [usize; 0]);
    }
}
