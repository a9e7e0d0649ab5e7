//! Writing a policy: what decides which messages go.
//!
//! A [`CutPolicy`] is a function of numbers. It sees a [`Budget`] and a [`Table`]: one [`Row`] for
//! each message, with its role, its tokens, its group and its turn. It never sees text, and knows
//! nothing of the request's type. It answers with a [`Cut`], or with `None` if it wouldn't cut.
//!
//! It needn't be careful. Whatever it returns, the laws are [enforced] on it:
//!
//! 1. System and developer messages are kept.
//! 2. Pinned messages are kept.
//! 3. The newest group is kept, so there is always something to answer.
//! 4. A group is cut whole or kept whole.
//! 5. A summary of ours that stands in the conversation goes with whatever else goes: the new
//!    summary takes its place.
//!
//! What it is asked for:
//!
//! - What it keeps comes to at most [`Budget::target`], where that can be done. The limit is too
//!   much: the next request would be compacted again.
//! - It is pure. The same table and budget give the same cut.
//! - All arithmetic saturates: a table may hold numbers near the end of their range.
//!
//! Where a cut isn't enough, the engine clips tool results in what is kept, and then cuts all that
//! the laws allow. `None` is taken at its word: then there are only clips.
//!
//! # A small one
//!
//! ```
//! use contextfit::budget::{Budget, BudgetRules, Window};
//! use contextfit::cut::{Cut, CutPolicy, enforce};
//! use contextfit::request::Role;
//! use contextfit::table::{Row, Table};
//! use contextfit::Fitter;
//!
//! /// Cuts whole turns, the oldest first, until the target is reached.
//! #[derive(Clone, Copy, Debug)]
//! struct OldestTurns;
//!
//! impl CutPolicy for OldestTurns {
//!     fn cut(&self, table: &Table, budget: &Budget) -> Option<Cut> {
//!         let turn_of = |index: usize| table.rows().get(index).map(Row::turn);
//!         let mut end = 0;
//!         while end < table.len() && table.tokens_in(end..table.len()) > budget.target {
//!             let turn = turn_of(end);
//!             while end < table.len() && turn_of(end) == turn {
//!                 end += 1;
//!             }
//!         }
//!         (end > 0).then(|| Cut::of(table.len(), 0..end))
//!     }
//! }
//!
//! // A table of numbers is enough to try it.
//! let table = Table::new([
//!     Row::new(Role::User, 50).pinned(),
//!     Row::new(Role::Assistant, 20),
//!     Row::new(Role::Tool, 400).joined(), // in the group of the call before it
//!     Row::new(Role::User, 30),
//!     Row::new(Role::Assistant, 60),
//! ]);
//! let mut rules = BudgetRules::default();
//! rules.reserve = Some(0);
//! let budget = Budget::new(Window::new(300), &rules, 0, None, None)?;
//! assert_eq!(budget.target, 150);
//!
//! let asked = OldestTurns.cut(&table, &budget).expect("560 tokens are over 150");
//! assert_eq!(asked.iter().collect::<Vec<_>>(), [0, 1, 2]);
//! // It would cut the pin, which the laws don't allow.
//! let lawful = enforce(&table, asked).expect("something may go");
//! assert_eq!(lawful.iter().collect::<Vec<_>>(), [1, 2]);
//!
//! let fitter = Fitter::builder().window(128_000).policy(OldestTurns).build()?;
//! # Ok::<(), contextfit::BoxError>(())
//! ```
//!
//! (`tokens_in` sums up from scratch each time, which is plain and slow for ten thousand messages.
//! A policy for those keeps a running total.) [`cut_policy_fn`] makes a policy of a closure.
//!
//! # Its test
//!
//! The laws of `contextfit-testing` run a policy as the layers do, work out by themselves what must
//! be true of the result, and say which law is broken at which row. Its strategies make tables that
//! reach beyond what real conversations do.
//!
//! ```
//! # use contextfit::budget::Budget;
//! # use contextfit::cut::{Cut, CutPolicy, enforce};
//! # use contextfit::table::{Row, Table};
//! # #[derive(Clone, Copy, Debug)]
//! # struct OldestTurns;
//! # impl CutPolicy for OldestTurns {
//! #     fn cut(&self, table: &Table, budget: &Budget) -> Option<Cut> {
//! #         let turn_of = |index: usize| table.rows().get(index).map(Row::turn);
//! #         let mut end = 0;
//! #         while end < table.len() && table.tokens_in(end..table.len()) > budget.target {
//! #             let turn = turn_of(end);
//! #             while end < table.len() && turn_of(end) == turn {
//! #                 end += 1;
//! #             }
//! #         }
//! #         (end > 0).then(|| Cut::of(table.len(), 0..end))
//! #     }
//! # }
//! use contextfit_testing::laws::{check_cut, check_draft};
//! use contextfit_testing::strategies::{budgets, draft_rules, tables};
//! use proptest::prelude::*;
//!
//! proptest!(|(table in tables(), budget in budgets(), rules in draft_rules())| {
//!     check_cut(&table, &budget, &OldestTurns).map_err(TestCaseError::fail)?;
//!     check_draft(&table, &budget, &OldestTurns, &rules).map_err(TestCaseError::fail)?;
//!
//!     // What this policy promises beyond the laws: what it keeps is within the target.
//!     if let Some(cut) = OldestTurns.cut(&table, &budget) {
//!         let kept = (0..table.len()).filter(|&index| !cut.contains(index));
//!         let kept = kept.fold(0, |sum: u64, index| {
//!             sum.saturating_add(table.tokens_in(index..index + 1))
//!         });
//!         prop_assert!(kept <= budget.target);
//!     }
//! });
//! ```
//!
//! [`CutPolicy`]: crate::cut::CutPolicy
//! [`Table`]: crate::table::Table
//! [`Row`]: crate::table::Row
//! [`Budget`]: crate::budget::Budget
//! [`Budget::target`]: crate::budget::Budget::target
//! [`Cut`]: crate::cut::Cut
//! [enforced]: crate::cut::enforce
//! [`cut_policy_fn`]: crate::cut::cut_policy_fn
