//! Choosing, composing and writing a policy: what decides which messages go.
//!
//! A [`CutPolicy`] is a function of numbers. It sees a [`Budget`] and a [`Table`]: one [`Row`] for
//! each message, with its role, its tokens, its group and its turn. It never sees text, and knows
//! nothing of the request's type. It answers with a [`Cut`], which is a [`Fate`] for each message, or
//! with `None` if it would change nothing.
//!
//! | fate | the message |
//! |---|---|
//! | `Keep` | stays as it is |
//! | `Clip(tokens)` | stays, with its tool results clipped so that it costs at most so many; `CLEAR` asks for markers alone, which leaves [`Row::cleared`] |
//! | `Summarize` | goes, and the summary covers it; where nobody writes one, a notice counts it |
//! | `Drop` | goes, and a notice counts it; nobody is asked to summarize it |
//!
//! # Those that are shipped
//!
//! | policy | what it does |
//! |---|---|
//! | [`TopicAndRecent`] | summarizes all but the task and what fits of the newest into the target; the default |
//! | [`RecentBudget`] | summarizes all but the newest that fit into a budget of their own |
//! | [`DropOldest`] | drops the oldest until the target is reached |
//! | [`ClearToolResults`] | puts markers in the place of old tool results |
//! | [`ClipToolResults`] | clips tool results to a total, which is spent on the newest first |
//!
//! [`DropOldest`], [`ClearToolResults`] and [`ClipToolResults`] cost no call. [`then`] puts a policy
//! behind another: it sees what the first one leaves, if that is over the target; or with
//! [`Enough::Limit`], over the limit.
//!
//! ```
//! use contextfit::budget::{Budget, BudgetRules, Window};
//! use contextfit::cut::{ClearToolResults, CutPolicy, DropOldest, Fate, enforce};
//! use contextfit::request::Role;
//! use contextfit::table::{Row, Table};
//!
//! // A task, and rounds of a tool. A marker would take 360 tokens off each result.
//! let (call, result) = (Row::new(Role::Assistant, 20), Row::new(Role::Tool, 400).clearable(360));
//! let table = |rounds: usize| {
//!     let rounds = [call, result.joined()].repeat(rounds);
//!     Table::new([Row::new(Role::User, 50).pinned()].into_iter().chain(rounds))
//! };
//! let budget = Budget::new(Window::new(2_667), &BudgetRules::default(), 0, None, None)?;
//! assert_eq!(budget.target, 1_000);
//!
//! let policy = ClearToolResults::keep(1).then(DropOldest);
//! for (rounds, cleared, dropped) in [(5, 4, 0), (12, 8, 6)] {
//!     let cut = policy.cut(&table(rounds), &budget).expect("it is over the target");
//!     // In the layers, laws are enforced on it: the task stays.
//!     let cut = enforce(&table(rounds), cut).expect("something may go");
//!     let count = |fate| cut.fates().iter().filter(|&&one| one == fate).count();
//!     assert_eq!((count(Fate::CLEAR), count(Fate::Drop)), (cleared, dropped));
//! }
//! # Ok::<(), contextfit::budget::BudgetError>(())
//! ```
//!
//! **End with one that cuts.** Where a policy isn't enough for the limit, the engine clips tool
//! results in what it keeps; where it only clips, it goes on with [`TopicAndRecent`]; and then it
//! cuts all that the laws allow. `None` is taken at its word: then there are only clips, unless
//! there are too many messages. So a policy that clears and never cuts, alone, may do too little.
//!
//! # The laws
//!
//! A policy needn't be careful. Whatever it returns, these are [enforced] on it:
//!
//! 1. System and developer messages are kept as they are.
//! 2. Pinned messages are kept as they are.
//! 3. The newest group is kept, so there is always something to answer. Its results may be clipped.
//! 4. A group is cut whole or kept whole.
//! 5. A summary of ours goes with whatever else goes, and never alone: the new one takes its place.
//! 6. Only tool results are clipped, and only to fewer tokens than they have.
//!
//! What it is asked for:
//!
//! - What it keeps comes to at most [`Budget::target`] tokens, where that can be done. The limit is
//!   too much: the next request would be compacted again.
//! - Where the number of messages is bounded, it comes to at most [`Budget::target_messages`], too,
//!   with system messages and the one that takes the place of what is cut.
//! - It needn't know the laws. Where it counts how much is freed, it asks [`Table::cuttable`], the
//!   groups that the laws let go, oldest first, with what each frees: what the laws keep frees
//!   nothing.
//! - It is pure. The same table and budget give the same cut.
//! - All arithmetic saturates: a table may hold numbers near the end of their range.
//!
//! # One of your own, and its test
//!
//! [`cut_policy_fn`] makes a policy of a closure. This is a type. The laws of `contextfit-testing`
//! run it as the layers do, work out by themselves what must be true of the result, and say which
//! law is broken at which row. Its strategies make tables that reach beyond real conversations.
//!
//! ```
//! use contextfit::Fitter;
//! use contextfit::budget::Budget;
//! use contextfit::cut::{Cut, CutPolicy, Fate, TopicAndRecent, enforce};
//! use contextfit::request::Role;
//! use contextfit::table::Table;
//! use contextfit_testing::laws::{check_cut, check_draft};
//! use contextfit_testing::strategies::{budgets, draft_rules, tables};
//! use proptest::prelude::*;
//!
//! /// Tool results fade: those of the turn before are clipped to a hundred tokens, and older rounds
//! /// of tools are dropped. What came of them is in the answers.
//! #[derive(Clone, Copy, Debug)]
//! struct Fading;
//!
//! impl CutPolicy for Fading {
//!     fn cut(&self, table: &Table, _: &Budget) -> Option<Cut> {
//!         let (rows, newest) = (table.rows(), table.rows().last()?.turn());
//!         let mut cut = Cut::none(table.len());
//!         for group in table.groups() {
//!             let is_round = rows[group.clone()].iter().any(|row| row.role == Role::Tool);
//!             for index in group.filter(|_| is_round) {
//!                 match newest - rows[index].turn() {
//!                     0 => {}
//!                     1 => cut.set(index, Fate::Clip(100)),
//!                     _ => cut.set(index, Fate::Drop),
//!                 }
//!             }
//!         }
//!         (!cut.is_untouched()).then_some(cut)
//!     }
//! }
//!
//! proptest!(|(table in tables(), budget in budgets(), rules in draft_rules())| {
//!     check_cut(&table, &budget, &Fading).map_err(TestCaseError::fail)?;
//!     check_draft(&table, &budget, &Fading, &rules).map_err(TestCaseError::fail)?;
//!
//!     // What it promises beyond the laws: nothing of the last turn is touched, but for our own
//!     // summary, which goes with whatever else does; and nobody is asked for a new one.
//!     if let Some(cut) = Fading.cut(&table, &budget).and_then(|cut| enforce(&table, cut)) {
//!         let newest = table.rows().last().map(|row| row.turn());
//!         for (row, fate) in table.rows().iter().zip(cut.fates()) {
//!             prop_assert!(*fate == Fate::Keep || row.summary || Some(row.turn()) != newest);
//!             prop_assert!(*fate != Fate::Summarize);
//!         }
//!     }
//! });
//!
//! // It clips and drops what it says, enough or not. What is left is the affair of the next.
//! let fitter = Fitter::builder().window(128_000).policy(Fading.then(TopicAndRecent)).build()?;
//! # Ok::<(), contextfit::BoxError>(())
//! ```
//!
//! [`CutPolicy`]: crate::cut::CutPolicy
//! [`Table::cuttable`]: crate::table::Table::cuttable
//! [`Table`]: crate::table::Table
//! [`Row`]: crate::table::Row
//! [`Row::cleared`]: crate::table::Row::cleared
//! [`Budget`]: crate::budget::Budget
//! [`Budget::target`]: crate::budget::Budget::target
//! [`Budget::target_messages`]: crate::budget::Budget::target_messages
//! [`Cut`]: crate::cut::Cut
//! [`Fate`]: crate::cut::Fate
//! [`TopicAndRecent`]: crate::cut::TopicAndRecent
//! [`RecentBudget`]: crate::cut::RecentBudget
//! [`DropOldest`]: crate::cut::DropOldest
//! [`ClearToolResults`]: crate::cut::ClearToolResults
//! [`ClipToolResults`]: crate::cut::ClipToolResults
//! [`then`]: crate::cut::CutPolicy::then
//! [`Enough::Limit`]: crate::cut::Enough::Limit
//! [enforced]: crate::cut::enforce
//! [`cut_policy_fn`]: crate::cut::cut_policy_fn
