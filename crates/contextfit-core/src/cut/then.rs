use super::{Cut, CutPolicy, Fate, enforce};
use crate::budget::Budget;
use crate::table::Table;

/// One policy after another: the second sees what the first leaves, if that isn't enough.
///
/// Made by [`CutPolicy::then`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Then<A, B> {
    first: A,
    second: B,
    enough: Enough,
}

/// When the first of two policies was enough.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Enough {
    /// What it keeps fits into the target, so that the next requests will fit as well.
    #[default]
    Target,
    /// What it keeps fits into the limit.
    Limit,
}

impl<A, B> Then<A, B> {
    pub(super) const fn new(first: A, second: B) -> Self {
        Self {
            first,
            second,
            enough: Enough::Target,
        }
    }

    /// Sets when the first is enough. When it reaches the target, unless set.
    #[must_use]
    pub const fn enough(mut self, enough: Enough) -> Self {
        self.enough = enough;
        self
    }
}

impl<A: CutPolicy, B: CutPolicy> CutPolicy for Then<A, B> {
    fn cut(&self, table: &Table, budget: &Budget) -> Option<Cut> {
        let first = self.first.cut(table, budget);
        // What the laws forbid isn't done, so it doesn't count.
        let Some(mut cut) = first.and_then(|cut| enforce(table, cut)) else {
            return self.second.cut(table, budget);
        };
        let (left, indices) = left_by(table, &cut);
        let (tokens, messages) = match self.enough {
            Enough::Target => (budget.target, budget.target_messages),
            Enough::Limit => (budget.limit, budget.max_messages),
        };
        if left.tokens() <= tokens && cut.messages_after() <= messages {
            return Some(cut);
        }
        if let Some(second) = self.second.cut(&left, budget) {
            for (&index, &fate) in indices.iter().zip(second.fates()) {
                if fate != Fate::Keep {
                    cut.set(index, fate);
                }
            }
        }
        Some(cut)
    }
}

/// The messages that a cut keeps, as they are after it, and their places in the whole.
fn left_by(table: &Table, cut: &Cut) -> (Table, Vec<usize>) {
    let kept = (0..table.len()).filter(|&index| !cut.contains(index));
    let indices: Vec<usize> = kept.collect();
    let rows = indices
        .iter()
        .map(|&index| cut.fate(index).leaves(table.rows()[index]));
    (Table::new(rows), indices)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::{BudgetRules, Window};
    use crate::cut::{ClearToolResults, DropOldest, TopicAndRecent};
    use crate::request::Role;
    use crate::table::Row;

    fn fates(policy: &impl CutPolicy, limit: u64) -> Vec<Fate> {
        let rules = BudgetRules {
            reserve: Some(0),
            ..BudgetRules::default()
        };
        let budget = Budget::new(Window::new(limit), &rules, 0, None, None).unwrap();
        let call = Row::new(Role::Assistant, 10);
        let result = Row::new(Role::Tool, 110).clearable(100).joined();
        let rows = [
            Row::new(Role::User, 10),
            call,
            result,
            call,
            result,
            Row::new(Role::User, 10),
        ];
        let cut = policy.cut(&Table::new(rows), &budget);
        cut.map_or(vec![], |cut| cut.fates().to_vec())
    }

    const K: Fate = Fate::Keep;
    const C: Fate = Fate::CLEAR;
    const S: Fate = Fate::Summarize;

    #[test]
    fn the_second_is_asked_where_the_first_is_not_enough() {
        let policy = ClearToolResults::keep(0).then(TopicAndRecent);
        // 260 tokens become 60.
        assert_eq!(fates(&policy, 120), [K, K, C, K, C, K]);
        // Half of 100 holds the task, the question and one round that was cleared.
        assert_eq!(fates(&policy, 100), [K, S, S, K, C, K]);
        assert_eq!(fates(&policy.enough(Enough::Limit), 60), [K, K, C, K, C, K]);
    }

    #[test]
    fn a_first_that_cuts_nothing_leaves_it_to_the_second() {
        let policy = ClearToolResults::keep(2).then(DropOldest);
        let dropped = Fate::Drop;
        assert_eq!(
            fates(&policy, 300),
            [dropped, dropped, dropped, K, K, K],
            "10 + 120 tokens fit into 150"
        );
    }
}
