//! Random tables, budgets, conversations and policies, for property tests with `proptest`.
//!
//! They reach what real conversations reach and beyond: empty ones, messages without tokens,
//! numbers near the end of their range, parallel calls, results of calls nobody made.
//!
//! ```
//! use contextfit_core::cut::TopicAndRecent;
//! use contextfit_testing::laws::check_cut;
//! use contextfit_testing::strategies::{budgets, tables};
//! use proptest::prelude::*;
//!
//! proptest!(|(table in tables(), budget in budgets())| {
//!     check_cut(&table, &budget, &TopicAndRecent).map_err(TestCaseError::fail)?;
//! });
//! ```

mod budget;
mod conversation;
mod hostile;
mod policy;
mod table;
mod text;

pub use self::budget::{budgets, draft_rules};
pub use self::conversation::conversations;
pub use self::hostile::hostile_conversations;
pub use self::policy::{HostilePolicy, hostile_policies};
pub use self::table::tables;
pub use self::text::{hostile_texts, huge_texts, texts};
