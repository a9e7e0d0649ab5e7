use super::suffix::{Held, start_of_suffix};
use super::{Cut, CutPolicy};
use crate::budget::Budget;
use crate::request::Role;
use crate::table::Table;

/// Keeps the topic, which is the first user message, and as many of the newest groups as fit
/// beside it into the target.
///
/// Pinned messages count towards the target too, wherever they stand, with the groups they
/// hold. The newest group is kept even when it is larger than the target. This is how the
/// kerness project compacts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct TopicAndRecent;

impl CutPolicy for TopicAndRecent {
    fn cut(&self, table: &Table, budget: &Budget) -> Option<Cut> {
        let rows = table.rows();
        let topic = rows
            .iter()
            .position(|row| row.role == Role::User && !row.summary);
        let held = Held::by(table, |index, row| row.pinned || Some(index) == topic);
        let start = start_of_suffix(table, budget, budget.target, &held)?;
        let mut cut = Cut::of(table.len(), 0..start);
        if let Some(topic) = topic {
            cut.keep(topic);
        }
        (!cut.is_empty()).then_some(cut)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::Row;

    fn budget(limit: u64) -> Budget {
        use crate::budget::{BudgetRules, Window};
        let rules = BudgetRules {
            reserve: Some(0),
            ..BudgetRules::default()
        };
        Budget::new(Window::new(limit), &rules, 0, None, None).unwrap()
    }

    fn chat(tokens: &[u64]) -> Table {
        Table::new(tokens.iter().enumerate().map(|(index, &tokens)| {
            Row::new(
                if index % 2 == 0 {
                    Role::User
                } else {
                    Role::Assistant
                },
                tokens,
            )
        }))
    }

    fn cut(table: &Table, limit: u64) -> Vec<usize> {
        TopicAndRecent
            .cut(table, &budget(limit))
            .map_or(vec![], |cut| cut.iter().collect())
    }

    #[test]
    fn the_topic_and_the_newest_that_fit_stay() {
        let table = chat(&[10, 50, 50, 20, 20]);
        // Half of 100, less the topic: 40 tokens, which two messages just fill.
        assert_eq!(cut(&table, 100), [1, 2]);
        assert_eq!(cut(&table, 98), [1, 2, 3]);
    }

    #[test]
    fn the_newest_stays_whatever_it_costs() {
        assert_eq!(cut(&chat(&[10, 50, 50, 500]), 100), [1, 2]);
        // A topic above the target leaves less than nothing.
        assert_eq!(cut(&chat(&[90, 5, 5, 5]), 100), [1, 2]);
    }

    #[test]
    fn what_a_pin_holds_counts_towards_the_target() {
        let table = Table::new([
            Row::new(Role::User, 10),
            Row::new(Role::Assistant, 5),
            Row::new(Role::Tool, 5).joined().pinned(),
            Row::new(Role::Tool, 30).joined(),
            Row::new(Role::Assistant, 20),
            Row::new(Role::User, 5),
        ]);
        // The results beside the pinned one stay with it, and leave no room for the answer.
        let cut = TopicAndRecent.cut(&table, &budget(110)).unwrap();
        assert_eq!(cut.iter().collect::<Vec<_>>(), [1, 2, 3, 4]);
        assert_eq!(
            crate::cut::enforce(&table, cut)
                .unwrap()
                .iter()
                .collect::<Vec<_>>(),
            [4]
        );
    }

    #[test]
    fn nothing_between_topic_and_newest_is_nothing_to_cut() {
        assert_eq!(cut(&chat(&[500, 500]), 100), [] as [usize; 0]);
        assert_eq!(cut(&chat(&[500]), 100), [] as [usize; 0]);
        assert_eq!(cut(&Table::default(), 100), [] as [usize; 0]);
    }
}
